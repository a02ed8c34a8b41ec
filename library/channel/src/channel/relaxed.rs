//! Channels whose order is relaxed by less than `k`: many senders that never meet, one receiver.
//!
//! **Unstable**: a release may change this module, or remove it.
//!
//! Each sender fills capsules of its own, so a send is a store and a load, and no exchange, however
//! many senders there are. In exchange, a message may overtake up to `k` - 1 others: those of one
//! sender come in their order. The queue is [`aqueduct::cnq`].
//!
//! ```
//! use aqueduct::cnq::Geometry;
//! use aqueduct_channel::relaxed;
//!
//! // For 10,000 messages of two senders, each of which is received among the 100 oldest.
//! let (mut sender, mut receiver) = relaxed::bounded(Geometry::for_order(100, 10_000, 2, 1)?)?;
//! let mut other = sender.try_clone()?;
//! std::thread::spawn(move || (0..1000).try_for_each(|number| sender.send(number)));
//! std::thread::spawn(move || (1000..2000).try_for_each(|number| other.send(number)));
//! assert_eq!(receiver.iter().sum::<u32>(), 1_999_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # When not to use it
//! - If senders send rarely: a sender that pauses costs others a barrier of the system when the
//!   receiver comes to its capsule ([`cnq`](aqueduct::cnq#asymmetric-fences)).
//! - For several receivers. A receiver of that queue has a capsule of messages to itself, and would
//!   keep them from the others while it does something else, even if those sleep.
//!
//! # Room
//! A channel is full when no capsule is free, and capsules may be partly used: so it may have fewer
//! messages than its queue has room for, as few as one in each capsule if each sender is slow. So
//! these handles have no `capacity`, and a sender no `is_full`.

use aqueduct::cnq::{self, Geometry, HandleError};
use aqueduct::error::CapacityError;
use aqueduct::tube::SequencedRing;

use super::handles::sided;

/// Sends messages.
pub type Sender<T> = sided::Sender<cnq::Producer<T, SequencedRing>>;

/// Receives messages.
pub type Receiver<T> = sided::Receiver<cnq::Consumer<T, SequencedRing>>;

/// Makes a channel over a queue of this geometry: at most [`producers`](Geometry::producers)
/// senders at a time.
///
/// A geometry of one capsule gets a second one. Messages are relaxed by less than
/// [`k`](Geometry::k). [`Geometry::for_order`] finds the geometry for a `k`.
///
/// # Errors
/// [`CapacityError`] if the geometry is too large, or there is no memory.
pub fn bounded<T: Send>(geometry: Geometry) -> Result<(Sender<T>, Receiver<T>), CapacityError> {
    // A receiver that sleeps may hold a capsule, and senders would wait for that one forever.
    let capsules = geometry.capsules().max(2);
    let geometry = Geometry::new(capsules, geometry.capsule_size(), geometry.producers(), geometry.consumers())
        .unwrap_or(geometry);
    let queue = cnq::Queue::new(geometry)?;
    match (queue.producer(), queue.consumer()) {
        (Ok(producer), Ok(consumer)) => Ok(sided::over((producer, consumer))),
        _ => unreachable!("a geometry has a producer and a consumer at least"),
    }
}

impl<T> Sender<T> {
    /// Makes another sender.
    ///
    /// # Errors
    /// [`HandleError`] if there are as many senders as the channel was made for.
    ///
    /// # Examples
    /// ```
    /// use aqueduct::cnq::Geometry;
    /// use aqueduct_channel::relaxed;
    ///
    /// let (sender, _receiver) = relaxed::bounded::<u8>(Geometry::for_order(100, 1000, 2, 1)?)?;
    /// let other = sender.try_clone()?;
    /// assert!(sender.try_clone().is_err());
    /// drop(other);
    /// assert!(sender.try_clone().is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_clone(&self) -> Result<Self, HandleError> {
        let producer = self.producer.queue().producer()?;
        Ok(self.beside(producer))
    }
}
