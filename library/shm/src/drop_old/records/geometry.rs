//! Sizes of a ring of records in which the oldest ones are overwritten.

use crate::bytes::len_of;
use crate::error::CapacityError;
use crate::layout::{Kind, Numbers, head, words};
use crate::pod::WORD;
use crate::sync::{Ordering, Word};

/// Words before a record's bytes: its head, and its number.
pub(super) const BEFORE: u64 = 2;
/// The greatest sound position or number. No producer lives long enough to exceed it.
pub(super) const LIMIT: u64 = u64::MAX / 2;
/// Number of records that one operation of a reader tries, if the producer overtakes it each time.
pub(super) const ATTEMPTS: u32 = 64;

/// The sizes of a queue of records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    /// Words of the ring: a power of two.
    pub(super) ring: usize,
    /// Number of words that a producer overwrites beyond those that it needs.
    pub(super) slack: u64,
    capacity: u64,
    longest: usize,
}

impl Geometry {
    /// Returns the geometry of a queue that keeps the last records, those of the last `bytes` bytes
    /// at least.
    ///
    /// A record takes 16 bytes besides its own, which are rounded up to whole words.
    ///
    /// # Errors
    /// [`CapacityError`] if no record of one byte would fit, or the queue would be larger than all
    /// memory.
    pub fn new(bytes: usize) -> Result<Self, CapacityError> {
        let needed = bytes.div_ceil(WORD).checked_mul(2 * 8).ok_or(CapacityError::TooLarge)?;
        let ring = needed.div_ceil(7).checked_next_power_of_two().ok_or(CapacityError::TooLarge)?;
        Self::with_ring(bytes, ring, ring as u64 / 8)
    }

    /// Returns a geometry with a ring of `ring` words. The producer overwrites `slack` words more
    /// than it needs.
    ///
    /// For tests: a short ring wraps sooner.
    #[doc(hidden)]
    pub fn with_ring(bytes: usize, ring: usize, slack: u64) -> Result<Self, CapacityError> {
        if bytes.div_ceil(WORD) as u64 <= BEFORE || !ring.is_power_of_two() {
            return Err(CapacityError::Zero);
        }
        words(1, ring as u64).ok_or(CapacityError::TooLarge)?;
        Self::sound(ring, slack, bytes as u64).ok_or(CapacityError::TooLarge)
    }

    /// Checks that with the numbers of a header each operation stays within the memory, and the
    /// newest record is kept.
    pub(super) fn checked(numbers: &Numbers) -> Option<Self> {
        let ring = usize::try_from(numbers.units).ok()?;
        let is_ring = numbers.unit == 1 && ring.is_power_of_two();
        if is_ring { Self::sound(ring, numbers.report, numbers.capacity) } else { None }
    }

    /// Returns a geometry if the ring has room for the kept records, one that is being written, and
    /// the slack.
    fn sound(ring: usize, slack: u64, capacity: u64) -> Option<Self> {
        let words = capacity.div_ceil(WORD as u64);
        let needed = words.checked_mul(2)?.checked_add(slack)?;
        let longest = words.checked_sub(BEFORE)?.min(u64::from(u32::MAX) / WORD as u64 - 1) as usize * WORD;
        (needed <= ring as u64 && longest > 0).then_some(Self { ring, slack, capacity, longest })
    }

    /// The numbers for a header.
    pub(super) fn numbers(&self, tag: u64, page: u64) -> Numbers {
        Numbers {
            kind: Kind::DropOldRecords,
            item_bytes: 1,
            item_align: 1,
            capacity: self.capacity,
            unit: 1,
            units: self.ring as u64,
            report: self.slack,
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

    /// Returns how many bytes of memory a queue needs.
    #[must_use]
    pub fn bytes(&self) -> usize {
        WORD * self.words()
    }

    /// Returns the length of the longest record.
    #[must_use]
    #[inline(always)]
    pub fn max_len(&self) -> usize {
        self.longest
    }

    /// The words of the ring.
    #[inline(always)]
    pub(super) fn ring<'m>(&self, words: &'m [Word]) -> &'m [Word] {
        &words[head::WORDS..self.words()]
    }

    /// The index in the ring of the word at a position.
    #[inline(always)]
    pub(super) fn index(&self, position: u64) -> usize {
        position as usize & (self.ring - 1)
    }

    /// Returns the length and the number of the record at a position. `None` if there is no sound
    /// record.
    #[inline(always)]
    pub(super) fn record(&self, ring: &[Word], position: u64) -> Option<(usize, u64)> {
        // Ordering: Relaxed. A reader's fence orders them; a producer reads what it wrote.
        let [head, number] = [0, 1].map(|word| ring[self.index(position + word)].load(Ordering::Relaxed));
        len_of(self.longest, position, head).filter(|_| number <= LIMIT).map(|len| (len, number))
    }
}

/// Returns how many words a record takes.
#[inline(always)]
pub(super) fn words_of(len: usize) -> u64 {
    BEFORE + len.div_ceil(WORD) as u64
}
