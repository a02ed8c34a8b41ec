//! The handles of producers and consumers: they know when the other side has gone.

use core::fmt;

use super::Queue;
use crate::error::{CapacityError, PopError, PushError};
use crate::hold::Hold;

/// A producer's handle of an unbounded queue. It can be cloned.
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
/// Items must be able to go to other threads (`Send`):
/// ```compile_fail,E0277
/// let (producer, consumer) = aqueduct::unbounded::new::<std::rc::Rc<u8>>()?;
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
#[doc(alias = "Sender")]
#[doc(alias = "channel")]
pub struct Producer<T> {
    hold: Hold<Queue<T>>,
}

/// A consumer's handle of an unbounded queue. It can be cloned.
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
#[doc(alias = "Receiver")]
#[doc(alias = "channel")]
pub struct Consumer<T> {
    hold: Hold<Queue<T>>,
}

/// A queue's first producer and first consumer.
pub type Handles<T> = (Producer<T>, Consumer<T>);

/// Makes an unbounded queue.
///
/// # Errors
/// [`CapacityError::OutOfMemory`] if there is no memory.
pub fn new<T: Send>() -> Result<Handles<T>, CapacityError> {
    pair(Queue::new())
}

/// Makes an unbounded queue whose blocks have `block_size` slots each.
///
/// # Errors
/// [`CapacityError`] if `block_size` is 0 or too large, or there is no memory.
pub fn with_block_size<T: Send>(block_size: usize) -> Result<Handles<T>, CapacityError> {
    pair(Queue::with_block_size(block_size)?)
}

fn pair<T>(queue: Queue<T>) -> Result<Handles<T>, CapacityError> {
    let (producing, consuming) = Hold::pair(queue)?;
    Ok((Producer { hold: producing }, Consumer { hold: consuming }))
}

/// The methods of both handles.
macro_rules! handle {
    ($name:ident) => {
        impl<T> $name<T> {
            /// Returns the number of items, exact while no operation is in progress.
            ///
            /// [`Queue::len`] says how exact it is while other threads work.
            #[must_use]
            pub fn len(&self) -> usize {
                self.hold.len()
            }

            /// Whether a pop would return no item now.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.hold.is_empty()
            }

            /// Returns [`usize::MAX`]: memory alone is the limit.
            #[must_use]
            pub fn capacity(&self) -> usize {
                self.hold.capacity()
            }
        }

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                Self { hold: self.hold.clone() }
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).field("len", &self.len()).finish_non_exhaustive()
            }
        }
    };
}
handle!(Producer);
handle!(Consumer);

impl<T> Producer<T> {
    /// Adds `item` at the end of the queue. Lock-free.
    ///
    /// # Errors
    /// [`PushError::Full`] gives the item back if there is no memory for a block.
    #[inline]
    pub fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        self.hold.push(item)
    }

    /// Adds all of `items`, and returns their number; fewer if there is no memory for a block.
    #[must_use = "items beyond the returned number were not pushed"]
    pub fn push_slice(&mut self, items: &[T]) -> usize
    where
        T: Copy,
    {
        self.hold.push_slice(items)
    }

    /// Whether all consumers are gone. Items that are pushed now are dropped with the queue.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.hold.is_alone()
    }
}

impl<T> Consumer<T> {
    /// Takes the oldest item. Lock-free.
    ///
    /// # Errors
    /// [`PopError::Empty`] if there is no item. It never returns [`PopError::Busy`].
    #[inline]
    pub fn pop(&mut self) -> Result<T, PopError> {
        self.hold.pop()
    }

    /// Moves up to `items.len()` items to the start of `items` and returns their number.
    #[must_use = "says how many of the items were written"]
    pub fn pop_slice(&mut self, items: &mut [T]) -> usize
    where
        T: Copy,
    {
        self.hold.pop_slice(items)
    }

    /// Whether all producers are gone. The queue then receives no further items.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.hold.is_alone()
    }
}

crate::queue::implement! {
    [T] Producer<T>, T: Push Closed Len;
    [T: Copy] Producer<T>, T: PushSlice;
    [T] Consumer<T>, T: Pop Closed Drain Len;
    [T: Copy] Consumer<T>, T: PopSlice;
}
