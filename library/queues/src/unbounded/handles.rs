//! The handles of producers and consumers, which detect that the other side has been dropped.

use core::fmt;

use super::chain::Chain;
use super::reclaim::Owner;
use super::side::Side;
use super::{checked_slots, default_slots};
use crate::error::{CapacityError, PopError, PushError};
use crate::hold::Hold;
use crate::sides::Multi;

/// A producer's handle of an unbounded queue. It can be cloned if there may be many producers.
///
/// `P` and `C` are the two sides, each `Single` or `Multi`: how many producers and consumers there
/// may be.
///
/// # Examples
/// ```
/// let (mut producer, mut consumer) = aqueduct::unbounded::new()?;
/// let mut other = producer.clone();
/// producer.push(1)?;
/// assert_eq!(other.push_slice(&[2, 3]), 2);
/// assert_eq!(consumer.drain().collect::<Vec<_>>(), [1, 2, 3]);
/// drop(consumer);
/// assert!(producer.is_closed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// A single producer cannot be cloned:
/// ```compile_fail,E0599
/// let (producer, consumer) = aqueduct::unbounded::spsc::new::<u8>()?;
/// let second = producer.clone();
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
/// Items must be able to go to other threads (`Send`):
/// ```compile_fail,E0277
/// let (producer, consumer) = aqueduct::unbounded::new::<std::rc::Rc<u8>>()?;
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
#[doc(alias = "Sender")]
#[doc(alias = "channel")]
pub struct Producer<T, P: Side = Multi, C: Side = Multi> {
    hold: Hold<Owner<T, P, C>>,
}

/// A consumer's handle of an unbounded queue. It can be cloned if there may be many consumers.
///
/// `P` and `C` are the two sides, each `Single` or `Multi`: how many producers and consumers there
/// may be.
///
/// # Examples
/// ```
/// use aqueduct::error::PopError;
///
/// let (mut producer, mut consumer) = aqueduct::unbounded::new()?;
/// assert_eq!(producer.push_slice(&[1, 2, 3]), 3);
/// assert_eq!(consumer.clone().pop()?, 1);
/// let mut items = [0; 10];
/// assert_eq!(consumer.pop_slice(&mut items), 2);
/// assert_eq!(items[..2], [2, 3]);
/// assert_eq!(consumer.pop(), Err(PopError::Empty));
/// drop(producer);
/// assert!(consumer.is_closed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// A single consumer cannot be cloned:
/// ```compile_fail,E0599
/// let (producer, consumer) = aqueduct::unbounded::mpsc::new::<u8>()?;
/// let second = consumer.clone();
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
#[doc(alias = "Receiver")]
#[doc(alias = "channel")]
pub struct Consumer<T, P: Side = Multi, C: Side = Multi> {
    hold: Hold<Owner<T, P, C>>,
}

/// A queue's first producer and first consumer.
pub type Handles<T> = (Producer<T>, Consumer<T>);

/// Makes an unbounded queue.
///
/// # Errors
/// [`CapacityError::OutOfMemory`] if there is no memory.
pub fn new<T: Send>() -> Result<Handles<T>, CapacityError> {
    of_default_blocks()
}

/// Makes an unbounded queue whose blocks have `block_size` slots each.
///
/// # Errors
/// [`CapacityError`] if `block_size` is 0 or too large, or there is no memory.
pub fn with_block_size<T: Send>(block_size: usize) -> Result<Handles<T>, CapacityError> {
    of_blocks(block_size)
}

/// The handles of a queue with these sides.
type Pair<T, P, C> = (Producer<T, P, C>, Consumer<T, P, C>);

pub(super) fn of_default_blocks<T, P: Side, C: Side>() -> Result<Pair<T, P, C>, CapacityError> {
    pair(default_slots::<T>())
}

pub(super) fn of_blocks<T, P: Side, C: Side>(block_size: usize) -> Result<Pair<T, P, C>, CapacityError> {
    pair(checked_slots::<T>(block_size)?)
}

fn pair<T, P: Side, C: Side>(slots: usize) -> Result<Pair<T, P, C>, CapacityError> {
    let (producing, consuming) = Hold::pair(Owner(Chain::new(slots)))?;
    Ok((Producer { hold: producing }, Consumer { hold: consuming }))
}

/// The methods of both handles.
macro_rules! handle {
    ($name:ident) => {
        impl<T, P: Side, C: Side> $name<T, P, C> {
            /// Returns the number of items, exact while no operation is in progress.
            ///
            /// [`Queue::len`](super::Queue::len) documents how exact it is while other threads
            /// work.
            #[must_use]
            pub fn len(&self) -> usize {
                self.hold.0.len()
            }

            /// Returns [`usize::MAX`]: memory alone is the limit.
            #[must_use]
            pub fn capacity(&self) -> usize {
                usize::MAX
            }
        }

        impl<T, P: Side, C: Side> fmt::Debug for $name<T, P, C> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).field("len", &self.len()).finish_non_exhaustive()
            }
        }
    };
}
handle!(Producer);
handle!(Consumer);

impl<T, C: Side> Clone for Producer<T, Multi, C> {
    fn clone(&self) -> Self {
        Self { hold: self.hold.clone() }
    }
}

impl<T, P: Side> Clone for Consumer<T, P, Multi> {
    fn clone(&self) -> Self {
        Self { hold: self.hold.clone() }
    }
}

impl<T, P: Side, C: Side> Producer<T, P, C> {
    /// Adds `item` at the end of the queue. Lock-free.
    ///
    /// # Errors
    /// [`PushError::Full`] gives the item back if there is no memory for a block.
    #[inline]
    pub fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        // SAFETY: a single producer is this one.
        unsafe { self.hold.0.push(item) }.map_err(PushError::Full)
    }

    /// Adds all of `items`, and returns their number; fewer if there is no memory for a block.
    #[must_use = "items beyond the returned number were not pushed"]
    pub fn push_slice(&mut self, items: &[T]) -> usize
    where
        T: Copy,
    {
        // SAFETY: a single producer is this one.
        unsafe { self.hold.0.push_slice(items) }
    }

    /// Whether there is no item: exact while no operation is in progress.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hold.0.is_empty()
    }

    /// Whether all consumers have been dropped. Items that are pushed now are dropped with the
    /// queue.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.hold.is_alone()
    }
}

impl<T, P: Side, C: Side> Consumer<T, P, C> {
    /// Takes the oldest item. Lock-free, and wait-free with a single producer and consumer.
    ///
    /// # Errors
    /// [`PopError::Empty`] if there is no item. [`PopError::Busy`] if a producer is in the middle
    /// of a push; only the single consumer of [`mpsc`](super::mpsc) returns it.
    #[inline]
    pub fn pop(&mut self) -> Result<T, PopError> {
        // SAFETY: a single consumer is this one.
        unsafe { self.hold.0.pop() }
    }

    /// Moves up to `items.len()` items to the start of `items` and returns their number.
    #[must_use = "says how many of the items were written"]
    pub fn pop_slice(&mut self, items: &mut [T]) -> usize
    where
        T: Copy,
    {
        // SAFETY: a single consumer is this one.
        unsafe { self.hold.0.pop_slice(items) }
    }

    /// Whether a pop would return no item now.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        if C::IS_SINGLE {
            // SAFETY: this is the only consumer, and it is not in a pop.
            unsafe { self.hold.0.has_none() }
        } else {
            self.hold.0.is_empty()
        }
    }

    /// Whether all producers have been dropped. The queue then receives no further items.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.hold.is_alone()
    }
}

crate::queue::implement! {
    [T, P: Side, C: Side] Producer<T, P, C>, T: Push Closed Len;
    [T: Copy, P: Side, C: Side] Producer<T, P, C>, T: PushSlice;
    [T, P: Side, C: Side] Consumer<T, P, C>, T: Pop Closed Drain Len;
    [T: Copy, P: Side, C: Side] Consumer<T, P, C>, T: PopSlice;
}
