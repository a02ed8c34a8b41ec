//! Steal requests, at no cost to an owner without requests.
//!
//! An owner compares its position with a bound in each push and in each pop, and leaves the fast
//! path if it has reached the bound. Both bounds are here, on a line that no thread writes without
//! a request, so comparing with it costs no more than with a register. A thief that finds nothing
//! moves both bounds to where every position has reached them. So the owner's next operation leaves
//! the fast path, finds the reason, and gives half of its items to the thieves. While it has none,
//! the bounds stay, so the operation that brings the first item gives it away.
//!
//! Thieves that seize items rely on the bound of pops: see the [design
//! page](crate::bwos::design#seizing). Where light fences are not free, that bound stays at
//! `NO_FAST_POPS`, so that each pop is on the slow path, which has a fence.

use core::marker::PhantomData;

use super::order::Parts;
use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, IS_MODEL, Ordering, is_greater, is_less, prepare_fences};

/// The two bounds.
#[repr(C)]
pub(super) struct Requests<O> {
    bounds: Isolated<[AtomicUsize; 2]>,
    block_size: usize,
    /// Whether light fences are free, so that there are fast pops.
    pops_fast: bool,
    _order: PhantomData<O>,
}

/// The number of the bound below which a push is fast: a block's size, or [`NO_FAST_PUSHES`].
const PUSH: usize = 0;

/// The number of the first position that fast pops do not reach, or `NO_FAST_POPS`.
const POP: usize = 1;

/// The bound of pushes that every position has reached.
const NO_FAST_PUSHES: usize = 0;

impl<O: Parts> Requests<O> {
    pub(super) fn new(block_size: usize, last: usize) -> Self {
        let pops_fast = prepare_fences();
        let pop = Self::bound_if(pops_fast, last);
        let bounds = [block_size, pop].map(AtomicUsize::new);
        Self { bounds: Isolated(bounds), block_size, pops_fast, _order: PhantomData }
    }

    /// Returns the bound of pops that leads to fast pops to the position `last`, if there are fast
    /// pops.
    const fn bound(&self, last: usize) -> usize {
        Self::bound_if(self.pops_fast, last)
    }

    const fn bound_if(pops_fast: bool, last: usize) -> usize {
        if pops_fast { last.wrapping_add(O::STEP) } else { O::NO_FAST_POPS }
    }

    // Ordering: a late bound costs an operation on the fast path, an early one on the slow path.
    // Items are ordered elsewhere; where a thief must not be overlooked, fences order the accesses.
    // An ordering stronger than Relaxed only keeps stores behind loads (load buffering).

    /// Returns the bound of fast pushes.
    #[inline(always)]
    pub(super) fn push(&self) -> usize {
        self.bounds[PUSH].load(Ordering::Acquire)
    }

    /// Returns the bound of fast pops.
    fn pop(&self) -> usize {
        self.bounds[POP].load(Ordering::Acquire)
    }

    /// Whether a push to that position is fast.
    #[inline(always)]
    pub(super) fn lets_push(&self, position: usize) -> bool {
        is_greater::<PUSH, 2>(&self.bounds, position)
    }

    /// Whether a pop down to that position is fast; -1 if nothing is there.
    #[inline(always)]
    pub(super) fn lets_pop_down(&self, position: usize) -> bool {
        is_less::<POP, 2>(&self.bounds, position)
    }

    /// Whether a pop up to that position is fast.
    #[inline(always)]
    pub(super) fn lets_pop_up(&self, position: usize) -> bool {
        is_greater::<POP, 2>(&self.bounds, position)
    }

    /// Sends a steal request; thieves call it.
    pub(super) fn send(&self) {
        // If the owner has a request already, its line is not written again. Both bounds must be
        // seen there: another thief may have moved one of them, and the owner's fast pops compare
        // with the other.
        if self.push() != NO_FAST_PUSHES || self.pop() != O::NO_FAST_POPS {
            self.bounds[PUSH].store(NO_FAST_PUSHES, Ordering::Release);
            self.bounds[POP].store(O::NO_FAST_POPS, Ordering::Release);
        }
    }

    /// Whether there is a steal request; the owner calls it on its slow path.
    ///
    /// `last` is the position at which the owner has let fast pops end.
    pub(super) fn is_pending(&self, last: usize) -> bool {
        self.push() == NO_FAST_PUSHES || self.pop() != self.bound(last)
    }

    /// Answers a request; the owner calls it after giving something. Fast pops end at `last` from
    /// now on.
    pub(super) fn answer(&self, last: usize) {
        self.bounds[PUSH].store(self.block_size, Ordering::Release);
        // Ordering: Release only keeps the store behind earlier loads (load buffering).
        self.bounds[POP].store(self.bound(last), Ordering::Release);
    }

    /// Lets fast pops end at `to` instead of `from`. Only the owner calls it.
    ///
    /// A request that is sent meanwhile, or was sent before, stays.
    pub(super) fn move_pop(&self, from: usize, to: usize) {
        // Ordering: Release only keeps it behind earlier loads (load buffering).
        if self.pops_fast && from != to && self.bounds[POP].swap(self.bound(to), Ordering::Release) != self.bound(from)
        {
            self.bounds[POP].store(O::NO_FAST_POPS, Ordering::Relaxed);
        }
    }
}

/// The number of times that thieves find an owner with items that does not answer, before one
/// seizes them.
///
/// An owner that is at work answers in its next operation, and is spared the interrupt. (In the
/// model, time does not pass.)
const PATIENCE: usize = if IS_MODEL { 1 } else { 16 };

/// Hints of how often thieves have found an owner that does not answer.
pub(super) struct Unanswered {
    /// The word of its block. The owner changes it when it answers.
    word: AtomicUsize,
    /// The number of times that thieves have found that word.
    times: AtomicUsize,
}

impl Unanswered {
    pub(super) const fn none() -> Self {
        Self { word: AtomicUsize::new(0), times: AtomicUsize::new(0) }
    }

    /// Counts that a thief has found that word. Returns whether thieves have found it often enough.
    pub(super) fn is_enough(&self, word: usize) -> bool {
        // Ordering: Relaxed throughout. A thief that is misled seizes earlier or later.
        let times = if self.word.load(Ordering::Relaxed) == word { self.times.load(Ordering::Relaxed) } else { 0 };
        if times < PATIENCE {
            self.word.store(word, Ordering::Relaxed);
            self.times.store(times + 1, Ordering::Relaxed);
        }
        times >= PATIENCE
    }
}
