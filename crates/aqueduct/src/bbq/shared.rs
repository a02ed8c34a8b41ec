//! What the handles share, and the two ways forward: to an entry in the block, and to the next block (the seed's Fig. 3 and 4).
//!
//! Invariants:
//! 1. `allocated` and `reserved` of a block go from `(v, 0)` to `(v, block_size)` and then to `(v + 1, 0)`, and by no other way.
//! 2. A block's `allocated` enters lap `v + 1` only when all of its entries have been consumed in lap `v`, and only when the
//!    block before it is fully allocated.
//! 3. A block's `reserved` enters a lap only after `allocated` has, and only when the block before it is fully reserved.
//! 4. The heads are hints: where they lag behind, whoever finds the block used up moves them on.

use core::ptr::NonNull;

use super::block::{Block, Blocks, Line};
use super::claim::Claims;
use super::cursor::Cursor;
use super::distance::Distance;
use super::entry::{Entry, EntryOf};
use super::geometry::Geometry;
use super::reserve::Reserves;
use super::side::{Commits, Consumes, Reason};
use crate::error::CapacityError;
use crate::heap::drop_all;
use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, Cell, Ordering, prefetch_to_read, prefetch_to_write};

/// What producers and consumers share.
#[derive(Debug)]
pub struct Shared<T, P: Commits, C: Consumes> {
    /// The block that is being filled: version and index. Used by many producers only.
    pub(super) producers: Isolated<AtomicUsize>,
    /// The block that is being emptied. Used by many consumers only.
    pub(super) consumers: Isolated<AtomicUsize>,
    pub(super) blocks: Blocks<T, P, C>,
    /// What was asked for.
    pub(super) capacity: usize,
}

// SAFETY: items go from one thread to another, which `T: Send` allows; threads never share one.
unsafe impl<T: Send, P: Commits, C: Consumes> Send for Shared<T, P, C> {}
// SAFETY: as above.
unsafe impl<T: Send, P: Commits, C: Consumes> Sync for Shared<T, P, C> {}

/// Where a thread is on its side, as far as it knows.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// The block: version and index.
    pub(super) head: Cursor,
    pub(super) block: NonNull<Block>,
    /// The block's `allocated`, or `reserved`, as it was last seen. A single producer or consumer knows it.
    pub(super) cursor: Cursor,
    /// A single consumer: the offset up to which entries are known to be committed.
    pub(super) stop: usize,
    /// Consumers: how closely this one follows.
    pub(super) distance: Distance,
}

/// How many lines ahead of its entry a producer has one brought to it.
const AHEAD: usize = 2;

impl Position {
    /// Goes to the begin of the block that is `head`.
    pub(super) fn enter<T, P: Commits, C: Consumes>(&mut self, shared: &Shared<T, P, C>, head: Cursor) {
        *self = Self { distance: self.distance.entered(), ..shared.position(head) };
    }
}

impl<T, P: Commits, C: Consumes> Shared<T, P, C> {
    pub(super) fn for_capacity(capacity: usize, version: usize) -> Result<Self, CapacityError> {
        Self::new(Blocks::<T, P, C>::geometry(capacity)?, capacity, version)
    }

    pub(super) fn new(geometry: Geometry, capacity: usize, version: usize) -> Result<Self, CapacityError> {
        let first = Cursor::new(version, 0);
        let blocks = Blocks::new(geometry, capacity, first)?;
        let head = || Isolated(AtomicUsize::new(first.0));
        Ok(Self { producers: head(), consumers: head(), blocks, capacity })
    }

    #[inline(always)]
    pub(super) fn size(&self) -> usize {
        self.blocks.geometry.block_size()
    }

    /// Where the first handles begin.
    pub(super) fn first(&self) -> Position {
        // Ordering: Relaxed, nobody has moved it yet.
        self.position(Cursor(self.producers.load(Ordering::Relaxed)))
    }

    /// At the begin of the block that is `head`.
    pub(super) fn position(&self, head: Cursor) -> Position {
        let block = self.blocks.block(head.offset());
        Position { head, block, cursor: head.begin(), stop: 0, distance: Distance::default() }
    }

    #[inline(always)]
    pub(super) fn block(&self, position: &Position) -> &Block {
        // SAFETY: positions name blocks of this queue, which lives as long as it.
        unsafe { position.block.as_ref() }
    }

    /// Writes an item into a claimed entry and commits it.
    ///
    /// # Safety
    /// The caller has claimed the entry `at` of the position's block, and does this once.
    #[inline(always)]
    unsafe fn put(&self, position: &Position, at: Cursor, item: T) {
        // SAFETY: the entry is the caller's; the claim is ordered after what was done with it in the lap before.
        unsafe {
            let entry = self.blocks.entry(position.block, at.offset());
            C::Entry::<T>::put(entry.entry, item);
            P::commit(entry.line, entry.slot, at, 1);
            prefetch_to_write(entry.line.as_ptr().wrapping_add(AHEAD * Line::<C::Entry<T>, P>::BYTES));
        }
    }

    /// Writes items into claimed entries and commits them, line by line.
    ///
    /// # Safety
    /// As for `put`; the caller has claimed as many entries.
    unsafe fn put_slice(&self, position: &Position, mut at: Cursor, mut items: &[T])
    where
        T: Copy,
    {
        while !items.is_empty() {
            // SAFETY: the entries are the caller's.
            unsafe {
                let entry = self.blocks.entry(position.block, at.offset());
                let (now, later) = items.split_at(items.len().min(Line::<C::Entry<T>, P>::SLOTS - entry.slot));
                for (number, &item) in now.iter().enumerate() {
                    C::Entry::<T>::put(entry.entry.add(number * C::Entry::<T>::SIZE), item);
                }
                P::commit(entry.line, entry.slot, at, now.len());
                at = at.plus(now.len());
                items = later;
            }
        }
    }

    /// How many entries of the block are committed from `at` on, up to `most` and to the end of its line.
    #[inline(always)]
    pub(super) fn committed(&self, block: NonNull<Block>, at: Cursor, most: usize) -> usize {
        // SAFETY: the offset is less than the block's size; the line has as many entries.
        unsafe {
            let entry = self.blocks.entry(block, at.offset());
            let most = most.min(Line::<C::Entry<T>, P>::SLOTS - entry.slot).min(self.size() - at.offset());
            P::committed(entry.line, entry.slot, at, most)
        }
    }

    /// Whether a line ends in front of that offset.
    #[inline(always)]
    pub(super) fn ends_a_line(&self, offset: usize) -> bool {
        offset.is_multiple_of(Line::<C::Entry<T>, P>::SLOTS) || offset == self.size()
    }

    /// As `committed`, beyond the end of the line.
    pub(super) fn committed_lines(&self, block: NonNull<Block>, at: Cursor, most: usize) -> usize {
        let most = most.min(self.size() - at.offset());
        let mut count = 0;
        while count < most {
            let here = at.plus(count);
            let more = self.committed(block, here, most - count);
            count += more;
            if more == 0 || !self.ends_a_line(at.offset() + count) {
                break;
            }
        }
        count
    }

    /// Whether consumers have gone on from the block that `head` is of, so that all of its items have been popped, or are being.
    /// The caller knows that they have used up the block before it.
    pub(super) fn consumers_are_beyond(&self, head: Cursor) -> bool {
        // Ordering: Relaxed. Whoever has popped an item of a later block has moved the head on before; who knows of the one by
        // what happened before finds the other.
        let consumers = Cursor(self.consumers.load(Ordering::Relaxed));
        // They may have used up the block before, and nobody come to this one yet.
        consumers != head && consumers.next_block(self.blocks.geometry.blocks()) != head
    }

    /// Moves an item out.
    ///
    /// # Safety
    /// The caller has reserved the entry `at`, which was committed, and does this once before it is consumed.
    #[inline(always)]
    unsafe fn take(&self, position: &Position, at: Cursor) -> T {
        // SAFETY: the entry is the caller's, and holds an item.
        unsafe {
            let entry = self.blocks.entry(position.block, at.offset());
            if position.distance.is_great(at.offset()) {
                prefetch_to_read(entry.line.as_ptr().wrapping_add(AHEAD * Line::<C::Entry<T>, P>::BYTES));
            }
            entry.entry.cast::<Cell<T>>().as_ref().take()
        }
    }
}

impl<T, P: Claims, C: Consumes> Shared<T, P, C> {
    /// Adds an item.
    #[inline(always)]
    pub(super) fn push(&self, position: &mut Position, item: T) -> Result<(), C::Refused<T>> {
        match P::claim(self, position, 1) {
            Ok((at, _)) => {
                // SAFETY: claimed.
                unsafe { self.put(position, at, item) };
                Ok(())
            }
            Err(reason) => Err(C::refused(item, reason)),
        }
    }

    /// Adds as many of the items as there is room for.
    pub(super) fn push_slice(&self, position: &mut Position, items: &[T]) -> usize
    where
        T: Copy,
    {
        let mut rest = items;
        while !rest.is_empty() {
            let Ok((at, count)) = P::claim(self, position, rest.len()) else { break };
            let (now, later) = rest.split_at(count);
            // SAFETY: claimed.
            unsafe { self.put_slice(position, at, now) };
            rest = later;
        }
        items.len() - rest.len()
    }
}

impl<T, P: Claims, C: Reserves> Shared<T, P, C> {
    /// Takes the oldest item.
    #[inline(always)]
    pub(super) fn pop(&self, position: &mut Position) -> Result<T, Reason> {
        let (at, _) = C::reserve(self, position, 1)?;
        // SAFETY: reserved.
        let item = unsafe { self.take(position, at) };
        C::consumed(self, position, at, 1);
        Ok(item)
    }

    /// Takes as many items as there are, up to `items.len()`.
    pub(super) fn pop_slice(&self, position: &mut Position, items: &mut [T]) -> usize
    where
        T: Copy,
    {
        let mut done = 0;
        while done < items.len() {
            let Ok((at, count)) = C::reserve(self, position, items.len() - done) else { break };
            for (number, item) in items[done..done + count].iter_mut().enumerate() {
                // SAFETY: reserved.
                *item = unsafe { self.take(position, at.plus(number)) };
            }
            C::consumed(self, position, at, count);
            done += count;
        }
        done
    }
}

impl<T, P: Commits, C: Consumes> Shared<T, P, C> {
    /// For each block with items, from the oldest on: the block, and its first and last entry with one.
    fn filled(&self) -> impl Iterator<Item = (NonNull<Block>, core::ops::Range<usize>)> {
        let count = self.blocks.geometry.blocks();
        let words = move |index: usize| {
            let block = self.blocks.block(index);
            // Ordering: Relaxed. Who drops the queue has everything ordered before; `len` is not exact beside other threads.
            // SAFETY: one of this queue's blocks.
            let Block { allocated, reserved } = unsafe { block.as_ref() };
            (block, Cursor(allocated.load(Ordering::Relaxed)), Cursor(reserved.load(Ordering::Relaxed)))
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

    /// Items in the queue: exact while no operation is in progress.
    pub(super) fn len(&self) -> usize {
        self.filled().map(|(_, entries)| entries.len()).sum()
    }
}

impl<T, P: Commits, C: Consumes> Drop for Shared<T, P, C> {
    fn drop(&mut self) {
        if !core::mem::needs_drop::<T>() {
            return;
        }
        let mut entries = self.filled().flat_map(|(block, entries)| entries.map(move |offset| (block, offset)));
        drop_all(&mut || {
            let Some((block, offset)) = entries.next() else { return false };
            // SAFETY: nobody else is left, and the entry holds an item, which is visited once.
            drop(unsafe { self.blocks.entry(block, offset).entry.cast::<Cell<T>>().as_ref().take() });
            true
        });
    }
}
