//! Channels whose handles any number of threads can share.

use std::fmt;
use std::time::Instant;

use aqueduct::error::CapacityError;
use aqueduct::unbounded::Queue;

use super::buffer::Buffer;
use super::core::Core;
use super::ends::RecvEnd;
use super::methods::{receiver_methods, sender_methods};
use super::permit::Reserving;
use super::ring::Ring;
use super::tasks::{RecvFuture, SendFuture};
use crate::error::{RecvTimeoutError, SendTimeoutError, TryRecvError, TrySendError};
use crate::sync::Arc;

struct Channel<T> {
    core: Core<()>,
    buffer: Buffer<T>,
}

fn over<T>(buffer: Buffer<T>) -> (Sender<T>, Receiver<T>) {
    let channel = Arc::new(Channel { core: Core::new(), buffer });
    (Sender(Arc::clone(&channel)), Receiver(channel))
}

/// Makes a channel for `capacity` messages, with any number of senders and receivers.
///
/// Messages are received in the order in which they are sent, each by one receiver. There are never more than `capacity`
/// messages in the channel. The module of each sidedness has a `bounded` for *at least* so many messages, with handles
/// that each belong to one thread: [`spsc`](crate::spsc::bounded), [`mpsc`](crate::mpsc::bounded),
/// [`spmc`](crate::spmc::bounded), [`mpmc`](crate::mpmc::bounded). Their queues are those that scale.
///
/// # Design
/// The queue has a turn word for each entry and two words for all senders and all receivers. A message costs a
/// compare-exchange on each side. A count of free places would have been another choice, over any queue; but then all
/// senders and all receivers would change one more word with each message. Room that is reserved and not used yet is
/// counted in the senders' word itself, so that it costs others nothing.
///
/// # Errors
/// [`CapacityError`] if `capacity` is 0 or too large, or there is no memory.
///
/// # Examples
/// ```
/// use aqueduct_channel::bounded;
///
/// let (sender, receiver) = bounded(100)?;
/// let other = sender.clone();
/// std::thread::spawn(move || sender.send("one"));
/// std::thread::spawn(move || other.send("two"));
/// // The channel ends with its last sender.
/// assert_eq!(receiver.iter().count(), 2);
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
pub fn bounded<T>(capacity: usize) -> Result<(Sender<T>, Receiver<T>), CapacityError> {
    Ring::new(capacity).map(|ring| over(Buffer::Exact(ring)))
}

/// Makes a channel for any number of messages, with any number of senders and receivers.
///
/// Messages are received in the order in which they are sent, each by one receiver. A send never waits for room. The
/// channel takes memory as messages come, and gives it back: see [`aqueduct::unbounded`].
///
/// If there is no memory for a message, `try_send` says that the channel is full, and `send` waits until a message has
/// been received.
///
/// # Examples
/// ```
/// use aqueduct_channel::unbounded;
///
/// let (sender, receiver) = unbounded();
/// for number in 1..=1000 {
///     sender.send(number)?;
/// }
/// drop(sender);
/// assert_eq!(receiver.iter().sum::<u32>(), 500_500);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn unbounded<T>() -> (Sender<T>, Receiver<T>) {
    over(Buffer::Unbounded(Queue::new()))
}

/// Makes a channel for any number of messages, which takes memory for `block_size` messages at a time.
///
/// # Errors
/// [`CapacityError`] if `block_size` is 0 or too large.
pub fn unbounded_with_block_size<T>(block_size: usize) -> Result<(Sender<T>, Receiver<T>), CapacityError> {
    Queue::with_block_size(block_size).map(|queue| over(Buffer::Unbounded(queue)))
}

/// Sends messages into a channel; made by [`bounded`] or [`unbounded`]. The channel is closed when the last sender is dropped.
///
/// # Examples
/// A thread and a task send to one receiver:
/// ```
/// use aqueduct_channel::{Sender, bounded};
///
/// async fn task(sender: Sender<u32>) {
///     for number in 0..10 {
///         sender.send_async(number).await.expect("there is a receiver");
///     }
/// }
///
/// fn thread(sender: Sender<u32>) {
///     for number in 0..10 {
///         sender.send(number).expect("there is a receiver");
///     }
/// }
/// ```
pub struct Sender<T>(Arc<Channel<T>>);

/// Receives messages from a channel; made by [`bounded`] or [`unbounded`]. The channel is closed when the last receiver
/// is dropped; then its messages are dropped, too.
///
/// # Examples
/// ```
/// use aqueduct_channel::bounded;
/// use aqueduct_channel::error::TryRecvError;
///
/// let (sender, receiver) = bounded(100)?;
/// assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
/// sender.send(7)?;
/// drop(sender);
/// assert_eq!(receiver.try_recv(), Ok(7));
/// assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Receiver<T>(Arc<Channel<T>>);

macro_rules! common {
    ($($handle:ident)*) => {$(
        impl<T> $handle<T> {
            fn has_ended(&self) -> bool {
                self.0.core.is_closed()
            }

            /// Closes the channel: no send that begins afterwards succeeds. Receivers get the messages that were sent
            /// before. Returns whether the channel was open.
            ///
            /// Sends that wait get their messages back. Of sends that are under way, those succeed whose messages are
            /// received; each of the others gets a message back, which may be that of another one of these sends.
            ///
            /// # Examples
            /// ```
            /// let (sender, receiver) = aqueduct_channel::bounded(100)?;
            /// sender.send(1)?;
            /// assert!(receiver.close());
            /// assert!(sender.send(2).is_err_and(|error| error.into_inner() == 2));
            /// assert_eq!(receiver.iter().collect::<Vec<_>>(), [1]);
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn close(&self) -> bool {
                self.0.core.close()
            }

            /// Returns the number of messages, exact while no operation is in progress.
            #[must_use]
            pub fn len(&self) -> usize {
                self.0.buffer.len()
            }

            /// Whether there is no message to be received.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.0.buffer.is_empty()
            }

            /// Whether there is no room.
            #[must_use]
            pub fn is_full(&self) -> bool {
                self.0.buffer.is_full()
            }

            /// Returns how many messages fit; nothing if the channel is unbounded.
            #[must_use]
            pub fn capacity(&self) -> Option<usize> {
                self.0.buffer.capacity()
            }

            /// Whether both are handles of the same channel.
            #[must_use]
            pub fn same_channel(&self, other: &Self) -> bool {
                Arc::ptr_eq(&self.0, &other.0)
            }
        }

        impl<T> fmt::Debug for $handle<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($handle)).field("len", &self.len()).finish_non_exhaustive()
            }
        }
    )*};
}

common! { Sender Receiver }

impl<T> Sender<T> {
    #[inline]
    fn send_now(&self, message: T) -> Result<(), TrySendError<T>> {
        self.0.core.try_send(&self.0.buffer, message)
    }

    #[inline]
    fn send_until(&self, deadline: Option<Instant>, message: T) -> Result<(), SendTimeoutError<T>> {
        self.0.core.send_until(&self.0.buffer, deadline, message)
    }

    fn sending(&self, message: T) -> SendFuture<'_, T> {
        SendFuture::new(&self.0.core, &self.0.buffer, message)
    }

    pub(super) fn reserving(&self) -> Reserving<'_, T> {
        Reserving { core: &self.0.core, buffer: &self.0.buffer }
    }

    sender_methods! { [] T, SendFuture<'_, T> }
}

impl<T> Receiver<T> {
    #[inline]
    fn recv_now(&self) -> Result<T, TryRecvError> {
        self.0.core.try_recv(&self.0.buffer)
    }

    #[inline]
    fn recv_until(&self, deadline: Option<Instant>) -> Result<T, RecvTimeoutError> {
        self.0.core.recv_until(&self.0.buffer, deadline)
    }

    fn receiving(&self) -> RecvFuture<'_, T> {
        RecvFuture::new(&self.0.core, &self.0.buffer)
    }

    receiver_methods! { [] T, RecvFuture<'_, T> }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.0.core.add_sender();
        Self(Arc::clone(&self.0))
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        self.0.core.add_receiver();
        Self(Arc::clone(&self.0))
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.0.core.sender_goes();
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.0.core.receiver_goes((), |()| (&self.0.buffer).pop());
    }
}

/// An iterator that waits for messages and owns its receiver; made by the receiver's `into_iter`.
#[derive(Debug)]
pub struct IntoIter<T>(Receiver<T>);

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter(self)
    }
}
