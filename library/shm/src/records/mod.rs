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
//! 2. Where the next record will begin, there is 0. The producer stores a record's bytes and the 0 behind it, then its
//!    head: until the last store, the queue ends before the record. So no index is shared, and bytes of old
//!    records are never taken for heads.
//! 3. `taken` is the position behind the records ever popped, in a line that the producer does not read. The successor
//!    of a dead consumer begins there.
//! 4. `reported`, which the producer reads when it has no more room, follows `taken`, an eighth of the ring and a
//!    record behind it at most. The successor of a dead producer goes from there from head to head until it finds the
//!    0.

mod consumer;
mod geometry;
mod producer;

use crate::error::{AttachError, CapacityError, ClaimError};
use crate::front;
use crate::layout::{self, Claim, Expected, Kind, Memory, head};
use crate::sync::Ordering;

pub use consumer::{Consumer, Record};
pub use geometry::Geometry;
pub use producer::{Grant, Producer};

/// A queue of records in a memory: both sides can be taken from it.
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

    /// Returns the length of the longest record that fits.
    pub fn max_len(&self) -> usize {
        self.geometry.max_len()
    }
}

front::queue! { [], (bytes), Geometry::new(bytes) }
front::producers_side! {}
front::consumers_side! {}
