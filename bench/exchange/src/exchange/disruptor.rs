//! The `disruptor` crate. Its consumers poll, and so wait as all others do.

use disruptor::{
    BusySpin, EventPoller, MissingFreeSlots, MultiConsumerBarrier, MultiProducer, MultiProducerBarrier, Producer,
    SingleConsumerBarrier, SingleProducer, SingleProducerBarrier, build_multi_producer, build_single_producer,
};

use super::multicast::{AT_ONCE, Asked, Ends, Publisher, Subscriber, cell as multicast_cell};
use aqueduct_measure::rounds::Cell;
use aqueduct_measure::run::{GivenUp, Run};

/// A producer of events that are numbers.
struct Publishing<P>(P);

impl<P: Producer<u64> + Send> Publisher for Publishing<P> {
    #[inline(always)]
    fn publish(&mut self, events: &[u64], run: &Run) -> Result<(), GivenUp> {
        let (mut left, mut failures) = (events, 0);
        while let &[first, ..] = left {
            let published = if events.len() == 1 {
                self.0.try_publish(|slot| *slot = first).map_or(0, |_| 1)
            } else {
                match self.publish_batch(left) {
                    Ok(()) => left.len(),
                    Err(room) if room > 0 && self.publish_batch(&left[..room]).is_ok() => room,
                    Err(_) => 0,
                }
            };
            left = &left[published..];
            failures = if published > 0 { 0 } else { failures + 1 };
            if failures > 0 {
                run.failed(failures)?;
            }
        }
        Ok(())
    }
}

impl<P: Producer<u64>> Publishing<P> {
    /// Publishes all of `events`, or none; then it returns the number of events for which there is
    /// room.
    #[inline(always)]
    fn publish_batch(&mut self, events: &[u64]) -> Result<(), usize> {
        let published = self.0.try_batch_publish(events.len(), |slots| {
            for (slot, &event) in slots.zip(events) {
                *slot = event;
            }
        });
        match published {
            Ok(_) => Ok(()),
            Err(MissingFreeSlots(missing)) => Err(events.len().saturating_sub(missing as usize)),
        }
    }
}

macro_rules! polling {
    ($($barrier:ty),*) => {$(
        impl Subscriber for EventPoller<u64, $barrier> {
            #[inline(always)]
            fn observe(&mut self, take: &mut impl FnMut(u64)) -> usize {
                let Ok(mut events) = self.take(AT_ONCE as u64) else {
                    return 0;
                };
                let mut count = 0;
                for &event in &mut events {
                    take(event);
                    count += 1;
                }
                count
            }
        }
    )*};
}

polling!(SingleProducerBarrier, MultiProducerBarrier);

/// Returns the cell for these threads, with one thread on one side at least.
pub(super) fn cell(asked: Asked, cores: &[usize]) -> Cell<'static> {
    const NAME: &str = "disruptor/poll";
    match (asked.threads.producers, asked.threads.consumers) {
        (1, 1) => multicast_cell(NAME, true, asked, cores, one_to_one),
        (1, _) => multicast_cell(NAME, true, asked, cores, one_to_many),
        _ => multicast_cell(NAME, true, asked, cores, many_to_one),
    }
}

type OneToOne = Ends<Publishing<SingleProducer<u64, SingleConsumerBarrier>>, EventPoller<u64, SingleProducerBarrier>>;
type OneToMany = Ends<Publishing<SingleProducer<u64, MultiConsumerBarrier>>, EventPoller<u64, SingleProducerBarrier>>;
type ManyToOne = Ends<Publishing<MultiProducer<u64, SingleConsumerBarrier>>, EventPoller<u64, MultiProducerBarrier>>;

fn one_to_one(asked: Asked) -> Result<OneToOne, String> {
    let (poller, builder) = build_single_producer(asked.capacity, || 0, BusySpin).new_event_poller();
    Ok((vec![Publishing(builder.build())], vec![poller]))
}

fn one_to_many(asked: Asked) -> Result<OneToMany, String> {
    let (first, builder) = build_single_producer(asked.capacity, || 0, BusySpin).new_event_poller();
    let (second, mut builder) = builder.new_event_poller();
    let mut pollers = vec![first, second];
    while pollers.len() < asked.threads.consumers {
        let (next, with_next) = builder.new_event_poller();
        pollers.push(next);
        builder = with_next;
    }
    Ok((vec![Publishing(builder.build())], pollers))
}

fn many_to_one(asked: Asked) -> Result<ManyToOne, String> {
    let (poller, builder) = build_multi_producer(asked.capacity, || 0, BusySpin).new_event_poller();
    let producer = builder.build();
    Ok(((0..asked.threads.producers).map(|_| Publishing(producer.clone())).collect(), vec![poller]))
}
