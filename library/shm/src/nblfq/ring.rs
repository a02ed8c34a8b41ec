//! The ring: slots with counters that show where the queue begins and ends (Denis and Goedefroit,
//! "NBLFQ: a lock-free MPMC queue optimized for low contention", IPDPS 2025).
//!
//! A slot's word has an item in its lower bits, and above them the slot's *turn*: how often it was
//! filled or emptied. In even turns it is empty, in odd ones it has an item: lap `n` of the ring
//! begins with turn `2 n`. Each exchange adds 1 to the turn. So a slot's word shows how often the
//! slot was filled and emptied, and the slot before it shows whether this slot is next:
//!
//! - A slot is filled in the lap in which the slot before it was filled last, or one later if it is
//!   the ring's first.
//! - A slot is emptied in the lap in which the slot before it was emptied last, or one later if it
//!   is the ring's first.
//!
//! The turn that was read from the slot before may be old, but the exchanges that it counts have
//! happened. The exchange compares the slot's own word with the value that was read, so an exchange
//! that succeeds does so at the queue's end. The slot at which a search starts is only a hint.
//!
//! # Why a search ends
//! A thread that has read a slot's turn (Acquire) also sees the exchanges (Release) that had to
//! precede it. So the turns that it sees are a state that the queue has been in, and in each such
//! state a lap of the ring finds the end that is searched for. If a search finds no end, and the
//! sum of all turns is unchanged from one lap to the next, the slots are in an impossible state:
//! some process has overwritten the memory.

use crate::cells::{Side, Stuck, hint_of};
use crate::layout::head;
use crate::sync::{Ordering, Word};

/// Steps of an operation beyond two laps of the ring.
const ATTEMPTS: usize = 256;

/// The words of a queue. An item has `bits` bits.
#[derive(Clone, Copy)]
pub(super) struct Ring<'a> {
    words: &'a [Word],
    slots: &'a [Word],
    bits: u32,
}

/// A search for an end of the queue. It terminates whatever other processes write.
struct Search {
    /// The current slot.
    at: usize,
    /// Number of steps that are left.
    steps: usize,
    /// Number of steps that are left in this lap, the sum of the turns read in it so far, and the
    /// sum of the lap before.
    left: usize,
    sum: u64,
    last: Option<u64>,
}

impl<'a> Ring<'a> {
    /// The ring of `slots` slots behind the header.
    #[inline(always)]
    pub(super) fn new(words: &'a [Word], slots: usize, bits: u32) -> Self {
        Self { words, slots: &words[head::WORDS..][..slots], bits }
    }

    #[inline(always)]
    fn search(&self, side: Side) -> Search {
        // Ordering: Relaxed, a hint: any slot is right.
        let hint = self.words[hint_of(side)].load(Ordering::Relaxed);
        let count = self.slots.len();
        let at = usize::try_from(hint).ok().filter(|hint| *hint < count).unwrap_or(0);
        Search { at, steps: 2 * count + ATTEMPTS, left: count, sum: 0, last: None }
    }

    #[inline(always)]
    fn read(&self, at: usize) -> u64 {
        // Ordering: Acquire pairs with the release in `exchange`: accesses before an item's push
        // are seen after its pop, and accesses before a pop are seen after the push that reuses its
        // slot.
        self.slots[at].load(Ordering::Acquire)
    }

    #[inline(always)]
    fn turn(&self, word: u64) -> u64 {
        word >> self.bits
    }

    /// Wraps a turn to the bits that a slot has for it.
    #[inline(always)]
    fn wrapped(&self, turn: u64) -> u64 {
        turn << self.bits >> self.bits
    }

    /// The turn that slot `at` must have for the side to exchange there, if the slot before has the
    /// turn `before`.
    #[inline(always)]
    fn due(&self, side: Side, at: usize, before: u64) -> u64 {
        let due = match side {
            // The slot before was last filled with an odd turn: `before`, or the one below it.
            Side::Producer => before.wrapping_sub(1) & !1,
            // The slot before was last emptied with an even turn: `before`, or the one below it.
            Side::Consumer => (before & !1).wrapping_sub(1),
        };
        self.wrapped(if at == 0 { due.wrapping_add(2) } else { due })
    }

    /// Finds the slot at which the side exchanges. Returns its word.
    #[inline(always)]
    fn find(&self, side: Side, search: &mut Search) -> Result<u64, Stuck> {
        let count = self.slots.len();
        let mut before = self.turn(self.read(if search.at == 0 { count } else { search.at } - 1));
        while search.steps > 0 {
            search.steps -= 1;
            let word = self.read(search.at);
            let (turn, due) = (self.turn(word), self.due(side, search.at, before));
            if turn == due {
                return Ok(word);
            }
            // The slot still has the item of the lap before: the queue is full. Or it is not filled
            // yet: the queue is empty.
            if turn == self.wrapped(due.wrapping_sub(1)) {
                return Err(Stuck::Waits);
            }
            if search.has_passed_twice(turn, count) {
                return Err(Stuck::Damaged);
            }
            before = turn;
            search.at = if search.at + 1 == count { 0 } else { search.at + 1 };
        }
        Err(Stuck::Contended)
    }

    /// Puts `item` into the next slot, and returns the slot's old item. An empty slot has 0 for an
    /// item.
    #[inline(always)]
    pub(super) fn exchange(&self, side: Side, item: u64) -> Result<u64, Stuck> {
        let mut search = self.search(side);
        loop {
            let word = self.find(side, &mut search)?;
            let given = (self.turn(word) + 1) << self.bits | item;
            // Ordering: Release pairs with the acquire in `read`.
            if self.slots[search.at].compare_exchange(word, given, Ordering::Release, Ordering::Relaxed).is_ok() {
                let next = if search.at + 1 == self.slots.len() { 0 } else { search.at + 1 };
                // Ordering: Relaxed, a hint.
                self.words[hint_of(side)].store(next as u64, Ordering::Relaxed);
                return Ok(word & !(u64::MAX << self.bits));
            }
        }
    }

    /// Whether the queue is full, or empty, for this side.
    pub(super) fn waits(&self, side: Side) -> bool {
        self.find(side, &mut self.search(side)) == Err(Stuck::Waits)
    }

    /// The number of slots that have an item.
    pub(super) fn len(&self) -> usize {
        (0..self.slots.len()).filter(|at| self.turn(self.read(*at)) & 1 == 1).count()
    }
}

impl Search {
    /// Counts a slot with this turn as passed. Returns true if the sum of the turns is that of the
    /// lap before, of `count` slots.
    #[inline(always)]
    fn has_passed_twice(&mut self, turn: u64, count: usize) -> bool {
        self.sum = self.sum.wrapping_add(turn);
        self.left -= 1;
        if self.left > 0 {
            return false;
        }
        let is_unchanged = self.last == Some(self.sum);
        *self = Self { left: count, sum: 0, last: Some(self.sum), ..*self };
        is_unchanged
    }
}
