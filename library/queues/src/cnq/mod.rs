//! CNQ: k-relaxed FIFO queues for many producers and consumers.
//!
//! **Unstable**: a release may change this module, or remove it.
//!
//! A pop returns one of the [`k`](Geometry::k) oldest items. In exchange, the queue is as fast as
//! queues of one producer and one consumer. It is the concurrent nested queue of J. Wang's thesis,
//! "High Performance and Dependable Asynchronous Communication on Multi-Core Systems" (TU Dresden,
//! 2024), chapter 3.
//!
//! # When not to use it
//! - With one producer and one consumer the order is first in, first out, but [`spsc`](crate::spsc)
//!   is faster.
//! - With many, if the order matters, use [`bbq`](crate::bbq).
//! - If a consumer neither pops nor [pauses](Consumer::pause), the other consumers wait for it
//!   sooner or later.
//!
//! # Guarantees
//! - *k-FIFO*: an item that is popped is one of the [`k`](Geometry::k) oldest. An item that has
//!   become the oldest is one of the next `k` that are popped. [`Geometry::k`] has the formula.
//! - Each item comes out once. Items of one producer that reach one consumer come in order, with
//!   one exception: a consumer that pauses or is dropped leaves items to the next consumer, which
//!   can have taken younger items already.
//! - The queue is lock-free if the tube is. Any thread can close a capsule, so no thread waits for
//!   a producer or a consumer that does not go on, unless the order itself requires it (`Busy`).
//!   Closing a capsule may take a call of the operating system, which waits for no thread.
//!
//! # Errors
//! - A pop never returns `Empty` with more than `k` items in the queue. It returns `Busy` if
//!   another consumer's items have to go first.
//! - A push returns `Full` if no capsule is free. Capsules may be partly used, so the queue can be
//!   full with fewer items than [`capacity`](Queue::capacity), with as few as one in each capsule
//!   if each producer is slow.
//!
//! # Design and proof
//! A [tube](crate::tube), which is a first-in-first-out queue of slots, carries *capsules*, which
//! are queues of one producer and one consumer. Each producer fills a capsule of its own, and each
//! consumer empties one. An item that is put into a capsule can be taken out at once, before the
//! capsule is full. Threads meet only in the tube, once per use of a capsule.
//!
//! ## Differences from the thesis
//! - A capsule enters the tube with its first item in it. So there is always an item behind a
//!   capsule that is closed: there is no livelock, without the thesis' scan. The first item costs
//!   no exchange.
//! - A push is a store and a load, and no exchange. In the thesis, a push adds to a word of the
//!   capsule. That costs an atomic read-modify-write per item, and an addition that comes too late
//!   is counted, so its item can come twice. The next section describes how a capsule is closed
//!   while a producer stores.
//! - A producer whose capsule was closed keeps it, and its spare capsule goes back instead. In the
//!   thesis, a producer that does something else keeps the slot, and blocks all threads when the
//!   tube reaches that slot again.
//! - Two windows keep capsules apart; they do not inspect the tube. So any tube works, and chooses
//!   its positions freely. An allocation that fails has closed no capsule. Each window is as many
//!   capsules as its side has handles: for an equal `k`, capsules are at least twice as large as in
//!   the thesis.
//! - A consumer that finds few items at a time backs off for a moment, so that its producer has the
//!   cache lines to itself meanwhile.
//!
//! ## Asymmetric fences
//! A producer that puts an item in, and a thread that closes its capsule meanwhile, have to agree
//! on whether the item is in. Each writes a word and then reads the other's, with a fence between
//! the two. Closing is rare, so that side pays for both fences: on Linux (with the feature `std`),
//! it has the system make all running threads of the process pass a barrier (`membarrier`), and the
//! producer's fence is a compiler fence only. That costs the closing thread some microseconds, and
//! only if the producer does not answer before: a working producer answers with its next push. If
//! the system has no such call, or does not allow it, both are full fences, and a push costs about
//! as much as an exchange.
//!
//! The model checker models both kinds of fences: it gives a light fence no more strength than it
//! has.
//!
//! If the system allows the call when the queue is made, and refuses it later (a filter of system
//! calls that a program installs for itself), the thread that closes a capsule visits each
//! processor by turns, which takes some microseconds for each. If that is refused, too, it sleeps
//! for 10 ms, longer than any processor keeps a store to itself. It never panics.
//!
//! ## Handles
//! Handles come and go; the [geometry](Geometry) limits how many exist at once. `k` grows with each
//! of them: each producer may have a capsule open, and each consumer one. A queue that handed out
//! further handles would break the order that it has promised.
//!
//! ## Load buffering
//! No searched client leans on RC11's ban of [load buffering](crate::bbq#load-buffering).

mod capsule;
mod consumer;
mod fragments;
mod geometry;
mod order;
mod producer;
mod shared;
mod windows;

use core::fmt;

use crate::error::CapacityError;
use crate::hold::Hold;
use crate::tube::{SequencedRing, Tube};
pub use consumer::Consumer;
pub use geometry::{Geometry, GeometryError};
pub use order::Order;
pub use producer::Producer;
pub use shared::HandleError;
use shared::Shared;

/// A k-relaxed queue that hands out handles. Clones are handles on one queue.
///
/// # Examples
/// ```
/// use aqueduct::cnq::{Geometry, Queue};
///
/// let queue = Queue::new(Geometry::at_most(100).capacity(10_000).producers(2).consumers(2).geometry()?)?;
/// std::thread::scope(|scope| -> Result<(), Box<dyn std::error::Error>> {
///     for _ in 0..2 {
///         let mut producer = queue.producer()?;
///         scope.spawn(move || (0..1000_u64).all(|number| producer.push(number).is_ok()));
///     }
///     for _ in 0..2 {
///         let mut consumer = queue.consumer()?;
///         scope.spawn(move || {
///             let mut sum = 0;
///             while let Ok(number) = consumer.pop() {
///                 sum += number;
///             }
///             sum
///         });
///     }
///     Ok(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// There are at most as many handles as the queue was made for:
/// ```
/// # use aqueduct::cnq::{Geometry, Queue};
/// let queue = Queue::<u64>::new(Geometry::for_order(100, 10_000, 1, 2)?)?;
/// let producer = queue.producer()?;
/// assert!(queue.producer().is_err());
/// drop(producer);
/// assert!(queue.producer().is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "MultiQueue")]
#[doc(alias = "relaxed queue")]
pub struct Queue<T, U: Tube = SequencedRing> {
    shared: Hold<Shared<T, U>>,
}

impl<T> Queue<T> {
    /// Makes an empty queue with this geometry, on a [ring](SequencedRing).
    ///
    /// # Errors
    /// [`CapacityError`] if the geometry is too large, or there is no memory.
    pub fn new(geometry: Geometry) -> Result<Self, CapacityError> {
        Self::with_tube(geometry)
    }
}

impl<T, U: Tube> Queue<T, U> {
    /// Makes an empty queue with this geometry, on a tube of type `U`.
    ///
    /// # Examples
    /// ```
    /// use aqueduct::cnq::{Geometry, Queue};
    /// use aqueduct::tube::IndexQueues;
    ///
    /// let queue: Queue<u64, IndexQueues> = Queue::with_tube(Geometry::at_most(100).geometry()?)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CapacityError`] if the geometry is too large, or there is no memory.
    pub fn with_tube(geometry: Geometry) -> Result<Self, CapacityError> {
        Self::starting_at(geometry, 0)
    }

    /// Makes a queue that starts in this lap of the tube, for tests.
    #[doc(hidden)]
    pub fn starting_at(geometry: Geometry, lap: usize) -> Result<Self, CapacityError> {
        // All handles are on one side of the `Hold`; its other side has none.
        let (shared, _) = Hold::pair(Shared::new(geometry, lap)?)?;
        Ok(Self { shared })
    }

    /// Registers a producer.
    ///
    /// # Errors
    /// [`HandleError`] if as many producers are registered as the queue was made for.
    pub fn producer(&self) -> Result<Producer<T, U>, HandleError> {
        Producer::register(&self.shared)
    }

    /// Registers a consumer.
    ///
    /// # Errors
    /// [`HandleError`] if as many consumers are registered as the queue was made for.
    pub fn consumer(&self) -> Result<Consumer<T, U>, HandleError> {
        Consumer::register(&self.shared)
    }

    /// Returns the geometry that was asked for.
    #[must_use]
    pub fn geometry(&self) -> Geometry {
        self.shared.geometry
    }

    /// Returns how many items fit if all capsules are filled.
    ///
    /// That is the number asked for, or more if the tube has more slots.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.shared.capacity()
    }

    /// Returns the promised order: see [`Geometry::k`].
    #[must_use]
    pub fn k(&self) -> usize {
        self.shared.geometry.k()
    }
}

impl<T, U: Tube> Clone for Queue<T, U> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone() }
    }
}

impl<T, U: Tube> fmt::Debug for Queue<T, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue")
            .field("geometry", &self.geometry())
            .field("tube", &self.shared.tube)
            .finish_non_exhaustive()
    }
}
