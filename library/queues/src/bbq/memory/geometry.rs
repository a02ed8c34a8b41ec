//! The division of a queue into blocks and entries.

use crate::division::{self, MOST, geometry};
use crate::error::CapacityError;

geometry! {
    /// The division of a queue: `blocks` blocks of `block_size` entries.
    ///
    /// With more blocks, producers and consumers can come closer to each other before one side has
    /// to wait. With larger blocks, they meet less often.
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
    "Returns the number of items that always fit."
}

impl Geometry {
    /// Returns the greatest capacity with at most `most` blocks of at most `most` entries.
    ///
    /// One block never counts (see [`capacity`](Self::capacity)), and neither do the `spare` ones.
    pub(crate) const fn greatest_capacity(most: usize, spare: usize) -> usize {
        (most - 1 - spare) * most
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heuristic_is_the_seeds() {
        let blocks = |capacity| Geometry::for_capacity(capacity).expect("possible").blocks();
        assert_eq!([1, 2, 15, 255, 256].map(blocks), [2, 2, 2, 2, 4]);
        // Where blocks have 255 entries at most, there are more of them.
        assert!(usize::BITS < 64 || [4095, 4096, 65_536].map(blocks) == [4, 8, 16]);
    }
}
