//! What a program on a published queue does.

/// A program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program {
    pub(crate) capacity: u32,
    /// What the owner does before there are thieves, and then: `+` pushes, `*` pushes what is to run next, `-` pops.
    pub(crate) before: &'static str,
    pub(crate) owner: &'static str,
    /// What each thief does: a digit steals up to that number of items.
    pub(crate) thieves: &'static [&'static str],
}

/// Which queue.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Which {
    Unbounded,
    Bounded,
    Tokio,
    Go,
}
