//! What a program on a queue does.

/// Which queue.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Which {
    /// Arrays of one slot.
    Loo1,
    /// Arrays of two slots.
    Loo2,
    CrTurn,
    /// Two items, and requests after one attempt.
    Wcq,
    /// Segments of one cell, and requests at once.
    Ymc1,
    /// Segments of two cells, and requests after another attempt.
    Ymc2,
}

/// What each thread does: `+` pushes, `-` pops. The first part comes before the others begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program(pub(crate) Which, pub(crate) &'static str, pub(crate) &'static [&'static str]);
