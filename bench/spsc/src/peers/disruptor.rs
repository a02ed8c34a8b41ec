//! `disruptor`: one producer, and one consumer that polls.
//!
//! Its consumer has no call for a single event: a poll hands out all available events, and the
//! slots are free again at its end. So in the single-item experiments only its producer works item
//! by item.

use disruptor::{
    BusySpin, EventPoller, Producer, SingleConsumerBarrier, SingleProducer, SingleProducerBarrier,
    build_single_producer,
};

use super::super::kind::{Ends, Kind, Receiver, Sender, Word};

pub(crate) struct Disruptor;

/// An event is empty until it is first written; a word's option needs no more space than the word.
pub(crate) struct DisruptorSender<T: Word>(SingleProducer<Option<T>, SingleConsumerBarrier>);
pub(crate) struct DisruptorReceiver<T: Word>(EventPoller<Option<T>, SingleProducerBarrier>);

impl Kind for Disruptor {
    const NAME: &'static str = "disruptor/poll_all";
    const BATCHES: bool = true;
    type Sender<T: Word> = DisruptorSender<T>;
    type Receiver<T: Word> = DisruptorReceiver<T>;

    fn open<T: Word>(capacity: usize) -> Result<Ends<Self, T>, String> {
        let builder = build_single_producer(capacity.next_power_of_two(), || None, BusySpin);
        let (poller, builder) = builder.new_event_poller();
        Ok((DisruptorSender(builder.build()), DisruptorReceiver(poller)))
    }
}

impl<T: Word> Sender<T> for DisruptorSender<T> {
    #[inline]
    fn push(&mut self, item: T) -> bool {
        self.0.try_publish(|event| *event = Some(item)).is_ok()
    }

    #[inline]
    fn push_batch(&mut self, wanted: usize, make: &mut impl FnMut() -> T) -> usize {
        let missing = match self.publish(wanted, make) {
            Ok(()) => return wanted,
            Err(missing) => missing,
        };
        let room = wanted.saturating_sub(missing);
        if room > 0 && self.publish(room, make).is_ok() { room } else { 0 }
    }
}

impl<T: Word> DisruptorSender<T> {
    /// Publishes all of `count` items, or none and returns the missing room.
    #[inline]
    fn publish(&mut self, count: usize, make: &mut impl FnMut() -> T) -> Result<(), usize> {
        let published = self.0.try_batch_publish(count, |events| {
            for event in events {
                *event = Some(make());
            }
        });
        match published {
            Ok(_) => Ok(()),
            Err(disruptor::MissingFreeSlots(missing)) => Err(missing as usize),
        }
    }
}

impl<T: Word> DisruptorReceiver<T> {
    #[inline]
    fn take_up_to(&mut self, limit: u64, take: &mut impl FnMut(T)) -> usize {
        let Ok(mut events) = self.0.take(limit) else {
            return 0;
        };
        let mut count = 0;
        for item in (&mut events).flatten() {
            take(*item);
            count += 1;
        }
        count
    }
}

impl<T: Word> Receiver<T> for DisruptorReceiver<T> {
    #[inline]
    fn pop(&mut self, take: &mut impl FnMut(T)) -> usize {
        self.take_up_to(u64::MAX, take)
    }

    #[inline]
    fn pop_batch(&mut self, wanted: usize, take: &mut impl FnMut(T)) -> usize {
        self.take_up_to(wanted as u64, take)
    }
}
