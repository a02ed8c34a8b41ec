//! The operations of a program on a queue.

/// The queue of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Which {
    /// Arrays of one slot.
    Loo1,
    /// Arrays of two slots.
    Loo2,
    CrTurn,
    /// Two items, and requests after one attempt.
    Wcq,
    /// wCQ without the second look at a name, as the paper has it.
    PublishedWcq,
    /// Segments of one cell, and requests at once.
    Ymc1,
    /// Segments of two cells, and requests after another attempt.
    Ymc2,
    /// Segments of that many slots, two at least, for two items at least.
    Bsq(usize),
    /// Segments of that many slots.
    Usq(usize),
    Sq(usize),
    /// A pop takes one of that many nodes.
    Rdq(usize),
    Rtsq,
    /// Four windows of that many blocks, of one cell each.
    BlockFifo(usize),
}

impl Which {
    /// Whether a thread gets each producer's items in order.
    pub(crate) fn keeps_order(self) -> bool {
        match self {
            Self::Bsq(k) | Self::Usq(k) | Self::Sq(k) | Self::Rdq(k) => k == 1,
            Self::BlockFifo(_) => false,
            _ => true,
        }
    }
}

/// Each thread's operations: `+` pushes, `-` pops. The first part comes before the others begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Program(pub(crate) Which, pub(crate) &'static str, pub(crate) &'static [&'static str]);
