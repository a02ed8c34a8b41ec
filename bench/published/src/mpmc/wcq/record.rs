//! Records of requests.

use super::super::sync::{AtomicU64, Ordering};
use super::patience::Patience;

/// In a request's counter: it is done.
pub(super) const DONE: u64 = 1;
/// In a request's counter: the position has not been taken from the ring yet.
pub(super) const UNTAKEN: u64 = 2;
/// A request's counter has its position above these bits.
pub(super) const MARK_BITS: u32 = 2;

#[inline]
pub(super) fn position(counter: u64) -> u64 {
    counter >> MARK_BITS
}

/// A counter of the ring, and of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Push,
    Pop,
}

/// A thread's request, and what it leaves in the ring.
#[derive(Debug)]
pub(super) struct Record {
    /// The request is the one of that number as long as both are equal.
    pub(super) begun: AtomicU64,
    pub(super) number: AtomicU64,
    /// 0 means no request, 1 a pop, and from 2 on a push of an index.
    pub(super) wants: AtomicU64,
    /// The position at which it began.
    pub(super) start: AtomicU64,
    pub(super) push_at: AtomicU64,
    pub(super) pop_at: AtomicU64,
    push_step: Step,
    pop_step: Step,
}

/// The request for which a thread is about to take a position of the ring, and the position; valid
/// as long as the first and the last are equal.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) begun: AtomicU64,
    /// Twice the thread, and one more for a request to pop.
    pub(super) whose: AtomicU64,
    pub(super) to: AtomicU64,
    pub(super) number: AtomicU64,
}

impl Step {
    fn new() -> Self {
        let zero = || AtomicU64::new(0);
        Self { begun: zero(), whose: zero(), to: zero(), number: AtomicU64::new(1) }
    }
}

impl Record {
    pub(super) fn new() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            begun: zero(),
            number: AtomicU64::new(1),
            wants: zero(),
            start: zero(),
            push_at: zero(),
            pop_at: zero(),
            push_step: Step::new(),
            pop_step: Step::new(),
        }
    }

    #[inline]
    pub(super) fn at(&self, side: Side) -> &AtomicU64 {
        match side {
            Side::Push => &self.push_at,
            Side::Pop => &self.pop_at,
        }
    }

    pub(super) fn step<P: Patience>(&self, side: Side) -> &Step {
        match side {
            Side::Pop if !P::AS_PUBLISHED => &self.pop_step,
            _ => &self.push_step,
        }
    }
}

#[inline]
pub(super) fn load(word: &AtomicU64) -> u64 {
    word.load(Ordering::SeqCst)
}

#[inline]
pub(super) fn store(word: &AtomicU64, value: u64) {
    word.store(value, Ordering::SeqCst);
}

#[inline]
pub(super) fn exchange(word: &AtomicU64, old: u64, new: u64) -> bool {
    word.compare_exchange(old, new, Ordering::SeqCst, Ordering::SeqCst).is_ok()
}
