//! The result of a failed theft.

/// The reason of a failed theft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There was nothing to steal.
    Empty,
    /// Another thread was stealing, or was quicker.
    Busy,
}
