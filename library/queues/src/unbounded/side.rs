//! The number of threads at an end of the queue.

use crate::sides::{Multi, Single};

mod sealed {
    pub trait Sealed {}
}

/// The number of producers or consumers of an unbounded queue: [`Single`] or [`Multi`].
pub trait Side: sealed::Sealed + 'static {
    /// True if one thread at a time is at this end.
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
