//! The division of a queue into blocks and entries.

use crate::division::{self, MOST};
use crate::error::CapacityError;

/// The division of a queue: `blocks` blocks of `block_size` entries.
///
/// A theft from the block that the owner works in costs more than one from another block. With smaller
/// blocks, fewer items are in that block, but the owner goes on to another block more often. J. Wang's
/// thesis (TU Dresden, 2024, section 4.6.1) finds that throughput hardly depends on the division, from 8
/// blocks of 64 entries on; whether it does so here depends on the machine: `aqueduct bench steal blocks`
/// measures it.
///
/// # Examples
/// ```
/// use aqueduct::bwos::{Geometry, lifo};
///
/// // At most 8 items are in the block that the owner works in.
/// let geometry = Geometry::new(16, 8)?;
/// assert_eq!(geometry.capacity(), 15 * 8);
/// let (owner, _stealer) = lifo::with_geometry::<u64>(geometry)?;
/// assert_eq!(owner.capacity(), 120);
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    blocks: usize,
    block_size: usize,
}

impl Geometry {
    /// The number of blocks, unless the capacity requires fewer or more.
    const BLOCKS: usize = 16;

    /// The number of entries that justifies another block.
    const WORTH_WHILE: usize = 64;

    /// The greatest capacity: all blocks but one count, see [`capacity`](Self::capacity).
    pub(super) const GREATEST_CAPACITY: usize = (MOST - 1) * MOST;

    /// Divides a queue into `blocks` blocks of `block_size` entries.
    ///
    /// # Errors
    /// [`CapacityError::Geometry`] unless there are 2 to 65,535 blocks of 1 to 65,535 entries (255
    /// on 32-bit machines).
    pub const fn new(blocks: usize, block_size: usize) -> Result<Self, CapacityError> {
        match division::check(blocks, block_size) {
            Ok(()) => Ok(Self { blocks, block_size }),
            Err(impossible) => Err(impossible),
        }
    }

    /// Chooses a division for at least `capacity` entries.
    ///
    /// There are 16 blocks, fewer if they would have less than 64 entries, more if they would have
    /// more than is possible. Entries are spread over the blocks so that
    /// [`capacity`](Self::capacity) is the capacity asked for or slightly more.
    ///
    /// # Errors
    /// [`CapacityError`] if `capacity` is 0 or more than about 2^32 (2^16 on 32-bit machines).
    pub fn for_capacity(capacity: usize) -> Result<Self, CapacityError> {
        division::check_capacity(capacity, Self::GREATEST_CAPACITY)?;
        // All blocks but one: see `capacity`.
        let worth_while = (capacity / Self::WORTH_WHILE + 1).clamp(2, Self::BLOCKS);
        let blocks = worth_while.max(capacity.div_ceil(MOST) + 1);
        Self::new(blocks, capacity.div_ceil(blocks - 1))
    }

    /// Returns the number of blocks.
    #[must_use]
    pub const fn blocks(self) -> usize {
        self.blocks
    }

    /// Returns the number of entries in a block.
    #[must_use]
    pub const fn block_size(self) -> usize {
        self.block_size
    }

    /// Returns the number of items that always fit if nothing is stolen.
    ///
    /// A block is reused only as a whole, so a queue may refuse items from `(blocks - 1) *
    /// block_size` on. It never holds more than `blocks * block_size`.
    #[must_use]
    pub const fn capacity(self) -> usize {
        division::capacity(self.blocks, self.block_size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_fits() {
        for capacity in (1..5000).chain([1 << 16, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 1 << 30]) {
            if usize::BITS < 64 && capacity > 1 << 15 {
                continue;
            }
            let geometry = Geometry::for_capacity(capacity).expect("a capacity that is possible");
            let too_much = geometry.capacity() - capacity;
            assert!(geometry.capacity() >= capacity, "{geometry:?} for {capacity}");
            assert!(too_much < geometry.blocks(), "{geometry:?} for {capacity}");
        }
    }

    #[test]
    fn blocks_are_as_many_as_serve() {
        let blocks = |capacity| Geometry::for_capacity(capacity).expect("possible").blocks();
        assert_eq!([1, 2, 64, 128, 200, 448].map(blocks), [2, 2, 2, 3, 4, 8]);
        assert!(usize::BITS < 64 || [8192, 65_536, 1 << 20].map(blocks) == [16, 16, 18]);
    }

    #[test]
    fn the_impossible_is_refused() {
        assert_eq!(Geometry::for_capacity(0), Err(CapacityError::Zero));
        assert!(matches!(Geometry::for_capacity(usize::MAX), Err(CapacityError::TooLarge { .. })));
        for (blocks, block_size) in [(0, 1), (1, 1), (2, 0), (MOST + 1, 1), (2, MOST + 1)] {
            let refused = Geometry::new(blocks, block_size).expect_err("impossible");
            assert_eq!(refused, CapacityError::Geometry { blocks, block_size, most: MOST });
        }
        let max = Geometry::GREATEST_CAPACITY;
        assert_eq!(Geometry::for_capacity(max).map(Geometry::capacity), Ok(max));
        assert!(Geometry::for_capacity(max + 1).is_err());
    }
}
