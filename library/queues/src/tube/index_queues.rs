//! Two queues of indices and an array: one queue has the free slots, the other the filled ones.
//!
//! This is the tube of section 3.7.2 of J. Wang's thesis (TU Dresden, 2024), built as in SCQD
//! (Nikolaev, "A Scalable, Portable, and Memory-Efficient Lock-Free FIFO Queue", DISC 2019). SCQD's
//! queues of indices are SCQ's, which take positions by fetch-and-add and leave some of them empty.
//! A tube's positions have no gaps. So the queues here are that paper's NCQ, which is SCQ without
//! fetch-and-add: an exchange fills an entry, and the tail follows. NCQ is lock-free. A thread that
//! stalls between `allocate` and `produce`, or between `reserve` and `consume`, holds up no other
//! thread.
//!
//! Every write is a Release, also against [load buffering](crate::bbq#load-buffering).

use core::fmt;

use super::raw::{NoRoom, Nothing, RawTube, Reserved, Ticket, power_of_two};
use crate::array::Array;
use crate::error::CapacityError;
use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, Ordering};

/// Slots whose numbers pass through two queues. Lock-free.
///
/// The number of slots is the next power of two of the number asked for. A thread that keeps its
/// slot holds up no other thread.
pub struct IndexQueues {
    free: Indices,
    filled: Indices,
}

/// A queue of the numbers below its length. It has each number at most once.
struct Indices {
    head: Isolated<AtomicUsize>,
    tail: Isolated<AtomicUsize>,
    /// By index: the lap, in the bits above those of an index, and the index that was pushed. A lap
    /// is a position without the bits of its index.
    entries: Array<AtomicUsize>,
}

impl Indices {
    /// Makes a queue with all of the numbers in it, or with none.
    ///
    /// `first` is the first position, which begins a lap.
    fn new(len: usize, first: usize, is_full: bool) -> Result<Self, CapacityError> {
        // An empty queue's entries are of the lap before the first one.
        let entry = |index| if is_full { first | index } else { first.wrapping_sub(len) };
        Ok(Self {
            head: Isolated(AtomicUsize::new(first)),
            tail: Isolated(AtomicUsize::new(if is_full { first.wrapping_add(len) } else { first })),
            entries: Array::new(len, |index| AtomicUsize::new(entry(index)))?,
        })
    }

    fn lap(&self, position: usize) -> usize {
        position & !(self.entries.len() - 1)
    }

    fn index(&self, entry: usize) -> usize {
        entry & (self.entries.len() - 1)
    }

    fn entry(&self, position: usize) -> &AtomicUsize {
        &self.entries[self.index(position)]
    }

    /// Adds a number that is not in the queue. It calls `at` as [`RawTube::produce`] does.
    #[inline]
    fn push(&self, index: usize, mut at: impl FnMut(usize)) {
        // Ordering: Acquire pairs with the Release in `follow`: a thread that comes to a position
        // finds no entry older than the lap before. The tail would pass such an entry although it
        // is not filled (`tube-indices/1x2-lap`).
        let mut tail = self.tail.load(Ordering::Acquire);
        loop {
            let entry = self.entry(tail);
            // Ordering: Acquire, also where the exchange fails, pairs with the Release of another
            // thread's exchange. The thread that moves the tail for it hands on what it has
            // observed: `pop` relies on that (`tube-indices/2x2`).
            let found = entry.load(Ordering::Acquire);
            if self.lap(found).wrapping_add(self.entries.len()) == self.lap(tail) {
                at(tail);
                let new = self.lap(tail) | index;
                // Ordering: Release pairs with the Acquire in `pop`: what the slot's last owner did
                // comes with its number (`tube-indices/2x2`).
                if entry.compare_exchange(found, new, Ordering::Release, Ordering::Acquire).is_ok() {
                    self.follow(tail);
                    return;
                }
            }
            // Another thread's entry is here, of this lap or a later one. The tail may not have
            // followed yet.
            tail = self.follow(tail);
        }
    }

    /// Moves the tail on from a position whose entry is filled. Returns the tail.
    #[inline]
    fn follow(&self, tail: usize) -> usize {
        let next = tail.wrapping_add(1);
        // Ordering: Release, and Acquire on failure, serve the load at the start of `push`
        // (`tube-indices/2x2`, `tube-indices/overtaken`).
        let moved = self.tail.compare_exchange(tail, next, Ordering::Release, Ordering::Acquire);
        moved.map_or_else(|now| now, |_| next)
    }

    /// Takes the oldest number and its position, if `may` allows it.
    ///
    /// The loop ends because an entry of a later lap shows that the head read here is old, and the
    /// next read returns a later head. The thread that filled the entry had observed, through the
    /// tail, all pushes from this position on. There were at least as many such pushes as numbers,
    /// so some number had been pushed twice, or the thread's own number had been pushed before.
    /// Either way, a pop had moved the head past this position. The load of the entry acquires all
    /// of that.
    #[inline]
    fn pop(&self, mut may: impl FnMut(usize) -> bool) -> Result<Ticket, Nothing> {
        // Ordering: Relaxed, also on failure. The entry or the exchange detects an old value.
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            // Ordering: Acquire pairs with the Release in `push`: the slot's content comes with its
            // number, and so does the head that its producer had observed (`tube-indices/2x2`).
            let found = self.entry(head).load(Ordering::Acquire);
            if self.lap(found) == self.lap(head) {
                if !may(head) {
                    return Err(Nothing::Refused);
                }
                let next = head.wrapping_add(1);
                // Ordering: Release pairs with the Acquire below: a later load finds no entry older
                // than the lap before. Acquire where it fails only keeps later stores behind (load
                // buffering).
                match self.head.compare_exchange(head, next, Ordering::Release, Ordering::Acquire) {
                    Ok(_) => return Ok(Ticket { position: head, slot: self.index(found) }),
                    Err(now) => head = now,
                }
                continue;
            }
            // Ordering: Acquire pairs with the Release above: a thread that reaches a position a
            // second time finds no entry older than the lap before. It would loop on such an entry
            // forever (`tube-indices/1x2-one`).
            let now = self.head.load(Ordering::Acquire);
            if now == head && self.lap(found).wrapping_add(self.entries.len()) == self.lap(head) {
                return Err(Nothing::Empty);
            }
            head = now;
        }
    }
}

impl super::Tube for IndexQueues {}

// SAFETY: a number is in one of the queues or with one thread, and what a thread did to its slot
// goes with it. The head of the filled slots' queue passes each position once, in order, and passes
// filled ones only.
unsafe impl RawTube for IndexQueues {
    fn slots_for(asked: usize, may_be: &dyn Fn(usize) -> bool) -> Result<usize, CapacityError> {
        power_of_two(asked, may_be)
    }

    fn starting_at(slots: usize, lap: usize) -> Result<Self, CapacityError> {
        let slots = power_of_two(slots, &|_| true)?;
        let first = lap.wrapping_mul(slots);
        Ok(Self { free: Indices::new(slots, first, true)?, filled: Indices::new(slots, first, false)? })
    }

    fn slots(&self) -> usize {
        self.free.entries.len()
    }

    #[inline]
    fn allocate(&self) -> Result<Ticket, NoRoom> {
        self.free.pop(|_| true).map_err(|_| {
            // Ordering: Relaxed, the value decides nothing but the error.
            let [tail, head] = [&self.filled.tail, &self.filled.head].map(|word| word.load(Ordering::Relaxed));
            if tail.wrapping_sub(head) == self.slots() { NoRoom::Full } else { NoRoom::Busy }
        })
    }

    #[inline]
    unsafe fn produce(&self, ticket: Ticket, at: impl FnMut(usize)) {
        self.filled.push(ticket.slot, at);
    }

    #[inline]
    fn reserve(&self, may: impl FnMut(usize) -> bool) -> Result<Reserved, Nothing> {
        self.filled.pop(may).map(|ticket| Reserved { ticket, is_permitted: true })
    }

    #[inline]
    fn look(&self) -> Result<(), Nothing> {
        match self.filled.pop(|_| false) {
            Err(Nothing::Refused) => Ok(()),
            nothing => nothing.map(drop),
        }
    }

    #[inline]
    unsafe fn consume(&self, ticket: Ticket) {
        self.free.push(ticket.slot, |_| ());
    }
}

impl fmt::Debug for IndexQueues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexQueues").field("slots", &self.slots()).finish_non_exhaustive()
    }
}
