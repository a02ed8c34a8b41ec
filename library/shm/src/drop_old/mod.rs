//! A queue of fixed-size items that never is full: a push overwrites the oldest item. Many producers, any number of
//! readers.
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
//! // Each reader gets all items but those that were overwritten before, which it counts.
//! assert_eq!((reader.read()?, reader.lost()), (2, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//! * Items have one order, which all readers see. Each reader gets each item once, or counts it as lost: the items that
//!   it has read and lost are all that were pushed since it came.
//! * A push takes place by one compare-exchange. It is lock-free, and with one producer it is wait-free; no reader
//!   holds it up.
//! * A reader writes nothing into the memory, but to say that it sleeps. So it needs no place, there can be any number
//!   of them, and one that is killed or stopped leaves nothing behind. A read is bounded: a reader that producers
//!   overtake again and again passes over more each time, and over all but the newest item in the end.
//! * A producer that is killed has put in each item whose push returned, and at most one more. A reader never gets
//!   parts of two items.
//! * Whatever other processes write into the memory, an operation ends after at most about two laps of the ring, and
//!   accesses no other memory.
//!
//! # Design
//! Items lie in the cells of [`mpmc`](crate::mpmc#design), whose page says how cells change hands, and what a dead
//! process leaves. Here each lap of the ring begins with turn `2 n`, too, but only producers exchange: each exchange
//! adds 2 to a slot's turn, and a cell that comes out of a slot has the item that is overwritten.
//!
//! A reader reads an item from a slot's cell, and then the slot's word again. If the word is the one that it has read
//! before, nobody has written the cell meanwhile, because its next owner writes it only after the exchange. The words
//! of a slot never come again. Otherwise the slot's turn says how many items the reader has to pass over.
//!
//! # Costs
//! A push is a compare-exchange and some stores into lines that no other process writes; a read has no store. A cell
//! has whole cache lines; the number of slots is the capacity, rounded up to a power of two.
//!
//! # When not to use it
//! For bytes of any length: [`records`].
//! If each item is for one consumer only: [`mpmc`](crate::mpmc). If nothing may be lost: any other queue.

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

/// The sizes of a queue: how many items it keeps, and how many places for producers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry(cells::Geometry);

impl Geometry {
    /// Returns the geometry of a queue that keeps at least the last `capacity` items, for at most `producers`
    /// producers at a time.
    ///
    /// # Errors
    /// [`CapacityError`] if a number or the size of an item is 0, or the queue would be larger than all memory.
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

/// A queue in a memory: handles of both sides can be taken from it.
pub struct Queue<T, M> {
    memory: M,
    geometry: Geometry,
    _items: PhantomData<fn() -> T>,
}

impl<T: Pod, M: Memory> Queue<T, M> {
    /// Makes an empty queue in the memory, whatever was there. No other handle may use the memory.
    ///
    /// # Errors
    /// [`CapacityError::TooLarge`] if the memory has fewer words than [`Geometry::words`] says.
    pub fn create(memory: M, geometry: Geometry, tag: u64) -> Result<Self, CapacityError> {
        let Geometry(cells) = geometry;
        let numbers = cells.numbers::<T>(Kind::DropOld, tag, memory.page());
        layout::create_filled(memory.words(), &numbers, cells.words(), |words| cells::fill(words, &cells))?;
        Ok(Self { memory, geometry, _items: PhantomData })
    }

    /// Finds the queue that is in the memory.
    ///
    /// # Errors
    /// [`AttachError`] says how the found queue differs.
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
    /// [`ClaimError::Taken`] if handles have all of them; [`ClaimError::Kept`] in a region, whose kernel's locks
    /// `take_producer` takes.
    pub fn producer(&self) -> Result<Producer<T, M>, ClaimError>
    where
        M: Clone,
    {
        layout::unless_kept(&self.memory)?;
        any(self.geometry.producers(), |place| self.producer_in(self.memory.clone(), place, Claim::Free))
    }

    /// Takes the place of a producer that is dead: its thread or process runs no more. Its handle's
    /// [`place`](Producer::place) was this one.
    ///
    /// The new handle has the number `owner`, which is not 0. With two live producers in a place, items get lost or
    /// mixed up. Regions (on Linux) ask the kernel.
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

    /// Makes a reader, which begins with the oldest item that is there.
    ///
    /// # Errors
    /// [`ClaimError::Damaged`] if some process has overwritten the memory.
    pub fn reader(&self) -> Result<Reader<T, M>, ClaimError>
    where
        M: Clone,
    {
        self.reader_in(self.memory.clone())
    }

    /// Takes this producer's place, with a memory that may be another handle of the queue's.
    pub(crate) fn producer_in<N: Memory>(
        &self,
        memory: N,
        place: usize,
        claim: Claim,
    ) -> Result<Producer<T, N>, ClaimError> {
        assert!(place < self.geometry.producers(), "the queue has fewer places of producers");
        Producer::new(memory, self.geometry.0, place as u64, claim)
    }

    /// Makes a reader, with a memory that may be another handle of the queue's.
    pub(crate) fn reader_in<N: Memory>(&self, memory: N) -> Result<Reader<T, N>, ClaimError> {
        Reader::new(memory, self.geometry.0)
    }

    /// Returns how many items the queue keeps, at least.
    pub fn capacity(&self) -> usize {
        self.geometry.capacity()
    }

    /// Returns the number of the handle that has this producer's place, as it wrote it, or 0.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn producers_owner(&self, place: usize) -> u64 {
        assert!(place < self.geometry.producers(), "the queue has fewer places of producers");
        self.memory.words()[self.geometry.0.place(place as u64)].load(Ordering::Relaxed) & layout::OWNER
    }
}

front::queue! { [T], (producers, capacity), Geometry::new::<T>(producers, capacity) }
