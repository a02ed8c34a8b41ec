//! How many threads an end of the queue has.

use crate::sides::{Multi, Single};

mod sealed {
    pub trait Sealed {}
}

/// How many producers or consumers an unbounded queue has: [`Single`] or [`Multi`].
pub trait Side: sealed::Sealed + 'static {
    /// Whether one thread at a time is at this end.
    #[doc(hidden)]
    const IS_SINGLE: bool;
}

impl sealed::Sealed for Single {}
impl sealed::Sealed for Multi {}

impl Side for Single {
    const IS_SINGLE: bool = true;
}

impl Side for Multi {
    const IS_SINGLE: bool = false;
}
