//! The memory of a queue's blocks, and how many there can be.

use core::alloc::Layout;
use core::ptr::NonNull;

use super::block::Block;
use super::cursor::Cursor;
use super::geometry::Geometry;
use crate::division::{self, last};
use crate::error::CapacityError;
use crate::heap::{allocate, free};

/// The two parts of a block, in bytes from its start.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    pub(crate) align: usize,
    /// The start of the second part.
    pub(crate) second: usize,
    /// The end of the block, a multiple of the alignment.
    pub(crate) end: usize,
}

impl Parts {
    /// Returns the layout of `blocks` blocks, if it is possible.
    fn layout(self, blocks: usize) -> Option<Layout> {
        division::layout(self.end, self.align, blocks)
    }
}

/// The limits of a queue's blocks.
pub(crate) struct Limits<'a> {
    /// The greatest number of blocks, and of entries of a block.
    pub(crate) most: usize,
    /// The number of blocks beyond those that the capacity needs.
    pub(crate) spare: usize,
    /// The least number of bytes of an entry.
    pub(crate) least_bytes: usize,
    /// Returns the parts of a block, given the number of its entries, if they can be counted.
    pub(crate) parts: &'a dyn Fn(usize) -> Option<Parts>,
}

impl Limits<'_> {
    fn divided(&self, capacity: usize) -> Result<Geometry, CapacityError> {
        Geometry::of_at_most(self.most, self.spare, capacity)
    }

    fn layout(&self, geometry: Geometry) -> Option<Layout> {
        (self.parts)(geometry.block_size())?.layout(geometry.blocks())
    }

    /// Returns the geometry for a capacity, if there can be memory for it and `may_be` permits it.
    ///
    /// A geometry that `may_be` forbids it also forbids with more entries in equally many blocks.
    pub(crate) fn geometry(
        &self,
        capacity: usize,
        may_be: &dyn Fn(Geometry) -> bool,
    ) -> Result<Geometry, CapacityError> {
        match self.divided(capacity) {
            Ok(geometry) if self.layout(geometry).is_some() && may_be(geometry) => Ok(geometry),
            Ok(_) | Err(CapacityError::TooLarge { .. }) => {
                Err(CapacityError::TooLarge { asked: capacity, max: self.greatest(may_be) })
            }
            Err(other) => Err(other),
        }
    }

    /// Returns the greatest capacity with enough memory and a permitted geometry.
    fn greatest(&self, may_be: &dyn Fn(Geometry) -> bool) -> usize {
        let fits =
            |capacity| self.divided(capacity).is_ok_and(|geometry| self.layout(geometry).is_some() && may_be(geometry));
        let blocks = |capacity| self.divided(capacity).map_or(0, Geometry::blocks);
        // No queue can hold more, whatever lies beside the items.
        let mut high =
            Geometry::greatest_capacity(self.most, self.spare).min(isize::MAX as usize / self.least_bytes.max(1));
        // More items take more memory where they are as many blocks; one block more can take less.
        while high > 0 {
            let fewer_blocks = last(0, high, &|capacity| blocks(capacity) < blocks(high));
            if fits(fewer_blocks + 1) {
                return last(fewer_blocks + 1, high, &fits);
            }
            high = fewer_blocks;
        }
        0
    }

    /// Returns the greatest capacity of `blocks` blocks for which there is enough memory.
    fn greatest_of(&self, blocks: usize) -> usize {
        let fits = |size| Geometry::new(blocks, size).is_ok_and(|geometry| self.layout(geometry).is_some());
        (blocks - 1) * last(0, self.most, &fits)
    }

    /// Allocates blocks for a capacity of `asked`, without content.
    pub(crate) fn allocate(&self, geometry: Geometry, asked: usize) -> Result<Blocks, CapacityError> {
        let (blocks, block_size) = (geometry.blocks(), geometry.block_size());
        if blocks.max(block_size) > self.most {
            return Err(CapacityError::Geometry { blocks, block_size, most: self.most });
        }
        let too_large = || {
            let chosen_here = self.divided(asked) == Ok(geometry);
            let max = if chosen_here { self.greatest(&|_| true) } else { self.greatest_of(blocks) };
            CapacityError::TooLarge { asked, max }
        };
        let parts = (self.parts)(block_size).ok_or_else(too_large)?;
        let layout = parts.layout(blocks).ok_or_else(too_large)?;
        let (second, stride) = (parts.second, parts.end);
        Ok(Blocks { memory: allocate(layout)?, layout, geometry, stride, second })
    }
}

/// The blocks of a queue. Owns the memory, not the content of the entries.
#[derive(Debug)]
pub(crate) struct Blocks {
    memory: NonNull<u8>,
    layout: Layout,
    pub(crate) geometry: Geometry,
    /// The bytes from one block to the next.
    stride: usize,
    /// The bytes from a block's start to its second part.
    second: usize,
}

impl Blocks {
    /// Returns block number `index`.
    #[inline(always)]
    pub(crate) fn block(&self, index: usize) -> NonNull<Block> {
        debug_assert!(index < self.geometry.blocks());
        // SAFETY: within the memory.
        unsafe { self.memory.add(index * self.stride).cast() }
    }

    /// Returns the second part of a block.
    #[inline(always)]
    pub(crate) fn second(&self, block: NonNull<Block>) -> NonNull<u8> {
        // SAFETY: within the block, or one past its end if that part is empty.
        unsafe { block.cast::<u8>().add(self.second) }
    }

    /// Returns the head of the next block.
    #[inline(always)]
    pub(crate) fn next(&self, head: Cursor) -> Cursor {
        head.next_block(self.geometry.blocks())
    }

    /// Returns the head of the block before.
    #[inline(always)]
    pub(crate) fn before(&self, head: Cursor) -> Cursor {
        head.block_before(self.geometry.blocks())
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout; what lies in it has been dropped or needs no drop.
        unsafe { free(self.memory, self.layout) }
    }
}
