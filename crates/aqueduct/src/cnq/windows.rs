//! How far apart the capsules are that are in use at a time: what makes the order (3.5, 3.6.2).
//!
//! The seed asks the tube for its entry so many positions before. Here both sides keep *lanes*, as many as they can use capsules at a
//! time: a position belongs to the lane of its remainder. That works for any tube, also where slots do not follow from positions.

use crate::array::Array;
use crate::error::CapacityError;
use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, Ordering};

use super::geometry::ID_BITS;

/// As many lanes as are asked, or more where positions come around in a program's life.
const fn lanes(count: usize) -> usize {
    if usize::BITS < 64 { count.next_power_of_two() } else { count }
}

/// The producers' lanes. A capsule that consumers can see and that can be put into is less than so many positions before any other
/// capsule that they can see.
///
/// A lane says which of its capsules is the last one, by the position's quotient and the capsule's number. Who comes with a
/// capsule of a later position closes the one that it finds, and then puts its own in its place: where a lane has a capsule,
/// all before it are closed. Who comes too late finds a later one, and closes its own.
pub(super) struct Open {
    lanes: Array<Isolated<AtomicUsize>>,
}

/// The number of no capsule.
const NOBODY: usize = (1 << ID_BITS) - 1;

impl Open {
    pub(super) fn new(producers: usize) -> Result<Self, CapacityError> {
        // In no lap yet: before the first one.
        let none = usize::MAX << ID_BITS | NOBODY;
        Ok(Self { lanes: Array::new(lanes(producers), |_| Isolated(AtomicUsize::new(none)))? })
    }

    /// Makes a capsule that is about to be produced the last one of its lane, and closes those before it. Says whether it may stay open.
    #[inline]
    pub(super) fn enter(&self, position: usize, id: usize, close: impl Fn(usize)) -> bool {
        let count = self.lanes.len();
        let (lane, mine) = (&self.lanes[position % count], (position / count) << ID_BITS | id);
        // Ordering: Acquire here and where the exchange fails pairs with its Release: the word that is to be closed is this capsule's
        // and not that of one before, which would be overwritten (`cnq-ring/late`).
        let mut there = lane.load(Ordering::Acquire);
        loop {
            if there.wrapping_sub(mine).cast_signed() > 0 {
                return false;
            }
            // An earlier life of the same capsule is over.
            if there & NOBODY != NOBODY && there & NOBODY != id {
                close(there & NOBODY);
            }
            match lane.compare_exchange(there, mine, Ordering::Release, Ordering::Acquire) {
                Ok(_) => return true,
                Err(now) => there = now,
            }
        }
    }
}

/// The consumers' lanes. A capsule is read from only when all that are so many positions before it, or more, have been read to the end.
///
/// A lane says which of its positions was finished last; the next one may be begun then.
pub(super) struct Finished {
    lanes: Array<Isolated<AtomicUsize>>,
}

impl Finished {
    pub(super) fn new(consumers: usize) -> Result<Self, CapacityError> {
        let count = lanes(consumers);
        let before = |lane: usize| Isolated(AtomicUsize::new(lane.wrapping_sub(count)));
        Ok(Self { lanes: Array::new(count, before)? })
    }

    /// Whether the position may be read.
    #[inline]
    pub(super) fn allows(&self, position: usize) -> bool {
        let count = self.lanes.len();
        // Ordering: Relaxed. Nothing is handed on: it is the order of pops that counts, and a store that is seen is one of a pop that
        // has come before.
        self.lanes[position % count].load(Ordering::Relaxed) == position.wrapping_sub(count)
    }

    /// The position has been read to the end.
    #[inline]
    pub(super) fn finish(&self, position: usize) {
        // Ordering: Relaxed, see `allows`.
        self.lanes[position % self.lanes.len()].store(position, Ordering::Relaxed);
    }

    /// A position that is not far from those in use.
    pub(super) fn near(&self) -> usize {
        // Ordering: Relaxed, any that this thread can see will do.
        self.lanes[0].load(Ordering::Relaxed)
    }
}
