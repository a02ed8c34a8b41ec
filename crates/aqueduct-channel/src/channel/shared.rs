//! Channels whose handles any number of threads can share.

use std::fmt;

use aqueduct::error::CapacityError;
use aqueduct::mpmc::Queue;

use super::core::Core;
use super::futures::{RecvFuture, SendFuture};
use super::methods::{receiver_methods, sender_methods};
use crate::sync::Arc;

#[derive(Debug)]
struct Channel<T> {
    core: Core<()>,
    queue: Queue<T>,
}

/// Makes a channel for at least `capacity` messages, with any number of senders and receivers.
///
/// Messages are received in the order in which they are sent, each by one receiver. The module of each sidedness has a
/// faster `bounded` for handles that each belong to one thread: [`spsc`](crate::spsc::bounded),
/// [`mpsc`](crate::mpsc::bounded), [`spmc`](crate::spmc::bounded), [`mpmc`](crate::mpmc::bounded).
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
pub fn bounded<T: Send>(capacity: usize) -> Result<(Sender<T>, Receiver<T>), CapacityError> {
    let channel = Arc::new(Channel { core: Core::new(), queue: Queue::new(capacity)? });
    Ok((Sender(Arc::clone(&channel)), Receiver(channel)))
}

/// Sends messages into a channel; made by [`bounded`]. The channel is closed when the last sender is dropped.
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

/// Receives messages from a channel; made by [`bounded`]. The channel is closed when the last receiver is dropped; then
/// its messages are dropped, too.
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
            fn core(&self) -> &Core<()> {
                &self.0.core
            }

            fn parts(&self) -> (&Core<()>, &Queue<T>) {
                (&self.0.core, &self.0.queue)
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
                self.0.queue.len()
            }

            /// Whether there is no message to be received.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.0.queue.is_empty()
            }

            /// Whether there is no room.
            #[must_use]
            pub fn is_full(&self) -> bool {
                self.0.queue.is_full()
            }

            /// Returns how many messages always fit.
            #[must_use]
            pub fn capacity(&self) -> usize {
                self.0.queue.capacity()
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
    sender_methods! { [] T, SendFuture<'_, &Queue<T>> }
}

impl<T> Receiver<T> {
    receiver_methods! { [] T, RecvFuture<'_, &Queue<T>, ()> }
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
        self.0.core.receiver_goes((), |()| self.0.queue.pop());
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
