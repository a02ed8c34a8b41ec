//! What a program on a queue does.

/// Which queue.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Which {
    /// Arrays of one slot.
    Loo1,
    /// Arrays of two slots.
    Loo2,
    CrTurn,
}

/// What each thread does: `+` pushes, `-` pops. The first part comes before the others begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program(pub(crate) Which, pub(crate) &'static str, pub(crate) &'static [&'static str]);
