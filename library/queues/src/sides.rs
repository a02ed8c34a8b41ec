//! Type parameters for the number of threads on a side of a queue.

/// One thread at a time on this side: its handle cannot be cloned.
#[derive(Clone, Copy, Debug)]
pub struct Single;

/// Any number of threads on this side: its handle can be cloned.
#[derive(Clone, Copy, Debug)]
pub struct Multi;
