//! Items of one type as the content of blocks: in [lines](super::line) with their marks.
//!
//! Many consumers mark consumed entries behind the lines, where producers look once a lap.

use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use super::backoff::race::HINTS_OF_A_CLAIM;
use super::block::{Block, Content, last};
use super::claim::Claims;
use super::cursor::Cursor;
use super::entry::{Entry, EntryOf};
use super::line::{Line, MARK, Place, read_ahead};
use super::reserve::Reserves;
use super::shared::{Position, Shared};
use super::side::{Commits, Consumes, Reason};
use crate::error::PushError;
use crate::heap::drop_all;
use crate::isolated::LINE_PAIR;
use crate::sync::{AtomicU8, Cell, Ordering};

/// Items `T`. The type is invariant in `T`: otherwise an end could be used as one for items of a
/// shorter life.
pub struct Items<T>(PhantomData<Cell<T>>);

impl<T> Items<T> {
    pub(crate) const fn new() -> Self {
        Self(PhantomData)
    }

    /// Returns the place of the block's entry `offset`.
    ///
    /// # Safety
    /// The block lies at `block` and has that many entries.
    #[inline(always)]
    unsafe fn entry<P: Commits, C: Consumes>(block: NonNull<u8>, offset: usize) -> Place {
        let number = Line::<C::Entry<T>, P>::number(offset);
        let slot = offset - number * Line::<C::Entry<T>, P>::SLOTS;
        // SAFETY: the remainder of a division, of which the compiler sees a multiplication only. It saves each pop two
        // branches.
        unsafe { core::hint::assert_unchecked(slot < Line::<C::Entry<T>, P>::SLOTS) };
        let first = const { size_of::<Block>().next_multiple_of(Line::<C::Entry<T>, P>::ALIGN) };
        // SAFETY: within the block.
        unsafe { Place::in_line::<C::Entry<T>, P>(block.add(first + number * Line::<C::Entry<T>, P>::BYTES), slot) }
    }
}

impl<T> Clone for Items<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Items<T> {}

impl<T> fmt::Debug for Items<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Items")
    }
}

impl<T, P: Commits, C: Consumes> Content<P, C> for Items<T> {
    const HINTS: usize = HINTS_OF_A_CLAIM;

    fn align(self) -> usize {
        Line::<C::Entry<T>, P>::ALIGN
    }

    fn least_bytes(self) -> usize {
        size_of::<T>()
    }

    /// The first part is the lines, the second the consumers' marks.
    fn parts(self, entries: usize) -> Option<(usize, usize)> {
        let lines = entries.div_ceil(Line::<C::Entry<T>, P>::SLOTS).checked_mul(Line::<C::Entry<T>, P>::BYTES)?;
        let first = size_of::<Block>().next_multiple_of(Line::<C::Entry<T>, P>::ALIGN);
        let marks = first.checked_add(lines)?.checked_next_multiple_of(LINE_PAIR)?;
        let all = marks.checked_add(if C::MARK_EACH { entries * MARK } else { 0 })?;
        Some((marks, all.checked_next_multiple_of(Line::<C::Entry<T>, P>::ALIGN)?))
    }

    unsafe fn initialise(self, block: NonNull<u8>, second: NonNull<u8>, used_up: Cursor) {
        // SAFETY: a block lies there, with room for its lines and marks.
        unsafe {
            for offset in (0..used_up.offset()).step_by(Line::<C::Entry<T>, P>::SLOTS) {
                let place = Self::entry::<P, C>(block, offset);
                P::initialise(place.line, Line::<C::Entry<T>, P>::SLOTS, used_up);
            }
            for offset in 0..used_up.offset() {
                C::Entry::<T>::initialise(Self::entry::<P, C>(block, offset).entry);
            }
            for offset in 0..if C::MARK_EACH { used_up.offset() } else { 0 } {
                second.cast::<AtomicU8>().add(offset).write(AtomicU8::new(used_up.parity()));
            }
        }
    }

    #[inline(always)]
    fn is_full(shared: &Shared<Self, P, C>, head: Cursor) -> bool {
        C::is_full(shared, head)
    }

    #[inline(always)]
    fn is_free(shared: &Shared<Self, P, C>, head: Cursor) -> bool {
        C::is_free(shared, head)
    }

    #[cold]
    fn renew(shared: &Shared<Self, P, C>, head: Cursor) {
        let before = head.version_before(shared.size());
        // Ordering: Relaxed. A producer that finds this, and has not seen the block opened, cannot open it: its
        // exchange fails.
        shared.block_of(head).allocated.committed.store(before.0, Ordering::Relaxed);
    }

    fn is_there(shared: &Shared<Self, P, C>, block: NonNull<Block>, at: Cursor) -> bool {
        shared.committed(block, at, 1) > 0
    }

    /// Searches for the last line with a committed entry.
    fn filled(shared: &Shared<Self, P, C>, block: NonNull<Block>, begin: Cursor) -> usize {
        let slots = const { Line::<C::Entry<T>, P>::SLOTS };
        let here = |line: usize| shared.committed(block, begin.plus(line * slots), slots);
        let line = last(0, shared.size().div_ceil(slots) - 1, |line| here(line) > 0);
        line * slots + here(line)
    }

    fn clear(shared: &mut Shared<Self, P, C>) {
        if !core::mem::needs_drop::<T>() {
            return;
        }
        let mut entries = shared.filled().flat_map(|(block, entries)| entries.map(move |offset| (block, offset)));
        drop_all(&mut || {
            let Some((block, offset)) = entries.next() else { return false };
            // SAFETY: nobody else is left, and the entry holds an item, which is visited once.
            drop(unsafe { shared.entry(block, offset).entry.cast::<Cell<T>>().as_ref().take() });
            true
        });
    }
}

impl<T, P: Commits, C: Consumes> Shared<Items<T>, P, C> {
    /// Returns the place of the block's entry `offset`.
    ///
    /// # Safety
    /// `block` is one of the queue's, and has that many entries.
    #[inline(always)]
    pub(super) unsafe fn entry(&self, block: NonNull<Block>, offset: usize) -> Place {
        debug_assert!(offset < self.size());
        // SAFETY: the caller's promise.
        unsafe { Items::<T>::entry::<P, C>(block.cast(), offset) }
    }

    /// Returns the consumers' marks of a block.
    #[inline(always)]
    pub(super) fn marks(&self, block: NonNull<Block>) -> NonNull<AtomicU8> {
        self.blocks.second(block).cast()
    }

    /// Writes an item into a claimed entry and commits it.
    ///
    /// # Safety
    /// The caller has claimed the entry `at`, which is there, and does this once.
    #[inline(always)]
    pub(super) unsafe fn put(&self, place: Place, at: Cursor, item: T) {
        // SAFETY: the entry is the caller's; the claim is ordered after what was done with it in the lap before.
        unsafe {
            C::Entry::<T>::put(place.entry, item);
            P::commit(place.line, place.slot, at, 1);
            // A single producer prefetches where it comes to a line; of many, any may be the first to come.
            if P::MARK_EACH {
                Line::<C::Entry<T>, P>::fetch_to_write(place.line);
            }
        }
    }

    /// Writes items into claimed entries and commits them, line by line.
    ///
    /// # Safety
    /// The caller has claimed `items.len()` entries from `at` on, which are there, and does this
    /// once.
    unsafe fn put_slice(&self, position: &Position, mut at: Cursor, mut items: &[T])
    where
        T: Copy,
    {
        // SAFETY: the entries are the caller's.
        unsafe {
            let Place { mut line, mut slot, .. } = self.entry(position.block, at.offset());
            while !items.is_empty() {
                let place = Place::in_line::<C::Entry<T>, P>(line, slot);
                let (now, later) = items.split_at(items.len().min(Line::<C::Entry<T>, P>::SLOTS - place.slot));
                let put =
                    |number: usize| C::Entry::<T>::put(place.entry.add(number * C::Entry::<T>::SIZE), now[number]);
                Line::<C::Entry<T>, P>::with(now.len(), |count| (0..count).for_each(put));
                P::commit(place.line, place.slot, at, now.len());
                Line::<C::Entry<T>, P>::fetch_to_write(line);
                at = at.plus(now.len());
                items = later;
                (line, slot) = (Line::<C::Entry<T>, P>::end(line), 0);
            }
        }
    }

    /// Returns how many entries of the block are committed from `at` on.
    ///
    /// Looks up to `most` and to the end of the line.
    #[inline(always)]
    pub(super) fn committed(&self, block: NonNull<Block>, at: Cursor, most: usize) -> usize {
        // SAFETY: the offset is less than the block's size; the line has as many entries.
        unsafe {
            let entry = self.entry(block, at.offset());
            let most = most.min(Line::<C::Entry<T>, P>::SLOTS - entry.slot).min(self.size() - at.offset());
            P::committed(entry.line, entry.slot, at, most)
        }
    }

    /// Whether producers are at work in the line in front of `next`, or in the next one if `next`
    /// begins it.
    #[inline(always)]
    pub(super) fn is_close(&self, block: NonNull<Block>, next: Cursor) -> bool {
        if next.offset() == self.size() {
            return false;
        }
        let slots = const { Line::<C::Entry<T>, P>::SLOTS };
        let last = match next.offset() % slots {
            0 => next.offset(),
            slot => (next.offset() + slots - 1 - slot).min(self.size() - 1),
        };
        self.committed(block, next.plus(last - next.offset()), 1) == 0
    }

    /// Returns how many entries of the block are committed from `at` on.
    ///
    /// Looks for `most` only; but to the end of the last one's line if a line has one mark for all.
    #[inline(always)]
    pub(super) fn committed_lines(&self, block: NonNull<Block>, at: Cursor, most: usize) -> usize {
        let left = self.size() - at.offset();
        let most = most.min(left);
        if most == 0 {
            return 0;
        }
        let mut count = 0;
        // SAFETY: none of the entries is behind the block's end.
        unsafe {
            let Place { mut line, mut slot, .. } = self.entry(block, at.offset());
            while count < most {
                let until = if P::MARK_EACH { most } else { left };
                let here = (until - count).min(Line::<C::Entry<T>, P>::SLOTS - slot);
                let more = P::committed(line, slot, at.plus(count), here);
                // A branch, so that the processor goes on to the next line before it knows.
                if more < here {
                    return count + more;
                }
                count += here;
                (line, slot) = (Line::<C::Entry<T>, P>::end(line), 0);
            }
        }
        count
    }

    /// Whether producers are far enough ahead of that entry for a prefetch of lines.
    #[inline(always)]
    pub(super) fn is_far(&self, position: &Position, at: Cursor) -> bool {
        position.distance.is_at_least(read_ahead::<P, C>() * Line::<C::Entry<T>, P>::SLOTS, at.offset())
    }

    /// Copies items out, line by line.
    ///
    /// # Safety
    /// The caller has reserved `items.len()` entries from `at` on, which were committed, and does
    /// this once.
    #[inline(always)]
    pub(super) unsafe fn take_slice(&self, position: &Position, at: Cursor, mut items: &mut [T])
    where
        T: Copy,
    {
        // SAFETY: the entries are the caller's, and hold items.
        unsafe {
            let far = self.is_far(position, at);
            let Place { mut line, mut slot, .. } = self.entry(position.block, at.offset());
            while !items.is_empty() {
                let place = Place::in_line::<C::Entry<T>, P>(line, slot);
                let first = place.entry.cast::<Cell<T>>();
                let count = items.len().min(Line::<C::Entry<T>, P>::SLOTS - place.slot);
                let (now, later) = core::mem::take(&mut items).split_at_mut(count);
                let take = |number: usize| now[number] = first.add(number).as_ref().take();
                Line::<C::Entry<T>, P>::with(count, |count| (0..count).for_each(take));
                if far {
                    Line::<C::Entry<T>, P>::fetch_to_read::<C>(line);
                }
                items = later;
                (line, slot) = (Line::<C::Entry<T>, P>::end(line), 0);
            }
        }
    }
}

impl<T, P: Claims, C: Consumes> Shared<Items<T>, P, C> {
    /// Adds an item.
    #[inline(always)]
    pub(super) fn push(&self, position: &mut Position, item: T) -> Result<(), PushError<T>> {
        match P::claim_one(self, position) {
            Ok((at, place)) => {
                // SAFETY: claimed.
                unsafe { self.put(place, at, item) };
                Ok(())
            }
            Err(reason) => Err(C::refused(item, reason)),
        }
    }

    /// Adds as many of the items as fit.
    pub(crate) fn push_slice(&self, position: &mut Position, items: &[T]) -> usize
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

impl<T, P: Claims, C: Reserves> Shared<Items<T>, P, C> {
    /// Takes the oldest item.
    #[inline(always)]
    pub(super) fn pop(&self, position: &mut Position) -> Result<T, Reason> {
        let (at, place) = C::reserve_one(self, position)?;
        // SAFETY: reserved.
        Ok(unsafe { self.take(position.block, at, place) })
    }

    /// Moves an item out, and gives its entry back.
    ///
    /// # Safety
    /// The caller has reserved the entry `at` of the block, which is at `place` and was committed,
    /// and does this once.
    #[inline(always)]
    pub(super) unsafe fn take(&self, block: NonNull<Block>, at: Cursor, place: Place) -> T {
        // SAFETY: the entry is the caller's, and holds an item.
        let item = unsafe { place.entry.cast::<Cell<T>>().as_ref().take() };
        C::consumed(self, block, at, 1);
        item
    }

    /// Takes up to `items.len()` items.
    pub(crate) fn pop_slice(&self, position: &mut Position, items: &mut [T]) -> usize
    where
        T: Copy,
    {
        C::pop_slice(self, position, items)
    }
}
