//! USQ, the unbounded k-FIFO queue (Kirsch, Lippautz and Payer, "Fast and Scalable, Lock-Free
//! k-FIFO Queues", PaCT 2013): a list of segments of `k` slots each. Items are pushed to any free
//! slot of the last segment, and popped from any of the first. A pop from a segment that is the
//! only one begins the next one.
//!
//! A consumer that finds nothing in the first of several segments marks it as deleted and gives it
//! up. A push that has put an item there meanwhile either keeps it from that, or takes the item out
//! again.
//!
//! # What differs from the paper
//! - The paper counts changes beside the pointer to the first segment, and a push raises that count
//!   to keep consumers from giving the segment up. Here the count is in the segment, in one word
//!   with the mark that it is deleted.
//! - Segments are reclaimed by epochs. The paper does not say how.
//!
//! A pop may find nothing although there are items: it looks at the slots one after the other, as
//! published.

use std::ptr;

use super::dice::Dice;
use super::epochs::Member;
use super::list::{End, List, Relaxed, ends};
use super::sync::{AtomicPtr, AtomicU64, free, make};
use super::words::{Linked, changed, exchange, find, follow, free_slots, load, relink, value};

/// In a segment's state: it is deleted. The other bits count changes.
const DELETED: u64 = 1;
const CHANGE: u64 = 2;

/// A segment of the list.
#[derive(Debug)]
pub struct Segment {
    slots: Box<[AtomicU64]>,
    state: AtomicU64,
    next: AtomicPtr<Segment>,
}

impl Linked for Segment {
    #[inline]
    fn next(&self) -> &AtomicPtr<Self> {
        &self.next
    }
}

impl Segment {
    fn new(k: usize) -> *mut Self {
        make(Self { slots: free_slots(k), state: AtomicU64::new(0), next: AtomicPtr::new(ptr::null_mut()) })
    }
}

/// A thread's end of the queue.
pub type Usq = End<Segment>;

/// Makes a queue, and an end for each thread.
pub fn new(k: usize, threads: usize) -> Vec<Usq> {
    ends(Segment::new(k), k, threads)
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

    /// Whether an item that was put into a segment is in the queue. If not, it has been taken out
    /// again.
    #[inline]
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

    #[inline]
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
    #[inline]
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
    #[inline]
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
