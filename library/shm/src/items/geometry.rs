//! Sizes of a queue's ring, and positions in it.

use crate::error::CapacityError;
use crate::layout::{Kind, Numbers, head, words};
use crate::pod::{Pod, words_of};

/// Number of units after which the consumer reports its position. Fewer would move the report's
/// cache line more often, and more would make the producer wait.
const REPORT_EVERY: u64 = 4;

/// The sizes of a queue's ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    item_words: usize,
    /// Words of a unit, and the number of items that fit into it.
    pub(super) unit: usize,
    pub(super) slots: u64,
    pub(super) units: u64,
    /// Number of items after which the consumer reports its position.
    pub(super) report: u64,
    capacity: u64,
}

/// Place of an item in the ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// The word with the unit's stamp.
    pub(super) stamp: usize,
    /// The first word of the item.
    pub(super) slot: usize,
    /// Number of the first item behind the unit.
    pub(super) end: u64,
}

impl Geometry {
    /// Returns the geometry of a queue for at least `capacity` items.
    ///
    /// # Errors
    /// [`CapacityError`] if `capacity` or the size of an item is 0, or the queue would be larger
    /// than all memory.
    pub fn new<T: Pod>(capacity: usize) -> Result<Self, CapacityError> {
        let item = words_of::<T>();
        // The shortest unit, in whole cache lines, with items in at least three quarters of its
        // words.
        let is_full = |unit: &usize| (unit - 1) / item.max(1) * item * 4 >= unit * 3;
        let unit = [8, 16, 32].into_iter().find(is_full).unwrap_or((item + 1).next_multiple_of(8));
        Self::with_units::<T>(capacity, unit, REPORT_EVERY)
    }

    /// Returns a geometry with units of `unit` words, stamp included. The consumer reports after
    /// `report_every` units.
    ///
    /// For tests: a short unit fills sooner.
    #[doc(hidden)]
    pub fn with_units<T: Pod>(capacity: usize, unit: usize, report_every: u64) -> Result<Self, CapacityError> {
        let item_words = words_of::<T>();
        if item_words == 0 || capacity == 0 || unit <= item_words || report_every == 0 {
            return Err(CapacityError::Zero);
        }
        let slots = ((unit - 1) / item_words) as u64;
        let capacity = capacity as u64;
        // One unit stays between the two sides, and up to `report_every` are not reported yet.
        let units = capacity.div_ceil(slots).checked_add(report_every + 1).ok_or(CapacityError::TooLarge)?;
        words(unit as u64, units).ok_or(CapacityError::TooLarge)?;
        Ok(Self { item_words, unit, slots, units, report: report_every * slots, capacity })
    }

    /// Checks that with the numbers of a header each operation stays within the memory, and both
    /// sides can make progress.
    pub(super) fn checked<T: Pod>(numbers: &Numbers) -> Option<Self> {
        let item_words = words_of::<T>();
        let unit = usize::try_from(numbers.unit).ok()?;
        let slots = (unit.checked_sub(1)?.checked_div(item_words)?) as u64;
        let items = slots.checked_mul(numbers.units)?;
        let kept = numbers.report.checked_add(slots)?.checked_add(numbers.capacity)?;
        let is_sound = slots > 0 && numbers.capacity > 0 && numbers.report > 0 && kept <= items;
        let (units, report, capacity) = (numbers.units, numbers.report, numbers.capacity);
        is_sound.then_some(Self { item_words, unit, slots, units, report, capacity })
    }

    /// The numbers for a header.
    pub(super) fn numbers<T: Pod>(&self, tag: u64, page: u64) -> Numbers {
        Numbers {
            kind: Kind::Items,
            item_bytes: size_of::<T>() as u64,
            item_align: align_of::<T>() as u64,
            capacity: self.capacity,
            unit: self.unit as u64,
            units: self.units,
            report: self.report,
            page,
            tag,
            places: [0; 2],
        }
    }

    /// Returns how many words of memory a queue needs.
    #[must_use]
    pub fn words(&self) -> usize {
        self.end()
    }

    /// Returns how many items fit, at least.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity as usize
    }

    /// The word behind the ring.
    pub(super) fn end(&self) -> usize {
        head::WORDS + self.unit * self.units as usize
    }

    /// Number of items that the producer may be ahead of the consumer's report.
    pub(super) fn allowance(&self) -> u64 {
        (self.units - 1) * self.slots
    }

    /// Index of the stamp of the item's unit.
    pub(super) fn stamp(&self, item: u64) -> usize {
        head::WORDS + (item / self.slots % self.units) as usize * self.unit
    }

    /// The place of a handle whose next item has this number. If a unit begins with that item, the
    /// handle is still at the end of the unit before.
    pub(super) fn place(&self, next: u64) -> Place {
        let used = next % self.slots;
        if used == 0 {
            // The end of the unit before.
            let stamp = if self.stamp(next) == head::WORDS { self.end() } else { self.stamp(next) } - self.unit;
            return Place { stamp, slot: stamp + self.unit, end: next };
        }
        let stamp = self.stamp(next);
        Place { stamp, slot: stamp + 1 + used as usize * self.item_words, end: next - used + self.slots }
    }

    /// Moves the place to the start of the next unit.
    #[inline(always)]
    pub(super) fn enter_next(&self, place: &mut Place) {
        place.stamp += self.unit;
        if place.stamp == self.end() {
            place.stamp = head::WORDS;
        }
        place.slot = place.stamp + 1;
        place.end += self.slots;
    }
}
