//! Lines: the layout of entries and marks in a block, and prefetching.
//!
//! A *line* is a cache line (two or four for large items): the marks of its entries, then the
//! entries. A producer marks an entry where it has written it, and not in a counter of the block:
//! one line carries both the items and the news of them.

use core::marker::PhantomData;
use core::ptr::NonNull;

use super::cursor::MOST;
use super::entry::Entry;
use super::side::{Commits, Consumes};
use crate::isolated::{LINE, LINE_PAIR};
use crate::sync::{AtomicU8, AtomicUsize, prefetch_to_read, prefetch_to_write};

/// The bytes of an entry's mark: one, except in the model.
pub(super) const MARK: usize = size_of::<AtomicU8>();

/// The layout of lines for entries `E` and that side's marks.
pub(super) struct Line<E, P>(PhantomData<(E, P)>);

impl<E: Entry, P: Commits> Line<E, P> {
    /// Returns the offset of the first of `slots` entries.
    const fn first(slots: usize) -> usize {
        let marks = if P::MARK_EACH { slots * MARK } else { size_of::<AtomicUsize>() };
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
    pub(super) const BYTES: usize = {
        let unit = if E::ALIGN > LINE { E::ALIGN } else { LINE };
        let mut bytes = unit;
        loop {
            let slots = Self::fit(bytes);
            let marks = if P::MARK_EACH { slots * MARK } else { 0 };
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
    pub(super) const SLOTS: usize = {
        let slots = Self::fit(Self::BYTES);
        assert!(slots <= MOST / 2, "two cursors of a line are closer than those of two laps");
        slots
    };

    pub(super) const FIRST: usize = Self::first(Self::SLOTS);

    pub(super) const ALIGN: usize = if E::ALIGN > LINE_PAIR { E::ALIGN } else { LINE_PAIR };

    /// Returns the number of the line that has the entry `offset`.
    ///
    /// A multiplication and a shift: the compiler's division by such a constant takes three times
    /// as long, and each push and pop begins with it.
    #[inline(always)]
    pub(super) const fn number(offset: usize) -> usize {
        // Rounded up by less than `SLOTS` 2^-32ths of a line: too little to matter, for an offset has at most 16 bits.
        let reciprocal = const { (1 << 32) / Self::SLOTS as u64 + 1 };
        ((offset as u64 * reciprocal) >> 32) as usize
    }

    /// Calls `act` with `count` entries of a line; the compiler knows the number if it is all.
    #[inline(always)]
    pub(super) fn with(count: usize, act: impl FnOnce(usize)) {
        if count == Self::SLOTS { act(Self::SLOTS) } else { act(count) }
    }

    /// Returns the end of a line: the start of the block's next one, unless this is the last.
    ///
    /// Within the queue's memory in any case, unlike the next line's first entry, so loops may
    /// compute it before they know whether anything is left.
    ///
    /// # Safety
    /// The line at `line` is one of a block's.
    #[inline(always)]
    pub(super) unsafe fn end(line: NonNull<u8>) -> NonNull<u8> {
        // SAFETY: the caller's promise.
        unsafe { line.add(Self::BYTES) }
    }

    /// Prefetches a later line for a producer that is done with the one at `line`.
    #[inline(always)]
    pub(super) fn fetch_to_write(line: NonNull<u8>) {
        prefetch_to_write(line.as_ptr().wrapping_add(write_ahead::<P>() * Self::BYTES));
    }

    /// Prefetches a later line for a consumer that is done with the one at `line`.
    #[inline(always)]
    pub(super) fn fetch_to_read<C: Consumes>(line: NonNull<u8>) {
        prefetch_to_read(line.as_ptr().wrapping_add(read_ahead::<P, C>() * Self::BYTES));
    }
}

/// The place of an entry in a block: its line, its number there, and its address.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub(super) line: NonNull<u8>,
    pub(super) slot: usize,
    pub(super) entry: NonNull<u8>,
}

impl Place {
    /// Returns the place of the line's entry number `slot`.
    ///
    /// # Safety
    /// The line at `line` has that entry.
    #[inline(always)]
    pub(super) unsafe fn in_line<E: Entry, P: Commits>(line: NonNull<u8>, slot: usize) -> Self {
        // SAFETY: the caller's promise.
        let entry = unsafe { line.add(Line::<E, P>::FIRST + slot * E::SIZE) };
        Self { line, slot, entry }
    }

    /// Returns the place of the first entry of the next line.
    ///
    /// # Safety
    /// The line is not the block's last.
    #[inline(always)]
    pub(super) unsafe fn next_line<E: Entry, P: Commits>(self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self::in_line::<E, P>(Line::<E, P>::end(self.line), 0) }
    }
}

/// Whether either side has one thread.
const fn is_pair<P: Commits, C: Consumes>() -> bool {
    P::ALONE && C::ALONE
}

/// Returns how many lines ahead of its entry a producer prefetches.
///
/// A single producer goes through a line in the time of one or two of many threads' exchanges,
/// while a line takes equally long to arrive.
const fn write_ahead<P: Commits>() -> usize {
    if P::MARK_EACH { 6 } else { 12 }
}

/// Returns how many lines ahead of its entry a consumer prefetches, if producers are further ahead.
pub(super) const fn read_ahead<P: Commits, C: Consumes>() -> usize {
    if is_pair::<P, C>() { 18 } else { 12 }
}

#[cfg(test)]
mod tests {
    use super::super::side::{Multi, Single};
    use super::*;
    use crate::sync::Cell;

    #[repr(align(128))]
    struct Aligned<const N: usize>([u8; N]);

    #[repr(align(65_536))]
    struct Empty;

    fn check<T, P: Commits>(slots: usize, bytes: usize) {
        type Line<T, P> = super::Line<Cell<T>, P>;
        let name = core::any::type_name::<(T, P)>();
        assert_eq!((Line::<T, P>::SLOTS, Line::<T, P>::BYTES), (slots, bytes), "{name}");
        assert!(Line::<T, P>::FIRST + slots * size_of::<T>() <= bytes, "{name}");
        assert!(Line::<T, P>::FIRST.is_multiple_of(align_of::<T>()), "{name}");
        assert!(bytes.is_multiple_of(LINE) && bytes.is_multiple_of(align_of::<T>()), "{name}");
    }

    #[test]
    fn an_entry_is_in_the_line_that_division_says() {
        fn check<T>() {
            for offset in 0..=super::super::cursor::MOST {
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
