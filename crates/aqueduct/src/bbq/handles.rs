//! The handles: what a thread of either side holds.

use core::fmt;

use super::claim::Claims;
use super::items::Items;
use super::reserve::{Reserves, ReservesBesides};
use super::shared::{Position, Shared};
use super::side::{Consumes, Multi, Single};
use crate::error::{CapacityError, PopError, PushError};
use crate::hold::Hold;

/// A producer of a [queue](super). `P` says whether it is the only one, `C` whether there is only one consumer.
///
/// It remembers where it was last, so that a push begins without a look at what others write. With `P` = [`Multi`] it can be
/// cloned, one for each thread.
///
/// # What does not compile
/// The only producer cannot be cloned:
/// ```compile_fail,E0599
/// let (producer, consumer) = aqueduct::bbq::spsc::new::<u8>(10)?;
/// let second = producer.clone();
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
/// Items have to be able to go to other threads:
/// ```compile_fail,E0277
/// let (producer, consumer) = aqueduct::bbq::spsc::new::<std::rc::Rc<u8>>(10)?;
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
/// Items live as long as the consumer's are to live:
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
pub struct Producer<T, P: Claims, C: Consumes> {
    position: Position,
    hold: Hold<Shared<Items<T>, P, C>>,
}

/// A consumer of a [queue](super). `P` says whether there is only one producer, `C` whether this is the only consumer.
///
/// It remembers where it was last. With `C` = [`Multi`] it can be cloned, one for each thread. The only consumer cannot:
/// ```compile_fail,E0599
/// let (producer, consumer) = aqueduct::bbq::mpsc::new::<u8>(10)?;
/// let second = consumer.clone();
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
pub struct Consumer<T, P: Claims, C: Reserves> {
    position: Position,
    hold: Hold<Shared<Items<T>, P, C>>,
}

// SAFETY: a handle is a position in a queue of items that may go from thread to thread.
unsafe impl<T: Send, P: Claims, C: Consumes> Send for Producer<T, P, C> {}
// SAFETY: `&Producer` gives no access to items.
unsafe impl<T: Send, P: Claims, C: Consumes> Sync for Producer<T, P, C> {}
// SAFETY: as for the producer.
unsafe impl<T: Send, P: Claims, C: Reserves> Send for Consumer<T, P, C> {}
// SAFETY: as for the producer.
unsafe impl<T: Send, P: Claims, C: Reserves> Sync for Consumer<T, P, C> {}

/// The first handles of a new queue.
#[expect(clippy::type_complexity, reason = "the two handles, for any sides")]
pub(crate) fn pair<T, P: Claims, C: Reserves>(
    shared: Shared<Items<T>, P, C>,
) -> Result<(Producer<T, P, C>, Consumer<T, P, C>), CapacityError> {
    let position = shared.first();
    let (producing, consuming) = Hold::pair(shared)?;
    Ok((Producer::new(position, producing), Consumer { position, hold: consuming }))
}

impl<T, P: Claims, C: Consumes> Producer<T, P, C> {
    pub(super) fn new(position: Position, hold: Hold<Shared<Items<T>, P, C>>) -> Self {
        Self { position, hold }
    }

    /// Adds `item` at the end of the queue. With one producer wait-free; with more lock-free among them.
    ///
    /// # Errors
    /// [`PushError`] gives the item back. It is [`PushError::Full`] if there is no room; with many consumers
    /// [`PushError::Busy`] if one of them is in the middle of the pop that makes room. Where items are overwritten it is
    /// always [`PushError::Busy`].
    #[inline(always)]
    pub fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        self.hold.push(&mut self.position, item)
    }

    /// Adds as many of `items`, from the first on, as there is room for; returns how many. They follow each other in the queue as
    /// long as they are in one block. One atomic exchange for all that go into the same block.
    #[must_use = "items beyond the returned number were not pushed"]
    pub fn push_slice(&mut self, items: &[T]) -> usize
    where
        T: Copy,
    {
        self.hold.push_slice(&mut self.position, items)
    }

    /// How many items always fit: what was asked for. A few more may.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.hold.capacity
    }

    /// Whether no consumer is left. What is pushed from now on is dropped with the queue.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.hold.is_alone()
    }
}

impl<T, C: Consumes> Producer<T, Single, C> {
    /// Takes items from `items` and adds them while there is room; returns how many. No item is lost: the iterator is not asked for
    /// one before there is room for it. A consumer sees them line by line.
    ///
    /// # Panics
    /// If the iterator does; the items before are in the queue then.
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
        self.hold.push_iter(&mut self.position, items.into_iter())
    }
}

impl<T, P: Claims> Consumer<T, P, Single> {
    /// Gives `take` as many items as there are, up to `most`, from the oldest on; returns how many.
    ///
    /// # Panics
    /// If `take` does; the items that it has not had stay in the queue.
    #[inline]
    pub fn pop_each(&mut self, most: usize, take: impl FnMut(T)) -> usize {
        self.hold.pop_each(&mut self.position, most, take)
    }
}

impl<T, P: Claims, C: Reserves> Consumer<T, P, C> {
    /// Takes the oldest item. With one consumer wait-free; with more lock-free among them.
    ///
    /// # Errors
    /// [`PopError::Empty`] if there is no item; with many producers [`PopError::Busy`] if one of them is in the middle of
    /// pushing the oldest item.
    #[inline(always)]
    pub fn pop(&mut self) -> Result<T, PopError> {
        self.hold.pop(&mut self.position).map_err(P::nothing)
    }

    /// Takes as many items as there are, up to `items.len()`, and writes them to the begin of `items`; returns how many. One
    /// atomic exchange for all that are in the same block.
    pub fn pop_slice(&mut self, items: &mut [T]) -> usize
    where
        T: Copy,
    {
        self.hold.pop_slice(&mut self.position, items)
    }

    /// Takes items until none can be had.
    pub fn drain(&mut self) -> impl Iterator<Item = T> {
        core::iter::from_fn(|| self.pop().ok())
    }

    /// How many items always fit: what was asked for. A few more may.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.hold.capacity
    }

    /// Whether no producer is left. What is in the queue then is all that comes.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.hold.is_alone()
    }
}

impl<T, C: Consumes> Clone for Producer<T, Multi, C> {
    fn clone(&self) -> Self {
        Self { position: self.position, hold: self.hold.clone() }
    }
}

impl<T, P: Claims, C: ReservesBesides> Clone for Consumer<T, P, C> {
    fn clone(&self) -> Self {
        Self { position: self.position, hold: self.hold.clone() }
    }
}

impl<T, P: Claims, C: Consumes> Drop for Producer<T, P, C> {
    fn drop(&mut self) {
        P::leave(&self.hold, &self.position);
    }
}

impl<T, P: Claims, C: Reserves> Drop for Consumer<T, P, C> {
    fn drop(&mut self) {
        C::leave(&self.hold, &self.position);
    }
}

impl<T, P: Claims, C: Consumes> fmt::Debug for Producer<T, P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Producer").field("capacity", &self.capacity()).finish_non_exhaustive()
    }
}

impl<T, P: Claims, C: Reserves> fmt::Debug for Consumer<T, P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consumer").field("capacity", &self.capacity()).finish_non_exhaustive()
    }
}

crate::queue::implement! {
    [T, P: Claims, C: Consumes] Producer<T, P, C>, T: Push;
    [T: Copy, P: Claims, C: Consumes] Producer<T, P, C>, T: PushSlice;
    [T, P: Claims, C: Reserves] Consumer<T, P, C>, T: Pop;
    [T: Copy, P: Claims, C: Reserves] Consumer<T, P, C>, T: PopSlice;
}
