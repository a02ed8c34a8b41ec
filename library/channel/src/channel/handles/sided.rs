//! Channels whose handles belong to one thread each: the fast sides.

use std::fmt;
use std::time::Instant;

use super::futures::{RecvFuture, SendFuture};
use super::methods::{receiver_methods, sender_methods};
use crate::SelectCase;
use crate::channel::core::{Core, Receiving};
use crate::channel::queues::{CountingRecvEnd, CountingSendEnd, RecvEnd, SendEnd};
use crate::error::{RecvError, RecvTimeoutError, SendTimeoutError, TryRecvError, TrySendError};
use crate::sync::Arc;

/// Sends messages into a channel over a queue's producers.
///
/// The modules [`spsc`](crate::spsc), [`mpsc`](crate::mpsc), [`spmc`](crate::spmc) and
/// [`mpmc`](crate::mpmc) name the handles of each sidedness. Where there are many senders, it can
/// be cloned.
pub struct Sender<P: SendEnd> {
    pub(in crate::channel) producer: P,
    pub(in crate::channel) core: Arc<Core<P::Left>>,
}

/// Receives messages from a channel over a queue's consumers. Where there are many receivers, it
/// can be cloned.
///
/// The channel is closed when the last receiver is dropped; then its messages are dropped, too.
pub struct Receiver<C: RecvEnd> {
    /// `None` once the consumer has been handed to the senders: see `Closing::drain`.
    pub(in crate::channel) consumer: Option<C>,
    pub(in crate::channel) core: Arc<Core<C>>,
}

/// A channel over a queue.
pub(in crate::channel) fn over<P: SendEnd<Left = C>, C: RecvEnd>(
    (producer, consumer): (P, C),
) -> (Sender<P>, Receiver<C>) {
    let core = Arc::new(Core::new());
    (Sender { producer, core: Arc::clone(&core) }, Receiver { consumer: Some(consumer), core })
}

impl<P: SendEnd> Sender<P> {
    #[inline]
    fn send_now(&mut self, message: P::Message) -> Result<(), TrySendError<P::Message>> {
        self.core.try_send(&mut self.producer, message)
    }

    #[inline]
    fn send_until(
        &mut self,
        deadline: Option<Instant>,
        message: P::Message,
    ) -> Result<(), SendTimeoutError<P::Message>> {
        self.core.send_until(&mut self.producer, deadline, message)
    }

    fn sending(&mut self, message: P::Message) -> SendFuture<'_, &mut P> {
        self.sending_soon(Some(message))
    }

    /// Makes a send of a message that exists, or of one that will be put into the future.
    pub(crate) fn sending_soon(&mut self, message: Option<P::Message>) -> SendFuture<'_, &mut P> {
        self.producer.pause_never();
        SendFuture::new(&self.core, &mut self.producer, message)
    }

    fn has_ended(&self) -> bool {
        self.core.is_closed()
    }

    sender_methods! { [mut] P::Message, SendFuture<'_, &mut P> }
}

impl<C: RecvEnd> Receiver<C> {
    #[inline]
    fn recv_now(&mut self) -> Result<C::Message, TryRecvError> {
        self.core.try_recv(&mut self.consumer)
    }

    #[inline]
    fn recv_until(&mut self, deadline: Option<Instant>) -> Result<C::Message, RecvTimeoutError> {
        self.core.recv_until(&mut self.consumer, deadline)
    }

    fn receiving(&mut self) -> RecvFuture<'_, &mut Option<C>, C> {
        self.consumer.iter_mut().for_each(C::pause_never);
        RecvFuture::new(&self.core, &mut self.consumer)
    }

    fn has_ended(&self) -> bool {
        self.core.is_closed()
    }

    receiver_methods! { [mut] C::Message, RecvFuture<'_, &mut Option<C>, C> }
}

impl<C: RecvEnd + Send> Receiver<C> {
    /// Returns a receive for an [`IndexSelect`](crate::IndexSelect).
    pub fn recv_case(&mut self) -> SelectCase<'_, Result<C::Message, RecvError>> {
        SelectCase::new(self.core.messages(), Receiving { core: &self.core, end: &mut self.consumer })
    }
}

impl<P: CountingSendEnd> Sender<P> {
    /// Whether there is no room.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.producer.is_full()
    }

    /// Returns how many messages always fit, if there is a limit. A few more may.
    #[must_use]
    pub fn capacity(&self) -> Option<usize> {
        self.producer.capacity()
    }
}

impl<C: CountingRecvEnd> Receiver<C> {
    /// Returns the number of messages, exact while no operation is in progress.
    #[must_use]
    pub fn len(&self) -> usize {
        self.consumer.as_ref().map_or(0, C::len)
    }

    /// Whether the channel has as many messages as always fit.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.capacity().is_some_and(|capacity| capacity <= self.len())
    }

    /// Returns how many messages always fit, if there is a limit. A few more may.
    #[must_use]
    pub fn capacity(&self) -> Option<usize> {
        self.consumer.as_ref().map(C::capacity).or_else(|| self.core.left(C::capacity)).flatten()
    }
}

impl<C: RecvEnd> Receiver<C> {
    /// Whether there is no message to be received.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.consumer.as_ref().is_none_or(C::is_empty)
    }
}

macro_rules! both {
    ($([$end:ident: $of:ident] $handle:ident;)*) => {$(
        impl<$end: $of> $handle<$end> {
            /// Whether both are handles of the same channel.
            #[must_use]
            pub fn same_channel(&self, other: &Self) -> bool {
                Arc::ptr_eq(&self.core, &other.core)
            }

            /// Closes the channel: no send that begins afterwards succeeds. Receivers get the
            /// messages that were sent before. Returns whether the channel was open.
            ///
            /// Sends that wait get their messages back. For sends in progress see
            /// [`Sender::close`](crate::Sender::close).
            ///
            /// # Examples
            /// ```
            /// let (mut sender, mut receiver) = aqueduct_channel::spsc::bounded(100)?;
            /// sender.send(1)?;
            /// assert!(receiver.close());
            /// assert!(sender.send(2).is_err_and(|error| error.into_inner() == 2));
            /// assert_eq!(receiver.iter().collect::<Vec<_>>(), [1]);
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn close(&self) -> bool {
                self.core.close()
            }
        }
    )*};
}

both! {
    [P: SendEnd] Sender;
    [C: RecvEnd] Receiver;
}

/// An iterator that waits for messages and owns its receiver; made by the receiver's `into_iter`.
#[derive(Debug)]
pub struct IntoIter<C: RecvEnd>(Receiver<C>);

impl<C: RecvEnd> Iterator for IntoIter<C> {
    type Item = C::Message;

    fn next(&mut self) -> Option<C::Message> {
        self.0.recv().ok()
    }
}

impl<C: RecvEnd> IntoIterator for Receiver<C> {
    type Item = C::Message;
    type IntoIter = IntoIter<C>;

    fn into_iter(self) -> IntoIter<C> {
        IntoIter(self)
    }
}

impl<P: SendEnd> Sender<P> {
    /// Returns another sender, on `producer`.
    pub(in crate::channel) fn beside(&self, producer: P) -> Self {
        self.core.add_sender();
        Self { producer, core: Arc::clone(&self.core) }
    }
}

impl<P: SendEnd + Clone> Clone for Sender<P> {
    fn clone(&self) -> Self {
        self.beside(self.producer.clone())
    }
}

impl<C: RecvEnd + Clone> Clone for Receiver<C> {
    fn clone(&self) -> Self {
        let consumer = self.consumer.clone();
        self.core.add_receiver();
        Self { consumer, core: Arc::clone(&self.core) }
    }
}

impl<P: SendEnd> Drop for Sender<P> {
    fn drop(&mut self) {
        self.core.drop_sender();
    }
}

impl<C: RecvEnd> Drop for Receiver<C> {
    fn drop(&mut self) {
        self.core.drop_receiver(self.consumer.take(), C::pop);
    }
}

impl<P: SendEnd> fmt::Debug for Sender<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

impl<C: RecvEnd> fmt::Debug for Receiver<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}

macro_rules! sides {
    ($($(#[$doc:meta])* $name:ident = $queue:path $(, $unbounded:path)?;)*) => {$(
        $(#[$doc])*
        pub mod $name {
            use aqueduct::error::CapacityError;
            use $queue as queue;

            /// Sends messages.
            pub type Sender<T> = super::Sender<queue::Producer<T>>;

            /// Receives messages.
            pub type Receiver<T> = super::Receiver<queue::Consumer<T>>;

            /// Makes a channel for at least `capacity` messages.
            ///
            /// # Errors
            /// [`CapacityError`] if `capacity` is 0 or too large, or there is no memory.
            pub fn bounded<T: Send>(capacity: usize) -> Result<(Sender<T>, Receiver<T>), CapacityError> {
                queue::new(capacity).map(super::over)
            }

            /// Makes a channel over a queue with the blocks and entries of `geometry`.
            ///
            /// # Errors
            /// [`CapacityError`] if the geometry is too large, or there is no memory.
            pub fn with_geometry<T: Send>(
                geometry: aqueduct::bbq::Geometry,
            ) -> Result<(Sender<T>, Receiver<T>), CapacityError> {
                queue::with_geometry(geometry).map(super::over)
            }

            $(
                use $unbounded as unbounded_queue;

                /// Sends messages into a channel without a limit.
                pub type UnboundedSender<T> = super::Sender<unbounded_queue::Producer<T>>;

                /// Receives messages from a channel without a limit.
                pub type UnboundedReceiver<T> = super::Receiver<unbounded_queue::Consumer<T>>;

                /// Makes a channel for any number of messages. A send never waits for room.
                ///
                /// The channel takes memory as messages come, and gives it back: see
                /// [`aqueduct::unbounded`]. If there is no memory for a message, `try_send` reports
                /// that the channel is full, and `send` waits until a message has been received.
                ///
                /// # Errors
                /// [`CapacityError::OutOfMemory`] if there is no memory.
                pub fn unbounded<T: Send>() -> Result<(UnboundedSender<T>, UnboundedReceiver<T>), CapacityError> {
                    unbounded_queue::new().map(super::over)
                }
            )?
        }
    )*};
}

sides! {
    /// One sender, one receiver.
    ///
    /// ```
    /// let (mut sender, mut receiver) = aqueduct_channel::spsc::bounded(100)?;
    /// std::thread::spawn(move || (1..=1000).try_for_each(|number| sender.send(number)));
    /// assert_eq!(receiver.iter().sum::<u32>(), 500_500);
    /// # Ok::<(), aqueduct::error::CapacityError>(())
    /// ```
    spsc = aqueduct::bbq::spsc, aqueduct::unbounded::spsc;
    /// Many senders, one receiver.
    ///
    /// ```
    /// let (mut sender, mut receiver) = aqueduct_channel::mpsc::bounded(100)?;
    /// let mut other = sender.clone();
    /// std::thread::spawn(move || sender.send("one"));
    /// std::thread::spawn(move || other.send("two"));
    /// assert_eq!(receiver.iter().count(), 2);
    /// # Ok::<(), aqueduct::error::CapacityError>(())
    /// ```
    mpsc = aqueduct::mpsc, aqueduct::unbounded::mpsc;
    /// One sender, many receivers: each message goes to one of them.
    ///
    /// ```
    /// let (mut sender, mut receiver) = aqueduct_channel::spmc::bounded(100)?;
    /// let mut other = receiver.clone();
    /// let thread = std::thread::spawn(move || other.iter().count());
    /// (0..1000).try_for_each(|number| sender.send(number))?;
    /// drop(sender);
    /// let received = receiver.iter().count();
    /// assert_eq!(received + thread.join().expect("it ends"), 1000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    spmc = aqueduct::spmc;
    /// Many senders, many receivers: each message goes to one of them.
    ///
    /// A handle belongs to one thread at a time, and keeps its position in the queue.
    /// [`bounded`](crate::bounded) has handles that threads share.
    ///
    /// ```
    /// let (mut sender, mut receiver) = aqueduct_channel::mpmc::bounded(100)?;
    /// let mut other = sender.clone();
    /// std::thread::spawn(move || sender.send("one"));
    /// std::thread::spawn(move || other.send("two"));
    /// assert_eq!(receiver.iter().count(), 2);
    /// # Ok::<(), aqueduct::error::CapacityError>(())
    /// ```
    mpmc = aqueduct::mpmc;
}
