//! Why a block has no entry for a side.

use crate::error::PopError;

/// Why nothing was pushed or popped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// `Full` or `Empty`.
    Exhausted,
    /// Another thread is in the middle of an operation.
    Busy,
}

impl From<Reason> for PopError {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Exhausted => Self::Empty,
            Reason::Busy => Self::Busy,
        }
    }
}
