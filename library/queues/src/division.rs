//! The division of a queue into blocks of entries: its limits, and the memory of the blocks.

use core::alloc::Layout;

use crate::error::CapacityError;
use crate::heap::most_bytes;

/// Bits of a number of entries, or of blocks.
pub(crate) const BITS: u32 = usize::BITS / 4;

/// The greatest number of entries of a block, and of blocks of a queue.
pub(crate) const MOST: usize = (1 << BITS) - 1;

/// Refuses a division that is impossible for every queue.
pub(crate) const fn check(blocks: usize, block_size: usize) -> Result<(), CapacityError> {
    if blocks < 2 || blocks > MOST || block_size < 1 || block_size > MOST {
        return Err(CapacityError::Geometry { blocks, block_size, most: MOST });
    }
    Ok(())
}

/// Refuses a capacity of 0, and one of more than `max`.
pub(crate) const fn check_capacity(asked: usize, max: usize) -> Result<(), CapacityError> {
    match asked {
        0 => Err(CapacityError::Zero),
        _ if asked > max => Err(CapacityError::TooLarge { asked, max }),
        _ => Ok(()),
    }
}

/// Defines a queue's public `Geometry`: its blocks and their size, checked, and the capacity that
/// follows.
///
/// The queue adds `for_capacity`. `$fits` is the first line of `capacity`'s documentation.
macro_rules! geometry {
    ($(#[$about:meta])* $fits:literal) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct Geometry {
            blocks: usize,
            block_size: usize,
        }

        impl Geometry {
            /// Divides a queue into `blocks` blocks of `block_size` entries.
            ///
            /// # Errors
            /// [`CapacityError::Geometry`] unless there are 2 to 65,535 blocks of 1 to 65,535 entries (255
            /// on 32-bit machines).
            pub const fn new(blocks: usize, block_size: usize) -> Result<Self, CapacityError> {
                match $crate::division::check(blocks, block_size) {
                    Ok(()) => Ok(Self { blocks, block_size }),
                    Err(impossible) => Err(impossible),
                }
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

            #[doc = $fits]
            ///
            /// A block is reused only as a whole, so a queue may refuse items from `(blocks - 1) *
            /// block_size` on. It never holds more than `blocks * block_size`.
            #[must_use]
            pub const fn capacity(self) -> usize {
                // One block does not count, because a block is reused only as a whole.
                (self.blocks - 1) * self.block_size
            }
        }

        #[cfg(test)]
        mod shared_tests {
            use super::*;
            use $crate::division::MOST;

            #[test]
            fn what_is_asked_fits() {
                for capacity in (1..5000).chain([1 << 16, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 1 << 30]) {
                    if usize::BITS < 64 && capacity > 1 << 15 {
                        continue;
                    }
                    let geometry = Geometry::for_capacity(capacity).expect("a capacity that is possible");
                    assert!(geometry.capacity() >= capacity, "{geometry:?} for {capacity}");
                    assert!(geometry.capacity() - capacity < geometry.blocks(), "{geometry:?} for {capacity}");
                }
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
    };
}
pub(crate) use geometry;

/// Returns the layout of `blocks` blocks of `stride` bytes each, if there can be memory for them.
pub(crate) fn layout(stride: usize, align: usize, blocks: usize) -> Option<Layout> {
    let bytes = stride.checked_mul(blocks)?;
    if bytes > most_bytes(align) { None } else { Layout::from_size_align(bytes, align).ok() }
}

/// Returns the last number of `low..=high` up to which `holds` is true.
///
/// `holds(low)` is taken to be true. (`holds` is a reference so that all types of items share one
/// copy of this code.)
#[inline]
pub(crate) fn last(mut low: usize, mut high: usize, holds: &dyn Fn(usize) -> bool) -> usize {
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if holds(middle) { low = middle } else { high = middle - 1 }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_is_found() {
        for high in 0..20 {
            for wanted in 0..=high {
                assert_eq!(last(0, high, &|number| number <= wanted), wanted);
            }
            assert_eq!(last(high, high, &|_| false), high);
        }
    }

    #[test]
    fn limits_are_kept() {
        assert!(check(2, 1).is_ok() && check(MOST, MOST).is_ok());
        for (blocks, block_size) in [(0, 1), (1, 1), (2, 0), (MOST + 1, 1), (2, MOST + 1)] {
            assert_eq!(check(blocks, block_size), Err(CapacityError::Geometry { blocks, block_size, most: MOST }));
        }
        assert_eq!(check_capacity(0, 7), Err(CapacityError::Zero));
        assert_eq!(check_capacity(8, 7), Err(CapacityError::TooLarge { asked: 8, max: 7 }));
        assert_eq!(check_capacity(7, 7), Ok(()));
        assert!(layout(64, 64, 3).is_some_and(|it| it.size() == 192) && layout(usize::MAX / 2, 64, 3).is_none());
    }
}
