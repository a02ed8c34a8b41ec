//! A broadcast queue of records, bytes of any length, that is never full: a push overwrites the
//! oldest ones. It has one producer and any number of readers.
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
//! // Each reader gets all records except those that were overwritten, which it counts.
//! let first = reader.read_vec()?;
//! assert_eq!(first, format!("record {}", reader.lost()).as_bytes());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//! * Each reader gets each record once, in order and whole, or counts it as lost: its read and lost
//!   records are all that were pushed since it was made.
//! * A push is wait-free. It takes O(record length) steps, and one for each record that it
//!   overwrites. No reader delays it.
//! * The newest record can always be read, also while the next one is written and after the
//!   producer was killed.
//! * A reader writes nothing into the memory except when it sleeps or arms its event. So it needs
//!   no place, there can be any number of readers, and one that is killed or stopped leaves nothing
//!   behind. A read is bounded: a reader that the producer overtakes turns to the oldest record,
//!   and to the newest one if it is overtaken again.
//! * If a producer is killed at any step, the queue has each record whose push returned, at most
//!   one more, and no part of one. Its successor continues behind them.
//! * Whatever other processes write into the memory, a push ends after about half a lap of the
//!   ring, a read after 64 attempts, and neither accesses other memory.
//!
//! # Design
//! The number of words in the ring is a power of two. Positions count words and never wrap. A
//! record consists of a *head* (one word with its length and the low half of its position), its
//! *number* (how many records were pushed before it), and its bytes. Three words outside the ring
//! hold positions: `end` is the one behind the last record, `last` the last record's, and `oldest`
//! the oldest record's.
//!
//! 1. If the new record would overwrite the oldest one, the producer skips old records until it has
//!    room for the new one, and for an eighth of the ring besides. It stores the position that it
//!    has reached into `oldest`, and passes a fence. Then it writes the record's words, and stores
//!    `end` and `last`. Most pushes do not change `oldest`, which lies in another cache line.
//! 2. A reader that has reached the `end` that it last read loads `end` again. It copies the
//!    record's words, passes a fence, and loads `oldest`. If `oldest` is not behind the record, the
//!    producer had not begun to overwrite the record: the two fences order the words with `oldest`.
//!    Otherwise the reader continues at `oldest`, and the number of the record there shows how many
//!    it has lost.
//! 3. The ring has room for two records of the greatest length. So a producer never overwrites the
//!    newest record, and the successor of a dead producer derives the next number from it.
//!
//! # Costs
//! The ring has at least twice as many bytes as the records that it keeps. A reader that lags reads
//! a cache line that the producer writes once in an eighth of a lap. A reader that has read
//! everything reads the line of `end` for each record.
//!
//! # When not to use it
//! If nothing may be lost: [`records`](crate::records). For items of one size,
//! [`drop_old`](crate::drop_old) takes many producers. Here, each producer needs a queue of its
//! own, and each reader one handle per queue. There is no order between the queues.

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
        let numbers = layout::attach(memory.words(), (Kind::DropOldRecords, 1, 1), expected)?;
        let geometry = Geometry::checked(&numbers).ok_or(AttachError::Geometry)?;
        Ok(Self { memory, geometry })
    }

    /// Makes a reader, which starts with the oldest record in the queue.
    ///
    /// # Errors
    /// [`ClaimError::Damaged`] if some process has overwritten the memory;
    /// [`ClaimError::Contended`] if the producer overtook it in each attempt.
    pub fn reader(&self) -> Result<Reader<M>, ClaimError>
    where
        M: Clone,
    {
        self.reader_in(self.memory.clone())
    }

    /// Makes a reader. `memory` may be another handle of the queue's memory.
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
