//! The division of a queue into blocks and entries.

use crate::division::{self, MOST, geometry};
use crate::error::CapacityError;

geometry! {
    /// The division of a queue: `blocks` blocks of `block_size` entries.
    ///
    /// A theft from the block that the owner works in costs more than one from another block. With
    /// smaller blocks, fewer items are in that block, but the owner goes on to another block more
    /// often. J. Wang's thesis (TU Dresden, 2024, section 4.6.1) finds that throughput hardly
    /// depends on the division, from 8 blocks of 64 entries on; whether it does so here depends on
    /// the machine: `aqueduct bench steal blocks` measures it.
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
    "Returns the number of items that always fit if nothing is stolen."
}

impl Geometry {
    /// The number of blocks, unless the capacity requires fewer or more.
    const BLOCKS: usize = 16;

    /// The number of entries that justifies another block.
    const WORTH_WHILE: usize = 64;

    /// The greatest capacity: all blocks but one count, see [`capacity`](Self::capacity).
    pub(super) const GREATEST_CAPACITY: usize = (MOST - 1) * MOST;

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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_as_many_as_serve() {
        let blocks = |capacity| Geometry::for_capacity(capacity).expect("possible").blocks();
        assert_eq!([1, 2, 64, 128, 200, 448].map(blocks), [2, 2, 2, 3, 4, 8]);
        assert!(usize::BITS < 64 || [8192, 65_536, 1 << 20].map(blocks) == [16, 16, 18]);
    }
}
