//! A queue of fixed-size items for one producer and one consumer, in memory that the caller gives.
//!
//! # Examples
//! ```
//! use aqueduct_shm::{Word, items};
//!
//! let geometry = items::Geometry::new::<u32>(100)?;
//! let memory: Vec<Word> = (0..geometry.words()).map(|_| Word::new(0)).collect();
//! let queue = items::Queue::<u32, _>::create(&memory[..], geometry, 0)?;
//! let (mut producer, mut consumer) = (queue.producer()?, queue.consumer()?);
//! producer.push(7)?;
//! assert_eq!(consumer.pop()?, 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//! * Each operation is wait-free. `Full` means that at least `capacity` items were in the queue, `Empty` that none was.
//! * An item is in the queue from the moment at which its line's stamp is stored. A producer that is killed at any step
//!   has put in each item whose push returned, at most one more (of a batch: up to a line more), and no part of one.
//! * [`Consumer::pop`] gives an item at most once, also where consumers are killed and replaced;
//!   [`Consumer::peek`] and [`Consumer::release`] give it at least once.
//! * Whatever other processes write into the memory, an operation ends after a bounded number of steps, and accesses no
//!   other memory.
//!
//! # Design
//! The algorithm is that of `aqueduct::spsc::ring`. The ring is made of units: one cache line, or two or four of them
//! for large items. A unit is a *stamp* and `slots` items. One line carries both the items and the news of them.
//!
//! 1. Only the producer writes stamps and items; only the consumer writes `taken` and `reported`.
//! 2. A unit that has the items from number `b` on has the stamp `b + n` if `n` of them are there, and a stamp of at
//!    most `b` if none is. So the number of items ever pushed is the greatest stamp: the successor of a dead producer
//!    finds it by looking at all of them. No other word has to be kept in step.
//! 3. `taken` is the number of items ever popped. It lies in a line that the producer does not read, so a store of it
//!    costs no transfer, and the successor of a dead consumer begins there.
//! 4. `reported`, which the producer reads when it has no more room, follows `taken` every few units. The producer
//!    enters a unit only if the consumer has reported that it has left it.
//!
//! A handle keeps its own position, and never reads it back from the memory. What it reads of the other side (a stamp,
//! a report) is taken only if it lies in the range that is possible then; otherwise the operation says `Damaged`.

mod consumer;
mod geometry;
mod producer;

use core::marker::PhantomData;

use crate::error::{AttachError, CapacityError, ClaimError};
use crate::front;
use crate::layout::{self, Claim, Expected, Kind, Memory, Numbers, head};
use crate::pod::Pod;
use crate::sync::Ordering;

pub use consumer::Consumer;
pub use geometry::Geometry;
pub use producer::Producer;

/// A queue of items in a memory: both sides can be taken from it.
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
        layout::create(memory.words(), &geometry.numbers::<T>(tag, memory.page()))?;
        Ok(Self { memory, geometry, _items: PhantomData })
    }

    /// Finds the queue that is in the memory.
    ///
    /// # Errors
    /// [`AttachError`] has the value found, and the expected one.
    pub fn attach(memory: M, expected: &Expected) -> Result<Self, AttachError> {
        let numbers: Numbers =
            layout::attach(memory.words(), (Kind::Items, size_of::<T>(), align_of::<T>()), expected)?;
        let geometry = Geometry::checked::<T>(&numbers).ok_or(AttachError::Geometry)?;
        Ok(Self { memory, geometry, _items: PhantomData })
    }

    /// Returns how many items fit into the queue, at least.
    pub fn capacity(&self) -> usize {
        self.geometry.capacity()
    }
}

front::queue! { [T], (capacity), Geometry::new::<T>(capacity) }
front::producers_side! { T }
front::consumers_side! { T }
