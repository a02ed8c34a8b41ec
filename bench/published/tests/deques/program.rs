//! The operations of a program on a published queue.

/// A program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program {
    pub(crate) capacity: u32,
    /// The owner's operations before there are thieves, and then: `+` pushes, `*` pushes what is to
    /// run next, `-` pops.
    pub(crate) before: &'static str,
    pub(crate) owner: &'static str,
    /// Each thief's operations: a digit steals up to that number of items.
    pub(crate) thieves: &'static [&'static str],
}

/// The queue of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Which {
    Unbounded,
    Bounded,
    Tokio,
    Go,
}
