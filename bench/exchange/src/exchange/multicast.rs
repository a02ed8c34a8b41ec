//! Events that every consumer sees.

use std::time::{Duration, Instant};

use aqueduct::bbq::{self, Multi, Single};

use super::blocking::Blocking;
use super::flow::{Rx, Tx, push_all};
use aqueduct_measure::crew::{self, step, task};
use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Figure, Measured, Place};
use aqueduct_measure::rounds::{Fault, Threads};
use aqueduct_measure::run::{GivenUp, Run};
use aqueduct_measure::unit::Unit;

/// The handle of a producing thread.
pub(super) trait Publisher: Send {
    /// Publishes all of `events` to every consumer; waits for room.
    fn publish(&mut self, events: &[u64], run: &Run) -> Result<(), GivenUp>;
}

/// The handle of a consuming thread.
pub(super) trait Subscriber: Send {
    /// Passes available events to `take`, up to [`AT_ONCE`], and returns their number.
    fn observe(&mut self, take: &mut impl FnMut(u64)) -> usize;
}

/// Most events that a consumer takes at once.
pub(super) const AT_ONCE: usize = 256;

/// The bits of an event's own number. The bits above hold the producer's number.
const NUMBER_BITS: u32 = 48;

/// The time limit after which a run counts as broken.
const PATIENCE: Duration = Duration::from_secs(20);

/// The handles of all threads.
pub(super) type Ends<P, S> = (Vec<P>, Vec<S>);

/// The interface of a queue or a Disruptor under test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) threads: Threads,
    /// Events per publication.
    pub(super) batch: usize,
    /// The capacity in events.
    pub(super) capacity: usize,
}

/// Returns the cell of a queue or a Disruptor that `open` makes.
pub(super) fn cell<P: Publisher + 'static, S: Subscriber + 'static>(
    queue: &'static str,
    peer: bool,
    asked: Asked,
    cores: &[usize],
    open: fn(Asked) -> Result<Ends<P, S>, String>,
) -> Cell<'static> {
    const BENCH: &str = "exchange.multicast";
    let Threads { producers, consumers } = asked.threads;
    let place = Place { producers, consumers, capacity: asked.capacity, batch: asked.batch };
    let cores = cores.to_vec();
    let placement = asked.threads.placement(&cores);
    let cell = Cell::new(place.words(BENCH), queue, Role::of_queue(peer), place, move |amount| {
        let each = amount / producers as u64 + 1;
        let elapsed = multicast(open(asked).map_err(Fault::Refused)?, asked.batch, each, &cores)?;
        let done = each * producers as u64;
        let value = done as f64 / elapsed.as_secs_f64().max(1e-9) / 1e6;
        Ok(Measured { figures: vec![Figure::new(BENCH, Unit::Mitems, value)], done, elapsed })
    });
    cell.on(placement)
}

/// Has every producer publish `each` events; returns the time until every consumer has seen all.
fn multicast<P: Publisher, S: Subscriber>(
    ends: Ends<P, S>,
    batch: usize,
    each: u64,
    cores: &[usize],
) -> Result<Duration, Fault> {
    let (publishers, subscribers) = ends;
    let producers = publishers.len();
    let wanted = each * producers as u64;
    let threads = Threads::new(producers, subscribers.len());
    let run = &Run::new(producers + subscribers.len(), wanted, PATIENCE);
    let (mut producing, mut consuming) = (Vec::new(), Vec::new());
    for (to, number) in publishers.into_iter().zip(0..) {
        let core = threads.core_of_producer(number as usize, cores);
        producing.push(task(move || run.take_part(core, step(|| publish(to, number, batch, each, run)))));
    }
    for (at, from) in subscribers.into_iter().enumerate() {
        let core = threads.core_of_consumer(at, cores);
        consuming.push(task(move || run.take_part(core, step(|| observe(from, producers, each, run)))));
    }
    let (published, seen) = crew::both(producing, consuming);
    let began = published.iter().map(|part| part.began).min();
    let mut all = true;
    for part in published {
        all &= part.outcome?.is_ok();
    }
    let mut last = None;
    for part in seen {
        let seen = part.outcome?;
        if !all || seen.count < wanted {
            return Err(Fault::Stuck { popped: seen.count, wanted });
        }
        if !seen.in_order {
            return Err(Fault::WrongAnswer("events came that were not their producers' next ones"));
        }
        last = last.max(Some(seen.ended));
    }
    Ok(last.zip(began).map_or(Duration::ZERO, |(last, began)| last.saturating_duration_since(began)))
}

fn publish(mut to: impl Publisher, producer: u64, batch: usize, each: u64, run: &Run) -> Result<(), GivenUp> {
    let mut events = vec![0; batch];
    let mut next = 1;
    while next <= each {
        let count = (batch as u64).min(each + 1 - next) as usize;
        for (event, number) in events[..count].iter_mut().zip(next..) {
            *event = producer << NUMBER_BITS | number;
        }
        next += count as u64;
        to.publish(&events[..count], run)?;
    }
    Ok(())
}

/// The result of a consumer.
struct Seen {
    count: u64,
    in_order: bool,
    ended: Instant,
}

fn observe(mut from: impl Subscriber, producers: usize, each: u64, run: &Run) -> Seen {
    let wanted = each * producers as u64;
    let (mut last, mut in_order, mut count, mut failures) = (vec![0; producers], true, 0, 0);
    while count < wanted {
        let seen = from.observe(&mut |event: u64| {
            let number = event & ((1 << NUMBER_BITS) - 1);
            in_order &= (last.get_mut((event >> NUMBER_BITS) as usize))
                .is_some_and(|last| std::mem::replace(last, number) + 1 == number);
        });
        count += seen as u64;
        failures = if seen > 0 { 0 } else { failures + 1 };
        if failures > 0 && run.failed(failures).is_err() {
            break;
        }
    }
    Seen { count, in_order, ended: Instant::now() }
}

/// A queue for each consumer.
pub(super) struct ToEach<Q>(Vec<Q>);

impl<Q: Tx<u64>> Publisher for ToEach<Q> {
    #[inline(always)]
    fn publish(&mut self, events: &[u64], run: &Run) -> Result<(), GivenUp> {
        self.0.iter_mut().try_for_each(|queue| push_all(queue, events, run))
    }
}

/// A queue's consumer, and a buffer for its events.
pub(super) struct Popping<Q>(Q, Box<[u64]>);

impl<Q: Rx<u64>> Subscriber for Popping<Q> {
    #[inline(always)]
    fn observe(&mut self, take: &mut impl FnMut(u64)) -> usize {
        let count = self.0.pop_slice(&mut self.1);
        self.1[..count].iter().copied().for_each(take);
        count
    }
}

impl<Q> Popping<Q> {
    fn new(queue: Q) -> Self {
        Self(queue, vec![0; AT_ONCE].into())
    }
}

/// The ends of `aqueduct::bbq`'s queues for one consumer.
pub(super) type OfBbq<P> = Ends<ToEach<bbq::Producer<u64, P, Single>>, Popping<bbq::Consumer<u64, P, Single>>>;

pub(super) fn one_to_each(asked: Asked) -> Result<OfBbq<Single>, String> {
    let (mut producers, mut consumers) = (Vec::new(), Vec::new());
    for _ in 0..asked.threads.consumers {
        let (producer, consumer) = bbq::spsc::new(asked.capacity).map_err(|error| error.to_string())?;
        producers.push(producer);
        consumers.push(Popping::new(consumer));
    }
    Ok((vec![ToEach(producers)], consumers))
}

pub(super) fn many_to_one(asked: Asked) -> Result<OfBbq<Multi>, String> {
    let (producer, consumer) = bbq::mpsc::new(asked.capacity).map_err(|error| error.to_string())?;
    let producers = (0..asked.threads.producers).map(|_| ToEach(vec![producer.clone()])).collect();
    Ok((producers, vec![Popping::new(consumer)]))
}

/// The ends of queues with a lock, one for each consumer.
pub(super) type OfBlocking = Ends<ToEach<Blocking<u64>>, Popping<Blocking<u64>>>;

pub(super) fn blocking(asked: Asked) -> Result<OfBlocking, String> {
    let queues: Vec<Blocking<u64>> = (0..asked.threads.consumers).map(|_| Blocking::new(asked.capacity)).collect();
    let producers = (0..asked.threads.producers).map(|_| ToEach(queues.clone())).collect();
    Ok((producers, queues.into_iter().map(Popping::new).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an event twice, and skips the next one.
    struct Twice(Popping<bbq::Consumer<u64, Single, Single>>);

    impl Subscriber for Twice {
        fn observe(&mut self, take: &mut impl FnMut(u64)) -> usize {
            self.0.observe(&mut |event| take(if event == 9 { 8 } else { event }))
        }
    }

    #[test]
    fn a_wrong_event_is_noticed() {
        let asked = Asked { threads: Threads::PAIR, batch: 1, capacity: 32 };
        let (publishers, subscribers) = one_to_each(asked).expect("a small queue");
        let wrong = subscribers.into_iter().map(Twice).collect();
        assert!(matches!(multicast((publishers, wrong), 1, 100, &[]), Err(Fault::WrongAnswer(_))));
    }
}
