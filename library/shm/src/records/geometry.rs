//! Sizes of a ring of records.

use crate::error::CapacityError;
use crate::layout::{Kind, Numbers, head, words};
use crate::pod::WORD;

/// The sizes of a ring of records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    /// Words of the ring: a power of two.
    pub(super) ring: usize,
    /// Number of words after which the consumer reports its position.
    pub(super) report: u64,
    capacity: u64,
    longest: usize,
}

impl Geometry {
    /// Returns the geometry of a queue for at least `bytes` bytes.
    ///
    /// A record takes 8 bytes besides its own, which are rounded up to whole words.
    ///
    /// # Errors
    /// [`CapacityError`] if no record of one byte would fit, or the queue would be larger than all
    /// memory.
    pub fn new(bytes: usize) -> Result<Self, CapacityError> {
        let words = bytes.div_ceil(WORD);
        let needed = words.checked_add(1).and_then(|words| words.checked_mul(8)).ok_or(CapacityError::TooLarge)?;
        let ring = needed.div_ceil(7).checked_next_power_of_two().ok_or(CapacityError::TooLarge)?;
        Self::with_ring(bytes, ring, (ring as u64 / 8).max(1))
    }

    /// Returns a geometry with a ring of `ring` words. The consumer reports after `report` words.
    ///
    /// For tests: a short ring wraps sooner.
    #[doc(hidden)]
    pub fn with_ring(bytes: usize, ring: usize, report: u64) -> Result<Self, CapacityError> {
        let capacity = bytes as u64;
        if bytes.div_ceil(WORD) < 2 || report == 0 || !ring.is_power_of_two() {
            return Err(CapacityError::Zero);
        }
        words(1, ring as u64).ok_or(CapacityError::TooLarge)?;
        Self::sound(ring, report, capacity).ok_or(CapacityError::TooLarge)
    }

    /// Checks that with the numbers of a header each operation stays within the memory, and both
    /// sides can make progress.
    pub(super) fn checked(numbers: &Numbers) -> Option<Self> {
        let ring = usize::try_from(numbers.units).ok()?;
        let is_ring = numbers.unit == 1 && ring.is_power_of_two() && numbers.report > 0;
        if is_ring { Self::sound(ring, numbers.report, numbers.capacity) } else { None }
    }

    /// Returns a geometry if the ring has room for the capacity, the 0 behind it, and the words
    /// that are not reported yet.
    fn sound(ring: usize, report: u64, capacity: u64) -> Option<Self> {
        let words = capacity.div_ceil(WORD as u64);
        let needed = words.checked_add(report)?.checked_add(1)?;
        let longest = (words.checked_sub(2)? + 1).min(u64::from(u32::MAX) / WORD as u64) as usize * WORD;
        (needed <= ring as u64).then_some(Self { ring, report, capacity, longest })
    }

    /// The numbers for a header.
    pub(super) fn numbers(&self, tag: u64, page: u64) -> Numbers {
        Numbers {
            kind: Kind::Records,
            item_bytes: 1,
            item_align: 1,
            capacity: self.capacity,
            unit: 1,
            units: self.ring as u64,
            report: self.report,
            page,
            tag,
            places: [0; 2],
        }
    }

    /// Returns how many words of memory a queue needs.
    #[must_use]
    pub fn words(&self) -> usize {
        head::WORDS + self.ring
    }

    /// Returns the length of the longest record that fits.
    #[must_use]
    #[inline(always)]
    pub fn max_len(&self) -> usize {
        self.longest
    }

    /// The index in the ring of the word at a position.
    #[inline(always)]
    pub(super) fn index(&self, position: u64) -> usize {
        position as usize & (self.ring - 1)
    }
}

/// Returns how many words a record takes.
#[inline(always)]
pub(super) fn words_of(len: usize) -> u64 {
    1 + len.div_ceil(WORD) as u64
}
