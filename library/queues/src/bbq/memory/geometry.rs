//! The division of a queue into blocks and entries.

use crate::division::{self, MOST};
use crate::error::CapacityError;

/// The division of a queue: `blocks` blocks of `block_size` entries.
///
/// With more blocks, producers and consumers can come closer to each other before one side has to
/// wait. With larger blocks, they meet less often.
///
/// # Examples
/// ```
/// use aqueduct::bbq::{self, Geometry};
///
/// let geometry = Geometry::new(4, 128)?;
/// assert_eq!(geometry.capacity(), 3 * 128);
/// let (mut producer, _consumer) = bbq::mpmc::with_geometry(geometry)?;
/// assert!((0..384).all(|number| producer.push(number).is_ok()));
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    blocks: usize,
    block_size: usize,
}

impl Geometry {
    /// Returns the greatest capacity with at most `most` blocks of at most `most` entries.
    ///
    /// One block never counts (see [`capacity`](Self::capacity)), and neither do the `spare` ones.
    pub(crate) const fn greatest_capacity(most: usize, spare: usize) -> usize {
        (most - 1 - spare) * most
    }

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
    /// The number of blocks is that of the BBQ paper (Wang et al., USENIX ATC 2022, section 6.2.1):
    /// `2^max(1, log2(capacity) / 4)`. Entries are spread over the blocks so that
    /// [`capacity`](Self::capacity) is the capacity asked for or slightly more.
    ///
    /// # Errors
    /// [`CapacityError`] if `capacity` is 0 or more than about 2^32 (2^16 on 32-bit machines).
    pub fn for_capacity(capacity: usize) -> Result<Self, CapacityError> {
        Self::of_at_most(MOST, 0, capacity)
    }

    /// Works as [`for_capacity`](Self::for_capacity), with at most `most` blocks, and at most
    /// `most` entries in each.
    ///
    /// `spare` of the blocks are additional: more than the capacity needs.
    pub(crate) fn of_at_most(most: usize, spare: usize, capacity: usize) -> Result<Self, CapacityError> {
        division::check_capacity(capacity, Self::greatest_capacity(most, spare))?;
        // All blocks but one: see `capacity`.
        let blocks = (1 << (capacity.ilog2() / 4).max(1)).max(capacity.div_ceil(most) + 1);
        Self::new(blocks + spare, capacity.div_ceil(blocks - 1))
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

    /// Returns the number of items that always fit.
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
            let per_block = geometry.capacity() - capacity;
            assert!(geometry.capacity() >= capacity, "{geometry:?} for {capacity}");
            assert!(per_block < geometry.blocks(), "{geometry:?} for {capacity}");
        }
    }

    #[test]
    fn the_heuristic_is_the_seeds() {
        let blocks = |capacity| Geometry::for_capacity(capacity).expect("possible").blocks();
        assert_eq!([1, 2, 15, 255, 256].map(blocks), [2, 2, 2, 2, 4]);
        // Where blocks have 255 entries at most, there are more of them.
        assert!(usize::BITS < 64 || [4095, 4096, 65_536].map(blocks) == [4, 8, 16]);
    }

    #[test]
    fn the_impossible_is_refused() {
        assert_eq!(Geometry::for_capacity(0), Err(CapacityError::Zero));
        assert!(matches!(Geometry::for_capacity(usize::MAX), Err(CapacityError::TooLarge { .. })));
        for (blocks, block_size) in [(0, 1), (1, 1), (2, 0), (MOST + 1, 1), (2, MOST + 1)] {
            let refused = Geometry::new(blocks, block_size).expect_err("impossible");
            assert_eq!(refused, CapacityError::Geometry { blocks, block_size, most: MOST });
        }
        let max = (MOST - 1) * MOST;
        assert_eq!(Geometry::for_capacity(max).map(Geometry::capacity), Ok(max));
        assert!(Geometry::for_capacity(max + 1).is_err());
    }
}
