//! SQ, the segment queue (Afek, Korland and Yanovsky, "Quasi-Linearizability: Relaxed Consistency
//! for Improved Concurrency", OPODIS 2010): a list of segments, whose slots are filled once, from a
//! random one on, and emptied once. A push that finds no free slot begins the next segment; a pop
//! goes to the next one when all slots have been taken.
//!
//! # What differs from the paper
//! - A slot is one word, which is free, has an item, or is taken. In the paper the mark is a word
//!   of its own.
//! - The list begins with a segment; in the paper with a node before it.
//! - Segments are reclaimed by epochs; the paper leaves that to the collector of its language.

use std::ptr;

use super::dice::Dice;
use super::epochs::Member;
use super::list::{End, List, Relaxed, ends};
use super::sync::{AtomicPtr, AtomicU64, free, make};
use super::words::{Linked, exchange, follow, free_slots, from_random, load, relink};

/// In a slot, instead of an item: there is none yet, or no more.
const FREE: u64 = 0;
const TAKEN: u64 = u64::MAX;

/// A segment of the list.
#[derive(Debug)]
pub struct Segment {
    slots: Box<[AtomicU64]>,
    next: AtomicPtr<Segment>,
}

impl Linked for Segment {
    #[inline]
    fn next(&self) -> &AtomicPtr<Self> {
        &self.next
    }
}

impl Segment {
    fn new(slots: usize) -> *mut Self {
        make(Self { slots: free_slots(slots), next: AtomicPtr::new(ptr::null_mut()) })
    }
}

/// A thread's end of the queue.
pub type Sq = End<Segment>;

/// Makes a queue of segments of that many slots, and an end for each thread.
pub fn new(slots: usize, threads: usize) -> Vec<Sq> {
    ends(Segment::new(slots), slots, threads)
}

impl Relaxed for Segment {
    #[inline]
    fn push(list: &List<Self>, item: u64, dice: &mut Dice) {
        list.push(item, dice);
    }

    #[inline]
    fn pop(list: &List<Self>, member: &mut Member<Self>, dice: &mut Dice) -> Option<u64> {
        list.pop(member, dice)
    }
}

impl List<Segment> {
    #[inline]
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
                let new = Segment::new(self.k);
                if !relink(&segment.next, ptr::null_mut(), new) {
                    // SAFETY: no other thread has seen it.
                    unsafe { free(new) };
                }
            }
            relink(&self.tail.0, tail, follow(&segment.next));
        }
    }

    #[inline]
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
