//! A broadcast queue of fixed-size items that is never full: a push overwrites the oldest item. It
//! has many producers and any number of readers.
//!
//! # Examples
//! ```
//! use aqueduct_shm::{PopError, Word, drop_old};
//!
//! // At most two producers at a time. In regions (on Linux): `drop_old::Queue::in_region`.
//! let geometry = drop_old::Geometry::new::<u32>(2, 4)?;
//! let memory: Vec<Word> = (0..geometry.words()).map(|_| Word::new(0)).collect();
//! let queue = drop_old::Queue::<u32, _>::create(&memory[..], geometry, 0)?;
//! let (mut producer, mut reader) = (queue.producer()?, queue.reader()?);
//! for number in 0..6 {
//!     producer.push(number)?;
//! }
//! // Each reader gets all items except those that were overwritten, which it counts.
//! assert_eq!((reader.read()?, reader.lost()), (2, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//! * All readers see the items in one order. Each reader gets each item once, or counts it as lost:
//!   its read and lost items are all that were pushed since it was made.
//! * A push takes effect by one compare-exchange. It is lock-free, and with one producer wait-free.
//!   No reader delays it.
//! * A reader writes nothing into the memory except when it sleeps or arms its event. So it needs
//!   no place, there can be any number of readers, and one that is killed or stopped leaves nothing
//!   behind. A read is bounded: if producers overtake a reader repeatedly, it skips more items each
//!   time, and finally all but the newest one.
//! * If a producer is killed, the queue has each item whose push returned, and at most one more. A
//!   reader never gets parts of two items.
//! * Whatever other processes write into the memory, an operation ends after at most about two laps
//!   of the ring, and accesses no other memory.
//!
//! # Design
//! Items lie in cells as in [`mpmc`](crate::mpmc#design). That page describes how cells change
//! owners, and how a dead process's place is recovered. Lap `n` of the ring begins with turn `2 n`
//! here too, but only producers exchange: each exchange adds 2 to a slot's turn, and the producer
//! gets the cell of the overwritten item.
//!
//! A reader reads the slot's word, the item in its cell, and the word again. If both words are
//! equal, no producer has written the cell meanwhile, because the cell's next owner writes it only
//! after the exchange, and a slot's words never recur. Otherwise the slot's turn shows how many
//! items the reader has to skip.
//!
//! # Costs
//! A push is a compare-exchange and some stores into lines that no other process writes; a read has
//! no store. A cell has whole cache lines; the number of slots is the capacity, rounded up to a
//! power of two.
//!
//! # When not to use it
//! For bytes of any length: [`records`]. If each item is for one consumer only:
//! [`mpmc`](crate::mpmc). If no item may be lost: any other queue.

mod producer;
mod reader;
pub mod records;

use core::marker::PhantomData;

use crate::cells::{self, any};
use crate::error::{AttachError, CapacityError, ClaimError};
use crate::front;
use crate::layout::{self, Claim, Expected, Kind, Memory};
use crate::pod::Pod;
use crate::sync::Ordering;

pub use producer::Producer;
pub use reader::Reader;

/// The sizes of a queue: the number of items that it keeps, and its number of places for producers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry(cells::Geometry);

impl Geometry {
    /// Returns the geometry of a queue that keeps at least the last `capacity` items, for at most
    /// `producers` producers at a time.
    ///
    /// # Errors
    /// [`CapacityError`] if a number or the size of an item is 0, or the queue would be larger than
    /// all memory.
    pub fn new<T: Pod>(producers: usize, capacity: usize) -> Result<Self, CapacityError> {
        Self::with_cells::<T>(producers, capacity, cells::Geometry::cell_of_lines::<T>())
    }

    /// Returns a geometry with cells of `cell` words, the owner's included.
    ///
    /// For tests: a model has few words.
    #[doc(hidden)]
    pub fn with_cells<T: Pod>(producers: usize, capacity: usize, cell: usize) -> Result<Self, CapacityError> {
        cells::Geometry::with_places::<T>([producers, 0], capacity, cell).map(Self)
    }

    /// Returns how many words of memory a queue needs.
    #[must_use]
    pub fn words(&self) -> usize {
        self.0.words()
    }

    /// Returns how many bytes of memory a queue needs.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Returns how many items the queue keeps, at least.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.0.capacity()
    }

    /// Returns how many producers there can be at a time.
    #[must_use]
    pub fn producers(&self) -> usize {
        self.0.producers()
    }
}

/// A queue in a [`Memory`], from which handles of both sides can be taken.
pub struct Queue<T, M> {
    memory: M,
    geometry: Geometry,
    _items: PhantomData<fn() -> T>,
}

impl<T: Pod, M: Memory> Queue<T, M> {
    /// Makes an empty queue in the memory, and overwrites the memory's contents. No other handle
    /// may use the memory.
    ///
    /// # Errors
    /// [`CapacityError::TooLarge`] if the memory has fewer words than [`Geometry::words`] returns.
    pub fn create(memory: M, geometry: Geometry, tag: u64) -> Result<Self, CapacityError> {
        let Geometry(cells) = geometry;
        let numbers = cells.numbers::<T>(Kind::DropOld, tag, memory.page());
        layout::create_filled(memory.words(), &numbers, cells.words(), |words| cells::fill(words, &cells))?;
        Ok(Self { memory, geometry, _items: PhantomData })
    }

    /// Attaches to the queue in the memory.
    ///
    /// # Errors
    /// [`AttachError`], with the expected value and the found one.
    pub fn attach(memory: M, expected: &Expected) -> Result<Self, AttachError> {
        let words = memory.words();
        let numbers = layout::attach(words, (Kind::DropOld, size_of::<T>(), align_of::<T>()), expected)?;
        let is_sound = numbers.places[1] == 0;
        let cells = cells::Geometry::checked::<T>(&numbers, words.len()).filter(|_| is_sound);
        Ok(Self { memory, geometry: Geometry(cells.ok_or(AttachError::Geometry)?), _items: PhantomData })
    }

    /// Takes a producer's place that no handle has.
    ///
    /// # Errors
    /// [`ClaimError::Taken`] if handles have all places that are not damaged, and
    /// [`ClaimError::Damaged`] if all places are; [`ClaimError::Kept`] in a region, where
    /// `take_producer` takes the kernel's lock.
    pub fn producer(&self) -> Result<Producer<T, M>, ClaimError>
    where
        M: Clone,
    {
        layout::unless_kept(&self.memory)?;
        any(self.geometry.producers(), |place| self.producer_in(self.memory.clone(), place, Claim::Free))
    }

    /// Takes the place of a dead producer, whose thread or process has ended. `place` is the number
    /// that its handle's [`place`](Producer::place) returned.
    ///
    /// The new handle has the number `owner`, which is not 0. With two live producers in a place,
    /// items get lost or mixed up. In regions (on Linux), `take_producer` asks the kernel instead.
    ///
    /// # Errors
    /// [`ClaimError::Damaged`] if the words of the place are impossible.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn replace_producer(&self, place: usize, owner: u32) -> Result<Producer<T, M>, ClaimError>
    where
        M: Clone,
    {
        layout::unless_kept(&self.memory)?;
        self.producer_in(self.memory.clone(), place, Claim::Replace(owner))
    }

    /// Makes a reader, which starts with the oldest item in the queue.
    ///
    /// # Errors
    /// [`ClaimError::Damaged`] if some process has overwritten the memory.
    pub fn reader(&self) -> Result<Reader<T, M>, ClaimError>
    where
        M: Clone,
    {
        self.reader_in(self.memory.clone())
    }

    /// Takes this producer's place. `memory` may be another handle of the queue's memory.
    pub(crate) fn producer_in<N: Memory>(
        &self,
        memory: N,
        place: usize,
        claim: Claim,
    ) -> Result<Producer<T, N>, ClaimError> {
        assert!(place < self.geometry.producers(), "the queue has fewer places of producers");
        Producer::new(memory, self.geometry.0, place as u64, claim)
    }

    /// Makes a reader. `memory` may be another handle of the queue's memory.
    pub(crate) fn reader_in<N: Memory>(&self, memory: N) -> Result<Reader<T, N>, ClaimError> {
        Reader::new(memory, self.geometry.0)
    }

    /// Returns how many items the queue keeps, at least.
    pub fn capacity(&self) -> usize {
        self.geometry.capacity()
    }

    /// Returns the number of the handle that has this producer's place, or 0. Any process may have
    /// overwritten it.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn producers_owner(&self, place: usize) -> u64 {
        assert!(place < self.geometry.producers(), "the queue has fewer places of producers");
        self.memory.words()[self.geometry.0.place(place as u64)].load(Ordering::Relaxed) & layout::OWNER
    }
}

front::queue! { [T], (producers, capacity), Geometry::new::<T>(producers, capacity) }
