//! USQ, the unbounded k-FIFO queue (Kirsch, Lippautz and Payer, "Fast and Scalable, Lock-Free k-FIFO Queues", PaCT
//! 2013): a list of segments of `k` slots each. Items are pushed to any free slot of the last segment, and popped from
//! any of the first. A pop from a segment that is the only one begins the next one.
//!
//! A consumer that finds nothing in the first of several segments marks it as deleted and gives it up. A push that has
//! put an item there meanwhile either keeps it from that, or takes the item out again.
//!
//! # What differs from the paper
//! - The paper counts changes beside the pointer to the first segment, and a push raises that count to keep consumers
//!   from giving the segment up. Here the count is in the segment, in one word with the mark that it is deleted.
//! - Segments are reclaimed by epochs. The paper does not say how.
//!
//! A pop may find nothing although there are items: it looks at the slots one after the other, as published.

use std::ptr;
use std::sync::Arc;

use aqueduct_measure::run::Apart;

use super::dice::Dice;
use super::epochs::{Epochs, Member};
use super::sync::{AtomicPtr, AtomicU64, free, make};
use super::words::{Linked, changed, exchange, find, follow, free_all, free_slots, load, relink, value};

/// In a segment's state: it is deleted. The other bits count changes.
const DELETED: u64 = 1;
const CHANGE: u64 = 2;

#[derive(Debug)]
struct Segment {
    slots: Box<[AtomicU64]>,
    state: AtomicU64,
    next: AtomicPtr<Segment>,
}

impl Linked for Segment {
    fn next(&self) -> &AtomicPtr<Self> {
        &self.next
    }
}

impl Segment {
    fn new(k: usize) -> *mut Self {
        make(Self { slots: free_slots(k), state: AtomicU64::new(0), next: AtomicPtr::new(ptr::null_mut()) })
    }
}

#[derive(Debug)]
struct List {
    head: Apart<AtomicPtr<Segment>>,
    tail: Apart<AtomicPtr<Segment>>,
    k: usize,
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
pub(super) struct Usq {
    list: Arc<List>,
    member: Member<Segment>,
    dice: Dice,
}

// SAFETY: the objects that a thread has given up are its alone to free.
unsafe impl Send for Usq {}

impl Drop for Usq {
    fn drop(&mut self) {
        self.list.epochs.inherit(&mut self.member);
    }
}

/// Makes a queue, and an end for each thread.
pub(super) fn new(k: usize, threads: usize) -> Vec<Usq> {
    let first = Segment::new(k);
    let end = || Apart(AtomicPtr::new(first));
    let list = Arc::new(List { head: end(), tail: end(), k, epochs: Epochs::new(threads) });
    let end = |thread| Usq { list: Arc::clone(&list), member: Epochs::member(thread), dice: Dice::of(thread) };
    (0..threads).map(end).collect()
}

impl List {
    fn push(&self, item: u64, dice: &mut Dice) {
        loop {
            let tail = follow(&self.tail.0);
            // SAFETY: the thread has entered an epoch, in which the segment could be reached.
            let segment = unsafe { &*tail };
            let found = find(&segment.slots, dice, false);
            if follow(&self.tail.0) != tail {
                continue;
            }
            match found {
                Some((slot, word)) => {
                    let new = changed(word, item);
                    if exchange(slot, word, new) && self.stays(segment, slot, new) {
                        return;
                    }
                }
                None => self.advance_tail(tail),
            }
        }
    }

    /// Whether an item that was put into a segment is in the queue. If not, it has been taken out again.
    fn stays(&self, segment: &Segment, slot: &AtomicU64, new: u64) -> bool {
        if load(slot) != new {
            return true;
        }
        let state = load(&segment.state);
        let is_first = ptr::eq(follow(&self.head.0), segment);
        let is_kept = if is_first {
            // A consumer may be about to give the segment up. Its exchange fails then.
            state & DELETED == 0 && exchange(&segment.state, state, state + CHANGE)
        } else {
            // The head has passed it, and then it is deleted, or will search it later.
            load(&segment.state) & DELETED == 0
        };
        is_kept || !exchange(slot, new, changed(new, 0))
    }

    fn pop(&self, member: &mut Member<Segment>, dice: &mut Dice) -> Option<u64> {
        loop {
            let head = follow(&self.head.0);
            // SAFETY: as in `push`.
            let segment = unsafe { &*head };
            // Before the search, so that an item that comes after it is noticed.
            let state = load(&segment.state);
            let found = find(&segment.slots, dice, true);
            let tail = follow(&self.tail.0);
            if follow(&self.head.0) != head {
                continue;
            }
            match found {
                Some((slot, word)) => {
                    if head == tail {
                        self.advance_tail(tail);
                    }
                    if exchange(slot, word, changed(word, 0)) {
                        return Some(value(word));
                    }
                }
                None if head == tail => {
                    if follow(&self.tail.0) == tail {
                        return None;
                    }
                }
                None => {
                    if state & DELETED != 0 || exchange(&segment.state, state, state | DELETED) {
                        self.advance_head(member, head);
                    }
                }
            }
        }
    }

    /// Begins a segment after `tail`, unless another thread has done so.
    fn advance_tail(&self, tail: *mut Segment) {
        // SAFETY: as in `push`.
        let link = unsafe { &(*tail).next };
        if follow(link).is_null() {
            let new = Segment::new(self.k);
            if !relink(link, ptr::null_mut(), new) {
                // SAFETY: no other thread has seen it.
                unsafe { free(new) };
            }
        }
        relink(&self.tail.0, tail, follow(link));
    }

    /// Gives up the first segment, which is deleted and not the last one.
    fn advance_head(&self, member: &mut Member<Segment>, head: *mut Segment) {
        // SAFETY: as in `push`.
        let next = follow(unsafe { &(*head).next });
        assert!(!next.is_null(), "the tail is not before the head");
        if relink(&self.head.0, head, next) {
            // SAFETY: neither end leads to it any more, and one thread has moved the head on.
            unsafe { self.epochs.give_up(member, head) };
        }
    }
}

impl Usq {
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
