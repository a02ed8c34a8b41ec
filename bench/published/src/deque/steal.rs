//! Why a thief got nothing.

/// The reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There was nothing to steal.
    Empty,
    /// Another thread was at it, or was quicker.
    Busy,
}
