//! A queue of records, bytes of any length, for one producer and one consumer, in memory that the caller gives.
//!
//! # Examples
//! ```
//! use aqueduct_shm::{Word, records};
//!
//! let geometry = records::Geometry::new(4096)?;
//! let memory: Vec<Word> = (0..geometry.words()).map(|_| Word::new(0)).collect();
//! let queue = records::Queue::create(&memory[..], geometry, 0)?;
//! let (mut producer, mut consumer) = (queue.producer()?, queue.consumer()?);
//! producer.push(b"a record")?;
//! producer.push(b"")?;
//! assert_eq!(consumer.pop_vec()?, b"a record");
//! assert_eq!(consumer.pop_vec()?, b"");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//! * An operation takes as many steps as the record has words, and some. `Full` means that the record did not fit
//!   beside the records in the queue; `Empty` that there was no record.
//! * A record is in the queue from the moment at which its head is stored. A producer that is killed at any step has
//!   put in each record whose push returned, at most one more, and no part of one.
//! * [`Consumer::pop`] gives a record at most once, also where consumers are killed and replaced;
//!   [`Consumer::peek`] and [`Record::release`] give it at least once.
//! * Whatever other processes write into the memory, an operation ends after a bounded number of steps, and accesses no
//!   other memory. A record that is read while it is overwritten has any bytes.
//!
//! # Design
//! The ring has a power of two of words. Positions count words and never wrap. A record is a *head*, a word with its
//! length and the lower half of its position, and its bytes.
//!
//! 1. Only the producer writes the ring; only the consumer writes `taken` and `reported`.
//! 2. Where the next record will begin, there is 0. The producer stores the 0 behind a record first, then its bytes,
//!    then its head: until the last store, the queue ends before the record. So no index is shared, and bytes of
//!    old records are never taken for heads.
//! 3. `taken` is the position behind the records ever popped, in a line that the producer does not read. The successor
//!    of a dead consumer begins there.
//! 4. `reported`, which the producer reads when it has no more room, follows `taken`, an eighth of the ring and a
//!    record behind it at most. The successor of a dead producer goes from there from head to head until it finds the
//!    0.

mod bytes;
mod consumer;
mod geometry;
mod producer;

use crate::error::{AttachError, CapacityError, ClaimError};
use crate::layout::{self, Claim, Expected, Kind, Memory, head};
use crate::sync::Ordering;

pub use consumer::{Consumer, Record};
pub use geometry::Geometry;
pub use producer::Producer;

/// A queue of records in a memory: both sides can be taken from it.
#[derive(Clone)]
pub struct Queue<M> {
    memory: M,
    geometry: Geometry,
}

impl<M: Memory> Queue<M> {
    /// Makes an empty queue in the memory, whatever was there. No other handle may use the memory.
    ///
    /// # Errors
    /// [`CapacityError::TooLarge`] if the memory has fewer words than [`Geometry::words`] says.
    pub fn create(memory: M, geometry: Geometry, tag: u64) -> Result<Self, CapacityError> {
        layout::create(memory.words(), &geometry.numbers(tag, memory.page()))?;
        Ok(Self { memory, geometry })
    }

    /// Finds the queue that is in the memory.
    ///
    /// # Errors
    /// [`AttachError`] has the value found, and the expected one.
    pub fn attach(memory: M, expected: &Expected) -> Result<Self, AttachError> {
        let numbers = layout::attach(memory.words(), (Kind::Records, 1, 1), expected)?;
        let geometry = Geometry::checked(&numbers).ok_or(AttachError::Geometry)?;
        Ok(Self { memory, geometry })
    }

    /// Takes the producer's side.
    ///
    /// # Errors
    /// [`ClaimError::Taken`] if a handle has it; [`ClaimError::Kept`] in a region, whose kernel's lock `take_producer`
    /// and `take_consumer` take.
    pub fn producer(&self) -> Result<Producer<M>, ClaimError>
    where
        M: Clone,
    {
        layout::unless_kept(&self.memory)?;
        Producer::new(self.memory.clone(), self.geometry, Claim::Free)
    }

    /// Takes the consumer's side.
    ///
    /// # Errors
    /// [`ClaimError::Taken`] if a handle has it; [`ClaimError::Kept`] in a region, whose kernel's lock `take_producer`
    /// and `take_consumer` take.
    pub fn consumer(&self) -> Result<Consumer<M>, ClaimError>
    where
        M: Clone,
    {
        layout::unless_kept(&self.memory)?;
        Consumer::new(self.memory.clone(), self.geometry, Claim::Free)
    }

    /// Takes the producer's side in place of a handle that is dead: its thread or process runs no more.
    ///
    /// The new handle has the number `owner`, which is not 0. With two live producers, records get lost or mixed up.
    /// Regions (on Linux) ask the kernel.
    ///
    /// # Errors
    /// [`ClaimError::Damaged`] if the positions in the memory contradict each other.
    pub fn replace_producer(&self, owner: u64) -> Result<Producer<M>, ClaimError>
    where
        M: Clone,
    {
        layout::unless_kept(&self.memory)?;
        Producer::new(self.memory.clone(), self.geometry, Claim::Replace(owner))
    }

    /// Takes the consumer's side in place of a handle that is dead: its thread or process runs no more.
    ///
    /// The new handle has the number `owner`, which is not 0. With two live consumers, records get lost or are given
    /// twice. Regions (on Linux) ask the kernel.
    ///
    /// # Errors
    /// [`ClaimError::Damaged`] if the positions in the memory contradict each other.
    pub fn replace_consumer(&self, owner: u64) -> Result<Consumer<M>, ClaimError>
    where
        M: Clone,
    {
        layout::unless_kept(&self.memory)?;
        Consumer::new(self.memory.clone(), self.geometry, Claim::Replace(owner))
    }

    /// Returns the geometry.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// Returns the length of the longest record that fits.
    pub fn max_len(&self) -> usize {
        self.geometry.max_len()
    }

    /// Returns the number of the handle that has the producer's side, as it wrote it, or 0.
    pub fn producers_owner(&self) -> u64 {
        self.memory.words()[head::PRODUCER].load(Ordering::Relaxed)
    }

    /// Returns the number of the handle that has the consumer's side, as it wrote it, or 0.
    pub fn consumers_owner(&self) -> u64 {
        self.memory.words()[head::CONSUMER].load(Ordering::Relaxed)
    }

    /// Returns the memory.
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// Returns the memory. The queue stays in it.
    pub fn into_memory(self) -> M {
        self.memory
    }
}

impl Queue<alloc::sync::Arc<[crate::sync::Word]>> {
    /// Makes a queue on the heap, for threads of this process.
    ///
    /// # Errors
    /// [`CapacityError`] if `bytes` is 0 or too large.
    pub fn on_heap(bytes: usize, tag: u64) -> Result<Self, CapacityError> {
        let geometry = Geometry::new(bytes)?;
        let words = (0..geometry.words()).map(|_| crate::sync::Word::new(0)).collect();
        Self::create(words, geometry, tag)
    }
}

impl<M> core::fmt::Debug for Queue<M> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Queue").field("geometry", &self.geometry).finish_non_exhaustive()
    }
}
