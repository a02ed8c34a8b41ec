//! The handles of producers and consumers.

use core::fmt;

use super::consumer::{self, ConsumerSide, SharedConsumerSide};
use super::items::Items;
use super::producer::{self, ProducerSide, SharedProducerSide};
use super::ring::{Reuse, Ring};
use super::side::Single;
use crate::backoff::Backoff;
use crate::error::{CapacityError, PopError, PushError};
use crate::hold::Hold;

/// A producer's handle of a [queue](super).
///
/// `P` is [`Single`] or [`Multi`](super::Multi) producers, `C` is the consumers' side. The handle
/// remembers its last position, so a push begins without reading words that other threads write.
/// With `P` = [`Multi`](super::Multi) it can be cloned, one for each thread.
///
/// # Examples
/// ```
/// let (mut producer, mut consumer) = aqueduct::mpsc::new(100)?;
/// let mut other = producer.clone();
/// producer.push(1)?;
/// assert_eq!(other.push_slice(&[2, 3]), 2);
/// assert_eq!(consumer.drain().collect::<Vec<_>>(), [1, 2, 3]);
/// drop(consumer);
/// assert!(producer.is_closed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Compile errors
/// A single producer cannot be cloned:
/// ```compile_fail,E0599
/// let (producer, consumer) = aqueduct::bbq::spsc::new::<u8>(10)?;
/// let second = producer.clone();
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
/// Items must be able to go to other threads (`Send`):
/// ```compile_fail,E0277
/// let (producer, consumer) = aqueduct::bbq::spsc::new::<std::rc::Rc<u8>>(10)?;
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
/// Items must live as long as the consumer needs them:
/// ```compile_fail,E0597
/// # use aqueduct::bbq::{Producer, Single};
/// fn lend<'a>(mut producer: Producer<&'a str, Single, Single>, word: &'a str) {
///     let _ = producer.push(word);
/// }
/// let (producer, mut consumer) = aqueduct::bbq::spsc::new::<&'static str>(10)?;
/// {
///     let word = String::from("short-lived");
///     lend(producer, &word);
/// }
/// println!("{:?}", consumer.pop());
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
#[doc(alias = "Sender")]
#[doc(alias = "disruptor")]
#[doc(alias = "LMAX")]
#[doc(alias = "channel")]
pub struct Producer<T, P: ProducerSide, C: Reuse> {
    state: P::State,
    ring: Hold<Ring<Items<T, P, C>>>,
}

/// A consumer's handle of a [queue](super).
///
/// `P` is the producers' side, `C` is [`Single`] or [`Multi`](super::Multi) consumers. The handle
/// remembers its last position. With `C` = [`Multi`](super::Multi) it can be cloned, one for each
/// thread. A single consumer cannot:
///
/// # Examples
/// ```
/// use aqueduct::error::PopError;
///
/// let (mut producer, mut consumer) = aqueduct::spmc::new(100)?;
/// let mut other = consumer.clone();
/// assert_eq!(producer.push_slice(&[1, 2, 3]), 3);
/// assert_eq!(consumer.pop()?, 1);
/// let mut items = [0; 10];
/// assert_eq!(other.pop_slice(&mut items), 2);
/// assert_eq!(items[..2], [2, 3]);
/// assert_eq!(consumer.pop(), Err(PopError::Empty));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// ```compile_fail,E0599
/// let (producer, consumer) = aqueduct::bbq::mpsc::new::<u8>(10)?;
/// let second = consumer.clone();
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
#[doc(alias = "Receiver")]
#[doc(alias = "disruptor")]
#[doc(alias = "LMAX")]
#[doc(alias = "channel")]
pub struct Consumer<T, P: ProducerSide, C: ConsumerSide> {
    state: C::State,
    ring: Hold<Ring<Items<T, P, C>>>,
}

// SAFETY: a handle is a position in a queue of items that may go from thread to thread.
unsafe impl<T: Send, P: ProducerSide, C: Reuse> Send for Producer<T, P, C> {}
// SAFETY: `&Producer` gives no access to items.
unsafe impl<T: Send, P: ProducerSide, C: Reuse> Sync for Producer<T, P, C> {}
// SAFETY: as for the producer.
unsafe impl<T: Send, P: ProducerSide, C: ConsumerSide> Send for Consumer<T, P, C> {}
// SAFETY: as for the producer.
unsafe impl<T: Send, P: ProducerSide, C: ConsumerSide> Sync for Consumer<T, P, C> {}

/// The first handles of a new queue.
#[expect(clippy::type_complexity, reason = "the two handles, for any sides")]
pub(crate) fn pair<T, P: ProducerSide, C: ConsumerSide>(
    ring: Ring<Items<T, P, C>>,
) -> Result<(Producer<T, P, C>, Consumer<T, P, C>), CapacityError> {
    let first = ring.first();
    let (producer, consumer) = (P::start(&ring, first), C::start(&ring, first));
    let (producing, consuming) = Hold::pair(ring)?;
    Ok((Producer::new(producer, producing), Consumer { state: consumer, ring: consuming }))
}

impl<T, P: ProducerSide, C: Reuse> Producer<T, P, C> {
    pub(super) fn new(state: P::State, ring: Hold<Ring<Items<T, P, C>>>) -> Self {
        Self { state, ring }
    }

    /// Adds `item` at the end of the queue.
    ///
    /// Wait-free with one producer; lock-free with more.
    ///
    /// # Errors
    /// [`PushError`] gives the item back. It is [`PushError::Full`] if there is no room. With many
    /// consumers it is [`PushError::Busy`] if one of them is in the middle of the pop that makes
    /// room. On a drop-old queue it is always [`PushError::Busy`].
    #[inline(always)]
    pub fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        P::push(&self.ring, &mut self.state, item)
    }

    /// Adds the first items of `items`, as many as fit, and returns their number.
    ///
    /// The items that go into one block are adjacent in the queue, and cost one compare-exchange
    /// together.
    #[must_use = "items beyond the returned number were not pushed"]
    pub fn push_slice(&mut self, items: &[T]) -> usize
    where
        T: Copy,
    {
        P::push_slice(&self.ring, &mut self.state, items)
    }

    /// Sets whether this handle backs off when it has lost a race. Handles cloned from it inherit
    /// the setting.
    pub fn set_backoff(&mut self, backoff: Backoff) {
        P::set_backoff(&mut self.state, backoff);
    }

    /// Returns the capacity that was asked for.
    ///
    /// This number of items always fits. A few more may.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.ring.capacity
    }

    /// Whether all consumers have been dropped. Items that are pushed now are dropped with the
    /// queue.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.ring.is_alone()
    }
}

/// `len` and `is_empty` exist if there are many consumers. A single consumer keeps its place to
/// itself until it has emptied a block, so a producer cannot tell how much of a block is left;
/// the consumer can ([`Consumer::len`]). Producers of a drop-old queue read no word of a reader.
impl<T, P: ProducerSide, C: SharedConsumerSide> Producer<T, P, C> {
    /// Returns the number of items, exact while no operation is in progress.
    ///
    /// Items that are being pushed count, items that are being popped do not. Beside other
    /// operations it is a value of a recent moment. Reads up to four words.
    #[must_use]
    pub fn len(&self) -> usize {
        // The consumers' place is read first: so it is not ahead of the producers' place.
        let consumers = self.ring.place_of_consumers();
        self.ring.entries_between(consumers, P::place(&self.ring, &self.state))
    }

    /// Whether [`len`](Self::len) is 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T, P: ProducerSide, C: ConsumerSide> Producer<T, P, C> {
    /// Whether a push would return [`PushError::Full`] now.
    ///
    /// A few more items than the [`capacity`](Self::capacity) can fit before that. `true` was
    /// certain at one moment during the call. If `false`, a single producer with a single consumer
    /// succeeds in its next push. Other producers can still find the queue full, because of another
    /// producer, or busy.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.ring.is_full_at(P::place(&self.ring, &self.state))
    }
}

impl<T, C: Reuse> Producer<T, Single, C> {
    /// Finds room for an item: after `Ok`, the next push succeeds.
    ///
    /// # Errors
    /// [`PushError`], for the reasons of [`push`](Self::push).
    ///
    /// # Examples
    /// ```
    /// let (mut producer, mut consumer) = aqueduct::bbq::spsc::new(10)?;
    /// assert!(producer.find_room().is_ok());
    /// assert!(producer.push(1).is_ok());
    /// assert_eq!(consumer.pop(), Ok(1));
    /// # Ok::<(), aqueduct::error::CapacityError>(())
    /// ```
    pub fn find_room(&mut self) -> Result<(), PushError<()>> {
        producer::single::find_room(&self.ring, &mut self.state).map_err(|reason| C::refused((), reason))
    }

    /// Adds items of the iterator while there is room, and returns their number.
    ///
    /// No item is lost: the iterator is advanced only if there is room for an item. A consumer sees
    /// the items line by line.
    ///
    /// # Panics
    /// If the iterator panics. The items before stay in the queue.
    ///
    /// # Examples
    /// ```
    /// let (mut producer, mut consumer) = aqueduct::bbq::spsc::new::<String>(10)?;
    /// assert_eq!(producer.push_iter((0..5).map(|number| number.to_string())), 5);
    /// let mut text = String::new();
    /// assert_eq!(consumer.pop_each(3, |item| text.push_str(&item)), 3);
    /// assert_eq!(text, "012");
    /// # Ok::<(), aqueduct::error::CapacityError>(())
    /// ```
    #[inline]
    pub fn push_iter(&mut self, items: impl IntoIterator<Item = T>) -> usize {
        producer::single::push_iter(&self.ring, &mut self.state, items.into_iter())
    }
}

impl<T, P: ProducerSide> Consumer<T, P, Single> {
    /// Passes up to `most` items to `take`, the oldest first, and returns their number.
    ///
    /// # Panics
    /// If `take` panics. The items that it has not received stay in the queue.
    #[inline]
    pub fn pop_each(&mut self, most: usize, take: impl FnMut(T)) -> usize {
        consumer::single::pop_each(&self.ring, &mut self.state, most, take)
    }
}

impl<T, P: ProducerSide, C: ConsumerSide> Consumer<T, P, C> {
    /// Takes the oldest item.
    ///
    /// Wait-free with one consumer; lock-free with more.
    ///
    /// # Errors
    /// [`PopError::Empty`] if there is no item. With many producers, [`PopError::Busy`] if one of
    /// them is in the middle of pushing the oldest item.
    #[inline(always)]
    pub fn pop(&mut self) -> Result<T, PopError> {
        C::pop(&self.ring, &mut self.state).map_err(P::nothing)
    }

    /// Moves up to `items.len()` items to the start of `items` and returns their number.
    ///
    /// The items of one block cost one compare-exchange together.
    pub fn pop_slice(&mut self, items: &mut [T]) -> usize
    where
        T: Copy,
    {
        C::pop_slice(&self.ring, &mut self.state, items)
    }

    /// Returns the number of items, exact while no operation is in progress.
    ///
    /// Items that are being popped do not count. Items that are being pushed count with many
    /// producers, and not with a single one. Beside other operations it is a value of a recent
    /// moment. Reads two or four words with many producers, and up to twenty-odd with a single one,
    /// whose place is found by two binary searches.
    ///
    /// # Examples
    /// ```
    /// let (mut producer, mut consumer) = aqueduct::mpsc::new(100)?;
    /// assert!(consumer.is_empty() && !producer.is_full());
    /// assert_eq!(producer.push_slice(&[1, 2, 3]), 3);
    /// assert_eq!(consumer.pop()?, 1);
    /// assert_eq!((consumer.len(), consumer.is_empty(), consumer.capacity()), (2, false, 100));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.ring.used(C::place(&self.ring, &self.state))
    }

    /// Whether a pop would return no item now, because there is none or the oldest one is still
    /// being pushed.
    ///
    /// If `false`, a single consumer succeeds in its next pop. With many consumers, there was an
    /// item at one moment during the call, which another consumer may take.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        C::is_empty(&self.ring, &self.state)
    }

    /// Whether at least [`capacity`](Self::capacity) items are in the queue.
    ///
    /// A push may succeed nevertheless, because a few more can fit: see [`Producer::is_full`].
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.capacity() <= self.len()
    }

    /// Whether the last pop, which has succeeded, may have made room for producers. A single
    /// consumer makes it block by block, with the last item of each.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub fn may_have_made_room(&self) -> bool {
        C::may_have_made_room(&self.ring, &self.state)
    }

    /// Sets whether this handle backs off when it is close behind the producers or has lost a race.
    ///
    /// Handles cloned from it inherit the setting.
    pub fn set_backoff(&mut self, backoff: Backoff) {
        C::set_backoff(&mut self.state, backoff);
    }

    /// Returns the capacity that was asked for.
    ///
    /// This number of items always fits. A few more may.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.ring.capacity
    }

    /// Whether all producers have been dropped. The queue then receives no further items.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.ring.is_alone()
    }
}

impl<T, P: SharedProducerSide, C: Reuse> Clone for Producer<T, P, C> {
    fn clone(&self) -> Self {
        Self { state: self.state, ring: self.ring.clone() }
    }
}

impl<T, P: ProducerSide, C: SharedConsumerSide> Clone for Consumer<T, P, C> {
    fn clone(&self) -> Self {
        Self { state: self.state, ring: self.ring.clone() }
    }
}

impl<T, P: ProducerSide, C: Reuse> Drop for Producer<T, P, C> {
    fn drop(&mut self) {
        P::leave(&self.ring, &self.state);
    }
}

impl<T, P: ProducerSide, C: ConsumerSide> Drop for Consumer<T, P, C> {
    fn drop(&mut self) {
        C::leave(&self.ring, &self.state);
    }
}

impl<T, P: ProducerSide, C: Reuse> fmt::Debug for Producer<T, P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Producer").field("capacity", &self.capacity()).finish_non_exhaustive()
    }
}

impl<T, P: ProducerSide, C: ConsumerSide> fmt::Debug for Consumer<T, P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consumer").field("capacity", &self.capacity()).finish_non_exhaustive()
    }
}

crate::queue::implement! {
    [T, P: ProducerSide, C: Reuse] Producer<T, P, C>, T: Push Closed;
    [T, P: ProducerSide, C: ConsumerSide] Producer<T, P, C>, T: Full;
    [T, C: Reuse] Producer<T, Single, C>, T: PushIter;
    [T: Copy, P: ProducerSide, C: Reuse] Producer<T, P, C>, T: PushSlice;
    [T, P: ProducerSide, C: ConsumerSide] Consumer<T, P, C>, T: Pop Closed Drain Len;
    [T, P: ProducerSide, C: SharedConsumerSide] Producer<T, P, C>, T: Len;
    [T: Copy, P: ProducerSide, C: ConsumerSide] Consumer<T, P, C>, T: PopSlice;
}
