//! Items of one type as the content of blocks: in [lines](super::memory::line) with their marks.
//!
//! Many consumers mark consumed entries behind the lines, where producers look once a lap.

use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use super::memory::{Block, Cursor, Entry, Line, MARK, Marks, Parts, Slot, read_ahead};
use super::ring::{Content, Reuse, Ring};
use crate::backoff::HINTS_OF_A_CLAIM;
use crate::division::last;
use crate::heap::drop_all;
use crate::isolated::LINE_PAIR;
use crate::sync::{AtomicU8, Cell, Ordering};

/// Items `T`, marked by producers of the side `P` and given back by consumers of the side `C`.
///
/// The type is invariant in `T`: otherwise an end could be used as one for items of a shorter
/// lifetime.
pub struct Items<T, P, C>(PhantomData<Cell<T>>, PhantomData<fn() -> (P, C)>);

/// The number of lines that a reader looks ahead for producers, once in as many lines. It covers
/// the time that a line takes to arrive.
const FAR: usize = 4;

/// The lines of such items.
pub(super) type LineOf<T, P, C> = Line<<C as Reuse>::Entry<T>, P>;

impl<T, P, C> Items<T, P, C> {
    pub(crate) const fn new() -> Self {
        Self(PhantomData, PhantomData)
    }
}

impl<T, P, C> Clone for Items<T, P, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, P, C> Copy for Items<T, P, C> {}

impl<T, P, C> fmt::Debug for Items<T, P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Items")
    }
}

impl<T, P: Marks, C: Reuse> Content for Items<T, P, C> {
    type Marks = P;
    type Reuse = C;
    const HINTS: usize = HINTS_OF_A_CLAIM;

    fn least_bytes(self) -> usize {
        size_of::<T>()
    }

    /// The first part is the lines, the second the consumers' marks.
    fn parts(self, entries: usize) -> Option<Parts> {
        let lines = entries.div_ceil(LineOf::<T, P, C>::SLOTS).checked_mul(LineOf::<T, P, C>::BYTES)?;
        let align = LineOf::<T, P, C>::ALIGN;
        let second = LineOf::<T, P, C>::START.checked_add(lines)?.checked_next_multiple_of(LINE_PAIR)?;
        let all = second.checked_add(if C::MARKS_EACH { entries * MARK } else { 0 })?;
        Some(Parts { align, second, end: all.checked_next_multiple_of(align)? })
    }

    unsafe fn initialise(self, block: NonNull<Block>, second: NonNull<u8>, used_up: Cursor) {
        // SAFETY: a block lies there, with room for its lines and marks.
        unsafe {
            for offset in (0..used_up.offset()).step_by(LineOf::<T, P, C>::SLOTS) {
                P::initialise(LineOf::<T, P, C>::slot(block, offset).line, LineOf::<T, P, C>::SLOTS, used_up);
            }
            for offset in 0..used_up.offset() {
                C::Entry::<T>::initialise(LineOf::<T, P, C>::slot(block, offset).entry);
            }
            for offset in 0..if C::MARKS_EACH { used_up.offset() } else { 0 } {
                second.cast::<AtomicU8>().add(offset).write(AtomicU8::new(used_up.parity()));
            }
        }
    }

    // Not `inline(always)`: it is inlined all the same, but the compiler unrolls the search of a
    // line before.
    #[inline]
    fn extent(ring: &Ring<Self>, block: NonNull<Block>, at: Cursor, most: usize) -> usize {
        ring.committed_lines(block, at, most).min(most)
    }

    #[inline(always)]
    fn is_there(ring: &Ring<Self>, block: NonNull<Block>, at: Cursor) -> bool {
        ring.committed(block, at, 1) > 0
    }

    /// Whether producers are at work in the line in front of `next`, or in the next one if `next`
    /// begins it.
    ///
    /// A look at the producers' line takes it from them, and comes back when they have left it. So
    /// a reader could follow a line behind them and cost them each line once more. Once in [`FAR`]
    /// lines this looks that number of lines ahead.
    #[inline(always)]
    fn is_close(ring: &Ring<Self>, block: NonNull<Block>, next: Cursor) -> bool {
        if next.offset() == ring.size() {
            return false;
        }
        let slots = const { LineOf::<T, P, C>::SLOTS };
        let last = match next.offset() % slots {
            0 if next.offset().is_multiple_of(FAR * slots) && next.offset() + FAR * slots <= ring.size() => {
                next.offset() + FAR * slots - 1
            }
            0 => next.offset(),
            slot => (next.offset() + slots - 1 - slot).min(ring.size() - 1),
        };
        ring.committed(block, next.plus(last - next.offset()), 1) == 0
    }

    /// Searches for the last line with a committed entry.
    fn filled(ring: &Ring<Self>, block: NonNull<Block>, begin: Cursor) -> usize {
        let slots = const { LineOf::<T, P, C>::SLOTS };
        let here = |line: usize| ring.committed(block, begin.plus(line * slots), slots);
        let line = last(0, ring.size().div_ceil(slots) - 1, &|line| here(line) > 0);
        line * slots + here(line)
    }

    #[inline(always)]
    fn mark_consumed(ring: &Ring<Self>, block: NonNull<Block>, at: Cursor, count: usize) {
        let marks = ring.marks(block);
        for offset in at.offset()..at.offset() + count {
            // Ordering: Release pairs with the Acquire load in `is_consumed`: the item has been
            // read.
            // SAFETY: an entry of the block has its mark.
            unsafe { marks.add(offset).as_ref() }.store(at.parity(), Ordering::Release);
        }
    }

    /// The mark's line stays with the producers until the block is nearly used up. The mark does
    /// not hold its lap. The consumers' head does, and moves once a block: a consumer that has
    /// marked the entry in a later lap has found the head there before. (`reserved` would serve as
    /// well, but each read of it would take its line away from the consumers at work there.)
    #[inline(always)]
    fn is_last_there(ring: &Ring<Self>, head: Cursor) -> bool {
        !ring.is_consumed(head, ring.size() - 1) && !ring.consumers_are_beyond(head.lap_before(head.offset()))
    }

    #[inline(always)]
    fn are_consumed(ring: &Ring<Self>, head: Cursor) -> bool {
        (0..ring.size()).rev().all(|offset| ring.is_consumed(head, offset))
    }

    /// Reads one word if one of many producers at a time is at work, as a rule. Then no producer
    /// has to read all lines, which readers may have. A single producer has committed all entries
    /// before it goes on.
    #[inline(always)]
    fn are_committed(ring: &Ring<Self>, head: Cursor) -> bool {
        let (block, end) = (ring.at(head), head.lap_before(ring.size()));
        // Ordering: Acquire pairs with the Release in `filled_alone`: the entries are there, as
        // where their marks are looked at.
        !P::EACH
            || ring.words(block).producers.committed.load(Ordering::Acquire) == end.0
            || ring.committed_lines(block, end.begin(), ring.size()) == ring.size()
    }

    #[cold]
    fn renew(ring: &Ring<Self>, head: Cursor) {
        let before = head.lap_before(ring.size());
        // Ordering: Relaxed. A producer that finds this, and has not seen the block opened, cannot
        // open it: its exchange fails.
        ring.block_of(head).producers.committed.store(before.0, Ordering::Relaxed);
    }

    fn clear(ring: &mut Ring<Self>) {
        if !core::mem::needs_drop::<T>() {
            return;
        }
        let mut entries = ring.filled().flat_map(|(block, entries)| entries.map(move |offset| (block, offset)));
        drop_all(&mut || {
            let Some((block, offset)) = entries.next() else { return false };
            // SAFETY: no other thread is left, and the entry holds an item unless it is a dummy. It
            // is visited once.
            unsafe {
                let slot = LineOf::<T, P, C>::slot(block, offset);
                if !P::is_dummy(slot.line, slot.number) {
                    Cell::drop_values(slot.entry.cast::<Cell<T>>().as_ptr(), 1);
                }
            }
            true
        });
    }
}

impl<T, P: Marks, C: Reuse> Ring<Items<T, P, C>> {
    /// Returns the slot of the block's entry `offset`.
    ///
    /// # Safety
    /// `block` is one of the ring's, and has that many entries.
    #[inline(always)]
    pub(crate) unsafe fn entry(&self, block: NonNull<Block>, offset: usize) -> Slot {
        debug_assert!(offset < self.size());
        // SAFETY: the caller's promise.
        unsafe { LineOf::<T, P, C>::slot(block, offset) }
    }

    /// Returns the consumers' marks of a block.
    #[inline(always)]
    pub(crate) fn marks(&self, block: NonNull<Block>) -> NonNull<AtomicU8> {
        self.blocks.second(block).cast()
    }

    /// Whether an entry of the block of that head is marked as consumed in the lap before.
    #[inline(always)]
    fn is_consumed(&self, head: Cursor, offset: usize) -> bool {
        let marks = self.marks(self.at(head));
        // Ordering: Acquire pairs with the Release store in `mark_consumed`: the item has been
        // read.
        // SAFETY: an entry of the block has its mark.
        unsafe { marks.add(offset).as_ref() }.load(Ordering::Acquire) == head.lap_before(0).parity()
    }

    /// Writes items into allocated entries and commits them, line by line.
    ///
    /// # Safety
    /// The caller has allocated `items.len()` entries of the block from `at` on, and does this
    /// once.
    pub(super) unsafe fn put_slice(&self, block: NonNull<Block>, mut at: Cursor, mut items: &[T])
    where
        T: Copy,
    {
        // SAFETY: the entries are the caller's.
        unsafe {
            let Slot { mut line, mut number, .. } = self.entry(block, at.offset());
            while !items.is_empty() {
                let slot = LineOf::<T, P, C>::slot_in(line, number);
                let (now, later) = items.split_at(items.len().min(LineOf::<T, P, C>::SLOTS - slot.number));
                let put = |index: usize| C::Entry::<T>::put(slot.entry.add(index * C::Entry::<T>::SIZE), now[index]);
                LineOf::<T, P, C>::with(now.len(), |count| (0..count).for_each(put));
                P::commit(slot.line, slot.number, at, now.len());
                LineOf::<T, P, C>::fetch_to_write(line);
                at = at.plus(now.len());
                items = later;
                (line, number) = (LineOf::<T, P, C>::end(line), 0);
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
            let most = most.min(LineOf::<T, P, C>::SLOTS - entry.number).min(self.size() - at.offset());
            P::committed(entry.line, entry.number, at, most)
        }
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
            let Slot { mut line, mut number, .. } = self.entry(block, at.offset());
            while count < most {
                let until = if P::EACH { most } else { left };
                let here = (until - count).min(LineOf::<T, P, C>::SLOTS - number);
                let more = P::committed(line, number, at.plus(count), here);
                // A branch, so that the processor goes on to the next line before the result is
                // there.
                if more < here {
                    return count + more;
                }
                count += here;
                (line, number) = (LineOf::<T, P, C>::end(line), 0);
            }
        }
        count
    }

    /// Copies items out, line by line; lines are prefetched if `is_far`.
    ///
    /// # Safety
    /// The caller has reserved `items.len()` entries of the block from `at` on, which were
    /// committed, and does this once.
    #[inline(always)]
    pub(super) unsafe fn take_slice(&self, block: NonNull<Block>, at: Cursor, is_far: bool, mut items: &mut [T])
    where
        T: Copy,
    {
        // SAFETY: the entries are the caller's, and hold items.
        unsafe {
            let Slot { mut line, mut number, .. } = self.entry(block, at.offset());
            while !items.is_empty() {
                let slot = LineOf::<T, P, C>::slot_in(line, number);
                let first = slot.entry.cast::<Cell<T>>();
                let count = items.len().min(LineOf::<T, P, C>::SLOTS - slot.number);
                let (now, later) = core::mem::take(&mut items).split_at_mut(count);
                let take = |index: usize| now[index] = first.add(index).as_ref().take();
                LineOf::<T, P, C>::with(count, |count| (0..count).for_each(take));
                if is_far {
                    LineOf::<T, P, C>::fetch_to_read(line, C::ALONE);
                }
                items = later;
                (line, number) = (LineOf::<T, P, C>::end(line), 0);
            }
        }
    }
}

/// Returns how many entries a consumer must be behind the producers for a prefetch of lines.
#[inline(always)]
pub(super) const fn entries_ahead<T, P: Marks, C: Reuse>() -> usize {
    read_ahead::<P>(C::ALONE) * LineOf::<T, P, C>::SLOTS
}
