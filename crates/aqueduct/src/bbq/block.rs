//! The memory of a queue: blocks, each with its two cursors, its lines of entries and, for several consumers, their marks.
//!
//! A *line* is a cache line (two or four for large items): the marks of its entries, then the entries. A producer marks an entry
//! where it has written it, and not in a counter of the block: one line carries both the items and the news of them.

use core::alloc::Layout;
use core::marker::PhantomData;
use core::ptr::NonNull;

use super::cursor::{Cursor, MOST};
use super::entry::Entry;
use super::geometry::Geometry;
use super::side::{Commits, Consumes};
use crate::error::CapacityError;
use crate::heap::{allocate, free, most_bytes};
use crate::isolated::{Isolated, LINE, LINE_PAIR};
use crate::sync::{AtomicU8, AtomicUsize, Cell};

/// Bytes of an entry's mark: one, but in the model.
const MARK: usize = size_of::<AtomicU8>();

/// What a block has in front of its lines. The seed's `committed` and `consumed` are marks at the entries here.
#[derive(Debug)]
pub struct Block {
    /// Version and number of the entries given to producers.
    pub(super) allocated: Isolated<AtomicUsize>,
    /// Version and number of the entries given to consumers; with a single consumer: consumed by it, as of the block's end.
    pub(super) reserved: Isolated<AtomicUsize>,
}

/// How lines are laid out for entries `E` and that side's marks.
pub(super) struct Line<E, P>(PhantomData<(E, P)>);

impl<E: Entry, P: Commits> Line<E, P> {
    /// Where the entries begin, if there are so many.
    const fn first(slots: usize) -> usize {
        let marks = if P::MARK_EACH { slots * MARK } else { size_of::<AtomicUsize>() };
        marks.next_multiple_of(E::ALIGN)
    }

    /// How many entries fit `bytes`.
    const fn fit(bytes: usize) -> usize {
        let mut slots = match bytes.checked_div(E::SIZE) {
            Some(most) => most,
            None => bytes,
        };
        while slots > 0 && Self::first(slots) + slots * E::SIZE > bytes {
            slots -= 1;
        }
        slots
    }

    /// Bytes of a line: one cache line if three quarters of it serve; else two or four if they do; else what one entry takes.
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

    /// Entries in a line.
    pub(super) const SLOTS: usize = Self::fit(Self::BYTES);

    const FIRST: usize = Self::first(Self::SLOTS);

    const ALIGN: usize = if E::ALIGN > LINE_PAIR { E::ALIGN } else { LINE_PAIR };
}

/// Where an entry of a block is: its line, its number in that, and its own begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) line: NonNull<u8>,
    pub(super) slot: usize,
    pub(super) entry: NonNull<u8>,
}

/// The blocks of a queue. Owns the memory, not what is in the entries.
#[derive(Debug)]
pub(super) struct Blocks<T, P, C> {
    memory: NonNull<u8>,
    layout: Layout,
    pub(super) geometry: Geometry,
    /// Bytes from one block to the next.
    stride: usize,
    /// Bytes from a block's begin to its consumers' marks.
    marks: usize,
    /// Invariant in `T`: were it not, one end could be taken for one of items that live shorter than the other end's.
    _items: PhantomData<(Cell<T>, P, C)>,
}

/// Bytes of a block up to its consumers' marks, and with them.
fn block_bytes<T, P: Commits, C: Consumes>(block_size: usize) -> Option<(usize, usize)> {
    let lines = block_size.div_ceil(Line::<C::Entry<T>, P>::SLOTS).checked_mul(Line::<C::Entry<T>, P>::BYTES)?;
    let first = size_of::<Block>().next_multiple_of(Line::<C::Entry<T>, P>::ALIGN);
    let marks = first.checked_add(lines)?.checked_next_multiple_of(LINE_PAIR)?;
    let all = marks.checked_add(if C::MARK_EACH { block_size * MARK } else { 0 })?;
    Some((marks, all.checked_next_multiple_of(Line::<C::Entry<T>, P>::ALIGN)?))
}

fn layout<T, P: Commits, C: Consumes>(geometry: Geometry) -> Option<Layout> {
    let (_, stride) = block_bytes::<T, P, C>(geometry.block_size())?;
    let bytes = stride.checked_mul(geometry.blocks())?;
    let align = Line::<C::Entry<T>, P>::ALIGN;
    if bytes > most_bytes(align) { None } else { Layout::from_size_align(bytes, align).ok() }
}

/// The last of `low..=high` for which something holds that holds up to there, and for `low` in any case.
fn last(mut low: usize, mut high: usize, holds: impl Fn(usize) -> bool) -> usize {
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if holds(middle) { low = middle } else { high = middle - 1 }
    }
    low
}

/// The greatest capacity that memory can be had for.
fn greatest<T, P: Commits, C: Consumes>() -> usize {
    let fits = |capacity| Geometry::for_capacity(capacity).is_ok_and(|geometry| layout::<T, P, C>(geometry).is_some());
    let blocks = |capacity| Geometry::for_capacity(capacity).map_or(0, Geometry::blocks);
    // More cannot be, whatever lies beside the items.
    let mut high = Geometry::GREATEST_CAPACITY.min(isize::MAX as usize / size_of::<T>().max(1));
    // More items take more memory where they are as many blocks; one block more can take less.
    while high > 0 {
        let fewer_blocks = last(0, high, |capacity| blocks(capacity) < blocks(high));
        if fits(fewer_blocks + 1) {
            return last(fewer_blocks + 1, high, fits);
        }
        high = fewer_blocks;
    }
    0
}

/// The greatest capacity of so many blocks that memory can be had for.
fn greatest_of<T, P: Commits, C: Consumes>(blocks: usize) -> usize {
    let fits = |size| Geometry::new(blocks, size).is_ok_and(|geometry| layout::<T, P, C>(geometry).is_some());
    (blocks - 1) * last(0, MOST, fits)
}

impl<T, P: Commits, C: Consumes> Blocks<T, P, C> {
    /// The geometry for a capacity.
    pub(super) fn geometry(capacity: usize) -> Result<Geometry, CapacityError> {
        Geometry::for_capacity(capacity).map_err(|error| match error {
            CapacityError::TooLarge { asked, .. } => CapacityError::TooLarge { asked, max: greatest::<T, P, C>() },
            other => other,
        })
    }

    /// Blocks of which the first is empty in the lap `first`, and the others are used up in the one before. `asked` is the
    /// capacity that was asked for.
    pub(super) fn new(geometry: Geometry, asked: usize, first: Cursor) -> Result<Self, CapacityError> {
        let too_large = || {
            let chosen_here = Geometry::for_capacity(asked) == Ok(geometry);
            let max = if chosen_here { greatest::<T, P, C>() } else { greatest_of::<T, P, C>(geometry.blocks()) };
            CapacityError::TooLarge { asked, max }
        };
        let layout = layout::<T, P, C>(geometry).ok_or_else(too_large)?;
        let (marks, stride) = block_bytes::<T, P, C>(geometry.block_size()).ok_or_else(too_large)?;
        let blocks = Self { memory: allocate(layout)?, layout, geometry, stride, marks, _items: PhantomData };
        let used_up = first.version_before(geometry.block_size());
        for index in 0..geometry.blocks() {
            let cursor = if index == 0 { first } else { used_up };
            // SAFETY: within the memory, aligned, and nobody else's yet.
            unsafe { blocks.initialise(index, cursor, used_up) };
        }
        Ok(blocks)
    }

    /// Writes what a block begins with.
    ///
    /// # Safety
    /// `index` is a block's, and nobody else touches it.
    unsafe fn initialise(&self, index: usize, cursor: Cursor, marked: Cursor) {
        // SAFETY: a block lies there, with room for its lines and marks.
        unsafe {
            let block = self.block(index);
            let word = || Isolated(AtomicUsize::new(cursor.0));
            block.write(Block { allocated: word(), reserved: word() });
            for offset in (0..self.geometry.block_size()).step_by(Line::<C::Entry<T>, P>::SLOTS) {
                P::initialise(self.entry(block, offset).line, Line::<C::Entry<T>, P>::SLOTS, marked);
            }
            for offset in 0..self.geometry.block_size() {
                C::Entry::<T>::initialise(self.entry(block, offset).entry);
            }
            for offset in 0..if C::MARK_EACH { self.geometry.block_size() } else { 0 } {
                self.marks(block).add(offset).write(AtomicU8::new(marked.parity()));
            }
        }
    }

    /// Block number `index`.
    #[inline(always)]
    pub(super) fn block(&self, index: usize) -> NonNull<Block> {
        debug_assert!(index < self.geometry.blocks());
        // SAFETY: within the memory.
        unsafe { self.memory.add(index * self.stride).cast() }
    }

    /// The block's entry number `offset`.
    ///
    /// # Safety
    /// `block` is one of these, and has that many entries.
    #[inline(always)]
    pub(super) unsafe fn entry(&self, block: NonNull<Block>, offset: usize) -> Place {
        debug_assert!(offset < self.geometry.block_size());
        let slot = offset % Line::<C::Entry<T>, P>::SLOTS;
        let first = const { size_of::<Block>().next_multiple_of(Line::<C::Entry<T>, P>::ALIGN) };
        // SAFETY: within the block.
        unsafe {
            let line =
                block.cast::<u8>().add(first + offset / Line::<C::Entry<T>, P>::SLOTS * Line::<C::Entry<T>, P>::BYTES);
            Place { line, slot, entry: line.add(Line::<C::Entry<T>, P>::FIRST + slot * C::Entry::<T>::SIZE) }
        }
    }

    /// The consumers' marks of a block.
    #[inline(always)]
    pub(super) fn marks(&self, block: NonNull<Block>) -> NonNull<AtomicU8> {
        // SAFETY: within the block, or one past its end if there are none.
        unsafe { block.cast::<u8>().add(self.marks).cast() }
    }
}

impl<T, P, C> Drop for Blocks<T, P, C> {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout; cursors and marks need no drop.
        unsafe { free(self.memory, self.layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::side::{Multi, Single};
    use super::*;
    use core::mem::offset_of;

    #[repr(align(128))]
    struct Aligned<const N: usize>([u8; N]);

    fn check<T, P: Commits>(slots: usize, bytes: usize) {
        type Line<T, P> = super::Line<Cell<T>, P>;
        let name = core::any::type_name::<(T, P)>();
        assert_eq!((Line::<T, P>::SLOTS, Line::<T, P>::BYTES), (slots, bytes), "{name}");
        assert!(Line::<T, P>::FIRST + slots * size_of::<T>() <= bytes, "{name}");
        assert!(Line::<T, P>::FIRST.is_multiple_of(align_of::<T>()), "{name}");
        assert!(bytes.is_multiple_of(LINE) && bytes.is_multiple_of(align_of::<T>()), "{name}");
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
        check::<u8, Single>(56, 64);
        check::<u64, Single>(7, 64);
        check::<[u64; 3], Single>(2, 64);
        check::<[u8; 300], Single>(1, 320);
    }

    #[test]
    fn cursors_have_their_own_lines() {
        let offsets = [offset_of!(Block, allocated), offset_of!(Block, reserved)];
        crate::isolated::assert_line_pairs(align_of::<Block>(), &offsets);
        assert!(size_of::<Block>() == 2 * LINE_PAIR);
    }

    #[test]
    fn what_overflows_is_refused_with_what_is_possible() {
        type Large = [u8; 1 << 40];
        let error = |capacity| {
            let geometry = Geometry::for_capacity(capacity).expect("possible for small items");
            Blocks::<Large, Multi, Multi>::new(geometry, capacity, Cursor::new(1, 0)).map(drop)
        };
        let Err(CapacityError::TooLarge { asked, max }) = error(1 << 24) else { panic!("too large") };
        assert!(asked == 1 << 24 && max > 1 << 20, "{asked} {max}");
        assert!(layout::<Large, Multi, Multi>(Geometry::for_capacity(max).expect("possible")).is_some());
    }
}
