//! A queue of fixed-size items for many producers and many consumers, in memory that the caller
//! provides.
//!
//! # Examples
//! ```
//! use aqueduct_shm::{Word, mpmc};
//!
//! // Up to two producers and three consumers. In regions (on Linux): `mpmc::Queue::in_region`.
//! let geometry = mpmc::Geometry::new::<u32>(2, 3, 100)?;
//! let memory: Vec<Word> = (0..geometry.words()).map(|_| Word::new(0)).collect();
//! let queue = mpmc::Queue::<u32, _>::create(&memory[..], geometry, 0)?;
//! let (mut producer, mut consumer) = (queue.producer()?, queue.consumer()?);
//! producer.push(7)?;
//! assert_eq!(consumer.pop()?, 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//! * The queue is linearizable: items come out in the order in which they were pushed. If an
//!   operation returns `Full` or `Empty`, the queue was so at one moment during the call, as far as
//!   the calling thread can observe.
//! * A push takes effect by one compare-exchange, and so does a pop. Both are lock-free: one that
//!   fails has lost against one that succeeded. A process that is killed or stopped at any step
//!   delays no other one.
//! * If a producer is killed, the queue has each item whose push returned, and at most one more. No
//!   kill reduces the capacity.
//! * If a consumer is killed in [`pop`](Consumer::pop) after it has taken an item, the item is not
//!   lost: the next consumer in that place gets it first. So `pop` delivers an item at most once;
//!   [`peek`](Consumer::peek) and [`release`](Consumer::release) deliver it at least once.
//! * Whatever other processes write into the memory, an operation ends after at most about two laps
//!   of the ring, and accesses no other memory.
//!
//! # Design
//! Items lie in *cells*. There is a cell for each slot of the ring and for each place of a producer
//! or consumer, and each cell belongs to one slot or one place at any time.
//!
//! 1. A slot is one word: the number of a cell, and the slot's *turn*, which counts the exchanges.
//!    In even turns the cell is free, in odd turns it has an item: lap `n` of the ring begins with
//!    turn `2 n`.
//! 2. A producer writes the item into the cell of its place. Then it exchanges this cell for the
//!    free one of the next slot. From then on, its place has that cell. A consumer exchanges the
//!    cell of its place for the one with the next item. So no operation waits for a cell, no cell
//!    gets lost, and only a cell's owner accesses it.
//! 3. Two hints hold the numbers behind the last push and behind the last pop. A hint may be old,
//!    because processes store it after their exchange, in any order. All numbers before it were
//!    pushed or popped; the slots' turns show how many more.
//! 4. A turn grows with each exchange, so a word never recurs: an exchange that succeeds does so at
//!    the queue's end.
//!
//! # Recovery of a dead process's place
//! A place has three words: its handle, its cell, and its *intent*, the word that it attempts to
//! replace. After an exchange, the process writes its place into the cell, as the owner, and the
//! cell into its place. If it was killed between the exchange and these stores, it owns the cell of
//! its intent, and not the one in its place. Its successor has to decide whether the exchange took
//! effect, while other processes continue. It did if and only if one of these conditions holds,
//! checked in this order:
//!
//! 1. A slot has the word that the exchange would have stored: the next turn with the old cell.
//! 2. That word is the intent of another place, whose process has seen it in the ring.
//! 3. Another place is the owner of the old cell.
//!
//! For if the exchange took effect and the word is in no slot, another process has exchanged it
//! away. That process stored the word as its intent before, and it stores no other intent before it
//! has written its place into the cell. A word of a turn and a cell is in the ring at most once,
//! because a cell enters the ring with a greater turn each time.
//!
//! # Costs
//! A push and a pop are a compare-exchange each, and some stores into lines that no other process
//! writes. A cell has whole cache lines, and a place a pair of them; the number of slots is the
//! capacity, rounded up to a power of two. Taking the place of a process that was killed in the
//! middle of an operation reads each slot and each place.
//!
//! # When not to use it
//! With one consumer: [`items`](crate::items) for one producer, and [`mpsc`](crate::mpsc) for many,
//! have more throughput, because each of their words is written by one process.

mod consumer;
mod producer;

use core::marker::PhantomData;

use crate::cells::{self, any};
use crate::error::{AttachError, CapacityError, ClaimError};
use crate::front;
use crate::layout::{self, Claim, Expected, Kind, Memory};
use crate::pod::Pod;
use crate::sync::Ordering;

pub use crate::cells::Geometry;
pub use consumer::Consumer;
pub use producer::Producer;

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
        let numbers = geometry.numbers::<T>(Kind::Mpmc, tag, memory.page());
        layout::create_filled(memory.words(), &numbers, geometry.words(), |words| cells::fill(words, &geometry))?;
        Ok(Self { memory, geometry, _items: PhantomData })
    }

    /// Attaches to the queue in the memory.
    ///
    /// # Errors
    /// [`AttachError`], with the expected value and the found one.
    pub fn attach(memory: M, expected: &Expected) -> Result<Self, AttachError> {
        let words = memory.words();
        let numbers = layout::attach(words, (Kind::Mpmc, size_of::<T>(), align_of::<T>()), expected)?;
        let is_sound = numbers.places[1] != 0;
        let geometry =
            Geometry::checked::<T>(&numbers, words.len()).filter(|_| is_sound).ok_or(AttachError::Geometry)?;
        Ok(Self { memory, geometry, _items: PhantomData })
    }

    /// Takes a producer's place that no handle has.
    ///
    /// # Errors
    /// [`ClaimError::Taken`] if handles have all places that are not damaged, and
    /// [`ClaimError::Damaged`] if all places are; [`ClaimError::Kept`] in a region, where
    /// `take_producer` and `take_consumer` take the kernel's locks.
    pub fn producer(&self) -> Result<Producer<T, M>, ClaimError>
    where
        M: Clone,
    {
        layout::unless_kept(&self.memory)?;
        any(self.geometry.producers(), |place| self.producer_in(self.memory.clone(), place, Claim::Free))
    }

    /// Takes a consumer's place that no handle has.
    ///
    /// # Errors
    /// [`ClaimError::Taken`] if handles have all places that are not damaged, and
    /// [`ClaimError::Damaged`] if all places are; [`ClaimError::Kept`] in a region, where
    /// `take_producer` and `take_consumer` take the kernel's locks.
    pub fn consumer(&self) -> Result<Consumer<T, M>, ClaimError>
    where
        M: Clone,
    {
        layout::unless_kept(&self.memory)?;
        any(self.geometry.consumers(), |place| self.consumer_in(self.memory.clone(), place, Claim::Free))
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

    /// Takes the place of a dead consumer, whose thread or process has ended. `place` is the number
    /// that its handle's [`place`](Consumer::place) returned.
    ///
    /// The new handle has the number `owner`, which is not 0. With two live consumers in a place,
    /// items get lost or are popped twice. In regions (on Linux), `take_consumer` asks the kernel
    /// instead.
    ///
    /// # Errors
    /// [`ClaimError::Damaged`] if the words of the place are impossible.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn replace_consumer(&self, place: usize, owner: u32) -> Result<Consumer<T, M>, ClaimError>
    where
        M: Clone,
    {
        layout::unless_kept(&self.memory)?;
        self.consumer_in(self.memory.clone(), place, Claim::Replace(owner))
    }

    /// Takes this producer's place. `memory` may be another handle of the queue's memory.
    pub(crate) fn producer_in<N: Memory>(
        &self,
        memory: N,
        place: usize,
        claim: Claim,
    ) -> Result<Producer<T, N>, ClaimError> {
        assert!(place < self.geometry.producers(), "the queue has fewer places of producers");
        Producer::new(memory, self.geometry, place as u64, claim)
    }

    /// Takes this consumer's place. `memory` may be another handle of the queue's memory.
    pub(crate) fn consumer_in<N: Memory>(
        &self,
        memory: N,
        place: usize,
        claim: Claim,
    ) -> Result<Consumer<T, N>, ClaimError> {
        assert!(place < self.geometry.consumers(), "the queue has fewer places of consumers");
        Consumer::new(memory, self.geometry, (self.geometry.producers() + place) as u64, claim)
    }

    /// Returns how many items fit into the queue, at least.
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
        self.owner(place)
    }

    /// Returns the number of the handle that has this consumer's place, or 0. Any process may have
    /// overwritten it.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn consumers_owner(&self, place: usize) -> u64 {
        assert!(place < self.geometry.consumers(), "the queue has fewer places of consumers");
        self.owner(self.geometry.producers() + place)
    }

    /// Whether this consumer's place has a handle that was not dropped, or an item that a dropped
    /// one held. If no live handle has the place, its successor may get an item.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn may_hold(&self, place: usize) -> bool {
        assert!(place < self.geometry.consumers(), "the queue has fewer places of consumers");
        cells::is_used(self.memory.words(), &self.geometry, (self.geometry.producers() + place) as u64)
    }

    fn owner(&self, place: usize) -> u64 {
        self.memory.words()[self.geometry.place(place as u64)].load(Ordering::Relaxed) & layout::OWNER
    }
}

front::queue! { [T], (producers, consumers, capacity), Geometry::new::<T>(producers, consumers, capacity) }
