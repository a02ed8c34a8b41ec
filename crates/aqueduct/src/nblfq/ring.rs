//! The ring: slots whose counters say where it begins and ends (Denis and Goedefroit, IPDPS 2025,
//! algorithms 1 to 4).
//!
//! A slot's count says how often it has been emptied. It is filled in lap 0, emptied, filled in lap
//! 1, and so on. So one value of its word, a count and an item or none, says forever what had
//! happened there. Two neighbours tell where the ends are:
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
//! (the loads) and handed on (the exchanges). So a thread that knows one slot's state also knows
//! the events at the other slots that had to precede it: all that it knows together is a state that
//! the queue has been in. In each such state, one walk around the ring reaches the end that is
//! searched for. During the walk, only operations of others that complete can add to the thread's
//! knowledge.

use super::slot::Slot;
use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, Ordering};

pub(super) struct Ring<S, const N: usize> {
    /// A hint: the place where the last successful push left off.
    head: Isolated<AtomicUsize>,
    /// A hint: the place where the last successful pop left off.
    tail: Isolated<AtomicUsize>,
    slots: Isolated<[S; N]>,
}

const fn next<const N: usize>(index: usize) -> usize {
    if index + 1 == N { 0 } else { index + 1 }
}

const fn before<const N: usize>(index: usize) -> usize {
    if index == 0 { N - 1 } else { index - 1 }
}

impl<S: Slot, const N: usize> Ring<S, N> {
    pub(super) const fn new() -> Self {
        const { assert!(N >= 2, "a queue needs two slots at least") };
        Self {
            head: Isolated(AtomicUsize::new(0)),
            tail: Isolated(AtomicUsize::new(0)),
            slots: Isolated([const { S::EMPTY }; N]),
        }
    }

    #[inline(always)]
    fn read(&self, index: usize) -> S::Seen {
        // Ordering: Acquire pairs with the Release of `push` and `pop`: the work before an item's push happens before
        // its pop, and the changes before a slot's change happen before its read ("Why a search ends").
        self.slots.0[index].look(Ordering::Acquire)
    }

    /// Puts the word that `fill` makes of the lap into the next slot, and says whether there was
    /// room.
    #[inline(always)]
    pub(super) fn push(&self, fill: impl Fn(S::Count) -> S::Word) -> bool {
        // Ordering: Relaxed, a hint.
        let mut at = self.head.load(Ordering::Relaxed);
        let mut left = self.read(before::<N>(at));
        loop {
            let here = self.read(at);
            // The lap in which the slot before was filled last; in that one, or the next, it is this one's turn.
            let last = if S::is_empty(left) { S::minus_one(S::count(left)) } else { S::count(left) };
            let lap = if at == 0 { S::plus_one(last) } else { last };
            if S::is_empty(here) && S::count(here) == lap {
                let slot = &self.slots.0[at];
                // Ordering: Release pairs with the Acquire in `read`.
                if slot.exchange(slot.whole(here), fill(lap), Ordering::Release) {
                    // Ordering: Relaxed, a hint.
                    self.head.store(next::<N>(at), Ordering::Relaxed);
                    return true;
                }
                left = self.read(before::<N>(at));
                continue;
            }
            if !S::is_empty(left) && !S::is_empty(here) && S::count(here) == S::minus_one(lap) {
                return false;
            }
            left = here;
            at = next::<N>(at);
        }
    }

    /// Takes out the oldest word, if there is one.
    #[inline(always)]
    pub(super) fn pop(&self) -> Option<S::Word> {
        // Ordering: Relaxed, a hint.
        let mut at = self.tail.load(Ordering::Relaxed);
        let mut left = self.read(before::<N>(at));
        loop {
            let here = self.read(at);
            // What this slot's count is if it is to be emptied next.
            let due = if at == 0 { S::count(left) } else { S::minus_one(S::count(left)) };
            if S::count(here) == due {
                if S::is_empty(here) {
                    return None;
                }
                let slot = &self.slots.0[at];
                let word = slot.whole(here);
                // Ordering: Release pairs with the Acquire in `read`.
                if slot.exchange(word, S::empty(S::plus_one(due)), Ordering::Release) {
                    // Ordering: Relaxed, a hint.
                    self.tail.store(next::<N>(at), Ordering::Relaxed);
                    return Some(word);
                }
                left = self.read(before::<N>(at));
                continue;
            }
            left = here;
            at = next::<N>(at);
        }
    }

    /// Returns the number of filled slots, exact while no operation is in progress.
    pub(super) fn len(&self) -> usize {
        (0..N).filter(|&index| !S::is_empty(self.read(index))).count()
    }
}
