//! A queue of fixed-size items for one producer and one consumer, in memory that the caller
//! provides.
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
//! * Each operation is wait-free. `Full` means that at least `capacity` items were in the queue,
//!   `Empty` that none was.
//! * An item is in the queue from the moment at which its unit's stamp is stored. If a producer is
//!   killed at any step, the queue has each item whose push returned, at most one more (of a batch:
//!   up to a unit more), and no part of one.
//! * [`Consumer::pop`] delivers an item at most once, also if consumers are killed and replaced;
//!   [`Consumer::peek`] and [`Consumer::release`] deliver it at least once.
//! * Whatever other processes write into the memory, an operation ends after a bounded number of
//!   steps, and accesses no other memory.
//!
//! # Design
//! The algorithm is that of `aqueduct::spsc::ring`. The ring consists of units: one cache line
//! each, or more of them for large items. A unit is a *stamp* and `slots` items. So the cache line
//! that carries an item also carries the stamp that publishes it.
//!
//! 1. Only the producer writes stamps and items; only the consumer writes `taken` and `reported`.
//! 2. The stamp of a unit for the items from number `b` on is `b + n` if `n` of them are published,
//!    and at most `b` if none is. So the greatest stamp is the number of items ever pushed: the
//!    successor of a dead producer finds it by reading all stamps. No other word must agree with
//!    it.
//! 3. `taken` is the number of items ever popped. It lies in a cache line that the producer does
//!    not read while it pushes, so a store of it costs no transfer. The successor of a dead
//!    consumer starts there.
//! 4. `reported` follows `taken` every few units. The producer reads it when it has no more room,
//!    and enters a unit only if the reported position is behind that unit.
//!
//! A handle keeps its own position, and never reads it back from the memory. A value that it reads
//! of the other side (a stamp, a report) must lie in the range that is possible then. Otherwise the
//! operation returns `Damaged`.

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

/// A queue of items in a [`Memory`], from which both sides can be taken.
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
        layout::create(memory.words(), &geometry.numbers::<T>(tag, memory.page()))?;
        Ok(Self { memory, geometry, _items: PhantomData })
    }

    /// Attaches to the queue in the memory.
    ///
    /// # Errors
    /// [`AttachError`], with the expected value and the found one.
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
