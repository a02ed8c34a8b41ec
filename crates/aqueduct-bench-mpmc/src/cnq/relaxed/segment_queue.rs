//! SQ, the segment queue (Afek, Korland and Yanovsky, "Quasi-Linearizability: Relaxed Consistency for Improved
//! Concurrency", OPODIS 2010): a list of segments, whose slots are filled once, from a random one on, and emptied once.
//! A push that finds no free slot begins the next segment; a pop goes to the next one when all slots have been taken.
//!
//! # What differs from the paper
//! - A slot is one word, which is free, has an item, or is taken. In the paper the mark is a word of its own.
//! - The list begins with a segment; in the paper with a node before it.
//! - Segments are reclaimed by epochs; the paper leaves that to the collector of its language.

use std::ptr;
use std::sync::Arc;

use aqueduct_measure::run::Apart;

use super::dice::Dice;
use super::epochs::{Epochs, Member};
use super::sync::{AtomicPtr, AtomicU64, free, make};
use super::words::{Linked, exchange, follow, free_all, free_slots, from_random, load, relink};

/// In a slot, instead of an item: there is none yet, or no more.
const FREE: u64 = 0;
const TAKEN: u64 = u64::MAX;

#[derive(Debug)]
struct Segment {
    slots: Box<[AtomicU64]>,
    next: AtomicPtr<Segment>,
}

impl Linked for Segment {
    fn next(&self) -> &AtomicPtr<Self> {
        &self.next
    }
}

impl Segment {
    fn new(slots: usize) -> *mut Self {
        make(Self { slots: free_slots(slots), next: AtomicPtr::new(ptr::null_mut()) })
    }
}

#[derive(Debug)]
struct List {
    head: Apart<AtomicPtr<Segment>>,
    tail: Apart<AtomicPtr<Segment>>,
    /// Slots of a segment.
    slots: usize,
    epochs: Epochs<Segment>,
}

// SAFETY: segments are reached by atomics, and freed as the epochs say.
unsafe impl Send for List {}
// SAFETY: as for `Send`.
unsafe impl Sync for List {}

impl Drop for List {
    fn drop(&mut self) {
        // SAFETY: all threads have left, and the objects from the head on have not been given up.
        unsafe { free_all(&self.head.0) };
    }
}

/// A thread's end of the queue.
#[derive(Debug)]
pub(super) struct Sq {
    list: Arc<List>,
    member: Member<Segment>,
    dice: Dice,
}

// SAFETY: the objects that a thread has given up are its alone to free.
unsafe impl Send for Sq {}

impl Drop for Sq {
    fn drop(&mut self) {
        self.list.epochs.inherit(&mut self.member);
    }
}

/// Makes a queue of segments of that many slots, and an end for each thread.
pub(super) fn new(slots: usize, threads: usize) -> Vec<Sq> {
    let first = Segment::new(slots);
    let end = || Apart(AtomicPtr::new(first));
    let list = Arc::new(List { head: end(), tail: end(), slots, epochs: Epochs::new(threads) });
    let end = |thread| Sq { list: Arc::clone(&list), member: Epochs::member(thread), dice: Dice::of(thread) };
    (0..threads).map(end).collect()
}

impl List {
    fn push(&self, item: u64, dice: &mut Dice) {
        loop {
            let tail = follow(&self.tail.0);
            // SAFETY: the thread has entered an epoch, in which the segment could be reached.
            let segment = unsafe { &*tail };
            let put = |slot: &AtomicU64| load(slot) == FREE && exchange(slot, FREE, item);
            if from_random(&segment.slots, dice).any(put) {
                return;
            }
            if follow(&segment.next).is_null() {
                let new = Segment::new(self.slots);
                if !relink(&segment.next, ptr::null_mut(), new) {
                    // SAFETY: no other thread has seen it.
                    unsafe { free(new) };
                }
            }
            relink(&self.tail.0, tail, follow(&segment.next));
        }
    }

    fn pop(&self, member: &mut Member<Segment>, dice: &mut Dice) -> Option<u64> {
        loop {
            let head = follow(&self.head.0);
            // SAFETY: as in `push`.
            let segment = unsafe { &*head };
            let mut has_free = false;
            for slot in from_random(&segment.slots, dice) {
                match load(slot) {
                    FREE => has_free = true,
                    TAKEN => {}
                    item => {
                        if exchange(slot, item, TAKEN) {
                            return Some(item);
                        }
                    }
                }
            }
            let next = follow(&segment.next);
            if has_free || next.is_null() {
                return None;
            }
            // The tail must not fall behind the head: the segment could be freed.
            if follow(&self.tail.0) == head {
                relink(&self.tail.0, head, next);
            }
            if relink(&self.head.0, head, next) {
                // SAFETY: neither end leads to it any more, and one thread has moved the head on.
                unsafe { self.epochs.give_up(member, head) };
            }
        }
    }
}

impl Sq {
    #[inline]
    pub(super) fn push(&mut self, item: u64) -> bool {
        self.list.epochs.enter(&self.member);
        self.list.push(item, &mut self.dice);
        self.list.epochs.leave(&self.member);
        true
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<u64> {
        self.list.epochs.enter(&self.member);
        let item = self.list.pop(&mut self.member, &mut self.dice);
        self.list.epochs.leave(&self.member);
        item
    }
}
