//! The reasons why frames do not arrive, and their numbers.

use std::fmt;
use std::ops::{Index, IndexMut};

/// The reason for which a frame was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// Fewer than 14 bytes: no Ethernet header.
    TooShort,
    /// The source address names a group; no station may send with it, and no port can be learned
    /// from it.
    GroupSource,
    /// The destination is behind the port from which the frame came.
    OwnPort,
    /// The frame is for all other ports, and there is none.
    NoOtherPort,
    /// The receive queue of the destination had no room.
    ReceiveQueueFull,
}

impl DropReason {
    /// All reasons, in the order in which they are printed.
    pub const ALL: [Self; 5] =
        [Self::TooShort, Self::GroupSource, Self::OwnPort, Self::NoOtherPort, Self::ReceiveQueueFull];
}

impl fmt::Display for DropReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::TooShort => "too short for an Ethernet header",
            Self::GroupSource => "source is a group address",
            Self::OwnPort => "destination is on its own port",
            Self::NoOtherPort => "no other port to flood to",
            Self::ReceiveQueueFull => "receive queue full",
        })
    }
}

/// A count for every reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drops([u64; DropReason::ALL.len()]);

impl Drops {
    /// Returns the number of all dropped frames.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the reasons with their numbers of dropped frames.
    pub fn reasons(&self) -> impl Iterator<Item = (DropReason, u64)> {
        DropReason::ALL.into_iter().map(|reason| (reason, self[reason])).filter(|(_, count)| *count > 0)
    }
}

impl Index<DropReason> for Drops {
    type Output = u64;

    fn index(&self, reason: DropReason) -> &u64 {
        &self.0[reason as usize]
    }
}

impl IndexMut<DropReason> for Drops {
    fn index_mut(&mut self, reason: DropReason) -> &mut u64 {
        &mut self.0[reason as usize]
    }
}
