//! The state that handles share, and the two ways forward: to an entry in the block, and to the
//! next block.
//!
//! (Wang et al., USENIX ATC 2022, figures 3 and 4.)
//!
//! Invariants:
//! 1. `allocated` and `reserved` of a block go from `(v, 0)` to `(v, block_size)` and then to `(v +
//!    1, 0)`, and by no other way. (A single producer's `allocated` goes from `(v, block_size)` to
//!    `(v + 1, block_size)`: `opened`.)
//! 2. A block's `allocated` enters lap `v + 1` only when all of its entries have been consumed in
//!    lap `v`, and only when the block before it is fully allocated.
//! 3. A block's `reserved` enters a lap only after `allocated` has, and only when the block before
//!    it is fully reserved.
//! 4. A head lags behind by at most a block, until a thread that finds that block used up moves it
//!    on. A thread works in a block in a lap only after it has found the head there, or moved it
//!    (`follow`).

use core::ptr::NonNull;

use super::adding::first_look;
use super::backoff::Backoff;
use super::backoff::distance::Distance;
use super::backoff::race::Step;
use super::block::{Block, Blocks, Content};
use super::cursor::Cursor;
use super::geometry::Geometry;
use super::side::{Commits, Consumes};
use crate::error::CapacityError;
use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, Ordering};

/// The state that producers and consumers share.
#[derive(Debug)]
pub struct Shared<K: Content<P, C>, P: Commits, C: Consumes> {
    /// The producers' head: the lap and the index of the block that is being filled. Used by many
    /// producers only.
    pub(super) producers: Isolated<AtomicUsize>,
    /// The consumers' head: the lap and the index of the block that is being emptied. Used by many
    /// consumers only.
    pub(super) consumers: Isolated<AtomicUsize>,
    pub(super) blocks: Blocks<K, P, C>,
    /// The capacity that was asked for.
    pub(crate) capacity: usize,
}

// SAFETY: what lies in the blocks goes from one thread to another, which `K: Send` allows; threads never share an entry
// but to look at it.
unsafe impl<K: Content<P, C> + Send, P: Commits, C: Consumes> Send for Shared<K, P, C> {}
// SAFETY: the reason for `Send` holds.
unsafe impl<K: Content<P, C> + Send, P: Commits, C: Consumes> Sync for Shared<K, P, C> {}

/// A thread's place on its side, as far as the thread knows.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// The block's head: lap and index.
    pub(super) head: Cursor,
    pub(super) block: NonNull<Block>,
    /// The last known value of the block's `allocated`, or `reserved`. A single producer or
    /// consumer knows it exactly.
    pub(super) cursor: Cursor,
    /// The value that the handle found instead of `cursor` when it last lost a race.
    pub(super) found: Cursor,
    /// The offset up to which the thread may go on without another look.
    ///
    /// Single producers of items, and single consumers: the offset behind the last entry of the
    /// cursor's line that it can go to; the cursor's own offset if it has to look. Consumers of
    /// [`adding`](super::adding): the offset up to which entries are known to be committed.
    pub(super) stop: usize,
    /// Single producers of items, and single consumers: the line of the entries from the cursor to
    /// `stop`.
    pub(super) line: NonNull<u8>,
    /// The offset of that line's first entry.
    pub(super) first: usize,
    /// Consumers of [`adding`](super::adding): the offset from which on to look whether the block
    /// is filled, or its size.
    pub(super) again: usize,
    /// Threads of a side with several: the length of the backoff after the next lost race.
    pub(super) step: Step,
    /// One of many producers: whether all entries of the block before `cursor` are its own.
    ///
    /// They may also be of the handle that it was cloned from. Items are committed before either
    /// goes on; records need not be.
    pub(super) alone: bool,
    /// Consumers: how closely this one follows the producers.
    pub(super) distance: Distance,
}

impl Position {
    pub(super) fn set_backoff(&mut self, backoff: Backoff) {
        self.distance.set(backoff);
        self.step.set(backoff);
    }

    /// Moves the only thread of a side to an entry whose line it does not know.
    #[inline(always)]
    pub(super) fn go_to(&mut self, cursor: Cursor) {
        (self.cursor, self.stop) = (cursor, cursor.offset());
    }

    /// Moves to the start of the block that is `head`.
    pub(super) fn enter<K: Content<P, C>, P: Commits, C: Consumes>(&mut self, shared: &Shared<K, P, C>, head: Cursor) {
        *self = Self { distance: self.distance.entered(shared.size()), step: self.step, ..shared.position(head) };
    }

    /// Moves to the block of `head`, which was found in `heads`, or a later one, and to its side's
    /// place there.
    #[inline(always)]
    pub(super) fn follow<K: Content<P, C>, P: Commits, C: Consumes>(
        &mut self,
        shared: &Shared<K, P, C>,
        heads: &AtomicUsize,
        look: impl Fn(&Block) -> Cursor,
        head: Cursor,
    ) {
        let (head, cursor) = shared.find(heads, look, head);
        self.enter(shared, head);
        self.cursor = cursor;
    }
}

impl<K: Content<P, C>, P: Commits, C: Consumes> Shared<K, P, C> {
    pub(crate) fn for_capacity(content: K, capacity: usize, version: usize) -> Result<Self, CapacityError> {
        Self::new(content, Blocks::<K, P, C>::geometry(content, capacity, |_| true)?, capacity, version)
    }

    pub(crate) fn new(content: K, geometry: Geometry, capacity: usize, version: usize) -> Result<Self, CapacityError> {
        let first = Cursor::new(version, 0);
        let blocks = Blocks::new(content, geometry, capacity, first)?;
        let head = || Isolated(AtomicUsize::new(first.0));
        Ok(Self { producers: head(), consumers: head(), blocks, capacity })
    }

    #[inline(always)]
    pub(super) fn size(&self) -> usize {
        self.blocks.geometry.block_size()
    }

    /// Returns the position of the first handles.
    pub(super) fn first(&self) -> Position {
        // Ordering: Relaxed, nobody has moved it yet.
        self.position(Cursor(self.producers.load(Ordering::Relaxed)))
    }

    /// Returns the position at the start of the block that is `head`.
    pub(super) fn position(&self, head: Cursor) -> Position {
        let block = self.blocks.block(head.offset());
        let (cursor, found, again) = (head.begin(), Cursor(usize::MAX), first_look(self.size()));
        let distance = Distance::default();
        Position {
            head,
            block,
            cursor,
            found,
            stop: 0,
            line: block.cast(),
            first: 0,
            again,
            step: Step::new(),
            alone: true,
            distance,
        }
    }

    /// Finds the block in which a side works, and the side's place there.
    ///
    /// `head` is the value that was last found in `heads`. A thread works in a block in a lap only
    /// after it has found the head there, or moved it. Otherwise threads that find a block open,
    /// which another thread has opened and not moved the head to yet, could leave the head behind
    /// for good.
    ///
    /// The head only says where to look. The block's own word, read by `look`, tells the thread
    /// that the block is open in the head's lap, in order. If it finds an older lap, or a later one
    /// that other threads have opened since, it reads the head again.
    #[inline(always)]
    pub(super) fn find(
        &self,
        heads: &AtomicUsize,
        look: impl Fn(&Block) -> Cursor,
        mut head: Cursor,
    ) -> (Cursor, Cursor) {
        loop {
            let cursor = look(self.block_of(head));
            if cursor.begin() == head.begin() {
                return (head, cursor);
            }
            // Ordering: Acquire pairs with the Release where the head is moved, in `claim` and `reserve`; without it,
            // this could find the new head and the block's old lap forever.
            head = Cursor(heads.load(Ordering::Acquire));
        }
    }

    /// Returns the number of blocks beyond those that the capacity needs.
    pub(super) fn spare(&self) -> usize {
        self.blocks.geometry.blocks() - 1 - self.capacity.div_ceil(self.size())
    }

    #[inline(always)]
    pub(super) fn block(&self, position: &Position) -> &Block {
        // SAFETY: positions name blocks of this queue, which lives as long as it.
        unsafe { position.block.as_ref() }
    }

    /// Returns the block of `head`.
    pub(super) fn block_of(&self, head: Cursor) -> &Block {
        // SAFETY: heads name blocks of this queue, which lives as long as it.
        unsafe { self.blocks.block(head.offset()).as_ref() }
    }

    /// Whether consumers have gone on from the block of `head`.
    ///
    /// Then all of its items have been popped, or are being popped. The caller knows that consumers
    /// have used up the block before it.
    pub(super) fn consumers_are_beyond(&self, head: Cursor) -> bool {
        // Ordering: Relaxed. A consumer moves the head on before it pops an item of a later block; a thread that knows
        // of the pop by happens-before finds the head moved.
        let consumers = Cursor(self.consumers.load(Ordering::Relaxed));
        // They may have used up the block before, without a consumer in this one yet.
        consumers != head && consumers != head.block_before(self.blocks.geometry.blocks())
    }
}

impl<K: Content<P, C>, P: Commits, C: Consumes> Shared<K, P, C> {
    /// Returns each block with items, from the oldest on, and the range of its entries with items.
    pub(super) fn filled(&self) -> impl Iterator<Item = (NonNull<Block>, core::ops::Range<usize>)> {
        let count = self.blocks.geometry.blocks();
        let words = move |index: usize| {
            let block = self.blocks.block(index);
            // SAFETY: one of this queue's blocks.
            let cursors: &Block = unsafe { block.as_ref() };
            // Ordering: Relaxed for both. The thread that drops the queue knows all that was done before.
            let allocated = Cursor(cursors.allocated.cursor.load(Ordering::Relaxed));
            let reserved = Cursor(cursors.reserved.by_exchange.load(Ordering::Relaxed));
            (block, P::how_far(allocated, self.size()), C::how_far(cursors, reserved, self.size()))
        };
        // The blocks after the last one filled are a lap behind, and older.
        let newest = words(0).1.begin();
        let oldest = (0..count).find(|&index| words(index).1.begin() != newest).unwrap_or(0);
        (0..count).map(move |index| {
            let (block, allocated, reserved) = words((oldest + index) % count);
            let from = if reserved.begin() == allocated.begin() { reserved.offset() } else { 0 };
            (block, from..allocated.offset())
        })
    }
}

impl<K: Content<P, C>, P: Commits, C: Consumes> Drop for Shared<K, P, C> {
    fn drop(&mut self) {
        K::clear(self);
    }
}
