//! The memory of a queue: blocks, each with its two cursors, its entries, and their marks.

use core::alloc::Layout;
use core::marker::PhantomData;
use core::ptr::NonNull;

use super::cursor::Cursor;
use super::geometry::Geometry;
use super::shared::Shared;
use super::side::{Commits, Consumes};
use crate::error::CapacityError;
use crate::heap::{allocate, free, most_bytes};
use crate::isolated::Isolated;
use crate::sync::AtomicUsize;

/// The words in front of a block's entries.
///
/// `committed` and `consumed` of the BBQ paper are marks at the entries here.
#[derive(Debug)]
pub struct Block {
    /// The producers' words.
    pub(super) allocated: Isolated<Allocated>,
    /// The consumers' words.
    pub(super) reserved: Isolated<Reserved>,
}

/// The producers' place in a block.
#[derive(Debug)]
pub(super) struct Allocated {
    /// Lap and number of the entries given to producers.
    pub(super) cursor: AtomicUsize,
    /// If many producers overwrite items: the end of the last lap that one of them reported as
    /// wholly committed, or the lap before the last one that renewed the block's words.
    ///
    /// Later laps may be committed, too. It says nothing of records, and is not read for them: a
    /// grant may still be out.
    pub(super) committed: AtomicUsize,
}

/// The consumers' place in a block.
#[derive(Debug)]
pub(super) struct Reserved {
    /// Lap and number of the entries given to consumers.
    ///
    /// With a single consumer: consumed by it, as of the block's end.
    pub(super) by_exchange: AtomicUsize,
    /// Lap and number of the entries given to consumers by fetch-and-add (see
    /// [`adding`](super::adding)).
    ///
    /// Queues without additions leave it unchanged.
    pub(super) by_adding: AtomicUsize,
}

/// The content of the entries of a queue's blocks. Sealed.
pub trait Content<P: Commits, C: Consumes>: Copy {
    /// The spin hints in which others make a claim, at most, if they make use of a pause.
    const HINTS: usize;

    /// Returns the alignment of a block.
    fn align(self) -> usize;

    /// Returns the least number of bytes of an entry.
    fn least_bytes(self) -> usize;

    /// Returns the start of the second of a block's two parts, and the block's end.
    ///
    /// `None` if that is more than can be counted.
    fn parts(self, entries: usize) -> Option<(usize, usize)>;

    /// Makes a block's content, with all of its entries consumed in the lap of `used_up`.
    ///
    /// The offset of `used_up` says how many entries there are.
    ///
    /// # Safety
    /// The block lies at `block`, its second part at `second`, and no other thread touches them.
    unsafe fn initialise(self, block: NonNull<u8>, second: NonNull<u8>, used_up: Cursor);

    /// Whether the block of that head cannot be opened there because of unconsumed entries of the
    /// lap before.
    ///
    /// `true` is certain, whatever other producers do. `false` means that others are in the middle
    /// of an operation, or that there is room.
    fn is_full(shared: &Shared<Self, P, C>, head: Cursor) -> bool;

    /// Whether the block of that head was used up in the lap before, so that it can be opened.
    ///
    /// If `false`, another producer may have opened it since.
    fn is_free(shared: &Shared<Self, P, C>, head: Cursor) -> bool;

    /// Renews the words of the block of that head that may have rested for many laps.
    ///
    /// The caller has opened the block to producers there, in a lap that
    /// [renews](Cursor::renews). Without this, a word that is as old as all lap numbers would be
    /// taken for one of the current lap.
    fn renew(shared: &Shared<Self, P, C>, head: Cursor);

    /// Whether consumers can take something that begins at the block's entry `at`.
    fn is_there(shared: &Shared<Self, P, C>, block: NonNull<Block>, at: Cursor) -> bool;

    /// Returns how many entries a single producer has committed in a block since `begin`.
    fn filled(shared: &Shared<Self, P, C>, block: NonNull<Block>, begin: Cursor) -> usize;

    /// Drops the items that are left in the entries.
    fn clear(shared: &mut Shared<Self, P, C>);
}

/// The blocks of a queue. Owns the memory, not the content of the entries.
#[derive(Debug)]
pub(super) struct Blocks<K, P, C> {
    memory: NonNull<u8>,
    layout: Layout,
    pub(super) geometry: Geometry,
    pub(super) content: K,
    /// The bytes from one block to the next.
    stride: usize,
    /// The bytes from a block's start to its second part.
    second: usize,
    _sides: PhantomData<(P, C)>,
}

/// Returns the greatest number of blocks of a queue with these sides, and of entries of a block.
const fn most<P: Commits, C: Consumes>() -> usize {
    if P::MOST < C::MOST { P::MOST } else { C::MOST }
}

fn layout<K: Content<P, C>, P: Commits, C: Consumes>(content: K, geometry: Geometry) -> Option<Layout> {
    let (_, stride) = content.parts(geometry.block_size())?;
    let bytes = stride.checked_mul(geometry.blocks())?;
    let align = content.align();
    if bytes > most_bytes(align) { None } else { Layout::from_size_align(bytes, align).ok() }
}

/// Returns the last number of `low..=high` up to which `holds` is true.
///
/// It counts as true for `low`.
pub(super) fn last(mut low: usize, mut high: usize, holds: impl Fn(usize) -> bool) -> usize {
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if holds(middle) { low = middle } else { high = middle - 1 }
    }
    low
}

/// Returns the greatest capacity with enough memory and a permitted geometry.
///
/// A geometry that `may_be` forbids it also forbids with more entries in equally many blocks.
fn greatest<K: Content<P, C>, P: Commits, C: Consumes>(content: K, may_be: impl Fn(Geometry) -> bool) -> usize {
    let divided = |capacity| Geometry::of_at_most(most::<P, C>(), C::SPARE, capacity);
    let fits =
        |capacity| divided(capacity).is_ok_and(|geometry| layout(content, geometry).is_some() && may_be(geometry));
    let blocks = |capacity| divided(capacity).map_or(0, Geometry::blocks);
    // More cannot be, whatever lies beside the items.
    let mut high =
        Geometry::greatest_capacity(most::<P, C>(), C::SPARE).min(isize::MAX as usize / content.least_bytes().max(1));
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

/// Returns the greatest capacity of `blocks` blocks for which there is enough memory.
fn greatest_of<K: Content<P, C>, P: Commits, C: Consumes>(content: K, blocks: usize) -> usize {
    let fits = |size| Geometry::new(blocks, size).is_ok_and(|geometry| layout(content, geometry).is_some());
    (blocks - 1) * last(0, most::<P, C>(), fits)
}

impl<K: Content<P, C>, P: Commits, C: Consumes> Blocks<K, P, C> {
    /// Returns the geometry for a capacity, if there can be memory for it and `may_be` permits it.
    pub(super) fn geometry(
        content: K,
        capacity: usize,
        may_be: impl Fn(Geometry) -> bool,
    ) -> Result<Geometry, CapacityError> {
        match Geometry::of_at_most(most::<P, C>(), C::SPARE, capacity) {
            Ok(geometry) if layout(content, geometry).is_some() && may_be(geometry) => Ok(geometry),
            Ok(_) | Err(CapacityError::TooLarge { .. }) => {
                Err(CapacityError::TooLarge { asked: capacity, max: greatest(content, may_be) })
            }
            Err(other) => Err(other),
        }
    }

    /// Makes blocks of which the first is empty in the lap `first`, and the others are used up in
    /// the lap before.
    ///
    /// `asked` is the capacity that was asked for.
    pub(super) fn new(content: K, geometry: Geometry, asked: usize, first: Cursor) -> Result<Self, CapacityError> {
        let (blocks, block_size) = (geometry.blocks(), geometry.block_size());
        if blocks.max(block_size) > most::<P, C>() {
            return Err(CapacityError::Geometry { blocks, block_size, most: most::<P, C>() });
        }
        let too_large = || {
            let chosen_here = Geometry::of_at_most(most::<P, C>(), C::SPARE, asked) == Ok(geometry);
            let max = if chosen_here { greatest(content, |_| true) } else { greatest_of(content, geometry.blocks()) };
            CapacityError::TooLarge { asked, max }
        };
        let layout = layout(content, geometry).ok_or_else(too_large)?;
        let (second, stride) = content.parts(geometry.block_size()).ok_or_else(too_large)?;
        let blocks = Self { memory: allocate(layout)?, layout, geometry, content, stride, second, _sides: PhantomData };
        let used_up = first.version_before(geometry.block_size());
        for index in 0..geometry.blocks() {
            let (allocated, reserved) =
                if index == 0 { (P::opened(first, used_up.offset()), first) } else { (used_up, used_up) };
            let word = |cursor: Cursor| AtomicUsize::new(cursor.0);
            let allocated = Allocated { cursor: word(allocated), committed: word(used_up) };
            let reserved = Reserved { by_exchange: word(reserved), by_adding: word(used_up) };
            // SAFETY: within the memory, aligned, and nobody else's yet.
            unsafe {
                let block = blocks.block(index);
                block.write(Block { allocated: Isolated(allocated), reserved: Isolated(reserved) });
                content.initialise(block.cast(), blocks.second(block), used_up);
            }
        }
        Ok(blocks)
    }

    /// Returns block number `index`.
    #[inline(always)]
    pub(super) fn block(&self, index: usize) -> NonNull<Block> {
        debug_assert!(index < self.geometry.blocks());
        // SAFETY: within the memory.
        unsafe { self.memory.add(index * self.stride).cast() }
    }

    /// Returns the second part of a block.
    #[inline(always)]
    pub(super) fn second(&self, block: NonNull<Block>) -> NonNull<u8> {
        // SAFETY: within the block, or one past its end if that part is empty.
        unsafe { block.cast::<u8>().add(self.second) }
    }
}

impl<K, P, C> Drop for Blocks<K, P, C> {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout; what lies in it has been dropped or needs no drop.
        unsafe { free(self.memory, self.layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::items::Items;
    use super::super::side::Multi;
    use super::*;
    use crate::isolated::LINE_PAIR;
    use core::mem::offset_of;

    #[test]
    fn cursors_have_their_own_lines() {
        let offsets = [offset_of!(Block, allocated), offset_of!(Block, reserved)];
        crate::isolated::assert_line_pairs(align_of::<Block>(), &offsets);
        assert!(size_of::<Block>() == 2 * LINE_PAIR);
    }

    #[test]
    fn what_overflows_is_refused_with_what_is_possible() {
        type Large = Items<[u8; 1 << (usize::BITS * 5 / 8)]>;
        let many = 1 << (usize::BITS * 3 / 8);
        let error = |capacity| {
            let geometry = Geometry::for_capacity(capacity).expect("possible for small items");
            Blocks::<_, Multi, Multi>::new(Large::new(), geometry, capacity, Cursor::new(1, 0)).map(drop)
        };
        let Err(CapacityError::TooLarge { asked, max }) = error(many) else { panic!("too large") };
        assert!(asked == many && max > many >> 4, "{asked} {max}");
        let geometry = Geometry::for_capacity(max).expect("possible");
        assert!(layout::<_, Multi, Multi>(Large::new(), geometry).is_some());
    }
}
