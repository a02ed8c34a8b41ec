//! The memory of the stamped-line queue: a ring of cache lines, each a stamp followed by slots.

use core::alloc::Layout;
use core::marker::PhantomData;
use core::ptr::NonNull;

use crate::error::CapacityError;
use crate::heap::{allocate, free, most_bytes};
use crate::isolated::{LINE, LINE_PAIR};
use crate::sync::{AtomicUsize, Cell};

/// One line: where it begins.
pub(super) struct Line<T> {
    at: NonNull<u8>,
    _items: PhantomData<T>,
}

impl<T> Clone for Line<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Line<T> {}

/// How the bytes of a line are divided.
#[derive(Clone, Copy)]
struct Geometry {
    slots: usize,
    /// From one line's begin to the next one's.
    stride: usize,
}

impl<T> Line<T> {
    /// The first slot's offset.
    const FIRST: usize = {
        let (stamp, align) = (size_of::<AtomicUsize>(), align_of::<Cell<T>>());
        if align > stamp { align } else { stamp }
    };
    const GEOMETRY: Geometry = Self::geometry();
    /// Slots in a line.
    pub(super) const SLOTS: usize = Self::GEOMETRY.slots;

    /// One cache line if three quarters of it hold items; else two or four of them, if that does it; else as few as an
    /// item takes.
    const fn geometry() -> Geometry {
        let size = size_of::<Cell<T>>();
        let align = if align_of::<Cell<T>>() > LINE { align_of::<Cell<T>>() } else { LINE };
        if size == 0 {
            return Geometry { slots: LINE, stride: Self::FIRST.next_multiple_of(align) };
        }
        let mut bytes = align;
        while bytes <= 4 * LINE {
            let slots = bytes.saturating_sub(Self::FIRST) / size;
            if 4 * slots * size >= 3 * bytes {
                return Geometry { slots, stride: bytes };
            }
            bytes *= 2;
        }
        let slots = if Self::FIRST + size <= LINE { (LINE - Self::FIRST) / size } else { 1 };
        Geometry { slots, stride: (Self::FIRST + slots * size).next_multiple_of(align) }
    }

    /// The stamp.
    #[inline(always)]
    pub(super) fn stamp(&self) -> &AtomicUsize {
        // SAFETY: a line begins with its stamp, which is initialised with the ring and lives as long as either end.
        unsafe { self.at.cast::<AtomicUsize>().as_ref() }
    }

    /// The first slot.
    #[inline(always)]
    pub(super) fn slots(&self) -> NonNull<Cell<T>> {
        // SAFETY: the slots lie in the line.
        unsafe { self.at.add(Self::FIRST).cast() }
    }

    /// Slot number `i`, at most `SLOTS`.
    pub(super) fn slot(&self, i: usize) -> NonNull<Cell<T>> {
        debug_assert!(i <= Self::SLOTS);
        // SAFETY: at most one past the last slot.
        unsafe { self.slots().add(i) }
    }
}

/// A line of the ring and the index at which it ends in the current lap. Each end keeps its own.
pub(super) struct Place<T> {
    pub(super) line: Line<T>,
    /// One past the index of the line's last item.
    pub(super) line_end: usize,
    begin: NonNull<u8>,
    end: NonNull<u8>,
}

impl<T> Clone for Place<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Place<T> {}

impl<T> Place<T> {
    /// Moves on to the next line, around the end.
    #[inline(always)]
    pub(super) fn next(&mut self) {
        // SAFETY: at most one past the last line.
        let next = unsafe { self.line.at.add(Line::<T>::GEOMETRY.stride) };
        self.line.at = if next == self.end { self.begin } else { next };
        self.line_end = self.line_end.wrapping_add(Line::<T>::SLOTS);
    }

    /// How many lines the ring has.
    pub(super) fn lines(&self) -> usize {
        // SAFETY: both belong to one allocation, in this order.
        unsafe { self.end.offset_from_unsigned(self.begin) / Line::<T>::GEOMETRY.stride }
    }

    /// The place `lines` lines further on, at most once around.
    pub(super) fn ahead(&self, lines: usize) -> Self {
        let stride = Line::<T>::GEOMETRY.stride;
        // SAFETY: both belong to one allocation, in this order.
        let here = unsafe { self.line.at.offset_from_unsigned(self.begin) } / stride;
        let there = (here + lines) % self.lines();
        // SAFETY: the number of a line of the ring.
        let at = unsafe { self.begin.add(there * stride) };
        let line_end = self.line_end.wrapping_add(lines.wrapping_mul(Line::<T>::SLOTS));
        Self { line: Line { at, _items: PhantomData }, line_end, ..*self }
    }
}

/// The ring. Owns the memory, not what is in the slots.
pub(super) struct Lines<T> {
    begin: NonNull<u8>,
    layout: Layout,
    /// How far the producer's index may be ahead of the consumer's last report.
    pub(super) allowance: usize,
    _items: PhantomData<T>,
}

impl<T> Lines<T> {
    /// A ring for `capacity` items whose consumer reports every `report_every` lines. All stamps say `index`, which
    /// announces nothing.
    pub(super) fn new(capacity: usize, report_every: usize, index: usize) -> Result<Self, CapacityError> {
        if capacity == 0 {
            return Err(CapacityError::Zero);
        }
        let Geometry { slots, stride } = Line::<T>::GEOMETRY;
        // What the consumer may have read and not reported: so many lines, and the next one all but its last item.
        let unreported = (report_every.max(1) + 1) * slots;
        let align = align_of::<Cell<T>>().max(LINE_PAIR);
        let ring = capacity.checked_add(unreported).and_then(|allowance| {
            // One line more, so that the producer never enters the line that the consumer is in.
            let lines = allowance.div_ceil(slots).checked_add(1)?;
            let bytes = lines.checked_mul(stride)?.checked_next_multiple_of(align)?;
            Some((allowance, lines, Layout::from_size_align(bytes, align).ok()?))
        });
        let Some((allowance, lines, layout)) = ring else {
            let most_lines = (most_bytes(align) / stride).saturating_sub(1);
            let max = (most_lines * slots).saturating_sub(unreported);
            return Err(CapacityError::TooLarge { asked: capacity, max });
        };
        let begin = allocate(layout)?;
        for line in 0..lines {
            // SAFETY: within the allocation, and aligned: strides are multiples of a line.
            unsafe { begin.add(line * stride).cast::<AtomicUsize>().write(AtomicUsize::new(index)) };
        }
        Ok(Self { begin, layout, allowance, _items: PhantomData })
    }

    /// The first line, which begins at `index`.
    pub(super) fn place(&self, index: usize) -> Place<T> {
        let Geometry { slots, stride } = Line::<T>::GEOMETRY;
        let lines = self.allowance.div_ceil(slots) + 1;
        Place {
            line: Line { at: self.begin, _items: PhantomData },
            line_end: index.wrapping_add(slots),
            begin: self.begin,
            // SAFETY: one past the last line, within the allocation or at its end.
            end: unsafe { self.begin.add(lines * stride) },
        }
    }
}

impl<T> Drop for Lines<T> {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout; stamps need no drop.
        unsafe { free(self.begin, self.layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slots lie behind the stamp and inside the line, aligned; lines do not share cache lines.
    fn check<T>(slots: usize, stride: usize) {
        let geometry = Line::<T>::GEOMETRY;
        assert_eq!((geometry.slots, geometry.stride), (slots, stride), "{}", core::any::type_name::<T>());
        assert!(Line::<T>::FIRST >= size_of::<AtomicUsize>());
        assert!(Line::<T>::FIRST.is_multiple_of(align_of::<T>()));
        assert!(stride.is_multiple_of(LINE) && stride.is_multiple_of(align_of::<T>()));
        assert!(Line::<T>::FIRST + slots * size_of::<T>() <= stride);
    }

    #[test]
    fn lines_hold_their_stamp_and_their_slots() {
        #[repr(align(64))]
        struct Aligned<const N: usize>([u8; N]);
        check::<()>(LINE, LINE);
        check::<u8>(56, 64);
        check::<[u8; 3]>(18, 64);
        check::<u64>(7, 64);
        check::<[u64; 3]>(2, 64);
        check::<[u64; 5]>(3, 128);
        check::<[u64; 9]>(3, 256);
        check::<[u8; 300]>(1, 320);
        check::<Aligned<64>>(3, 256);
        check::<Aligned<0>>(LINE, 64);
    }

    #[test]
    fn places_ahead_are_where_stepping_leads() {
        let lines = Lines::<u64>::new(20, 1, usize::MAX - 10).expect("a small ring");
        let mut place = lines.place(usize::MAX - 10);
        let count = place.lines();
        assert!(count >= 20 / 7 + 1);
        for start in 0..count + 1 {
            let mut stepped = place;
            for ahead in 0..=count {
                let there = place.ahead(ahead);
                assert_eq!((there.line.at, there.line_end), (stepped.line.at, stepped.line_end), "{start} + {ahead}");
                stepped.next();
            }
            place.next();
        }
    }
}
