//! The memory of a queue: blocks, each with a head, its entries, and a mark for each entry.

use core::alloc::Layout;
use core::marker::PhantomData;
use core::ops::Range;
use core::ptr::NonNull;

use super::geometry::Geometry;
use super::steal::Claim;
use crate::division::{self, BITS, MOST, last};
use crate::error::CapacityError;
use crate::heap::{allocate, free};
use crate::isolated::{Isolated, LINE, LINE_PAIR};
use crate::sync::{AtomicU8, AtomicUsize, Cell, prefetch_to_read, prefetch_to_write};

/// A block of the queue in a lap: the lap (the round in J. Wang's thesis, section 4.3.3) and the
/// block's number.
///
/// Laps are compared for equality, and thieves use them only to find their way: an exchange of one
/// word alone decides which items a thief may take. A lap that is cut to fewer bits recurs after
/// that many laps of the queue. A thief that was suspended in the middle of a steal for *exactly*
/// that many laps would look into the wrong block. It would take an available item there (so that
/// no item is lost or comes twice), or report once that there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    pub(super) lap: usize,
    pub(super) index: usize,
}

impl Location {
    /// Returns the block after this one in a queue of `blocks` blocks.
    #[inline]
    pub(super) fn next(self, blocks: usize) -> Self {
        match self.index + 1 {
            index if index < blocks => Self { index, ..self },
            _ => Self { lap: self.lap.wrapping_add(1), index: 0 },
        }
    }

    /// Returns the block before this one in a queue of `blocks` blocks.
    #[inline]
    pub(super) fn previous(self, blocks: usize) -> Self {
        match self.index.checked_sub(1) {
            Some(index) => Self { index, ..self },
            None => Self { lap: self.lap.wrapping_sub(1), index: blocks - 1 },
        }
    }

    /// Returns the word that reports that thieves have read all entries of a block in that lap.
    #[inline]
    pub(super) const fn all_read(lap: usize) -> usize {
        Self { lap, index: 0 }.packed()
    }

    /// Packs the location into one word: the lap loses its upper bits.
    #[inline]
    pub(super) const fn packed(self) -> usize {
        self.lap << BITS | self.index
    }

    /// Unpacks a word that `packed` made.
    #[inline]
    pub(super) const fn unpacked(word: usize) -> Self {
        Self { lap: word >> BITS, index: word & MOST }
    }
}

/// The words in front of a block's entries that thieves write.
pub struct Thieves {
    /// The entries that thieves may take, as an `SPos`.
    pub(super) s_pos: AtomicUsize,
    /// The last lap in which a thief has found all entries marked: see [`Location::all_read`].
    pub(super) read: AtomicUsize,
}

impl Thieves {
    pub(super) fn new(s_pos: usize, read: usize) -> Isolated<Self> {
        let [s_pos, read] = [s_pos, read].map(AtomicUsize::new);
        Isolated(Self { s_pos, read })
    }
}

/// The words in front of a block's entries, by which owner and thieves coordinate.
pub trait Head {
    /// Makes the words as they are before the block is used in lap `lap`.
    fn new(lap: usize, block_size: usize) -> Self;

    /// Returns the value of the marks before the block is used in lap `lap`.
    fn mark_before(lap: usize) -> u8;

    /// Returns the words that thieves write.
    fn thieves(&self) -> &Thieves;
}

/// The blocks of a queue. Owns the memory, not the content of the entries.
#[derive(Debug)]
pub struct Blocks<T, H> {
    memory: NonNull<u8>,
    layout: Layout,
    pub(super) geometry: Geometry,
    /// The bytes from one block to the next.
    stride: usize,
    /// The bytes from a block's start to its marks.
    marks_from: usize,
    /// Makes the type invariant in `T`. Otherwise a thief's handle could be used as one for items
    /// of a shorter life than the owner's.
    _items: PhantomData<(Cell<T>, H)>,
}

const fn align<T, H>() -> usize {
    let aligns = [align_of::<T>(), align_of::<H>(), LINE_PAIR];
    let mut most = aligns[0];
    let mut i = 1;
    while i < aligns.len() {
        most = if aligns[i] > most { aligns[i] } else { most };
        i += 1;
    }
    most
}

/// Returns the bytes from a block's start to its marks.
///
/// Thieves write the marks, so they are on lines of their own.
fn marks_from<T, H>(block_size: usize) -> Option<usize> {
    let first = size_of::<H>().next_multiple_of(align::<T, H>());
    first.checked_add(size_of::<T>().checked_mul(block_size)?)?.checked_next_multiple_of(align::<T, H>())
}

/// Returns the bytes of a block.
fn stride<T, H>(block_size: usize) -> Option<usize> {
    let marks = size_of::<AtomicU8>().checked_mul(block_size)?;
    marks_from::<T, H>(block_size)?.checked_add(marks)?.checked_next_multiple_of(align::<T, H>())
}

fn layout<T, H>(geometry: Geometry) -> Option<Layout> {
    division::layout(stride::<T, H>(geometry.block_size())?, align::<T, H>(), geometry.blocks())
}

impl<T, H: Head> Blocks<T, H> {
    /// Returns the geometry for a capacity.
    pub(super) fn geometry(capacity: usize) -> Result<Geometry, CapacityError> {
        let fits = |capacity| Geometry::for_capacity(capacity).is_ok_and(|geometry| layout::<T, H>(geometry).is_some());
        let too_large =
            || CapacityError::TooLarge { asked: capacity, max: last(0, Geometry::GREATEST_CAPACITY, &fits) };
        match Geometry::for_capacity(capacity) {
            Ok(geometry) if layout::<T, H>(geometry).is_some() => Ok(geometry),
            Ok(_) | Err(CapacityError::TooLarge { .. }) => Err(too_large()),
            Err(other) => Err(other),
        }
    }

    /// Makes blocks as they are before the first of them is entered in lap `lap`.
    ///
    /// The others are as they were left in the lap before.
    pub(super) fn new(geometry: Geometry, lap: usize) -> Result<Self, CapacityError> {
        let too_large = || {
            let fits = |size| Geometry::new(geometry.blocks(), size).is_ok_and(|it| layout::<T, H>(it).is_some());
            CapacityError::TooLarge { asked: geometry.capacity(), max: (geometry.blocks() - 1) * last(0, MOST, &fits) }
        };
        let layout = layout::<T, H>(geometry).ok_or_else(too_large)?;
        let stride = stride::<T, H>(geometry.block_size()).ok_or_else(too_large)?;
        let marks_from = marks_from::<T, H>(geometry.block_size()).ok_or_else(too_large)?;
        let blocks = Self { memory: allocate(layout)?, layout, geometry, stride, marks_from, _items: PhantomData };
        for index in 0..geometry.blocks() {
            let block = blocks.block(index);
            // SAFETY: within the memory, aligned, and not shared yet.
            unsafe { block.write(H::new(lap, geometry.block_size())) };
            // SAFETY: within the block, from where a multiple of its alignment is on.
            let marks = unsafe { block.byte_add(marks_from) }.cast::<AtomicU8>();
            for number in 0..geometry.block_size() {
                // SAFETY: within the block, which has a mark for each entry.
                unsafe { marks.add(number).write(AtomicU8::new(H::mark_before(lap))) };
            }
        }
        Ok(blocks)
    }

    /// Returns the address of block number `index`.
    #[inline(always)]
    pub(super) fn block(&self, index: usize) -> NonNull<H> {
        debug_assert!(index < self.geometry.blocks());
        // SAFETY: within the memory.
        unsafe { self.memory.add(index * self.stride).cast() }
    }

    /// Returns the words in front of the block's entries.
    #[inline(always)]
    pub(super) fn head(&self, index: usize) -> &H {
        // SAFETY: a block of these; heads are only shared.
        unsafe { self.block(index).as_ref() }
    }

    /// Returns the claim of a thief: the entries `taken` of a block, of `found` available ones.
    ///
    /// The thief marks them with `read`. If `reports`, it reports when it has the block's last
    /// entry.
    ///
    /// # Safety
    /// The block has these entries.
    #[inline(always)]
    pub(super) unsafe fn claim(
        &self,
        at: Location,
        taken: Range<usize>,
        found: usize,
        read: u8,
        reports: bool,
    ) -> Claim<'_, T> {
        // SAFETY: the caller's promise.
        let first = unsafe { entries(self.block(at.index)).add(taken.start) };
        let has_last = taken.end == self.geometry.block_size();
        // SAFETY: there are as many marks as entries.
        let marks = unsafe { self.marks(at.index).get_unchecked(taken) };
        Claim::new(first, found, marks, read, at, reports && has_last)
    }

    /// Returns the block's marks, by which thieves report each claimed entry that they have read.
    #[inline(always)]
    pub(super) fn marks(&self, index: usize) -> &[AtomicU8] {
        // SAFETY: within the block.
        let first = unsafe { self.block(index).byte_add(self.marks_from) }.cast();
        // SAFETY: as many as entries, written when the block was made, and only shared since.
        unsafe { core::slice::from_raw_parts(first.as_ptr(), self.geometry.block_size()) }
    }

    /// Prefetches the words in front of a block for the owner.
    pub(super) fn fetch_head(&self, index: usize) {
        prefetch_to_read(self.block(index).as_ptr().cast());
    }

    /// Prefetches a block's marks, which thieves have written, before the owner reads and
    /// overwrites them.
    pub(super) fn fetch_marks(&self, index: usize) {
        let marks = self.marks(index);
        marks.iter().step_by(LINE).for_each(|mark| prefetch_to_write(core::ptr::from_ref(mark).cast()));
    }
}

/// Returns the address of a block's entries.
///
/// # Safety
/// It is a block of a `Blocks<T, H>`.
#[inline(always)]
pub(super) unsafe fn entries<T, H>(block: NonNull<H>) -> NonNull<Cell<T>> {
    let first = const { size_of::<H>().next_multiple_of(align::<T, H>()) };
    // SAFETY: within the block, or its end if the entries have no size.
    unsafe { block.byte_add(first).cast() }
}

impl<T, H> Drop for Blocks<T, H> {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout; heads need no drop.
        unsafe { free(self.memory, self.layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoWords;

    impl Head for NoWords {
        fn new(_round: usize, _block_size: usize) -> Self {
            Self
        }

        fn mark_before(_round: usize) -> u8 {
            0
        }

        fn thieves(&self) -> &Thieves {
            unreachable!("no thief comes")
        }
    }

    #[test]
    fn what_overflows_is_refused_with_what_is_possible() {
        type Large = [u8; 1 << (usize::BITS * 5 / 8)];
        let many = 1 << (usize::BITS * 3 / 8);
        let refused = |result: Result<Geometry, _>| result.expect_err("too large");
        let CapacityError::TooLarge { asked, max } = refused(Blocks::<Large, NoWords>::geometry(many)) else {
            panic!("not too large")
        };
        assert!(asked == many && max > many >> 4, "{asked} {max}");
        assert!(
            Blocks::<Large, NoWords>::geometry(max).is_ok() && Blocks::<Large, NoWords>::geometry(max + 1).is_err()
        );
        let geometry = Geometry::new(3, MOST).expect("possible for small items");
        type Huge = [u8; 1 << (usize::BITS * 3 / 4 - 1)];
        let Err(CapacityError::TooLarge { max, .. }) = Blocks::<Huge, NoWords>::new(geometry, 0).map(drop) else {
            panic!("not too large")
        };
        assert!(max > 0 && max < geometry.capacity(), "{max}");
    }

    #[test]
    fn entries_are_aligned_and_apart_from_what_stands_in_front() {
        #[repr(align(256))]
        struct Aligned;
        let blocks = Blocks::<Aligned, NoWords>::new(Geometry::new(2, 3).expect("small"), 0).expect("there is memory");
        // SAFETY: a block of these.
        let first = unsafe { entries::<Aligned, NoWords>(blocks.block(1)) };
        assert!(first.as_ptr().is_aligned());
        let blocks = Blocks::<u8, usize>::new(Geometry::new(2, 3).expect("small"), 0).expect("there is memory");
        // SAFETY: a block of these.
        let first = unsafe { entries::<u8, usize>(blocks.block(0)) };
        assert_eq!(first.as_ptr() as usize - blocks.block(0).as_ptr() as usize, LINE_PAIR);
    }

    impl Head for usize {
        fn new(lap: usize, _block_size: usize) -> Self {
            lap
        }

        fn mark_before(_round: usize) -> u8 {
            0
        }

        fn thieves(&self) -> &Thieves {
            unreachable!("no thief comes")
        }
    }

    #[test]
    fn next_and_previous_go_around() {
        for lap in [0, 1, usize::MAX] {
            let first = Location { lap, index: 0 };
            let mut location = first;
            for _ in 0..3 {
                let next = location.next(3);
                assert_eq!(next.previous(3), location);
                location = next;
            }
            assert_eq!(location, Location { lap: lap.wrapping_add(1), index: 0 });
            assert_eq!(Location::unpacked(first.packed()).packed(), first.packed());
        }
    }
}
