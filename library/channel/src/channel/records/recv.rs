//! Receivers of records.

use std::fmt;
use std::ops::Deref;
use std::time::{Duration, Instant};

use aqueduct::bbq::records::{self, Consumer};
use aqueduct::bbq::{ProducerSide, RecordConsumerSide};

use super::super::core::{Core, Receiving};
use super::super::handles::futures;
use super::ends::{NotifyOnDrop, Reading, ReceiverShare};
use crate::SelectCase;
use crate::error::{RecvError, RecvTimeoutError, TryRecvError};
use crate::event::Event;
use crate::sync::Arc;

/// A future that receives a record; made by [`Receiver::recv_async`].
pub type RecvFuture<'a, P, C> = futures::RecvFuture<'a, Reading<'a, P, C>, ()>;

/// Receives records from a channel. With many receivers it can be cloned.
pub struct Receiver<P: ProducerSide, C: RecordConsumerSide> {
    consumer: Consumer<P, C>,
    share: ReceiverShare,
}

impl<P: ProducerSide, C: RecordConsumerSide> Receiver<P, C> {
    pub(super) fn new(consumer: Consumer<P, C>, core: Arc<Core<()>>) -> Self {
        Self { consumer, share: ReceiverShare(core) }
    }

    fn ends(&mut self) -> (&Core<()>, Reading<'_, P, C>) {
        let core = &*self.share.0;
        (core, Reading::new(&mut self.consumer, core.room()))
    }

    /// Receives the oldest record, in place; waits for one. Dropping the record gives its space
    /// back.
    ///
    /// # Errors
    /// [`RecvError`] if all senders are gone, and there is no record.
    ///
    /// # Examples
    /// ```
    /// use aqueduct_channel::records::{Space, spsc};
    ///
    /// let (mut sender, mut receiver) = spsc::bounded(Space::for_bytes(4096)?)?;
    /// sender.send(b"hello")?;
    /// drop(sender);
    /// assert_eq!(*receiver.recv()?, *b"hello");
    /// assert!(receiver.recv().is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn recv(&mut self) -> Result<Record<'_, P, C>, RecvError> {
        let (core, reading) = self.ends();
        core.recv_until(reading, None).map_err(|_| RecvError)
    }

    /// Receives the oldest record if there is one, and no older one is still being written.
    ///
    /// # Errors
    /// [`TryRecvError`] is the reason why there is none.
    #[inline]
    pub fn try_recv(&mut self) -> Result<Record<'_, P, C>, TryRecvError> {
        let (core, reading) = self.ends();
        core.try_recv(reading)
    }

    /// Receives the oldest record; waits for one at most for that long.
    ///
    /// # Errors
    /// [`RecvTimeoutError`] if none came, or none will come.
    #[inline]
    pub fn recv_timeout(&mut self, timeout: Duration) -> Result<Record<'_, P, C>, RecvTimeoutError> {
        let (core, reading) = self.ends();
        core.recv_until(reading, Instant::now().checked_add(timeout))
    }

    /// Receives the oldest record; waits for one at most until then. If the deadline has passed, it
    /// tries once.
    ///
    /// # Errors
    /// [`RecvTimeoutError`] if none came, or none will come.
    #[inline]
    pub fn recv_deadline(&mut self, deadline: Instant) -> Result<Record<'_, P, C>, RecvTimeoutError> {
        let (core, reading) = self.ends();
        core.recv_until(reading, Some(deadline))
    }

    /// Receives the oldest record; the task waits for one.
    ///
    /// The future can be dropped at any time: it leaves the record to the next receiver.
    ///
    /// # Errors
    /// [`RecvError`] if all senders are gone, and there is no record.
    ///
    /// # Examples
    /// ```
    /// use aqueduct_channel::records::mpsc::{Receiver, Sender};
    ///
    /// async fn pass_on(mut from: Receiver, mut to: Sender) {
    ///     while let Ok(record) = from.recv_async().await {
    ///         to.send_async(&record).await.expect("there is a receiver");
    ///     }
    /// }
    /// ```
    pub fn recv_async(&mut self) -> RecvFuture<'_, P, C> {
        let (core, reading) = self.ends();
        futures::RecvFuture::new(core, reading)
    }

    /// Returns a receive for an [`IndexSelect`](crate::IndexSelect), which can be chosen once.
    pub fn recv_case(&mut self) -> SelectCase<'_, Result<Record<'_, P, C>, RecvError>> {
        let (core, end) = self.ends();
        SelectCase::new(core.messages(), Receiving { core, end })
    }

    /// Whether no record will be sent. There may be records.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.share.0.is_closed()
    }

    /// Whether there is no record to be received now.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.consumer.is_empty()
    }

    /// Returns how many bytes of the channel's space are in use: see
    /// [`Consumer::len`](aqueduct::bbq::records::Consumer::len).
    #[must_use]
    pub fn len(&self) -> usize {
        self.consumer.len()
    }

    /// Returns how many bytes of records always fit, with their lengths, rounding, and dummies.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.consumer.capacity()
    }

    /// Whether both are receivers of the same channel.
    #[must_use]
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.share.0, &other.share.0)
    }
}

impl<P: ProducerSide, C: RecordConsumerSide> Clone for Receiver<P, C>
where
    Consumer<P, C>: Clone,
{
    fn clone(&self) -> Self {
        Self { consumer: self.consumer.clone(), share: self.share.clone() }
    }
}

impl<P: ProducerSide, C: RecordConsumerSide> fmt::Debug for Receiver<P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}

/// A record, in place in the channel. Dropping it gives its space back.
pub struct Record<'a, P: ProducerSide, C: RecordConsumerSide> {
    record: records::Record<'a, P, C>,
    /// Dropped after the record.
    _notify: NotifyOnDrop<'a>,
}

impl<'a, P: ProducerSide, C: RecordConsumerSide> Record<'a, P, C> {
    pub(super) fn new(record: records::Record<'a, P, C>, room: &'a Event) -> Self {
        Self { record, _notify: NotifyOnDrop(room) }
    }
}

impl<P: ProducerSide, C: RecordConsumerSide> Deref for Record<'_, P, C> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.record
    }
}

impl<P: ProducerSide, C: RecordConsumerSide> fmt::Debug for Record<'_, P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Record").field(&&**self).finish()
    }
}
