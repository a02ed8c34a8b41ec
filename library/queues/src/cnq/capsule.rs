//! Capsules: queues of one producer and one consumer that any thread can close.
//!
//! They are described in sections 3.4 and 3.6.3 of J. Wang's thesis (TU Dresden, 2024).
//!
//! A capsule has two words. In one, its producer publishes the number of items that it has put in,
//! by a plain store. The other is the capsule's *state*: open, close requested, or closed with a
//! number of items. With two words, a push costs no exchange. (In the thesis, a push adds to one
//! word and then checks whether the capsule was closed. By then the consumer may have seen the
//! count: it takes an item that the producer also puts into its next capsule.)
//!
//! # Which thread touches what, when
//! 1. While its slot is allocated and not produced, a capsule belongs to its producer alone, which
//!    puts in the first items. So a capsule that consumers can see has at least one item.
//! 2. Then the producer writes entries from the count on, and the consumer reads those before. Any
//!    thread may close it.
//! 3. Producer and consumer each leave it. The producer of a full capsule has left it. Otherwise
//!    the producer sets a bit of the state when it finds the capsule closed, and does not access
//!    the capsule from then on.
//! 4. The consumer is done when it has read all items and no more can follow. If the producer has
//!    left, the capsule returns to the tube with its slot. Otherwise the producer may still write
//!    an entry: it keeps the capsule, and its *spare* returns instead. So no thread waits for a
//!    producer that does something else.
//!
//! # How a capsule is closed
//! The producer stores the count and then reads the state. The closing thread sets a close request
//! in the state and then reads the count. On each side a fence separates the two accesses, so not
//! both threads can read an old value: either the producer sees the request, or the closing thread
//! sees the items. The producer's fence is light and costs nothing. The closing thread's fence is
//! heavy and costs some microseconds; a producer that is at work answers long before.
//!
//! An exchange of the state then fixes the number of items with which the capsule closes. The
//! closing thread writes the number that it has seen. A producer that finds the request writes the
//! number that includes the items that it has just put in. If its exchange is too late, it takes
//! these items back: they are not in the queue. A consumer that sees a count also reads the state
//! after a light fence. If the capsule is still open then, any thread that closes it counts at
//! least as many items.
//!
//! A thread closes a capsule whose number it read a moment ago. By then the capsule may be in
//! another use: then the producer of that use loses a capsule that it could have filled, and goes
//! on to the next. No thread may close one use of a capsule with a count that it has seen in
//! another use. So items are counted through all uses of a capsule (up to 2^60, or 2^28 where words
//! have 32 bits, and then from 0 again), and an open state holds the count at the start of the use.

use crate::array::Array;
use crate::error::CapacityError;
use crate::isolated::{Isolated, LINE_PAIR};
use crate::sync::{AtomicUsize, Cell, Ordering, heavy_fence, light_fence, pause_while};
use core::ptr::NonNull;

/// The spin hints for which a producer may answer before the barrier: about a barrier's duration on
/// many cores.
const PATIENCE: u32 = 1024;
/// The spin hints for which a thread may close a capsule after its request.
///
/// Afterwards another thread closes the capsule, with a barrier of its own.
const PATIENCE_WITH_OTHERS: u32 = 8 * PATIENCE;

/// The state of a capsule.
///
/// Flags in the upper bits. Below them, the item count of all uses: at the start of this use, or at
/// its end if the capsule is closed.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State(usize);

impl State {
    /// No item can be added.
    const CLOSED: usize = 1 << (usize::BITS - 1);
    /// A thread has requested that the capsule be closed.
    const ASKED: usize = Self::CLOSED >> 1;
    /// The producer does not access the capsule any more.
    const PRODUCER_LEFT: usize = Self::ASKED >> 1;
    /// The consumer does not access the capsule any more, and has taken the producer's spare for
    /// it.
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

/// The bits of the item count.
const COUNTS: usize = State::CONSUMER_LEFT - 1;

/// The words of a capsule that its producer, its consumer and closing threads share.
pub(super) struct Capsule {
    /// The number of items put in, over all uses of the capsule. Only its producer writes it.
    put: AtomicUsize,
    state: AtomicUsize,
}

/// A consumer's view of a capsule in this use: the number of items, and whether more can follow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stock {
    pub(super) count: usize,
    pub(super) is_closed: bool,
    pub(super) producer_left: bool,
}

impl Stock {
    /// The state before the first look.
    pub(super) const NOTHING: Self = Self { count: 0, is_closed: false, producer_left: false };
}

impl Capsule {
    /// Makes a closed capsule whose earlier uses count as having had `count` items.
    fn new(count: usize) -> Self {
        let count = count & COUNTS;
        Self { put: AtomicUsize::new(count), state: AtomicUsize::new(State::CLOSED | count) }
    }

    /// Starts a new use with `count` items, and returns the item count before them.
    ///
    /// The capsule is the caller's.
    #[inline]
    pub(super) fn begin(&self, count: usize, size: usize) -> usize {
        // Ordering: Relaxed, the thread that gave the capsule to the caller has handed the state
        // on. A full capsule may have been left open.
        let last = State(self.state.load(Ordering::Relaxed));
        let base = if last.is_closed() { last.number() } else { last.number().wrapping_add(size) & COUNTS };
        // Ordering: Release only keeps the store behind earlier loads (load buffering): later
        // stores hand it on.
        self.put.store(base.wrapping_add(count) & COUNTS, Ordering::Release);
        // Ordering: Release pairs with the Acquire in `settle`: a closing thread sees the count,
        // also if no other thread has handed the capsule to it.
        self.state.store(base, Ordering::Release);
        base
    }

    /// Publishes items up to `count`, and returns whether they are in the queue.
    ///
    /// The use began with the item count `base`, and had `before` items.
    #[inline]
    pub(super) fn commit(&self, base: usize, before: usize, count: usize) -> bool {
        let put = base.wrapping_add(count) & COUNTS;
        // Ordering: Release pairs with the Acquire in `look` and `settle`: the items come with it
        // (`cnq-ring/fragment`).
        self.put.store(put, Ordering::Release);
        // Ordering: this fence pairs with the heavy one in `settle`: either the state is seen there
        // or the count here.
        light_fence(Ordering::SeqCst);
        // Ordering: Acquire only keeps later stores behind (load buffering); the fence is before
        // it.
        let state = State(self.state.load(Ordering::Acquire));
        state.0 == base || self.answer(state, base, base.wrapping_add(before) & COUNTS, put)
    }

    /// Closes the capsule with the published items if a close was requested.
    ///
    /// Returns whether those items are in the queue. If they filled the capsule, it may be in
    /// another use by now (`cnq-ring/full-again`).
    #[cold]
    #[inline(never)]
    fn answer(&self, mut state: State, base: usize, before: usize, put: usize) -> bool {
        if state.0 == base | State::ASKED {
            // Ordering: Release pairs with the Acquire of a consumer that sees how many items there
            // are only here. Relaxed where it fails: this producer does not read the closed capsule
            // again.
            match self.state.compare_exchange(state.0, State::CLOSED | put, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) => state = State(now),
            }
        }
        !(state.is_closed() && state.number() == before)
    }

    /// Returns the items of this use, and closes the capsule if a close is requested.
    #[inline]
    pub(super) fn look(&self, base: usize) -> Stock {
        // Ordering: Acquire pairs with the Release in `commit`.
        let put = self.put.load(Ordering::Acquire);
        // Ordering: this fence pairs with the heavy one in `settle`: if the state is not seen, the
        // count is seen there.
        light_fence(Ordering::SeqCst);
        // Ordering: Acquire pairs with the Release of the closing thread: the items come with it;
        // and with that of a producer that leaves: its writes happen before the capsule is used
        // again.
        let mut state = State(self.state.load(Ordering::Acquire));
        if state.is_asked() {
            state = self.settle(state, PATIENCE_WITH_OTHERS);
        }
        let end = if state.is_closed() { state.number() } else { put };
        let count = end.wrapping_sub(base) & COUNTS;
        Stock { count, is_closed: state.is_closed(), producer_left: state.producer_left() }
    }

    /// Whether more than `read` items have been put in, in the use that began with the item count
    /// `base`.
    ///
    /// Some of them can be taken back if the capsule is being closed.
    #[inline]
    pub(super) fn has_more(&self, base: usize, read: usize) -> bool {
        // Ordering: Relaxed for both, they decide the answer only.
        let state = State(self.state.load(Ordering::Relaxed));
        let end = if state.is_closed() { state.number() } else { self.put.load(Ordering::Relaxed) };
        end.wrapping_sub(base) & COUNTS > read
    }

    /// Closes the current use of the capsule to further items.
    pub(super) fn close(&self, size: usize) {
        // Ordering: Acquire only keeps later stores behind (load buffering). A thread to which the
        // capsule was handed sees its use. Others may see another use's count, and close the
        // capsule or not: `settle` finds the right count.
        let found = State(self.state.load(Ordering::Acquire));
        let asked = State(found.0 | State::ASKED);
        if found == asked {
            self.settle(asked, PATIENCE_WITH_OTHERS);
        } else if !found.is_closed() && !self.is_full(found, size) {
            // Ordering: Relaxed, the fence is behind it. It fails if another thread has sent the
            // request, or closed the capsule: Acquire then only keeps later stores behind (load
            // buffering).
            match self.state.compare_exchange(found.0, asked.0, Ordering::Relaxed, Ordering::Acquire) {
                Ok(_) => _ = self.settle(asked, PATIENCE),
                Err(now) if now == asked.0 => _ = self.settle(asked, PATIENCE_WITH_OTHERS),
                Err(_) => {}
            }
        }
    }

    /// Whether an open capsule is full, and so needs no closing.
    fn is_full(&self, open: State, size: usize) -> bool {
        // Ordering: Acquire only keeps later stores behind (load buffering): it is a number.
        self.put.load(Ordering::Acquire).wrapping_sub(open.number()) & COUNTS == size
    }

    /// Closes a capsule after a request, and returns its state.
    ///
    /// Another thread may close it first, within `patience` spin hints.
    #[cold]
    #[inline(never)]
    fn settle(&self, asked: State, patience: u32) -> State {
        // Ordering: Relaxed, it only ends the wait.
        pause_while(patience, || self.state.load(Ordering::Relaxed) == asked.0);
        // Ordering: Acquire as in `look`; and it pairs with the Release in `begin`, through the
        // exchange that set the request: the count read next is of the use to be closed, or of a
        // later one (`cnq-ring/another-life`).
        let now = State(self.state.load(Ordering::Acquire));
        if now != asked {
            return now;
        }
        // Ordering: this fence pairs with the light ones in `commit` and `look`: the count of a
        // thread that has not seen the request is seen here.
        heavy_fence(Ordering::SeqCst);
        // Ordering: Acquire pairs with the Release in `commit`, and the Release of the exchange
        // hands on what comes with it.
        let closed = State(State::CLOSED | self.put.load(Ordering::Acquire));
        match self.state.compare_exchange(asked.0, closed.0, Ordering::Release, Ordering::Acquire) {
            Ok(_) => closed,
            Err(now) => State(now),
        }
    }

    /// Makes the producer leave with `count` items. Returns whether the consumer has left.
    #[inline]
    pub(super) fn leave_as_producer(&self, base: usize, count: usize) -> bool {
        let put = base.wrapping_add(count) & COUNTS;
        // Ordering: Relaxed, the exchange detects an old value. Where it fails, Acquire only keeps
        // later stores behind (load buffering).
        let mut state = self.state.load(Ordering::Relaxed);
        loop {
            let closed = if State(state).is_closed() { state } else { State::CLOSED | put };
            // Ordering: Release pairs with the consumer's Acquire: this producer's writes happen
            // before the next use. Acquire pairs with the Release of a consumer that has left: its
            // reads precede the use as a spare (`cnq-ring/ahead-left`, `cnq-ring/spare`).
            let left =
                self.state.compare_exchange(state, closed | State::PRODUCER_LEFT, Ordering::AcqRel, Ordering::Acquire);
            match left {
                Ok(_) => return state & State::CONSUMER_LEFT != 0,
                Err(now) => state = now,
            }
        }
    }

    /// Makes the consumer leave a closed capsule. Returns whether the producer has left.
    pub(super) fn leave_as_consumer(&self) -> bool {
        // Ordering: AcqRel pairs with the producer's leaving: this consumer's reads happen before
        // the use as a spare (`cnq-ring/spare-answered`), and the producer's writes before the next
        // user, which gets the capsule with the slot (`cnq-ring/ahead-lap`).
        State(self.state.fetch_or(State::CONSUMER_LEFT, Ordering::AcqRel)).producer_left()
    }

    /// Returns the number of items, once no handle is left.
    #[inline]
    pub(super) fn count(&self, base: usize) -> usize {
        // Ordering: Relaxed for both. Everything is ordered before the queue is dropped.
        let state = State(self.state.load(Ordering::Relaxed));
        let end = if state.is_closed() { state.number() } else { self.put.load(Ordering::Relaxed) };
        end.wrapping_sub(base) & COUNTS
    }
}

/// All capsules of a queue.
pub(super) struct Capsules<T> {
    capsules: Array<Isolated<Capsule>>,
    entries: Array<Cell<T>>,
    /// The number of items that a capsule can hold.
    pub(super) size: usize,
    /// The number of entries from one capsule to the next.
    stride: usize,
}

/// Returns the distance of capsules, in entries, at which no two share a pair of cache lines.
fn stride<T>(size: usize) -> Option<usize> {
    // The largest power of two that divides an item's size, up to a pair of lines.
    let align = 1_usize.checked_shl(size_of::<T>().trailing_zeros()).map_or(LINE_PAIR, |align| align.min(LINE_PAIR));
    size.checked_next_multiple_of(LINE_PAIR / align)
}

impl<T> Capsules<T> {
    /// Makes capsules that count as having been filled in `laps` laps.
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

    /// Returns the first entry of a capsule.
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
