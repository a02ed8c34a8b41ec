//! Lines: the layout of entries and marks in a block, marking, and prefetching.
//!
//! A *line* is a cache line (two or four for large items): the marks of its entries, then the
//! entries. A producer marks an entry where it has written it, and not in a counter of the block:
//! one transfer of a line brings both the items and their marks.

use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use super::block::Block;
use super::cursor::{Cursor, MOST};
use super::entry::Entry;
use super::reason::Reason;
use crate::error::PopError;
use crate::isolated::{LINE, LINE_PAIR};
use crate::sync::{AtomicU8, AtomicUsize, Ordering, prefetch_to_read, prefetch_to_write};

/// The producers' marks of committed entries, as consumers read them. Sealed.
///
/// The defaults given here are for many producers.
pub trait Marks: Copy + fmt::Debug + 'static {
    /// True if each entry has a mark of its own in its line, false if the line has one mark for
    /// all.
    ///
    /// One mark for all is that of a single producer.
    const EACH: bool = true;

    /// The bits of an entry's mark that identify the lap in which it was committed.
    const LAP_BITS: u8 = u8::MAX;

    /// Maps the reason why a consumer got no entry to `PopError`.
    #[inline(always)]
    fn nothing(reason: Reason) -> PopError {
        PopError::from(reason)
    }

    /// Returns the cursor of a block of `size` entries when it is opened to producers.
    fn opened(first: Cursor, _size: usize) -> Cursor {
        first
    }

    /// Makes the marks of a line of `slots` entries, none of them committed in the lap after
    /// `marked`'s.
    ///
    /// # Safety
    /// The line's marks lie at `line`, and no other thread touches them.
    unsafe fn initialise(line: NonNull<u8>, slots: usize, marked: Cursor) {
        for slot in 0..slots {
            // SAFETY: the caller's promise.
            unsafe { line.cast::<AtomicU8>().add(slot).write(AtomicU8::new(marked.parity())) };
        }
    }

    /// Commits `count` entries of one line, from `slot` on. `at` is the first one's cursor.
    ///
    /// Many producers write each entry's mark: the parity of the lap in which it was committed
    /// last. One bit is enough: a block is reused only when all of its entries have been committed
    /// (and consumed, if they are), so a mark is this lap's or the last lap's.
    ///
    /// # Safety
    /// They have been written, and they are the caller's.
    #[inline(always)]
    unsafe fn commit(line: NonNull<u8>, slot: usize, at: Cursor, count: usize) {
        for slot in slot..slot + count {
            // Ordering: Release pairs with the Acquire load in `committed`; without it, a consumer
            // reads an entry that is not written yet.
            // SAFETY: a line begins with its marks.
            unsafe { line.cast::<AtomicU8>().add(slot).as_ref() }.store(at.parity(), Ordering::Release);
        }
    }

    /// Returns how many entries of one line are committed from `slot` on, up to `most`.
    ///
    /// `at` is the first one's cursor.
    ///
    /// # Safety
    /// The line has at least `slot + most` entries.
    #[inline(always)]
    unsafe fn committed(line: NonNull<u8>, slot: usize, at: Cursor, most: usize) -> usize {
        for count in 0..most {
            // Ordering: Acquire pairs with the Release store in `commit`: the entry is there.
            // SAFETY: a line begins with its marks.
            let mark = unsafe { line.cast::<AtomicU8>().add(slot + count).as_ref() }.load(Ordering::Acquire);
            if mark & Self::LAP_BITS != at.parity() {
                return count;
            }
        }
        most
    }

    /// Whether a committed entry is a dummy: it holds no item.
    ///
    /// # Safety
    /// The line has that entry, which the caller has found committed and no consumer has given
    /// back.
    #[inline(always)]
    unsafe fn is_dummy(_line: NonNull<u8>, _slot: usize) -> bool {
        false
    }

    /// Returns the reason why the entry at `reserved` is not committed; `None` if `reserved` is out
    /// of date.
    #[inline(always)]
    fn why_not_committed(block: &Block, reserved: Cursor) -> Option<Reason> {
        let allocated = block.allocated();
        (allocated.begin() == reserved.begin()).then(|| Self::why_not_among(allocated, reserved))
    }

    /// Returns the reason why the entry at `reserved` is not committed, given the producers' cursor
    /// `allocated` of that lap.
    #[inline(always)]
    fn why_not_among(allocated: Cursor, reserved: Cursor) -> Reason {
        // Not "equal": an old value may have been read, of before other consumers' pops.
        if allocated.offset() > reserved.offset() { Reason::Busy } else { Reason::Exhausted }
    }
}

/// The bytes of an entry's mark: one, except in the model.
pub(crate) const MARK: usize = size_of::<AtomicU8>();

/// The layout of lines for entries `E` and these marks.
pub(crate) struct Line<E, M>(PhantomData<(E, M)>);

impl<E: Entry, M: Marks> Line<E, M> {
    /// Returns the offset of the first of `slots` entries.
    const fn first(slots: usize) -> usize {
        let marks = if M::EACH { slots * MARK } else { size_of::<AtomicUsize>() };
        marks.next_multiple_of(E::ALIGN)
    }

    /// Returns how many entries fit `bytes`.
    const fn fit(bytes: usize) -> usize {
        let mut slots = match bytes.checked_div(E::SIZE) {
            Some(most) => most,
            // As many as `Cursor::shortly_after` tells apart.
            None if bytes > MOST / 2 => MOST / 2,
            None => bytes,
        };
        while slots > 0 && Self::first(slots) + slots * E::SIZE > bytes {
            slots -= 1;
        }
        slots
    }

    /// The bytes of a line: one cache line if three quarters of it are used.
    ///
    /// Otherwise two or four if they are; otherwise the bytes that one entry takes.
    pub(crate) const BYTES: usize = {
        let unit = if E::ALIGN > LINE { E::ALIGN } else { LINE };
        let mut bytes = unit;
        loop {
            let slots = Self::fit(bytes);
            let marks = if M::EACH { slots * MARK } else { 0 };
            if slots > 0 && 4 * (slots * E::SIZE + marks) >= 3 * bytes || E::SIZE == 0 {
                break bytes;
            }
            if bytes >= 4 * unit {
                break (Self::first(1) + E::SIZE).next_multiple_of(unit);
            }
            bytes *= 2;
        }
    };

    /// The number of entries in a line.
    pub(crate) const SLOTS: usize = {
        let slots = Self::fit(Self::BYTES);
        assert!(slots <= MOST / 2, "two cursors of a line are closer than those of two laps");
        slots
    };

    pub(crate) const FIRST: usize = Self::first(Self::SLOTS);

    pub(crate) const ALIGN: usize = if E::ALIGN > LINE_PAIR { E::ALIGN } else { LINE_PAIR };

    /// Returns the number of the line that has the entry `offset`.
    ///
    /// A multiplication and a shift: the compiler's division by such a constant takes longer, and
    /// each push and pop begins with it.
    #[inline(always)]
    pub(crate) const fn number(offset: usize) -> usize {
        // Rounded up by less than `SLOTS` 2^-32ths of a line: too little to matter, for an offset
        // has at most 16 bits.
        let reciprocal = const { (1 << 32) / Self::SLOTS as u64 + 1 };
        ((offset as u64 * reciprocal) >> 32) as usize
    }

    /// The offset of a block's first line.
    pub(crate) const START: usize = size_of::<Block>().next_multiple_of(Self::ALIGN);

    /// Returns the slot of the block's entry `offset`.
    ///
    /// # Safety
    /// The block lies at `block` and has that many entries.
    #[inline(always)]
    pub(crate) unsafe fn slot(block: NonNull<Block>, offset: usize) -> Slot {
        let line = Self::number(offset);
        let number = offset - line * Self::SLOTS;
        // SAFETY: the remainder of a division, which the compiler sees as a multiplication only. It
        // saves each pop two branches.
        unsafe { core::hint::assert_unchecked(number < Self::SLOTS) };
        // SAFETY: within the block.
        unsafe { Self::slot_in(block.cast().add(const { Self::START } + line * Self::BYTES), number) }
    }

    /// Returns the line's slot number `number`.
    ///
    /// # Safety
    /// The line at `line` has that entry.
    #[inline(always)]
    pub(crate) unsafe fn slot_in(line: NonNull<u8>, number: usize) -> Slot {
        // SAFETY: the caller's promise.
        let entry = unsafe { line.add(Self::FIRST + number * E::SIZE) };
        Slot { line, number, entry }
    }

    /// Calls `act` with `count` entries of a line; the number is a constant for the compiler if it
    /// is all.
    #[inline(always)]
    pub(crate) fn with(count: usize, act: impl FnOnce(usize)) {
        if count == Self::SLOTS { act(Self::SLOTS) } else { act(count) }
    }

    /// Returns the end of a line: the start of the block's next one, unless this is the last.
    ///
    /// Within the queue's memory in any case, unlike the next line's first entry, so loops may
    /// compute it before they check whether anything is left.
    ///
    /// # Safety
    /// The line at `line` is one of a block's.
    #[inline(always)]
    pub(crate) unsafe fn end(line: NonNull<u8>) -> NonNull<u8> {
        // SAFETY: the caller's promise.
        unsafe { line.add(Self::BYTES) }
    }

    /// Prefetches a later line for a producer that is done with the one at `line`.
    #[inline(always)]
    pub(crate) fn fetch_to_write(line: NonNull<u8>) {
        prefetch_to_write(line.as_ptr().wrapping_add(write_ahead::<M>() * Self::BYTES));
    }

    /// Prefetches a later line for a consumer that is done with the one at `line`.
    ///
    /// `is_alone` is true for the only consumer of a queue.
    #[inline(always)]
    pub(crate) fn fetch_to_read(line: NonNull<u8>, is_alone: bool) {
        prefetch_to_read(line.as_ptr().wrapping_add(read_ahead::<M>(is_alone) * Self::BYTES));
    }
}

/// The slot of an entry in a block: its line, its number there, and its address.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    pub(crate) line: NonNull<u8>,
    pub(crate) number: usize,
    pub(crate) entry: NonNull<u8>,
}

impl Slot {
    /// Returns the address of the entry's mark, if each entry of the line has one.
    ///
    /// # Safety
    /// The line is there.
    pub(crate) unsafe fn mark(self) -> NonNull<AtomicU8> {
        // SAFETY: a line begins with its marks.
        unsafe { self.line.cast::<AtomicU8>().add(self.number) }
    }
}

/// Entries of one line that the only thread of a side goes along.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    line: NonNull<u8>,
    /// The offset of the line's first entry.
    first: usize,
    /// The offset up to which the thread may go without another look.
    pub(crate) stop: usize,
}

impl Span {
    /// Returns a span that ends before its first entry, in a block.
    pub(crate) const fn new(block: NonNull<Block>) -> Self {
        Self { line: block.cast(), first: 0, stop: 0 }
    }

    /// Returns the entries up to `stop` in the line of `slot`, which is the block's entry `offset`.
    #[inline(always)]
    pub(crate) const fn along(slot: Slot, offset: usize, stop: usize) -> Self {
        Self { line: slot.line, first: offset - slot.number, stop }
    }

    /// Returns the slot of the entry at `at`, and how many entries there are from it on.
    ///
    /// At least one, and up to `most`. The entry is before `stop`.
    #[inline(always)]
    pub(crate) fn entries<E: Entry, M: Marks>(&self, at: Cursor, most: usize) -> (Slot, usize) {
        // `max(1)` tells the compiler that it is at least one: with `most` = 1 there is nothing to
        // compute.
        let count = most.min(self.stop - at.offset()).max(1);
        // SAFETY: before `stop`, which was set together with the line.
        (unsafe { Line::<E, M>::slot_in(self.line, at.offset() - self.first) }, count)
    }
}

/// Returns how many lines ahead of its entry a producer prefetches.
///
/// A single producer goes through a line in the time of one or two of many threads' exchanges,
/// while a line takes equally long to arrive.
const fn write_ahead<M: Marks>() -> usize {
    if M::EACH { 6 } else { 12 }
}

/// Returns how many lines ahead of its entry a consumer prefetches, if producers are further ahead.
///
/// More where one producer and one consumer go through a line in a short time.
pub(crate) const fn read_ahead<M: Marks>(is_alone: bool) -> usize {
    if is_alone && !M::EACH { 18 } else { 12 }
}

#[cfg(test)]
mod tests {
    use super::super::super::side::{Multi, Single};
    use super::*;
    use crate::sync::Cell;

    #[repr(align(128))]
    struct Aligned<const N: usize>([u8; N]);

    #[repr(align(65_536))]
    struct Empty;

    fn check<T, M: Marks>(slots: usize, bytes: usize) {
        type Line<T, M> = super::Line<Cell<T>, M>;
        let name = core::any::type_name::<(T, M)>();
        assert_eq!((Line::<T, M>::SLOTS, Line::<T, M>::BYTES), (slots, bytes), "{name}");
        assert!(Line::<T, M>::FIRST + slots * size_of::<T>() <= bytes, "{name}");
        assert!(Line::<T, M>::FIRST.is_multiple_of(align_of::<T>()), "{name}");
        assert!(bytes.is_multiple_of(LINE) && bytes.is_multiple_of(align_of::<T>()), "{name}");
    }

    #[test]
    fn an_entry_is_in_the_line_that_division_says() {
        fn check<T>() {
            for offset in 0..=super::super::MOST {
                assert_eq!(Line::<Cell<T>, Multi>::number(offset), offset / Line::<Cell<T>, Multi>::SLOTS);
            }
        }
        check::<()>();
        check::<u8>();
        check::<u64>();
        check::<[u64; 3]>();
        check::<[u8; 300]>();
    }

    #[test]
    fn lines_hold_their_marks_and_their_entries() {
        check::<(), Multi>(64, 64);
        check::<u8, Multi>(32, 64);
        check::<u64, Multi>(7, 64);
        check::<[u64; 3], Multi>(2, 64);
        check::<[u64; 5], Multi>(3, 128);
        check::<[u8; 300], Multi>(1, 320);
        check::<Aligned<128>, Multi>(3, 512);
        check::<(), Single>(64, 64);
        check::<Empty, Single>(MOST / 2, 65_536);
        check::<Empty, Multi>(MOST / 2, 65_536);
        check::<u8, Single>(64 - size_of::<usize>(), 64);
        check::<u64, Single>(7, 64);
        check::<[u64; 3], Single>(2, 64);
        check::<[u8; 300], Single>(1, 320);
    }
}
