//! The capsules: queues of one producer and one consumer that either of them can close (3.4, 3.6.3).
//!
//! A capsule has two words. Its producer says in the one how many items it has put in, by a plain store; in the other one is the capsule's
//! *state*: open, asked to be closed, or closed with so many items. A push costs no exchange: that is what the two words are for. (The
//! seed adds to one word and looks then whether it was closed. By then the consumer can have seen the count, and takes an item that
//! the producer puts into its next capsule, too.)
//!
//! # Who touches what, when
//! 1. From when its slot is allocated to when it is produced, a capsule is its producer's alone, which puts in the first items: a
//!    capsule that consumers can see has one at least.
//! 2. Then the producer writes entries from the count on, and the consumer reads those before. Anybody may close it.
//! 3. Both leave it. The producer of a full capsule has left it. Otherwise it says so in the state when it finds the capsule closed,
//!    and touches nothing of it from then on.
//! 4. The consumer is done when it has read all items and there will be no more. Where the producer has left, the capsule
//!    goes back with its slot. Where it has not, it might write an entry yet, so the capsule is left to it, and its *spare*
//!    goes back in its place. So nobody waits for a producer that has something else to do.
//!
//! # How a capsule is closed
//! The producer stores the count and then looks at the state; who closes asks in the state, and then looks at the count. Between the two
//! there is a fence on either side, so not both look too early: either the producer sees that it was asked, or its items are seen. The
//! producer's fence is light, which costs nothing, and that of the one who closes is heavy, some microseconds; but a producer
//! that is at work answers long before.
//!
//! With how many items it closes is then settled by an exchange of the state. Who closes says how many it has seen. A producer that
//! finds that it was asked says how many there are with what it has just put in, and if it comes too late, takes that back: it is not in
//! the queue. A consumer that sees a count looks at the state after a light fence, too. If the capsule is still open then,
//! whoever closes it will count as many.
//!
//! Capsules are closed by whoever found them in a place where they were a moment ago. By then it may be another one, in another place:
//! its producer loses a capsule that it could have filled, and goes on to the next. So that nobody settles a life by what it has seen
//! of another one, items are counted through all lives of a capsule (up to 2^60, or 2^28 where words have 32 bits, and then from 0
//! again), and an open state says with how many the life began.

use crate::array::Array;
use crate::error::CapacityError;
use crate::isolated::{Isolated, LINE_PAIR};
use crate::sync::{AtomicUsize, Cell, Ordering, heavy_fence, light_fence, pause_while};
use core::ptr::NonNull;

/// The moments that a producer has to answer before the barrier: about as long as a barrier takes on many cores.
const PATIENCE: u32 = 1024;
/// The moments that a thread has to close a capsule that it has asked for, before another thread passes a barrier of its own for that.
const PATIENCE_WITH_OTHERS: u32 = 8 * PATIENCE;

/// What a capsule is at: how many items all its lives have had when this one began; or, if it is closed, when it ended.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State(usize);

impl State {
    /// Nothing more can be put in.
    const CLOSED: usize = 1 << (usize::BITS - 1);
    /// Somebody wants to close it.
    const ASKED: usize = Self::CLOSED >> 1;
    /// The producer does not touch it any more.
    const PRODUCER_LEFT: usize = Self::ASKED >> 1;
    /// The consumer does not touch it any more, and has taken the producer's spare for it.
    const CONSUMER_LEFT: usize = Self::PRODUCER_LEFT >> 1;

    const fn number(self) -> usize {
        self.0 & COUNTS
    }

    const fn is_closed(self) -> bool {
        self.0 & Self::CLOSED != 0
    }

    const fn is_asked(self) -> bool {
        self.0 & Self::ASKED != 0
    }

    const fn producer_left(self) -> bool {
        self.0 & Self::PRODUCER_LEFT != 0
    }
}

/// How many items there have been.
const COUNTS: usize = State::CONSUMER_LEFT - 1;

/// What its producer and its consumer tell each other of a capsule.
pub(super) struct Capsule {
    /// How many items have been put in, in all of its lives.
    put: AtomicUsize,
    state: AtomicUsize,
}

/// What a consumer finds: how many items there are in this life, and whether there will be more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) count: usize,
    pub(super) is_closed: bool,
    pub(super) producer_left: bool,
}

impl Found {
    /// Before anybody has looked.
    pub(super) const NOTHING: Self = Self { count: 0, is_closed: false, producer_left: false };
}

impl Capsule {
    /// Of which earlier lives are taken to have had so many items.
    fn new(count: usize) -> Self {
        let count = count & COUNTS;
        Self { put: AtomicUsize::new(count), state: AtomicUsize::new(State::CLOSED | count) }
    }

    /// Begins a new life, with so many items in it. Says with how many items in all it began. The capsule is the caller's.
    pub(super) fn begin(&self, count: usize, size: usize) -> usize {
        // Ordering: Relaxed, whoever gave it to the caller has handed it on. One that was full may have been left open.
        let last = State(self.state.load(Ordering::Relaxed));
        let base = if last.is_closed() { last.number() } else { last.number().wrapping_add(size) & COUNTS };
        // Ordering: Relaxed, what follows hands it on.
        self.put.store(base.wrapping_add(count) & COUNTS, Ordering::Relaxed);
        // Ordering: Release pairs with the Acquire in `settle`: who closes it without having got it from somebody sees the count.
        self.state.store(base, Ordering::Release);
        base
    }

    /// Lets the consumer have items up to `count`, in a life that began with `base`; there were `before`. Says whether they are in.
    #[inline]
    pub(super) fn commit(&self, base: usize, before: usize, count: usize) -> bool {
        let put = base.wrapping_add(count) & COUNTS;
        // Ordering: Release pairs with the Acquire in `look` and `settle`: the items come with it (`cnq-ring/fragment`).
        self.put.store(put, Ordering::Release);
        // Ordering: this fence pairs with the heavy one in `settle`: either the state is seen there or the count here.
        light_fence(Ordering::SeqCst);
        // Ordering: Relaxed, the fence is before it.
        let state = State(self.state.load(Ordering::Relaxed));
        state.0 == base || self.answer(state, base, base.wrapping_add(before) & COUNTS, put)
    }

    /// Closes it with what has been put in, if it was asked, and nobody has closed it before. Says whether that is in. If it was
    /// full with that, it can be in another life by now (`cnq-ring/full-again`).
    #[cold]
    #[inline(never)]
    fn answer(&self, mut state: State, base: usize, before: usize, put: usize) -> bool {
        if state.0 == base | State::ASKED {
            // Ordering: Release pairs with the Acquire of a consumer that sees how many items there are only here. Relaxed where it
            // fails: a capsule that is closed is looked at no more.
            match self.state.compare_exchange(state.0, State::CLOSED | put, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) => state = State(now),
            }
        }
        !(state.is_closed() && state.number() == before)
    }

    /// How many items there are.
    pub(super) fn look(&self, base: usize) -> Found {
        // Ordering: Acquire pairs with the Release in `commit`.
        let put = self.put.load(Ordering::Acquire);
        // Ordering: this fence pairs with the heavy one in `settle`: if the state is not seen, the count is seen there.
        light_fence(Ordering::SeqCst);
        // Ordering: Acquire pairs with the Release of whoever closed it: the items come with it; and with that of a producer that
        // leaves: what it wrote happens before the capsule is used again.
        let mut state = State(self.state.load(Ordering::Acquire));
        if state.is_asked() {
            state = self.settle(state, PATIENCE_WITH_OTHERS);
        }
        let end = if state.is_closed() { state.number() } else { put };
        let count = end.wrapping_sub(base) & COUNTS;
        Found { count, is_closed: state.is_closed(), producer_left: state.producer_left() }
    }

    /// Lets nothing more be put in, in the life that it is in.
    pub(super) fn close(&self, size: usize) {
        // Ordering: Relaxed. Who has got it from somebody sees its life. Who has not may see another one's count with it, and
        // closes it then or not: what it is closed with, `settle` finds out.
        let found = State(self.state.load(Ordering::Relaxed));
        let asked = State(found.0 | State::ASKED);
        if found == asked {
            self.settle(asked, PATIENCE_WITH_OTHERS);
        } else if !found.is_closed() && !self.is_full(found, size) {
            // Ordering: Relaxed for both, the fence is behind it. It fails if somebody else has asked, or closed it.
            match self.state.compare_exchange(found.0, asked.0, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => _ = self.settle(asked, PATIENCE),
                Err(now) if now == asked.0 => _ = self.settle(asked, PATIENCE_WITH_OTHERS),
                Err(_) => {}
            }
        }
    }

    /// Whether an open capsule is as good as closed.
    fn is_full(&self, open: State, size: usize) -> bool {
        // Ordering: Relaxed, it is a number.
        self.put.load(Ordering::Relaxed).wrapping_sub(open.number()) & COUNTS == size
    }

    /// Closes a capsule that has been asked to be closed, unless somebody else does so within so many moments. Gives the state after that.
    #[cold]
    #[inline(never)]
    fn settle(&self, asked: State, patience: u32) -> State {
        // Ordering: Relaxed, it says when to look.
        pause_while(patience, || self.state.load(Ordering::Relaxed) == asked.0);
        // Ordering: Acquire as in `look`; and it pairs with the Release in `begin`, from which the question takes it on: the count that is
        // seen after this is of the life that is to be closed, or of a later one (`cnq-ring/another-life`).
        let now = State(self.state.load(Ordering::Acquire));
        if now != asked {
            return now;
        }
        // Ordering: this fence pairs with the light ones in `commit` and `look`: whoever has not seen that it was asked, its count is
        // seen here.
        heavy_fence(Ordering::SeqCst);
        // Ordering: Acquire pairs with the Release in `commit`, and the Release of the exchange hands on what comes with it.
        let closed = State(State::CLOSED | self.put.load(Ordering::Acquire));
        match self.state.compare_exchange(asked.0, closed.0, Ordering::Release, Ordering::Acquire) {
            Ok(_) => closed,
            Err(now) => State(now),
        }
    }

    /// The producer leaves it, with what has been put in. Says whether the consumer has left.
    pub(super) fn leave_as_producer(&self, base: usize, count: usize) -> bool {
        let put = base.wrapping_add(count) & COUNTS;
        // Ordering: Relaxed, the exchange says whether it still is so.
        let mut state = self.state.load(Ordering::Relaxed);
        loop {
            let closed = if State(state).is_closed() { state } else { State::CLOSED | put };
            // Ordering: Release pairs with the consumer's Acquire: what this producer wrote happens before the capsule is used again.
            // Acquire pairs with the Release of a consumer that has left: its reads happen before this producer uses the capsule
            // again, as its spare (`cnq-ring/ahead-left`, `cnq-ring/spare`).
            let left =
                self.state.compare_exchange(state, closed | State::PRODUCER_LEFT, Ordering::AcqRel, Ordering::Relaxed);
            match left {
                Ok(_) => return state & State::CONSUMER_LEFT != 0,
                Err(now) => state = now,
            }
        }
    }

    /// The consumer leaves it, which is closed. Says whether the producer has left.
    pub(super) fn leave_as_consumer(&self) -> bool {
        // Ordering: Release pairs with the Acquire of the producer when it leaves, and Acquire with its Release, if it has left
        // meanwhile: this consumer's reads happen before the producer uses the capsule again, as its spare (`cnq-ring/spare-answered`);
        // and what the producer wrote before whoever gets it back with the slot (`cnq-ring/ahead-lap`).
        State(self.state.fetch_or(State::CONSUMER_LEFT, Ordering::AcqRel)).producer_left()
    }

    /// How many items there are, when nobody has a handle any more.
    pub(super) fn count(&self, base: usize) -> usize {
        // Ordering: Relaxed for both. Who drops the queue has everything ordered before.
        let state = State(self.state.load(Ordering::Relaxed));
        let end = if state.is_closed() { state.number() } else { self.put.load(Ordering::Relaxed) };
        end.wrapping_sub(base) & COUNTS
    }
}

/// All capsules of a queue.
pub(super) struct Capsules<T> {
    capsules: Array<Isolated<Capsule>>,
    entries: Array<Cell<T>>,
    /// Items of a capsule.
    pub(super) size: usize,
    /// Entries from one capsule to the next.
    stride: usize,
}

/// So many entries as no two capsules share a pair of lines with.
fn stride<T>(size: usize) -> Option<usize> {
    // What a length of whole pairs is a multiple of.
    let align = 1_usize.checked_shl(size_of::<T>().trailing_zeros()).map_or(LINE_PAIR, |align| align.min(LINE_PAIR));
    size.checked_next_multiple_of(LINE_PAIR / align)
}

impl<T> Capsules<T> {
    /// So many capsules, which are taken to have been filled in so many laps.
    pub(super) fn new(capsules: usize, size: usize, laps: usize) -> Result<Self, CapacityError> {
        let max = (usize::MAX >> 1) / size_of::<T>().max(1) / capsules;
        let too_large = || CapacityError::TooLarge { asked: size.saturating_mul(capsules), max: max * capsules };
        let stride = stride::<T>(size).ok_or_else(too_large)?;
        let entries = Array::cells(stride.checked_mul(capsules).ok_or_else(too_large)?)?;
        Ok(Self {
            capsules: Array::new(capsules, |_| Isolated(Capsule::new(laps.wrapping_mul(size))))?,
            entries,
            size,
            stride,
        })
    }

    #[inline]
    pub(super) fn capsule(&self, id: usize) -> &Capsule {
        &self.capsules[id]
    }

    /// Where the entries of a capsule begin.
    #[inline]
    pub(super) fn entries(&self, id: usize) -> NonNull<Cell<T>> {
        self.entries.from(id * self.stride)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capsules_lie_apart() {
        fn check<T>() {
            for size in [1, 2, 15, 16, 17, 1000] {
                let stride = stride::<T>(size).expect("a small capsule");
                let bytes = stride * size_of::<T>();
                assert!(stride >= size && bytes.is_multiple_of(LINE_PAIR), "{size} {stride}");
                assert!(bytes < (size * size_of::<T>()).next_multiple_of(LINE_PAIR) + LINE_PAIR * size_of::<T>());
            }
        }
        check::<u8>();
        check::<u64>();
        check::<[u64; 3]>();
        check::<[u8; 5]>();
        check::<[u64; 512]>();
        assert_eq!(stride::<()>(3), Some(3));
        assert_eq!(stride::<u64>(499), Some(512));
        assert_eq!(stride::<u64>(usize::MAX), None);
    }
}
