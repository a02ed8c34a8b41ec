//! Drop order of the ends of a channel of records, and of the grants and records that they hand
//! out.

use std::fmt;

use aqueduct::bbq::records::{self, Consumer};
use aqueduct::bbq::{ProducerSide, RecordConsumerSide};
use aqueduct::error::PopError;

use super::super::core::Core;
use super::super::queues::{RecvEnd, sealed};
use super::recv::Record;
use crate::event::Event;
use crate::sync::Arc;

/// Notifies a waiter when it is dropped. It is a struct's last field, so it is dropped after the
/// others.
#[derive(Debug)]
pub(super) struct NotifyOnDrop<'a>(pub(super) &'a Event);

impl Drop for NotifyOnDrop<'_> {
    fn drop(&mut self) {
        self.0.notify();
    }
}

/// The share of a sender in its channel. It is dropped after the producer, which cancels a grant
/// that was forgotten. So receivers that look for the end find no such grant.
#[derive(Debug)]
pub(super) struct SenderShare(pub(super) Arc<Core<()>>);

impl Clone for SenderShare {
    fn clone(&self) -> Self {
        self.0.add_sender();
        Self(Arc::clone(&self.0))
    }
}

impl Drop for SenderShare {
    fn drop(&mut self) {
        // Other senders' receivers may wait for the grant.
        self.0.messages().notify();
        self.0.drop_sender();
    }
}

/// The share of a receiver in its channel. It is dropped after the consumer, which gives a
/// forgotten record back.
#[derive(Debug)]
pub(super) struct ReceiverShare(pub(super) Arc<Core<()>>);

impl Clone for ReceiverShare {
    fn clone(&self) -> Self {
        self.0.add_receiver();
        Self(Arc::clone(&self.0))
    }
}

impl Drop for ReceiverShare {
    fn drop(&mut self) {
        self.0.room().notify();
        // Records are bytes: nothing is to be dropped.
        self.0.drop_receiver(Some(()), |()| Err::<(), _>(PopError::Empty));
    }
}

/// A receiver that reads one record.
pub struct Reading<'a, P: ProducerSide, C: RecordConsumerSide> {
    /// `None` when the record has been read.
    consumer: Option<&'a mut Consumer<P, C>>,
    room: &'a Event,
}

impl<'a, P: ProducerSide, C: RecordConsumerSide> Reading<'a, P, C> {
    pub(super) fn new(consumer: &'a mut Consumer<P, C>, room: &'a Event) -> Self {
        Self { consumer: Some(consumer), room }
    }
}

impl<P: ProducerSide, C: RecordConsumerSide> fmt::Debug for Reading<'_, P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reading").finish_non_exhaustive()
    }
}

impl<P: ProducerSide, C: RecordConsumerSide> sealed::Sealed for Reading<'_, P, C> {}

impl<'a, P: ProducerSide, C: RecordConsumerSide> RecvEnd for Reading<'a, P, C> {
    type Message = Record<'a, P, C>;
    type Left = ();
    /// A read gives the last record's space back, and passes over space that was cancelled.
    const FREES_LATE: bool = true;
    const IS_IN_PLACE: bool = true;

    fn pop(&mut self) -> Result<Self::Message, PopError> {
        let Some(consumer) = self.consumer.take() else { return Err(PopError::Empty) };
        let consumer: *mut Consumer<P, C> = consumer;
        // SAFETY: the reference was unique for `'a`, and is not used any more. The record has it
        // from now on.
        let read: Result<records::Record<'a, P, C>, _> = unsafe { &mut *consumer }.read();
        match read {
            Ok(record) => Ok(Record::new(record, self.room)),
            Err(error) => {
                // SAFETY: there is no record, so nothing else has the reference.
                self.consumer = Some(unsafe { &mut *consumer });
                Err(error)
            }
        }
    }

    fn is_empty(&self) -> bool {
        // A reader that has its record has no consumer to ask, and returns false.
        self.consumer.as_ref().is_some_and(|consumer| consumer.is_empty())
    }
}
