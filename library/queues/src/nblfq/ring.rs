//! The ring: slots whose counters say where it begins and ends (Denis and Goedefroit, IPDPS 2025,
//! algorithms 1 to 4).
//!
//! A slot's count is the number of times that it has been emptied. It is filled in lap 0, emptied,
//! filled in lap 1, and so on. So one value of its word, a count with or without an item,
//! identifies all that had happened there. Two neighbours tell where the ends are:
//!
//! - The slot after a filled one of lap `c` is to be filled in lap `c`, or in `c + 1` if it is the
//!   ring's first. If it is empty and its count is that lap, it is the head. If it is still filled,
//!   from the lap before, the queue is full.
//! - A slot is the tail if the slot before it has been emptied once more than it has, or equally
//!   often if it is the ring's first.
//!
//! The value that was read of the slot before may be out of date. It remains true that the slot was
//! filled or emptied in that lap. The exchange compares the value that was read of the slot itself,
//! so an exchange that succeeds does so at the head, or at the tail. Head and tail are kept as
//! hints and decide nothing.
//!
//! # Why a search ends
//! A push or a pop of lap `c` is made on the evidence of the slot before it. Evidence is acquired
//! (the loads) and released (the exchanges). So a thread that has observed one slot's state has
//! also observed the events at the other slots that had to precede it: its observations together
//! are a state that the queue has been in. In each such state, one walk around the ring reaches the
//! end that is searched for. During the walk, only operations of others that complete can add to
//! the thread's observations.

use super::slot::Slot;
use super::slots::Slots;
use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, Ordering};

pub(super) struct Ring<A> {
    /// A hint: the place where the last successful push left off.
    head: Isolated<AtomicUsize>,
    /// A hint: the place where the last successful pop left off.
    tail: Isolated<AtomicUsize>,
    slots: A,
}

impl<A> Ring<A> {
    /// Makes a ring of empty slots.
    pub(super) const fn new(slots: A) -> Self {
        Self { head: Isolated(AtomicUsize::new(0)), tail: Isolated(AtomicUsize::new(0)), slots }
    }
}

/// Returns the slot after that one, in a ring of `count` slots.
#[inline(always)]
fn next(index: usize, count: usize) -> usize {
    if index + 1 == count { 0 } else { index + 1 }
}

/// Returns the slot before that one, in a ring of `count` slots.
#[inline(always)]
fn before(index: usize, count: usize) -> usize {
    if index == 0 { count - 1 } else { index - 1 }
}

#[inline(always)]
fn read<S: Slot>(slots: &[S], index: usize) -> S::Seen {
    // Ordering: Acquire pairs with the Release of `push` and `pop`: the work before an item's push
    // happens before its pop, and the changes before a slot's change happen before its read ("Why a
    // search ends").
    slots[index].look(Ordering::Acquire)
}

impl<S: Slot, A: Slots<Slot = S>> Ring<A> {
    /// Puts the word that `fill` makes of the lap into the next slot, and returns whether there was
    /// room.
    #[inline(always)]
    pub(super) fn push(&self, fill: impl Fn(S::Count) -> S::Word) -> bool {
        let slots = self.slots.all();
        let count = slots.len();
        // Ordering: Relaxed, a hint.
        let mut at = self.head.load(Ordering::Relaxed);
        let mut left = read(slots, before(at, count));
        loop {
            let here = read(slots, at);
            // The last lap in which the slot before was filled: this one's turn is then, or next.
            let last = if S::is_empty(left) { S::minus_one(S::count(left)) } else { S::count(left) };
            let lap = if at == 0 { S::plus_one(last) } else { last };
            if S::is_empty(here) && S::count(here) == lap {
                let slot = &slots[at];
                // Ordering: Release pairs with the Acquire in `read`.
                if slot.exchange(slot.whole(here), fill(lap), Ordering::Release) {
                    // Ordering: Release only keeps this behind the exchange (load buffering); it is
                    // a hint.
                    self.head.store(next(at, count), Ordering::Release);
                    return true;
                }
                left = read(slots, before(at, count));
                continue;
            }
            if !S::is_empty(left) && !S::is_empty(here) && S::count(here) == S::minus_one(lap) {
                return false;
            }
            left = here;
            at = next(at, count);
        }
    }

    /// Takes out the oldest word, if there is one.
    #[inline(always)]
    pub(super) fn pop(&self) -> Option<S::Word> {
        let slots = self.slots.all();
        let count = slots.len();
        // Ordering: Relaxed, a hint.
        let mut at = self.tail.load(Ordering::Relaxed);
        let mut left = read(slots, before(at, count));
        loop {
            let here = read(slots, at);
            // This slot's count, if it is the next one to be emptied.
            let due = if at == 0 { S::count(left) } else { S::minus_one(S::count(left)) };
            if S::count(here) == due {
                if S::is_empty(here) {
                    return None;
                }
                let slot = &slots[at];
                let word = slot.whole(here);
                // Ordering: Release pairs with the Acquire in `read`.
                if slot.exchange(word, S::empty(S::plus_one(due)), Ordering::Release) {
                    // Ordering: Release only keeps this behind the exchange (load buffering); it is
                    // a hint.
                    self.tail.store(next(at, count), Ordering::Release);
                    return Some(word);
                }
                left = read(slots, before(at, count));
                continue;
            }
            left = here;
            at = next(at, count);
        }
    }

    /// Returns the number of filled slots, exact while no operation is in progress.
    pub(super) fn len(&self) -> usize {
        let slots = self.slots.all();
        (0..slots.len()).filter(|&index| !S::is_empty(read(slots, index))).count()
    }

    /// Returns the number of slots.
    pub(super) fn count(&self) -> usize {
        self.slots.all().len()
    }
}
