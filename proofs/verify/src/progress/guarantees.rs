//! The guarantees of queues of many threads: the results that other threads may get while one is
//! frozen.

use std::fmt;

use serde::Serialize;

use crate::clients::cnq::stalls::Nested;
use crate::clients::threads::{Nothing, Refused};
use crate::progress::one_stopped::Victim;

/// The results of a number of equal operations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub enum Answer {
    /// The number of pushes, and why the next one failed; `None` if the others stopped by
    /// themselves.
    Pushed(usize, Option<Refused>),
    /// The number of pops, and why the next one failed.
    Popped(usize, Nothing),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pushed(count, Some(refused)) => write!(f, "{count} {refused:?}"),
            Self::Pushed(count, None) => write!(f, "{count} and on"),
            Self::Popped(count, nothing) => write!(f, "{count} {nothing:?}"),
        }
    }
}

/// The state of a queue when the victim begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Scene {
    /// The victim's operation.
    pub victim: Victim,
    /// The number of items that have passed through the queue before.
    pub before: usize,
    /// The number of items in the queue.
    pub filled: usize,
}

/// The guarantee of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A thread that stalls in an entry blocks threads that come to the entry. A thread that stalls
    /// in a pop blocks those that use its block again, a lap later. Neither blocks any other
    /// thread.
    Blocks {
        /// The number of blocks.
        blocks: usize,
        /// The number of entries of each block.
        size: usize,
        /// Whether the queue distinguishes a stalled push from an empty entry.
        busy_pops: bool,
        /// Whether the queue distinguishes a stalled pop from a full entry.
        busy_pushes: bool,
    },
    /// Blocks are overwritten if their items are not read in time: no reader blocks another thread.
    Overwrites {
        /// The number of blocks.
        blocks: usize,
        /// The number of entries of each block.
        size: usize,
        /// Whether the queue distinguishes a stalled push from an empty entry.
        busy_pops: bool,
    },
    /// A thread that stalls in a slot blocks threads that come to the slot: consumers if it pushes,
    /// and producers a lap later if it pops. It blocks no other thread.
    Slots {
        /// The number of items that fit.
        capacity: usize,
    },
    /// No thread blocks another one.
    LockFree {
        /// The number of items that fit.
        capacity: usize,
    },
    /// No thread blocks another one, and no push is refused.
    Unbounded,
    /// A stalled thread blocks users of its capsule, and threads that would come too far ahead of
    /// it.
    Nested(Nested),
}

impl Kind {
    /// Returns the most pushes that are tried, which are more than fit.
    pub(super) fn most(self) -> usize {
        match self {
            Self::Blocks { blocks, size, .. } | Self::Overwrites { blocks, size, .. } => (blocks + 1) * size,
            Self::Slots { capacity } | Self::LockFree { capacity } => 2 * capacity,
            Self::Unbounded => 3,
            Self::Nested(Nested { capsules, size, .. }) => (capsules + 1) * size,
        }
    }

    /// Whether laps are part of the test.
    pub(super) fn has_laps(self) -> bool {
        !matches!(self, Self::Nested(_))
    }

    /// Whether the others can get these results, all of them together.
    #[must_use]
    pub fn allows(self, scene: Scene, answers: &[Answer]) -> bool {
        if let Self::Nested(nested) = self {
            return nested.allows(scene, answers);
        }
        let stalled = |victim| usize::from(scene.victim == victim);
        // The number of items in the queue, without the victim's and with it.
        let (least, most) = (scene.filled - stalled(Victim::Pop), scene.filled + stalled(Victim::Push));
        // The number of items after the answers so far, and the number that the others have pushed.
        let (mut present, mut pushed) = ((least, most), 0);
        answers.iter().all(|&answer| match answer {
            Answer::Popped(count, nothing) => {
                let (least, most) = present;
                present = (least.saturating_sub(count), most.saturating_sub(count));
                match nothing {
                    Nothing::Empty => {
                        // All but the victim's item: its push may count, its pop has taken the
                        // item.
                        present = (0, stalled(Victim::Push).min(present.1));
                        // If the others have pushed since, a reader may have lost some items.
                        let least = if self.overwrites() && pushed > 0 { 0 } else { least };
                        (least..=most).contains(&count)
                    }
                    // The victim's entry follows the old items, or some of the others' later ones.
                    Nothing::Busy => {
                        let is_there = if pushed == 0 { count == scene.filled } else { count <= most };
                        self.busy_pops() && scene.victim == Victim::Push && is_there
                    }
                }
            }
            Answer::Pushed(count, refused) => {
                pushed += count;
                present = (present.0 + count, present.1 + count);
                match refused {
                    None => (self.overwrites() || self == Self::Unbounded) && count == self.most(),
                    Some(Refused::Full) => !self.overwrites() && present.1 >= self.capacity(),
                    Some(Refused::Busy) => self.busy_pushes(scene) && pushed >= self.free_elsewhere(scene),
                }
            }
        })
    }

    /// Returns the number of items that fit for certain.
    fn capacity(self) -> usize {
        match self {
            Self::Blocks { blocks, size, .. } | Self::Overwrites { blocks, size, .. } => (blocks - 1) * size,
            Self::Slots { capacity } | Self::LockFree { capacity } => capacity,
            Self::Unbounded => usize::MAX,
            Self::Nested(Nested { capsules, size, .. }) => capsules * size,
        }
    }

    fn overwrites(self) -> bool {
        matches!(self, Self::Overwrites { .. })
    }

    fn busy_pops(self) -> bool {
        match self {
            Self::Blocks { busy_pops, .. } | Self::Overwrites { busy_pops, .. } => busy_pops,
            Self::Nested(Nested { busy_pushes, .. }) => busy_pushes,
            Self::Slots { .. } => true,
            Self::LockFree { .. } | Self::Unbounded => false,
        }
    }

    fn busy_pushes(self, scene: Scene) -> bool {
        match self {
            Self::Blocks { busy_pushes, .. } => busy_pushes && scene.victim == Victim::Pop,
            Self::Slots { .. } => scene.victim == Victim::Pop,
            Self::Overwrites { .. } => scene.victim == Victim::Push,
            Self::LockFree { .. } | Self::Unbounded | Self::Nested(_) => false,
        }
    }

    /// Returns how many entries behind the last item are not in the victim's block a lap later.
    /// Pushes into them succeed.
    fn free_elsewhere(self, scene: Scene) -> usize {
        let (blocks, size) = match self {
            Self::Blocks { blocks, size, .. } | Self::Overwrites { blocks, size, .. } => (blocks, size),
            Self::Slots { capacity } => (capacity, 1),
            Self::LockFree { .. } | Self::Unbounded | Self::Nested(_) => return 0,
        };
        let victims = match scene.victim {
            Victim::Push => scene.before + scene.filled,
            Victim::Pop => scene.before,
        };
        let next_lap = (victims / size + blocks) * size;
        let taken = scene.before + scene.filled + usize::from(scene.victim == Victim::Push);
        next_lap - taken
    }
}
