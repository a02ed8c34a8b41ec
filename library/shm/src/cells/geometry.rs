//! Sizes of a queue, and where its parts lie.

use super::Side;
use crate::error::CapacityError;
use crate::layout::{Kind, LINE, Numbers, PAIR, head, words};
use crate::pod::{Pod, words_of};

/// Binary logarithm of the words of a cache line.
const LINE_SHIFT: u32 = (LINE / 8).trailing_zeros();
/// Steps of an operation beyond two laps of the ring.
const ATTEMPTS: u64 = 256;

/// The sizes of a queue: its capacity, and its numbers of places for producers and consumers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    capacity: u64,
    producers: u64,
    consumers: u64,
    /// Words of a cell: one for its owner, and those of an item.
    cell: usize,
    /// Binary logarithm of the number of slots.
    shift: u32,
    /// Binary logarithm of the number of the slots' cache lines.
    lines: u32,
    /// Bits of a slot's word that hold a cell's number. The other bits are the turn.
    bits: u32,
    /// Indices of the words where the slots and the cells begin.
    first_slot: usize,
    first_cell: usize,
}

impl Geometry {
    /// Returns the geometry of a queue for at least `capacity` items, and at most `producers` and
    /// `consumers` at a time.
    ///
    /// # Errors
    /// [`CapacityError`] if a number or the size of an item is 0, or the queue would be larger than
    /// all memory.
    pub fn new<T: Pod>(producers: usize, consumers: usize, capacity: usize) -> Result<Self, CapacityError> {
        Self::with_cells::<T>(producers, consumers, capacity, Self::cell_of_lines::<T>())
    }

    /// Returns a geometry with cells of `cell` words, the owner's included.
    ///
    /// For tests: a model has few words.
    #[doc(hidden)]
    pub fn with_cells<T: Pod>(
        producers: usize,
        consumers: usize,
        capacity: usize,
        cell: usize,
    ) -> Result<Self, CapacityError> {
        if consumers == 0 {
            return Err(CapacityError::Zero);
        }
        Self::with_places::<T>([producers, consumers], capacity, cell)
    }

    /// Returns a geometry with these numbers of places. That of consumers may be 0.
    pub(crate) fn with_places<T: Pod>(places: [usize; 2], capacity: usize, cell: usize) -> Result<Self, CapacityError> {
        if places[0] == 0 || capacity == 0 || words_of::<T>() == 0 || cell <= words_of::<T>() {
            return Err(CapacityError::Zero);
        }
        Self::of(places.map(|places| places as u64), capacity as u64, cell as u64).ok_or(CapacityError::TooLarge)
    }

    /// Returns how many words a cell takes so that it shares no cache line with another one: owners
    /// change one by one.
    pub(crate) fn cell_of_lines<T: Pod>() -> usize {
        (1 + words_of::<T>()).next_multiple_of(LINE as usize / 8)
    }

    /// The geometry of these numbers, unless the queue is too large.
    fn of([producers, consumers]: [u64; 2], capacity: u64, cell: u64) -> Option<Self> {
        let slots = capacity.checked_next_power_of_two()?;
        let places = producers.checked_add(consumers)?;
        let cells = slots.checked_add(places)?;
        // If the queue's size, which `words` checks, fits into an address, so do the sizes of its
        // parts.
        let ring = slots.checked_next_multiple_of(PAIR as u64)?;
        let others = places.checked_mul(PAIR as u64)?.checked_add(ring)?;
        let all = cells.checked_mul(cell)?.checked_add(others)?;
        words(1, all)?;
        let first_slot = head::WORDS + usize::try_from(places).ok()? * PAIR;
        let shift = slots.trailing_zeros();
        Some(Self {
            capacity,
            producers,
            consumers,
            cell: usize::try_from(cell).ok()?,
            shift,
            lines: shift.saturating_sub(LINE_SHIFT),
            bits: u64::BITS - (cells - 1).leading_zeros(),
            first_slot,
            first_cell: first_slot + usize::try_from(ring).ok()?,
        })
    }

    /// Checks that with the numbers of a header each operation stays within `len` words. The caller
    /// checks the number of consumers.
    pub(crate) fn checked<T: Pod>(numbers: &Numbers, len: usize) -> Option<Self> {
        let is_sound = numbers.places[0] != 0 && numbers.capacity != 0 && numbers.unit > words_of::<T>() as u64;
        let geometry = Self::of(numbers.places, numbers.capacity, numbers.unit).filter(|_| is_sound)?;
        (words_of::<T>() > 0 && numbers.units == geometry.cells() && geometry.words() <= len).then_some(geometry)
    }

    /// The numbers for a header.
    pub(crate) fn numbers<T: Pod>(&self, kind: Kind, tag: u64, page: u64) -> Numbers {
        Numbers {
            kind,
            item_bytes: size_of::<T>() as u64,
            item_align: align_of::<T>() as u64,
            capacity: self.capacity,
            unit: self.cell as u64,
            units: self.cells(),
            report: 0,
            page,
            tag,
            places: [self.producers, self.consumers],
        }
    }

    /// Returns how many words of memory a queue needs.
    #[must_use]
    pub fn words(&self) -> usize {
        self.cell(self.cells())
    }

    /// Returns how many bytes of memory a queue needs.
    #[must_use]
    pub fn bytes(&self) -> usize {
        8 * self.words()
    }

    /// Returns how many items fit, at least.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity as usize
    }

    /// Returns how many producers there can be at a time.
    #[must_use]
    pub fn producers(&self) -> usize {
        self.producers as usize
    }

    /// Returns how many consumers there can be at a time.
    #[must_use]
    pub fn consumers(&self) -> usize {
        self.consumers as usize
    }

    /// The number of slots.
    pub(crate) fn slots(&self) -> u64 {
        1 << self.shift
    }

    /// The number of places of both sides. Those of producers come first.
    pub(crate) fn places(&self) -> u64 {
        self.producers + self.consumers
    }

    /// The number of cells: one for each slot, and one for each place.
    pub(crate) fn cells(&self) -> u64 {
        self.slots() + self.places()
    }

    /// The greatest number of steps of an operation. It ends whatever other processes write.
    pub(crate) fn max_steps(&self) -> u64 {
        2 * self.slots() + ATTEMPTS
    }

    /// The first word of a place.
    pub(crate) fn place(&self, place: u64) -> usize {
        head::WORDS + place as usize * PAIR
    }

    /// The word of a slot.
    ///
    /// Consecutive slots lie in different cache lines, as far as there are enough: two sides at
    /// neighbouring slots write different lines.
    #[inline(always)]
    pub(crate) fn slot(&self, number: u64) -> usize {
        let last = self.slots() - 1;
        let index = number & last;
        let rotated = index << (self.shift - self.lines) | index >> self.lines;
        self.first_slot + (rotated & last) as usize
    }

    /// The first word of a cell: its owner.
    #[inline(always)]
    pub(crate) fn cell(&self, cell: u64) -> usize {
        self.first_cell + cell as usize * self.cell
    }

    /// The word of a slot that has this cell in this turn.
    #[inline(always)]
    pub(crate) fn word(&self, turn: u64, cell: u64) -> u64 {
        turn << self.bits | cell
    }

    /// The turn of the slot with this word: how often its cell was exchanged, times `TURNS`.
    #[inline(always)]
    pub(crate) fn turn(&self, word: u64) -> u64 {
        word >> self.bits
    }

    /// The cell of a slot with this word, if there is such a cell.
    #[inline(always)]
    pub(crate) fn cell_of(&self, word: u64) -> Option<u64> {
        let cell = word & ((1 << self.bits) - 1);
        (cell < self.cells()).then_some(cell)
    }

    /// The slot's turn at which the side may exchange for this number.
    #[inline(always)]
    pub(crate) fn due(&self, side: Side, number: u64) -> u64 {
        2 * (number >> self.shift) + side as u64
    }

    /// Returns the number behind the last one for which the side has exchanged at the slot of
    /// `number`. The side must have exchanged there.
    #[inline(always)]
    pub(crate) fn behind(&self, side: Side, number: u64, turn: u64) -> u64 {
        let lap = (turn - 1 - side as u64) / 2;
        (lap << self.shift | number & (self.slots() - 1)) + 1
    }

    /// The least number that no operation may reach: from it on, turns do not fit into their words.
    #[inline(always)]
    pub(crate) fn limit(&self) -> u64 {
        self.slots() << (u64::BITS - 2 - self.bits)
    }
}
