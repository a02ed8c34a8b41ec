//! The segments, and how they are freed.

use std::ptr;

use super::super::sync::{AtomicPtr, AtomicU64, Ordering, barrier_of_locked, free, make};
use super::{Array, BUSY, NOTHING, Ymc, raise};

/// A place for one item.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) item: AtomicU64,
    /// The thread whose request to push the cell is for, counted from 1.
    pub(super) push: AtomicU64,
    /// The thread whose request to pop gets the item, counted from 1; or [`NEVER`], if a pop
    /// without a request does.
    pub(super) pop: AtomicU64,
}

/// `N` cells.
#[derive(Debug)]
pub(super) struct Segment<const N: usize> {
    pub(super) next: AtomicPtr<Self>,
    pub(super) number: i64,
    pub(super) cells: [Cell; N],
}

impl<const N: usize> Segment<N> {
    pub(super) fn new() -> *mut Self {
        let zero = || AtomicU64::new(NOTHING);
        let cells = std::array::from_fn(|_| Cell { item: zero(), push: zero(), pop: zero() });
        make(Self { next: AtomicPtr::new(ptr::null_mut()), number: 0, cells })
    }
}

impl<const N: usize, const PATIENCE: u32, const SPINS: u32> Ymc<N, PATIENCE, SPINS> {
    /// Returns `segment`, or the one before it that a thread works in.
    ///
    /// # Safety
    /// Both are segments of the list that have not been freed, and `first` is the first.
    unsafe fn first_kept(works_in: &AtomicU64, segment: *mut Segment<N>, first: *mut Segment<N>) -> *mut Segment<N> {
        // Ordering: Acquire pairs with the Release of a thread that has gone on.
        let number = works_in.load(Ordering::Acquire);
        // SAFETY: the caller's promise.
        let number_of = |segment: *mut Segment<N>| unsafe { (*segment).number } as u64;
        if number >= number_of(segment) {
            return segment;
        }
        let mut kept = first;
        while number_of(kept) < number {
            // SAFETY: the caller's promise.
            kept = unsafe { &(*kept).next }.load(Ordering::Acquire);
        }
        kept
    }

    /// Moves a thread's place to `segment`, if it is behind. Returns the segment up to which others
    /// may be freed.
    ///
    /// # Safety
    /// As [`Self::first_kept`].
    unsafe fn moved(
        place: &AtomicPtr<Segment<N>>,
        mut segment: *mut Segment<N>,
        works_in: &AtomicU64,
        first: *mut Segment<N>,
    ) -> *mut Segment<N> {
        // SAFETY: the caller's promise; a place is one that has not been freed.
        let number_of = |segment: *mut Segment<N>| unsafe { (*segment).number };
        let seen = place.load(Ordering::Acquire);
        if number_of(seen) < number_of(segment) {
            if let Err(now) = place.compare_exchange(seen, segment, Ordering::SeqCst, Ordering::Acquire)
                && number_of(now) < number_of(segment)
            {
                segment = now;
            }
            barrier_of_locked();
            // SAFETY: the caller's promise.
            segment = unsafe { Self::first_kept(works_in, segment, first) };
        }
        segment
    }

    /// Frees the segments that no thread works in, if there are many.
    #[cold]
    pub(super) fn free_segments(&mut self, array: &Array<N>) {
        let (first, first_number) = &array.first.0;
        let mut until = array.peers[self.number].0.popped_in.load(Ordering::Relaxed);
        let number_of = |segment: *mut Segment<N>| {
            // SAFETY: not freed: this thread is the one that frees, or its place is there.
            unsafe { (*segment).number }
        };
        let old = first_number.load(Ordering::Acquire);
        if old == BUSY || number_of(until) - old < 2 * array.peers.len() as i64 {
            return;
        }
        if first_number.compare_exchange(old, BUSY, Ordering::SeqCst, Ordering::Relaxed).is_err() {
            return;
        }
        barrier_of_locked();
        // Pushes go on behind the pops, so that none comes to a segment that is freed.
        raise(&array.pushes.0, array.pops.0.load(Ordering::SeqCst) + 1);
        let begin = first.load(Ordering::Relaxed);
        let in_turn = (0..array.peers.len()).map(|by| &array.peers[(self.number + by) % array.peers.len()].0);
        let mut looked_at = Vec::with_capacity(array.peers.len());
        for peer in in_turn {
            if number_of(until) <= old {
                break;
            }
            // SAFETY: only this thread frees segments.
            unsafe {
                until = Self::first_kept(&peer.works_in, until, begin);
                until = Self::moved(&peer.pushed_in, until, &peer.works_in, begin);
                until = Self::moved(&peer.popped_in, until, &peer.works_in, begin);
            }
            looked_at.push(&peer.works_in);
        }
        for works_in in looked_at.into_iter().rev() {
            if number_of(until) <= old {
                break;
            }
            // SAFETY: only this thread frees segments.
            until = unsafe { Self::first_kept(works_in, until, begin) };
        }
        let number = number_of(until);
        if number <= old {
            // Ordering: Release pairs with the exchange of the thread that frees next.
            first_number.store(old, Ordering::Release);
            return;
        }
        first.store(until, Ordering::Relaxed);
        // Ordering: Release pairs with the exchange of the thread that frees next.
        first_number.store(number, Ordering::Release);
        let mut segment = begin;
        while segment != until {
            // SAFETY: no thread works in it, or has its place there.
            let next = unsafe { &(*segment).next }.load(Ordering::Relaxed);
            // SAFETY: no thread works in it.
            unsafe { free(segment) };
            segment = next;
        }
    }
}
