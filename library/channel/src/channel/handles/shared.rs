//! Channels whose handles any number of threads can share.

use std::fmt;
use std::time::Instant;

use aqueduct::error::CapacityError;
use aqueduct::{exact, unbounded::Queue};

use super::channel::Channel;
use super::methods::{receiver_methods, sender_methods};
use super::tasks::{RecvFuture, SendFuture};
use crate::channel::core::Core;
use crate::channel::queues::{Buffer, RecvEnd};
use crate::channel::rendezvous::{RecvMeeting, Rendezvous, SendMeeting};
use crate::error::{RecvTimeoutError, SendTimeoutError, TryRecvError, TrySendError};
use crate::select::{Operation, wait_until};
use crate::sync::Arc;

fn over<T>(channel: Channel<T>) -> (Sender<T>, Receiver<T>) {
    let channel = Arc::new(channel);
    (Sender(Arc::clone(&channel)), Receiver(channel))
}

fn buffered<T>(buffer: Buffer<T>) -> (Sender<T>, Receiver<T>) {
    let core = match buffer {
        Buffer::Exact(_) => Core::of_exchanges(),
        Buffer::Unbounded(_) => Core::new(),
    };
    over(Channel::Buffered(core, buffer))
}

/// Makes a channel for `capacity` messages, with any number of senders and receivers.
///
/// Messages are received in the order in which they are sent, each by one receiver. There are never
/// more than `capacity` messages in the channel. The module of each sidedness has a `bounded` for
/// *at least* `capacity` messages, with handles that each belong to one thread:
/// [`spsc`](crate::spsc::bounded), [`mpsc`](crate::mpsc::bounded), [`spmc`](crate::spmc::bounded),
/// [`mpmc`](crate::mpmc::bounded). Their queues are those that scale.
///
/// # Design
/// The queue is [`aqueduct::exact::Queue`]. A message costs a compare-exchange on each side. A
/// count of free places would have been another choice, over any queue; but then all senders and
/// all receivers would change one more word with each message. Room that is reserved and not used
/// yet is counted in the senders' word itself, so that it costs others nothing.
///
/// A thread whose `send` finds no room looks for room for a quarter of the messages, for a
/// microsecond at most, before it takes a single place: a sender and a receiver that meet in each
/// entry transfer its cache lines for each message.
///
/// # Errors
/// [`CapacityError`] if `capacity` is too large, or there is no memory. A capacity of 0 makes a [`rendezvous`].
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
    match capacity {
        0 => Ok(rendezvous()),
        _ => exact::Queue::new(capacity).map(|queue| buffered(Buffer::Exact(queue))),
    }
}

/// Makes a channel for any number of messages, with any number of senders and receivers.
///
/// Messages are received in the order in which they are sent, each by one receiver. A send never
/// waits for room. The channel takes memory as messages come, and gives it back: see
/// [`aqueduct::unbounded`].
///
/// If there is no memory for a message, `try_send` reports that the channel is full, and `send`
/// waits until a message has been received.
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
    buffered(Buffer::Unbounded(Queue::new()))
}

/// Makes a channel for any number of messages, which takes memory for `block_size` messages at a
/// time.
///
/// # Errors
/// [`CapacityError`] if `block_size` is 0 or too large.
pub fn unbounded_with_block_size<T>(block_size: usize) -> Result<(Sender<T>, Receiver<T>), CapacityError> {
    Queue::with_block_size(block_size).map(|queue| buffered(Buffer::Unbounded(queue)))
}

/// Makes a rendezvous: a channel of capacity 0, in which each send meets a receive.
///
/// A send waits until a receiver takes its message, and a receive until a sender has one. Senders
/// that wait are served in their order, and so are receivers. `send_async` of one task and `recv`
/// of a thread meet, too, and so do two selects, each of which waits for other channels besides.
///
/// If a future of `recv_async` is dropped after a sender has handed it a message, the next receiver
/// gets that message.
///
/// A sender that reserves has no message yet: in `reserve`, `reserve_async`, `send_all_async`, a
/// sink, or an [`IndexSelect`](crate::IndexSelect). It meets receivers that wait, each of them
/// until its time is over. A receiver that does not wait skips it: in `try_recv`, `try_iter`,
/// or a select that ends at once. So no receiver's time-out depends on a sender.
///
/// # Examples
/// ```
/// use aqueduct_channel::rendezvous;
///
/// let (sender, receiver) = rendezvous();
/// assert!(sender.try_send(0).is_err());
/// let thread = std::thread::spawn(move || sender.send(7));
/// assert_eq!(receiver.recv(), Ok(7));
/// assert_eq!(thread.join().expect("it ends"), Ok(()));
/// ```
#[must_use]
pub fn rendezvous<T>() -> (Sender<T>, Receiver<T>) {
    over(Channel::Rendezvous(Rendezvous::new(false)))
}

/// Makes a [`rendezvous`] in which each sender that reserves is a thread that sends its message at
/// once. So a receiver that does not wait meets it, too, and gets that message.
#[must_use]
pub fn rendezvous_of_threads<T>() -> (Sender<T>, Receiver<T>) {
    over(Channel::Rendezvous(Rendezvous::new(true)))
}

/// Sends messages into a channel; made by [`bounded`], [`unbounded`] or [`rendezvous`]. The channel
/// is closed when the last sender is dropped.
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
pub struct Sender<T>(pub(super) Arc<Channel<T>>);

/// Receives messages from a channel; made by [`bounded`], [`unbounded`] or [`rendezvous`]. The
/// channel is closed when the last receiver is dropped; then its messages are dropped, too.
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
/// Several messages at a time:
/// ```
/// let (sender, receiver) = aqueduct_channel::unbounded();
/// (0..5).try_for_each(|number| sender.send(number))?;
/// let mut numbers = Vec::new();
/// assert_eq!(receiver.recv_many(&mut numbers, 3), Ok(3));
/// assert_eq!(receiver.recv_many(&mut numbers, 3), Ok(2));
/// assert_eq!(numbers, [0, 1, 2, 3, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Receiver<T>(Arc<Channel<T>>);

macro_rules! common {
    ($($handle:ident)*) => {$(
        impl<T> $handle<T> {
            /// The channel.
            pub(crate) fn channel(&self) -> &Channel<T> {
                &self.0
            }

            fn has_ended(&self) -> bool {
                match &*self.0 {
                    Channel::Buffered(core, _) => core.is_closed(),
                    Channel::Rendezvous(rendezvous) => rendezvous.is_closed(),
                }
            }

            /// Closes the channel: no send that begins afterwards succeeds. Receivers get the
            /// messages that were sent before. Returns whether the channel was open.
            ///
            /// Sends that wait get their messages back. A message whose send is under way is
            /// received, or it comes back in an error, once. If several sends are under way, it may
            /// come back to another one of them, and its own send succeeds then. So the message in
            /// an error was not sent, whichever send the error is of; a sender that is alone gets
            /// its own message back.
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
                match &*self.0 {
                    Channel::Buffered(core, _) => core.close(),
                    Channel::Rendezvous(rendezvous) => rendezvous.close(),
                }
            }

            /// Returns the number of messages, exact while no operation is in progress.
            #[must_use]
            pub fn len(&self) -> usize {
                match &*self.0 {
                    Channel::Buffered(_, buffer) => buffer.len(),
                    Channel::Rendezvous(rendezvous) => rendezvous.len(),
                }
            }

            /// Whether there is no message to be received.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                match &*self.0 {
                    Channel::Buffered(_, buffer) => buffer.is_empty(),
                    Channel::Rendezvous(rendezvous) => rendezvous.len() == 0,
                }
            }

            /// Whether there is no room.
            #[must_use]
            pub fn is_full(&self) -> bool {
                match &*self.0 {
                    Channel::Buffered(_, buffer) => buffer.is_full(),
                    Channel::Rendezvous(_) => true,
                }
            }

            /// Returns the number of messages that fit, or `None` if the channel is unbounded.
            #[must_use]
            pub fn capacity(&self) -> Option<usize> {
                match &*self.0 {
                    Channel::Buffered(_, buffer) => buffer.capacity(),
                    Channel::Rendezvous(_) => Some(0),
                }
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
        match &*self.0 {
            Channel::Buffered(core, buffer) => core.try_send(buffer, message),
            Channel::Rendezvous(rendezvous) => {
                let mut meeting = SendMeeting::new(rendezvous, Some(message));
                let result = meeting.attempt_now().done();
                match (result, meeting.message.take()) {
                    (None, Some(message)) => Err(TrySendError::Full(message)),
                    (Some(Err(_)), Some(message)) => Err(TrySendError::Disconnected(message)),
                    _ => Ok(()),
                }
            }
        }
    }

    #[inline]
    fn send_until(&self, deadline: Option<Instant>, message: T) -> Result<(), SendTimeoutError<T>> {
        match &*self.0 {
            Channel::Buffered(core, buffer) => core.send_until(buffer, deadline, message),
            Channel::Rendezvous(rendezvous) => {
                let mut meeting = SendMeeting::new(rendezvous, Some(message));
                let result = wait_until(&mut meeting, deadline);
                match (result, meeting.message.take()) {
                    (None, Some(message)) => Err(SendTimeoutError::Timeout(message)),
                    (Some(Err(_)), Some(message)) => Err(SendTimeoutError::Disconnected(message)),
                    _ => Ok(()),
                }
            }
        }
    }

    fn sending(&self, message: T) -> SendFuture<'_, T> {
        SendFuture::new(&self.0, message)
    }

    sender_methods! { [] T, SendFuture<'_, T> }
}

impl<T> Receiver<T> {
    #[inline]
    fn recv_now(&self) -> Result<T, TryRecvError> {
        match &*self.0 {
            Channel::Buffered(core, buffer) => core.try_recv(buffer),
            Channel::Rendezvous(rendezvous) => match RecvMeeting::new(rendezvous).attempt_now().done() {
                Some(result) => result.map_err(TryRecvError::from),
                None => Err(TryRecvError::Empty),
            },
        }
    }

    #[inline]
    fn recv_until(&self, deadline: Option<Instant>) -> Result<T, RecvTimeoutError> {
        match &*self.0 {
            Channel::Buffered(core, buffer) => core.recv_until(buffer, deadline),
            Channel::Rendezvous(rendezvous) => match wait_until(&mut RecvMeeting::new(rendezvous), deadline) {
                Some(result) => result.map_err(RecvTimeoutError::from),
                None => Err(RecvTimeoutError::Timeout),
            },
        }
    }

    fn receiving(&self) -> RecvFuture<'_, T> {
        RecvFuture::new(&self.0)
    }

    receiver_methods! { [] T, RecvFuture<'_, T> }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        match &*self.0 {
            Channel::Buffered(core, _) => core.add_sender(),
            Channel::Rendezvous(rendezvous) => rendezvous.add_sender(),
        }
        Self(Arc::clone(&self.0))
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        match &*self.0 {
            Channel::Buffered(core, _) => core.add_receiver(),
            Channel::Rendezvous(rendezvous) => rendezvous.add_receiver(),
        }
        Self(Arc::clone(&self.0))
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        match &*self.0 {
            Channel::Buffered(core, _) => core.drop_sender(),
            Channel::Rendezvous(rendezvous) => rendezvous.drop_sender(),
        }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        match &*self.0 {
            Channel::Buffered(core, buffer) => core.drop_receiver(Some(()), |()| RecvEnd::pop(&mut { buffer })),
            Channel::Rendezvous(rendezvous) => rendezvous.drop_receiver(),
        }
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
