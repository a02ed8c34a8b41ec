//! A queue of records, bytes of any length, that never is full: a push overwrites the oldest ones. One producer, any
//! number of readers.
//!
//! # Examples
//! ```
//! use aqueduct_shm::{Word, drop_old::records};
//!
//! // In regions (on Linux): `records::Queue::in_region`.
//! let geometry = records::Geometry::new(64)?;
//! let memory: Vec<Word> = (0..geometry.words()).map(|_| Word::new(0)).collect();
//! let queue = records::Queue::create(&memory[..], geometry, 0)?;
//! let (mut producer, mut reader) = (queue.producer()?, queue.reader()?);
//! for number in 0..100 {
//!     producer.push(format!("record {number}").as_bytes())?;
//! }
//! // Each reader gets all records but those that were overwritten before, which it counts.
//! let first = reader.read_vec()?;
//! assert_eq!(first, format!("record {}", reader.lost()).as_bytes());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//! * Each reader gets each record once, in order and whole, or counts it as lost: the records that it has read and lost
//!   are all that were pushed since it came.
//! * A push takes as many steps as the record has words, and one for each record that it overwrites. No reader holds it
//!   up.
//! * The newest record is always there, also while the next one is written and after the producer was killed.
//! * A reader writes nothing into the memory, but to say that it sleeps. So it needs no place, there can be any number
//!   of them, and one that is killed or stopped leaves nothing behind. A read is bounded: a reader that the producer
//!   overtakes goes to the oldest record, and to the newest one if it is overtaken again.
//! * A producer that is killed at any step has put in each record whose push returned, at most one more, and no part of
//!   one. Its successor goes on behind them.
//! * Whatever other processes write into the memory, a push ends after about half a lap of the ring, a read after it
//!   has tried 64 records, and neither accesses other memory.
//!
//! # Design
//! The ring has a power of two of words. Positions count words and never wrap. A record is a word with its length and
//! the lower half of its position, a word with its *number*, that of the records before it, and its bytes. Words
//! besides the ring have positions: `end` is behind the last record, `last` is that record's, and `oldest` is that of
//! the oldest one.
//!
//! 1. The producer goes from its oldest record to the first one that is not in the way of the new one, an eighth of the
//!    ring ahead. It stores that into `oldest`, passes a fence, writes the record's words, and stores `end` and
//!    `last`. Most pushes do not change `oldest`, which lies in another line.
//! 2. A reader that has come to the end it knows loads `end`. It copies the record's words, passes a fence, and loads
//!    `oldest`. If that is not behind the record, the producer had not begun to overwrite it: the two fences order its
//!    words with `oldest`. If it is, the reader goes on there, and the number of the record that it gets says how many
//!    it has lost.
//! 3. The ring has room for two records of the greatest length. So a producer never takes the newest one out of its
//!    way, and the successor of a dead producer finds the number of the next record in it.
//!
//! # Costs
//! The ring has at least twice as many bytes as the records that it keeps. A reader that is behind reads a line that
//! the producer writes once in an eighth of a lap; one that has read all reads the line of `end` for each record.
//!
//! # When not to use it
//! If nothing may be lost: [`records`](crate::records). For items of one size, [`drop_old`](crate::drop_old) takes many
//! producers. Here several need a queue each, and readers one reader of each queue: they get no order between the
//! queues, and so no order is promised by one handle of all.

mod geometry;
mod producer;
mod reader;

use crate::error::{AttachError, CapacityError, ClaimError};
use crate::front;
use crate::layout::{self, Claim, Expected, Kind, Memory, head};
use crate::sync::Ordering;

pub use geometry::Geometry;
pub use producer::{Draft, Grant, Producer};
pub use reader::Reader;

/// A queue of records in a memory: handles of both sides can be taken from it.
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
    /// [`AttachError`] says how the found queue differs.
    pub fn attach(memory: M, expected: &Expected) -> Result<Self, AttachError> {
        let numbers = layout::attach(memory.words(), (Kind::DropOldRecords, 1, 1), expected)?;
        let geometry = Geometry::checked(&numbers).ok_or(AttachError::Geometry)?;
        Ok(Self { memory, geometry })
    }

    /// Makes a reader, which begins with the oldest record that is there.
    ///
    /// # Errors
    /// [`ClaimError::Damaged`] if some process has overwritten the memory; [`ClaimError::Contended`] if the producer
    /// was faster each time.
    pub fn reader(&self) -> Result<Reader<M>, ClaimError>
    where
        M: Clone,
    {
        self.reader_in(self.memory.clone())
    }

    /// Makes a reader, with a memory that may be another handle of the queue's.
    pub(crate) fn reader_in<N: Memory>(&self, memory: N) -> Result<Reader<N>, ClaimError> {
        Reader::new(memory, self.geometry)
    }

    /// Returns the length of the longest record.
    pub fn max_len(&self) -> usize {
        self.geometry.max_len()
    }
}

front::queue! { [], (bytes), Geometry::new(bytes) }
front::producers_side! {}
