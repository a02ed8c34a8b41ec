//! The division of the space for records.

use super::super::memory::{Cursor, Entry, Geometry, MOST};
use crate::error::CapacityError;

/// Blocks of bytes for records, and the alignment of the records.
///
/// # Examples
/// ```
/// use aqueduct::bbq::records::Space;
///
/// let space = Space::new(8, 500)?.with_align(64)?;
/// assert_eq!((space.blocks(), space.block_bytes(), space.align()), (8, 512, 64));
/// assert_eq!(space.longest(), 512 - size_of::<usize>());
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Space {
    geometry: Geometry,
    /// The bytes of a unit, in which records take space: their alignment.
    unit: usize,
}

/// The bytes of a word.
pub(super) const WORD: usize = size_of::<usize>();

/// The greatest number of units of a block: one bit of their number has another meaning.
const MOST_UNITS: usize = MOST / 2;
/// The greatest alignment: a page.
const MOST_ALIGN: usize = 4096;

impl Space {
    /// Divides the space into `blocks` blocks of `block_bytes` bytes.
    ///
    /// Records are aligned to a word, and `block_bytes` is rounded up to a word.
    ///
    /// # Errors
    /// [`CapacityError::Space`] unless there are 2 to 65,535 blocks of 1 to 262,136 bytes (255 and
    /// 508 on 32-bit machines).
    pub fn new(blocks: usize, block_bytes: usize) -> Result<Self, CapacityError> {
        Self::divided(blocks, block_bytes, WORD)
    }

    /// Chooses a division for about `bytes` bytes.
    ///
    /// The number of blocks is that of the BBQ paper (Wang et al., USENIX ATC 2022, section 6.2.1),
    /// `2^max(1, log2(bytes) / 4)` (more if the blocks would be too large), and one more, so that
    /// `bytes` bytes are always there for records. Dummies and the records' words reduce them.
    ///
    /// # Errors
    /// [`CapacityError`] if `bytes` is 0 or too large.
    pub fn for_bytes(bytes: usize) -> Result<Self, CapacityError> {
        if bytes == 0 {
            return Err(CapacityError::Zero);
        }
        let blocks = (1 << (bytes.ilog2() / 4).max(1)).max(bytes.div_ceil(MOST_UNITS * WORD));
        Self::new(blocks + 1, bytes.div_ceil(blocks))
    }

    /// Returns this space with records that begin at multiples of `align` bytes.
    ///
    /// Records take space in units of `align` bytes. Larger units allow larger blocks.
    ///
    /// # Errors
    /// [`CapacityError::Alignment`] if `align` is not a power of two, or more than 4096.
    /// [`CapacityError::Space`] if there cannot be blocks of at least one such unit, and of at
    /// least as many bytes as before.
    pub fn with_align(self, align: usize) -> Result<Self, CapacityError> {
        if !align.is_power_of_two() || align > MOST_ALIGN {
            return Err(CapacityError::Alignment { asked: align, most: MOST_ALIGN });
        }
        let block_bytes = self.geometry.block_size() * self.unit;
        Self::divided(self.geometry.blocks(), block_bytes, align.max(WORD))
    }

    fn divided(blocks: usize, block_bytes: usize, unit: usize) -> Result<Self, CapacityError> {
        let units = block_bytes.div_ceil(unit);
        let geometry = Geometry::new(blocks, units).ok().filter(|_| units <= MOST_UNITS);
        let impossible = CapacityError::Space { blocks, block_bytes, most_blocks: MOST, most_bytes: MOST_UNITS * unit };
        Ok(Self { geometry: geometry.ok_or(impossible)?, unit })
    }

    /// Returns the length of the longest possible record, in bytes: a block without a word.
    #[must_use]
    pub const fn longest(self) -> usize {
        self.geometry.block_size() * self.unit - WORD
    }

    /// Returns the alignment of the records, in bytes.
    #[must_use]
    pub const fn align(self) -> usize {
        self.unit
    }

    /// Returns the number of blocks.
    #[must_use]
    pub const fn blocks(self) -> usize {
        self.geometry.blocks()
    }

    /// Returns the number of bytes of a block.
    #[must_use]
    pub const fn block_bytes(self) -> usize {
        self.geometry.block_size() * self.unit
    }

    pub(super) const fn geometry(self) -> Geometry {
        self.geometry
    }
}

const _: () =
    assert!(Cursor::new(0, MOST_UNITS).offset() == MOST_UNITS && <crate::sync::Cell<usize> as Entry>::SIZE == WORD);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_is_there() {
        for bytes in [1, 7, 8, 9, 100, 4096, 1 << 16, 1 << 20, 100_000_000] {
            if usize::BITS < 64 && bytes > 1 << 16 {
                continue;
            }
            let space = Space::for_bytes(bytes).expect("possible");
            assert!((space.blocks() - 1) * space.block_bytes() >= bytes, "{space:?} for {bytes}");
            assert_eq!(space.longest(), space.block_bytes() - WORD);
        }
        let space = Space::new(3, 500).and_then(|space| space.with_align(64)).expect("possible");
        assert_eq!((space.blocks(), space.block_bytes(), space.align()), (3, 512, 64));
    }

    #[test]
    fn the_impossible_is_refused() {
        assert_eq!(Space::for_bytes(0), Err(CapacityError::Zero));
        let most = MOST_UNITS * WORD;
        for (blocks, block_bytes) in [(0, 8), (1, 8), (2, 0), (2, most + 1), (MOST + 1, 8)] {
            let expected = CapacityError::Space { blocks, block_bytes, most_blocks: MOST, most_bytes: most };
            assert_eq!(Space::new(blocks, block_bytes), Err(expected));
        }
        let space = Space::new(2, most).expect("possible");
        for asked in [0, 3, 100, 8192] {
            assert_eq!(space.with_align(asked), Err(CapacityError::Alignment { asked, most: MOST_ALIGN }));
        }
        assert_eq!(space.with_align(1), Ok(space));
        assert_eq!(space.with_align(4096).map(Space::block_bytes), Ok(most.next_multiple_of(4096)));
    }
}
