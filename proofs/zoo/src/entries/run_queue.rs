//! tokio's run queue of one worker, for Z34 and Z35.
//!
//! The owner pushes at the tail and pops at its head. A thief claims a task by moving the owner's
//! head on, copies it, and then moves the thieves' head to the same place. Both heads are in one
//! word.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use super::super::{AtomicUsize, Slot};

/// The two heads.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Heads {
    thieves: usize,
    owners: usize,
}

/// The position of the thieves' head in the word.
const SHIFT: u32 = usize::BITS / 2;

impl Heads {
    fn word(self) -> usize {
        self.thieves << SHIFT | self.owners
    }

    fn of(word: usize) -> Self {
        Self { thieves: word >> SHIFT, owners: word & (usize::MAX >> SHIFT) }
    }
}

/// The head from which the owner counts its free slots.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RoomFrom {
    Owners,
    Thieves,
}

/// A run queue whose indices have `BITS` bits.
pub(crate) struct RunQueue<const CAPACITY: usize, const BITS: u32> {
    heads: AtomicUsize,
    tail: AtomicUsize,
    slots: [Slot<usize>; CAPACITY],
}

impl<const CAPACITY: usize, const BITS: u32> RunQueue<CAPACITY, BITS> {
    const MASK: usize = (1 << BITS) - 1;

    pub(crate) fn new() -> Self {
        Self { heads: AtomicUsize::new(0), tail: AtomicUsize::new(0), slots: std::array::from_fn(|_| Slot::new(0)) }
    }

    fn distance(from: usize, to: usize) -> usize {
        to.wrapping_sub(from) & Self::MASK
    }

    fn move_heads(&self, from: Heads, to: Heads) -> Result<(), Heads> {
        self.heads.compare_exchange(from.word(), to.word(), AcqRel, Acquire).map(|_| ()).map_err(Heads::of)
    }

    /// Pushes as the owner. Returns whether the queue was not full.
    pub(crate) fn push(&self, task: usize, room_from: RoomFrom) -> bool {
        let heads = Heads::of(self.heads.load(Acquire));
        let head = if room_from == RoomFrom::Owners { heads.owners } else { heads.thieves };
        let tail = self.tail.load(Relaxed);
        if Self::distance(head, tail) >= CAPACITY {
            return false;
        }
        self.slots[tail % CAPACITY].set(task);
        self.tail.store((tail + 1) & Self::MASK, Release);
        true
    }

    /// Pops as the owner.
    pub(crate) fn pop(&self) -> Option<usize> {
        let mut heads = Heads::of(self.heads.load(Acquire));
        loop {
            let Heads { thieves, owners } = heads;
            if owners == self.tail.load(Relaxed) {
                return None;
            }
            let next = (owners + 1) & Self::MASK;
            let to = Heads { thieves: if thieves == owners { next } else { thieves }, owners: next };
            match self.move_heads(heads, to) {
                Ok(()) => return Some(self.slots[owners % CAPACITY].get()),
                Err(now) => heads = now,
            }
        }
    }

    /// Steals one task as a thief, unless another thief is stealing.
    pub(crate) fn steal(&self) -> Option<usize> {
        let mut heads = Heads::of(self.heads.load(Acquire));
        loop {
            let tail = self.tail.load(Acquire);
            if heads.thieves != heads.owners || heads.owners == tail {
                return None;
            }
            let claim = Heads { thieves: heads.thieves, owners: (heads.owners + 1) & Self::MASK };
            match self.move_heads(heads, claim) {
                Ok(()) => {
                    heads = claim;
                    break;
                }
                Err(now) => heads = now,
            }
        }
        let task = self.slots[heads.thieves % CAPACITY].get();
        while let Err(now) = self.move_heads(heads, Heads { thieves: heads.owners, owners: heads.owners }) {
            heads = now;
        }
        Some(task)
    }
}
