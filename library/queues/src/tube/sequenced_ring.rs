//! The ring: producers and consumers each have a head, which they move by compare-exchange.
//!
//! This is the tube of sections 3.3.1 and 3.7.1 of J. Wang's thesis (TU Dresden, 2024), without
//! DPDK's two tails. DPDK's tails follow the heads in order: a thread that has filled or emptied
//! its slot waits until all threads with earlier slots have done so. A tube cannot work in that
//! way. Under CNQ, a consumer keeps a slot for as long as it needs. Another consumer that has
//! consumed a later slot would wait for it; if one thread held both slots, it would wait forever.
//! Here each slot has a *turn* instead, a sequence number: whether the slot is free or filled, and
//! in which lap. No thread waits, and slots come back in any order.

use core::fmt;

use super::raw::{NoRoom, Nothing, RawTube, Reserved, Ticket, power_of_two};
use crate::array::Array;
use crate::error::CapacityError;
use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, Ordering};

/// A ring of slots, each with a sequence number.
///
/// The number of slots is the next power of two of the number asked for. Operations are lock-free
/// with one exception: a slot that a thread leaves unfinished blocks the threads that reach it one
/// lap later.
pub struct SequencedRing {
    /// The next position to be allocated.
    allocated: Isolated<AtomicUsize>,
    /// The next position to be reserved.
    reserved: Isolated<AtomicUsize>,
    /// By slot: twice the first position of the lap in which the slot is free, plus one if it is
    /// filled.
    turns: Array<AtomicUsize>,
}

impl super::Tube for SequencedRing {}

/// Whether `turn` comes before `expected`.
fn is_before(turn: usize, expected: usize) -> bool {
    turn.wrapping_sub(expected).cast_signed() < 0
}

impl SequencedRing {
    fn slot(&self, position: usize) -> usize {
        position & (self.turns.len() - 1)
    }

    fn turn(&self, position: usize) -> &AtomicUsize {
        &self.turns[self.slot(position)]
    }

    /// Returns the turn at which the position's slot is free.
    ///
    /// The lap's first position stands for the lap, and not the lap's number: positions that wrap
    /// go on to the next lap, whereas their quotient would start again in the middle of a word.
    fn free(&self, position: usize) -> usize {
        position.wrapping_sub(self.slot(position)).wrapping_mul(2)
    }

    /// Returns the turn at which the position's slot is filled.
    fn filled(&self, position: usize) -> usize {
        self.free(position).wrapping_add(1)
    }

    /// Takes the next position of `head` if its slot has that turn. Otherwise returns that
    /// position, and whether `may` has refused it.
    fn take(
        &self,
        head: &AtomicUsize,
        turn: impl Fn(usize) -> usize,
        mut may: impl FnMut(usize) -> bool,
    ) -> Result<Ticket, (usize, bool)> {
        // Ordering: Relaxed for the first load of the head. The turn or the exchange detects an old
        // value; what the slot's last owner did comes with the turn.
        let mut position = head.load(Ordering::Relaxed);
        loop {
            // Ordering: Acquire pairs with the Release of `produce`, or `consume`: the content of
            // the slot comes with it (`tube-ring/drop`, `tube-ring/1x1-full`).
            let found = self.turn(position).load(Ordering::Acquire);
            if found == turn(position) {
                if !may(position) {
                    return Err((position, true));
                }
                // Ordering: Acquire where it fails only keeps later stores behind (load buffering).
                match head.compare_exchange(position, position.wrapping_add(1), Ordering::Relaxed, Ordering::Acquire) {
                    Ok(_) => return Ok(Ticket { position, slot: self.slot(position) }),
                    Err(now) => position = now,
                }
                continue;
            }
            // Ordering: Acquire only keeps later stores behind (load buffering).
            let now = head.load(Ordering::Acquire);
            if now == position && is_before(found, turn(position)) {
                return Err((position, false));
            }
            position = now;
        }
    }

    /// Returns why a position whose slot is not filled cannot be reserved.
    #[inline]
    fn nothing(&self, position: usize) -> Nothing {
        // Ordering: Acquire only keeps later stores behind (load buffering): the value decides
        // nothing but the error.
        if self.allocated.load(Ordering::Acquire) == position { Nothing::Empty } else { Nothing::Busy }
    }
}

// SAFETY: one exchange takes a position, at a turn that its slot reaches once. Its owner stores the
// next turn, and the Acquire of the thread that reads it pairs with that store.
unsafe impl RawTube for SequencedRing {
    fn slots_for(asked: usize, may_be: &dyn Fn(usize) -> bool) -> Result<usize, CapacityError> {
        power_of_two(asked, may_be)
    }

    fn starting_at(slots: usize, lap: usize) -> Result<Self, CapacityError> {
        let slots = power_of_two(slots, &|_| true)?;
        let first = lap.wrapping_mul(slots);
        Ok(Self {
            allocated: Isolated(AtomicUsize::new(first)),
            reserved: Isolated(AtomicUsize::new(first)),
            turns: Array::new(slots, |_| AtomicUsize::new(first.wrapping_mul(2)))?,
        })
    }

    fn slots(&self) -> usize {
        self.turns.len()
    }

    #[inline]
    fn allocate(&self) -> Result<Ticket, NoRoom> {
        self.take(&self.allocated, |position| self.free(position), |_| true).map_err(|(position, _)| {
            let before = position.wrapping_sub(self.turns.len());
            // Ordering: Relaxed, the value decides nothing but the error.
            let next = self.reserved.load(Ordering::Relaxed);
            if is_before(before, next) { NoRoom::Busy } else { NoRoom::Full }
        })
    }

    #[inline]
    unsafe fn produce(&self, ticket: Ticket, mut at: impl FnMut(usize)) {
        at(ticket.position);
        // Ordering: Release pairs with the Acquire in `take`: the content of the slot comes with
        // it.
        self.turn(ticket.position).store(self.filled(ticket.position), Ordering::Release);
    }

    #[inline]
    fn reserve(&self, may: impl FnMut(usize) -> bool) -> Result<Reserved, Nothing> {
        match self.take(&self.reserved, |position| self.filled(position), may) {
            Ok(ticket) => Ok(Reserved { ticket, is_permitted: true }),
            Err((_, true)) => Err(Nothing::Refused),
            Err((position, false)) => Err(self.nothing(position)),
        }
    }

    #[inline]
    fn look(&self) -> Result<(), Nothing> {
        let mut position = self.reserved.load(Ordering::Relaxed);
        loop {
            // Ordering: Relaxed throughout. The values decide nothing but to try to reserve, or the
            // error.
            let found = self.turn(position).load(Ordering::Relaxed);
            if found == self.filled(position) {
                return Ok(());
            }
            let now = self.reserved.load(Ordering::Relaxed);
            if now == position {
                return Err(self.nothing(position));
            }
            position = now;
        }
    }

    #[inline]
    unsafe fn consume(&self, ticket: Ticket) {
        let next = self.free(ticket.position.wrapping_add(self.turns.len()));
        // Ordering: Release pairs with the Acquire in `take`: the content of the slot comes with
        // it.
        self.turn(ticket.position).store(next, Ordering::Release);
    }
}

impl fmt::Debug for SequencedRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SequencedRing").field("slots", &self.turns.len()).finish_non_exhaustive()
    }
}
