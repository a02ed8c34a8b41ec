//! The ring: producers and consumers each have a head, which they move by compare-exchange.
//!
//! This is the tube of sections 3.3.1 and 3.7.1 of J. Wang's thesis (TU Dresden, 2024), without DPDK's two
//! tails. DPDK's tails follow the heads in order: a thread that has filled or emptied its slot waits until
//! all threads with earlier slots have done so. A tube cannot work in that way. Under CNQ, a consumer keeps a
//! slot for as long as it needs. Another consumer that has consumed a later slot would wait for it; if one
//! thread held both slots, it would wait forever. Here each slot has a *turn* instead, which says whether the
//! slot is free or filled, and in which lap. No thread waits, and slots come back in any order.
//!
//! # Slots are checked in advance
//! If a thread reads the turn of a slot between its load of the head and its exchange, both lines come from other cores,
//! and the head has gone on meanwhile: of eight threads, most exchanges fail. So a thread that finds several slots
//! ready, from the head on, writes down how far. All threads read that word, and few write it. For positions before it
//! no turn is read, and the exchange follows its load at once. A slot that is ready stays so until its position is
//! taken.

use core::fmt;
use core::ptr;

use super::raw::{NoRoom, Nothing, Reserved, Ticket, Tube, power_of_two};
use crate::array::Array;
use crate::error::CapacityError;
use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, Ordering, prefetch_to_write};

/// A ring of slots, each with a sequence number.
///
/// The number of slots is the next power of two of the number asked for. Operations are lock-free with one
/// exception: a slot that a thread leaves unfinished blocks the threads that reach it one lap later.
pub struct SequencedRing {
    /// The positions to be allocated.
    allocated: Head,
    /// The positions to be reserved.
    reserved: Head,
    /// By slot: twice the first position of the lap in which the slot is free, plus one if it is filled.
    turns: Array<AtomicUsize>,
}

/// A head, and how far the slots after it have been checked.
struct Head {
    /// The next position to be taken.
    next: Isolated<AtomicUsize>,
    /// All slots of positions before this one have been found ready.
    checked: Isolated<AtomicUsize>,
}

impl Head {
    fn new(first: usize) -> Self {
        Self { next: Isolated(AtomicUsize::new(first)), checked: Isolated(AtomicUsize::new(first)) }
    }

    /// Returns the next position. It can be older.
    #[inline]
    fn next(&self) -> usize {
        // Ordering: Relaxed. An old value is found out by the turn or by the exchange; what the slot's last owner did
        // comes with the turn, or with `checked`.
        self.next.load(Ordering::Relaxed)
    }
}

impl super::Tube for SequencedRing {}

/// The most slots that are checked at a time: eight lines of turns.
const AT_ONCE: usize = 64;
/// The distance at which `checked` follows the head: far less than half of all positions.
const BEHIND: usize = 1 << (usize::BITS / 2);

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
    /// Its first position names the lap, and not its number: positions that wrap go on to the next lap,
    /// whereas their quotient would start again in the middle of a word.
    fn free(&self, position: usize) -> usize {
        position.wrapping_sub(self.slot(position)).wrapping_mul(2)
    }

    /// Returns the turn at which the position's slot is filled.
    fn filled(&self, position: usize) -> usize {
        self.free(position).wrapping_add(1)
    }

    /// Takes the next position of `head` if its slot has that turn. Otherwise returns that position.
    fn take(
        &self,
        head: &Head,
        turn: impl Fn(usize) -> usize,
        mut may: impl FnMut(usize) -> bool,
    ) -> Result<Ticket, (usize, bool)> {
        loop {
            prefetch_to_write(ptr::from_ref(&*head.next).cast());
            let position = head.next();
            // Ordering: Acquire pairs with the Release in `check`: the content of all slots that were found ready there
            // comes with it (`tube-ring/checked`).
            let checked = head.checked.load(Ordering::Acquire);
            if !is_before(position, checked) && !self.check(head, position, checked, &turn)? {
                continue;
            }
            if !may(position) {
                return Err((position, true));
            }
            let next = position.wrapping_add(1);
            if head.next.compare_exchange(position, next, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                return Ok(Ticket { position, slot: self.slot(position) });
            }
        }
    }

    /// Checks the slot of a position of `head`, and others after it.
    ///
    /// Returns whether the position is to be taken at once: not if it is old, or more slots than its own are ready.
    #[inline]
    fn check(
        &self,
        head: &Head,
        position: usize,
        checked: usize,
        turn: impl Fn(usize) -> usize,
    ) -> Result<bool, (usize, bool)> {
        // Ordering: Acquire pairs with the Release of `produce`, or `consume`: the content of the slot comes with it
        // (`tube-ring/drop`, `tube-ring/1x1-full`).
        let found = self.turn(position).load(Ordering::Acquire);
        if found != turn(position) {
            return if head.next() == position && is_before(found, turn(position)) {
                Err((position, false))
            } else {
                Ok(false)
            };
        }
        // In a ring of less than eight slots, one: there the heads follow their slots closely.
        let most = (self.turns.len() / 4).clamp(1, AT_ONCE);
        let more = (1..most).map(|more| position.wrapping_add(more));
        // Ordering: Acquire, as for the first one.
        let ready = more.take_while(|&later| self.turn(later).load(Ordering::Acquire) == turn(later)).count();
        let is_behind = position.wrapping_sub(checked) >= BEHIND;
        if ready == 0 && !is_behind {
            return Ok(true);
        }
        let until = position.wrapping_add(1 + ready);
        // Ordering: Release pairs with the Acquire in `take`. If it fails, another thread has checked.
        let _ = head.checked.compare_exchange(checked, until, Ordering::Release, Ordering::Relaxed);
        Ok(false)
    }

    /// Returns why a position whose slot is not filled cannot be reserved.
    #[inline]
    fn nothing(&self, position: usize) -> Nothing {
        // Ordering: Relaxed, the value decides nothing but the error.
        if self.allocated.next() == position { Nothing::Empty } else { Nothing::Busy }
    }
}

// SAFETY: one exchange takes a position, at a turn that its slot reaches once. Its owner stores the next
// turn, and the Acquire of the thread that reads it pairs with that store.
unsafe impl Tube for SequencedRing {
    fn slots_for(asked: usize, may_be: impl Fn(usize) -> bool) -> Result<usize, CapacityError> {
        power_of_two(asked, may_be)
    }

    fn starting_at(slots: usize, lap: usize) -> Result<Self, CapacityError> {
        let slots = power_of_two(slots, |_| true)?;
        let first = lap.wrapping_mul(slots);
        Ok(Self {
            allocated: Head::new(first),
            reserved: Head::new(first),
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
            let next = self.reserved.next();
            if is_before(before, next) { NoRoom::Busy } else { NoRoom::Full }
        })
    }

    #[inline]
    unsafe fn produce(&self, ticket: Ticket, mut at: impl FnMut(usize)) {
        at(ticket.position);
        // Ordering: Release pairs with the Acquire in `take`: the content of the slot comes with it.
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
        let mut position = self.reserved.next();
        loop {
            // Ordering: Relaxed throughout. The values decide nothing but to try to reserve, or the error.
            let found = self.turn(position).load(Ordering::Relaxed);
            if found == self.filled(position) {
                return Ok(());
            }
            let now = self.reserved.next();
            if now == position {
                return Err(self.nothing(position));
            }
            position = now;
        }
    }

    #[inline]
    unsafe fn consume(&self, ticket: Ticket) {
        let next = self.free(ticket.position.wrapping_add(self.turns.len()));
        // Ordering: Release pairs with the Acquire in `take`: the content of the slot comes with it.
        self.turn(ticket.position).store(next, Ordering::Release);
    }
}

impl fmt::Debug for SequencedRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SequencedRing").field("slots", &self.turns.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where words have 32 bits, it would be ahead of the head again after half of all positions.
    #[test]
    fn what_is_checked_does_not_stay_far_behind() {
        let checked_after = |behind: usize| {
            let ring = SequencedRing::starting_at(2, 0).expect("a small tube");
            ring.allocated.checked.store(0_usize.wrapping_sub(behind), Ordering::Relaxed);
            assert!(ring.allocate().is_ok_and(|ticket| ticket.position == 0));
            ring.allocated.checked.load(Ordering::Relaxed)
        };
        assert_eq!(checked_after(BEHIND - 1), 0_usize.wrapping_sub(BEHIND - 1), "near enough");
        assert_eq!(checked_after(BEHIND), 1);
    }
}
