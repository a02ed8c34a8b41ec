//! CNQ, the concurrent nested queue: many producers and consumers, at the speed of queues that have one of each, for an order that is
//! wrong by less than `k` items.
//!
//! The queue is of the seed's chapter 3 ("the seed" in these pages is the thesis that it is from). A [tube](crate::tube), which is a
//! first-in-first-out queue of slots, carries *capsules*, which are queues of one producer and one consumer. Each producer
//! fills a capsule of its own, and each consumer empties one; an item that is put in can be taken out at once, before the capsule is
//! full. Threads meet in the tube only, once in a capsule's life.
//!
//! # Guarantees
//! - *k-FIFO*: an item that is popped is one of the [`k`](Geometry::k) oldest, and one that has become the oldest is one of the
//!   next `k` that are popped. What `k` is for a number of handles and capsules of a size, [`Geometry`] says: exactly.
//! - Each item comes once. Items of one producer that come to one consumer come in their order, but for what another consumer leaves
//!   behind where it pauses or goes: that comes to whoever is next, who can have taken younger ones.
//! - A pop never says `Empty` with more than `k` items in the queue. If another consumer's items have to go first, it says `Busy`.
//! - A push says `Full` if no capsule is free. Capsules may be partly used, so the queue can be full with fewer items than
//!   [`capacity`](Queue::capacity), with as few as one in each capsule if each producer is slow.
//! - Lock-free as the tube is: capsules are closed by others, so nobody waits for a producer or a consumer that does not go on, but
//!   where the order itself asks for it (`Busy`). Closing may take a call of the operating system, which waits for no thread.
//!
//! # What is ours
//! - A capsule comes into the tube with its first item in it. So there is always something behind a capsule that is closed:
//!   no livelock, without the seed's scan, and the first item costs no exchange.
//! - A push is a store and a load, and no exchange. The seed adds to a word of the capsule: that costs a locked instruction an item,
//!   and one that comes too late is counted, and can come twice. How a capsule is closed under a producer that stores, see
//!   below.
//! - A producer that has lost its capsule keeps it, and its spare goes back in its place. In the seed, a producer that has
//!   something else to do keeps the slot, and with it everybody else when the tube comes around.
//! - Capsules are held apart by two windows, and not by looking into the tube: any tube will do, and takes its positions as it likes. An
//!   allocation that fails has closed nobody's capsule. Each window is as many capsules as its side has handles: for
//!   the same `k`, capsules are twice as large as the thesis', or more.
//! - A consumer that finds few items at a time steps back for a moment, so that its producer has the lines for itself meanwhile.
//!
//! # Asymmetric fences
//! A producer that puts an item in, and whoever closes its capsule meanwhile, have to agree on whether it is in. Each says something and
//! then looks at what the other has said, with a fence between the two. Closing is rare, so that side pays for both fences: on Linux
//! (with the feature `std`), it has the system make all running threads of the process pass a barrier (`membarrier`), and the
//! producer's fence is nothing but a word to the compiler. That costs who closes some microseconds, and only if the producer does not answer
//! before: one that is at work answers with its next push. Where the system has no such call, or does not allow it, both are full
//! fences, and a push costs about as much as an exchange.
//!
//! The model checker has both kinds of fences as such: it does not take a light fence for more than it is.
//!
//! If the system allows the call when the queue is made, and refuses it later (a filter of system calls that a program puts on
//! itself), whoever closes a capsule panics.
//!
//! # Load buffering
//! What RC11 forbids and C11 does not (see [BBQ](crate::bbq#load-buffering)) could matter where two threads tell each other something
//! without a Release or an Acquire. Items, slots' turns, fragments, spares and the newest position that producers enter by are told by both.
//! Left are the heads of the
//! [ring](crate::tube::SequencedRing), which are exchanged as BBQ's cursors are, with the same branch behind each exchange; the question whether a
//! capsule may be closed, which is behind a branch, and followed by a fence or an exchange of the same word; a producer that finds that
//! another one has closed a third one's capsule, which is behind a branch, too; and the consumers'
//! window, where a consumer finishes a position only after a branch on having found the one before it in the lane finished. There,
//! positions grow from read to write, so there is no circle without a store that is made before the branch that it depends on. On that, the
//! order of the queue leans; what is in a capsule does not.
//!
//! # When not to use it
//! With one producer and one consumer it is first in, first out, but [`spsc`](crate::spsc) is faster. With many, where the order
//! matters, see [`bbq`](crate::bbq). Where a consumer neither pops nor [pauses](Consumer::pause), the others wait for it sooner or later.

mod capsule;
mod consumer;
mod fragments;
mod geometry;
mod heels;
mod producer;
mod shared;
mod windows;

use core::fmt;

use crate::error::CapacityError;
use crate::hold::Hold;
use crate::tube::{SequencedRing, Tube};
pub use consumer::Consumer;
pub use geometry::{Geometry, GeometryError};
pub use producer::Producer;
pub use shared::HandleError;
use shared::Shared;

/// A queue, from which handles are got. Clones are the same queue.
///
/// # Examples
/// ```
/// use aqueduct::cnq::{Geometry, Queue};
///
/// let queue = Queue::<u64>::new(Geometry::for_order(100, 10_000, 2, 2)?)?;
/// std::thread::scope(|scope| -> Result<(), Box<dyn std::error::Error>> {
///     for _ in 0..2 {
///         let mut producer = queue.producer()?;
///         scope.spawn(move || (0..1000).all(|number| producer.push(number).is_ok()));
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
/// There are as many handles as the queue was made for:
/// ```
/// # use aqueduct::cnq::{Geometry, Queue};
/// let queue = Queue::<u64>::new(Geometry::for_order(100, 10_000, 1, 2)?)?;
/// let producer = queue.producer()?;
/// assert!(queue.producer().is_err());
/// drop(producer);
/// assert!(queue.producer().is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Queue<T, U: Tube = SequencedRing> {
    shared: Hold<Shared<T, U>>,
}

impl<T, U: Tube> Queue<T, U> {
    /// An empty queue, divided like that.
    ///
    /// # Errors
    /// [`CapacityError`] if it is too large, or there is no memory.
    pub fn new(geometry: Geometry) -> Result<Self, CapacityError> {
        Self::starting_at(geometry, 0)
    }

    /// As [`new`](Self::new), in that lap of the tube: tests start near the last one.
    #[doc(hidden)]
    pub fn starting_at(geometry: Geometry, lap: usize) -> Result<Self, CapacityError> {
        // The other side has no handles: here handles of all kinds are on one.
        let (shared, _) = Hold::pair(Shared::new(geometry, lap)?)?;
        Ok(Self { shared })
    }

    /// Registers a producer.
    ///
    /// # Errors
    /// If as many are registered as the queue was made for.
    pub fn producer(&self) -> Result<Producer<T, U>, HandleError> {
        Producer::register(&self.shared)
    }

    /// Registers a consumer.
    ///
    /// # Errors
    /// If as many are registered as the queue was made for.
    pub fn consumer(&self) -> Result<Consumer<T, U>, HandleError> {
        Consumer::register(&self.shared)
    }

    /// How the queue is divided, as it was asked for.
    #[must_use]
    pub fn geometry(&self) -> Geometry {
        self.shared.geometry
    }

    /// How many items fit if all capsules are filled: as asked, or more if the tube has more slots.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.shared.tube.slots() * self.shared.capsules.size
    }

    /// The order that is promised, see [`Geometry::k`].
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
