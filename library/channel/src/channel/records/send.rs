//! Senders of records.

use std::fmt;
use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use aqueduct::bbq::records::{self, Producer};
use aqueduct::bbq::{ProducerSide, RecordConsumerSide};
use aqueduct::error as queue;

use super::super::core::Core;
use super::ends::{NotifyOnDrop, SenderShare};
use crate::error::{ReserveError, ReserveTimeoutError, TryReserveError};
use crate::event::{Attempt, Miss, Waiting};
use crate::sync::Arc;

/// Sends records into a channel. With many senders it can be cloned.
pub struct Sender<P: ProducerSide, C: RecordConsumerSide> {
    producer: Producer<P, C>,
    share: SenderShare,
}

impl<P: ProducerSide, C: RecordConsumerSide> Sender<P, C> {
    pub(super) fn new(producer: Producer<P, C>, core: Arc<Core<()>>) -> Self {
        Self { producer, share: SenderShare(core) }
    }

    fn reserving(&mut self, len: usize) -> Reserving<'_, P, C> {
        Reserving { producer: Some(&mut self.producer), core: &self.share.0, len }
    }

    fn reserve_until(&mut self, len: usize, deadline: Option<Instant>) -> Result<Grant<'_, P, C>, ReserveTimeoutError> {
        let mut reserving = self.reserving(len);
        match reserving.core.room().wait_for(deadline, &mut reserving) {
            Some(result) => result.map_err(ReserveTimeoutError::from),
            None => Err(ReserveTimeoutError::Timeout),
        }
    }

    /// Reserves space for a record of up to `len` bytes; waits for room.
    ///
    /// The record comes after all records that were reserved before, once it is
    /// [committed](Grant::commit).
    ///
    /// # Errors
    /// [`ReserveError`] if all receivers are gone, or no record can be that long.
    ///
    /// # Examples
    /// ```
    /// use aqueduct_channel::records::{Space, spsc};
    ///
    /// let (mut sender, mut receiver) = spsc::bounded(Space::for_bytes(4096)?)?;
    /// let mut grant = sender.reserve(100)?;
    /// grant[..5].copy_from_slice(b"hello");
    /// grant.commit(5);
    /// drop(sender.reserve(100)?); // Cancelled: there is no record.
    /// drop(sender);
    /// assert_eq!(*receiver.recv()?, *b"hello");
    /// assert!(receiver.recv().is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reserve(&mut self, len: usize) -> Result<Grant<'_, P, C>, ReserveError> {
        self.reserve_until(len, None).map_err(ReserveTimeoutError::without_time)
    }

    /// Reserves space for a record if there is room now.
    ///
    /// # Errors
    /// [`TryReserveError`] is the reason why there is none.
    pub fn try_reserve(&mut self, len: usize) -> Result<Grant<'_, P, C>, TryReserveError> {
        match self.reserving(len).attempt() {
            Ok(result) => result.map_err(TryReserveError::from),
            Err(_) => Err(TryReserveError::Full),
        }
    }

    /// Reserves space for a record; waits for room at most for that long.
    ///
    /// # Errors
    /// [`ReserveTimeoutError`] if there was no room in that time, or for the reasons of [`reserve`](Self::reserve).
    pub fn reserve_timeout(&mut self, len: usize, timeout: Duration) -> Result<Grant<'_, P, C>, ReserveTimeoutError> {
        self.reserve_until(len, Instant::now().checked_add(timeout))
    }

    /// Reserves space for a record; waits for room at most until then. If the deadline has passed,
    /// it tries once.
    ///
    /// # Errors
    /// [`ReserveTimeoutError`] if there was no room in that time, or for the reasons of [`reserve`](Self::reserve).
    pub fn reserve_deadline(&mut self, len: usize, deadline: Instant) -> Result<Grant<'_, P, C>, ReserveTimeoutError> {
        self.reserve_until(len, Some(deadline))
    }

    /// Reserves space for a record; the task waits for room.
    ///
    /// The future can be dropped at any time: it reserves nothing then, and no other sender's
    /// wake-up is lost.
    ///
    /// # Errors
    /// [`ReserveError`] if all receivers are gone, or no record can be that long.
    pub fn reserve_async(&mut self, len: usize) -> ReserveFuture<'_, P, C> {
        let core: &Core<()> = &self.share.0;
        ReserveFuture(Waiting::new(core.room(), Reserving { producer: Some(&mut self.producer), core, len }))
    }

    /// Sends a record with these bytes; waits for room.
    ///
    /// # Errors
    /// [`ReserveError`], for the reasons of [`reserve`](Self::reserve).
    pub fn send(&mut self, record: &[u8]) -> Result<(), ReserveError> {
        self.reserve(record.len()).map(|grant| grant.fill(record))
    }

    /// Sends a record with these bytes if there is room now.
    ///
    /// # Errors
    /// [`TryReserveError`] is the reason why there is none.
    pub fn try_send(&mut self, record: &[u8]) -> Result<(), TryReserveError> {
        self.try_reserve(record.len()).map(|grant| grant.fill(record))
    }

    /// Sends a record with these bytes; waits for room at most for that long.
    ///
    /// # Errors
    /// [`ReserveTimeoutError`], for the reasons of [`reserve_timeout`](Self::reserve_timeout).
    pub fn send_timeout(&mut self, record: &[u8], timeout: Duration) -> Result<(), ReserveTimeoutError> {
        self.reserve_timeout(record.len(), timeout).map(|grant| grant.fill(record))
    }

    /// Sends a record with these bytes; waits for room at most until then. If the deadline has
    /// passed, it tries once.
    ///
    /// # Errors
    /// [`ReserveTimeoutError`], for the reasons of [`reserve_deadline`](Self::reserve_deadline).
    pub fn send_deadline(&mut self, record: &[u8], deadline: Instant) -> Result<(), ReserveTimeoutError> {
        self.reserve_deadline(record.len(), deadline).map(|grant| grant.fill(record))
    }

    /// Sends a record with these bytes; the task waits for room.
    ///
    /// The future can be dropped at any time: the record has been sent when it is ready, and not
    /// before.
    ///
    /// # Errors
    /// [`ReserveError`], for the reasons of [`reserve`](Self::reserve).
    pub async fn send_async(&mut self, record: &[u8]) -> Result<(), ReserveError> {
        self.reserve_async(record.len()).await.map(|grant| grant.fill(record))
    }

    /// Whether all receivers are gone.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.share.0.is_closed()
    }

    /// Returns the length of the longest possible record, in bytes.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.producer.longest()
    }

    /// Returns how many bytes of records always fit, with their lengths, rounding, and dummies.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.producer.capacity()
    }

    /// Whether both are senders of the same channel.
    #[must_use]
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.share.0, &other.share.0)
    }
}

impl<P: ProducerSide, C: RecordConsumerSide> Clone for Sender<P, C>
where
    Producer<P, C>: Clone,
{
    fn clone(&self) -> Self {
        Self { producer: self.producer.clone(), share: self.share.clone() }
    }
}

impl<P: ProducerSide, C: RecordConsumerSide> fmt::Debug for Sender<P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

/// Attempts to reserve space for a record.
pub(crate) struct Reserving<'a, P: ProducerSide, C: RecordConsumerSide> {
    /// `None` when the space has been reserved.
    producer: Option<&'a mut Producer<P, C>>,
    core: &'a Core<()>,
    len: usize,
}

impl<'a, P: ProducerSide, C: RecordConsumerSide> Attempt for Reserving<'a, P, C> {
    type Output = Result<Grant<'a, P, C>, ReserveError>;

    fn attempt(&mut self) -> Result<Self::Output, Miss> {
        if self.core.is_closed() {
            return Ok(Err(ReserveError::Disconnected));
        }
        // In the line, it would take a wake-up of another sender.
        let producer = self.producer.take().expect("a reservation is not polled after its end");
        let producer: *mut Producer<P, C> = producer;
        // SAFETY: the reference was unique for `'a`, and is not used any more. The grant has it
        // from now on.
        let reserved: Result<records::Grant<'a, P, C>, _> = unsafe { &mut *producer }.reserve(self.len);
        let error = match reserved {
            Ok(grant) => return Ok(Ok(Grant { grant, _notify: NotifyOnDrop(self.core.messages()) })),
            Err(error) => error,
        };
        // SAFETY: there is no grant, so nothing else has the reference.
        self.producer = Some(unsafe { &mut *producer });
        // The attempt may have cancelled a grant that was forgotten, and have left the rest of a
        // block to receivers, which pass over both.
        self.core.messages().notify();
        match error {
            queue::ReserveError::TooLong { len, longest } => Ok(Err(ReserveError::TooLong { len, longest })),
            queue::ReserveError::Full | queue::ReserveError::Busy => Err(Miss::Inexact),
        }
    }

    fn is_more(&mut self) -> bool {
        // Another sender's record may be shorter.
        true
    }
}

/// A future that reserves space for a record; made by [`Sender::reserve_async`].
///
/// Dropping it before it is ready reserves nothing. No other sender's wake-up is lost.
///
/// # Panics
/// If it is polled after it was ready, in a channel that is open.
#[must_use = "a future does nothing unless it is awaited"]
pub struct ReserveFuture<'a, P: ProducerSide, C: RecordConsumerSide>(pub(crate) Waiting<'a, Reserving<'a, P, C>>);

// Neither the sender nor the channel is pinned.
impl<P: ProducerSide, C: RecordConsumerSide> Unpin for ReserveFuture<'_, P, C> {}

impl<'a, P: ProducerSide, C: RecordConsumerSide> Future for ReserveFuture<'a, P, C> {
    type Output = Result<Grant<'a, P, C>, ReserveError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().0.poll(context)
    }
}

impl<P: ProducerSide, C: RecordConsumerSide> fmt::Debug for ReserveFuture<'_, P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReserveFuture").finish_non_exhaustive()
    }
}

/// Space of a record that is being written. Only [`commit`](Self::commit) makes it a record; a
/// grant that is dropped is cancelled.
#[must_use = "a grant that is not committed is cancelled"]
pub struct Grant<'a, P: ProducerSide, C: RecordConsumerSide> {
    grant: records::Grant<'a, P, C>,
    /// Dropped after the grant, which receivers may wait for, also if it is cancelled.
    _notify: NotifyOnDrop<'a>,
}

impl<P: ProducerSide, C: RecordConsumerSide> Grant<'_, P, C> {
    /// Sends the first `len` bytes as a record. If `len` is 0, the record has no bytes.
    ///
    /// # Panics
    /// If the grant has fewer bytes; it is cancelled then.
    #[track_caller]
    pub fn commit(self, len: usize) {
        self.grant.commit(len);
    }

    fn fill(mut self, record: &[u8]) {
        self.copy_from_slice(record);
        self.commit(record.len());
    }
}

impl<P: ProducerSide, C: RecordConsumerSide> Deref for Grant<'_, P, C> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.grant
    }
}

impl<P: ProducerSide, C: RecordConsumerSide> DerefMut for Grant<'_, P, C> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.grant
    }
}

impl<P: ProducerSide, C: RecordConsumerSide> fmt::Debug for Grant<'_, P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Grant").field(&self.len()).finish()
    }
}

crate::select::operations! {
    ['a, P: ProducerSide, C: RecordConsumerSide] ReserveFuture<'a, P, C> => Result<Grant<'a, P, C>, ReserveError>;
}
