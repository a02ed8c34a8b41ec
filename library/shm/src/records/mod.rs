//! A queue of records, bytes of any length, for one producer and one consumer, in memory that the
//! caller provides.
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
//! * Each operation is wait-free, and O(record length). `Full` means that the record did not fit
//!   beside the records in the queue; `Empty` that there was no record.
//! * A record is in the queue from the moment at which its head is stored. If a producer is killed
//!   at any step, the queue has each record whose push returned, at most one more, and no part of
//!   one.
//! * [`Consumer::pop`] delivers a record at most once, also if consumers are killed and replaced;
//!   [`Consumer::peek`] and [`Record::release`] deliver it at least once.
//! * Whatever other processes write into the memory, an operation ends after a bounded number of
//!   steps, and accesses no other memory. A record that is read while it is being overwritten may
//!   contain arbitrary bytes.
//!
//! # Design
//! The number of words in the ring is a power of two. Positions count words and never wrap. A
//! record consists of a *head* and its bytes. The head is one word with the record's length and the
//! low half of its position.
//!
//! 1. Only the producer writes the ring; only the consumer writes `taken` and `reported`.
//! 2. The word where the next record will start is 0. The producer stores a record's bytes and the
//!    0 behind them, then its head. Until that last store, the queue ends before the record. So the
//!    sides share no write index, and bytes of old records are never taken for heads.
//! 3. `taken` is the position behind the last popped record, in a cache line that the producer does
//!    not read while it pushes. The successor of a dead consumer starts there.
//! 4. `reported` is an older value of `taken`, at most an eighth of the ring and a record behind
//!    it. The producer reads it when it has no more room. The successor of a dead producer starts
//!    there, and follows the heads to the 0.

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

/// A queue of records in a [`Memory`], from which both sides can be taken.
pub struct Queue<M> {
    memory: M,
    geometry: Geometry,
}

impl<M: Memory> Queue<M> {
    /// Makes an empty queue in the memory, and overwrites the memory's contents. No other handle
    /// may use the memory.
    ///
    /// # Errors
    /// [`CapacityError::TooLarge`] if the memory has fewer words than [`Geometry::words`] returns.
    pub fn create(memory: M, geometry: Geometry, tag: u64) -> Result<Self, CapacityError> {
        layout::create(memory.words(), &geometry.numbers(tag, memory.page()))?;
        Ok(Self { memory, geometry })
    }

    /// Attaches to the queue in the memory.
    ///
    /// # Errors
    /// [`AttachError`], with the expected value and the found one.
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
