//! The streaming measurement: one thread pushes as fast as it can, one pops; every item is checked.

use std::hint::black_box;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use super::kind::{Kind, Receiver, Sender};
use super::pair::{Conditions, Fault, GivenUp, Shared, Waiting, run_pair};
use super::payload::{Carrier, Embedded, Indirect};
use super::plan::Wait;
use aqueduct_measure::counters::Misses;
use aqueduct_measure::load;
use aqueduct_measure::machine::Cores;
use aqueduct_measure::record::Payload;

/// One streaming measurement.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    /// Items that the queue can hold.
    pub capacity: usize,
    /// Items per synchronisation; 1 is the single-item interface.
    pub batch: usize,
    /// The place of the values.
    pub payload: Payload,
    /// Items that pass before the clock starts: they touch the queue's memory and fill the caches.
    pub warm_up: u64,
    /// Items that are measured.
    pub items: u64,
    /// Steps of emulated work per item before the push.
    pub producer_steps: u32,
    /// Steps of emulated work per item after the pop.
    pub consumer_steps: u32,
    /// The behaviour of a thread while the queue is full or empty.
    pub wait: Wait,
    /// The time without progress after which the run counts as broken.
    pub patience: Duration,
    /// The threads' cores.
    pub cores: Cores,
    /// Whether to count L1 misses.
    pub count_misses: bool,
}

/// The result of a streaming measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Streamed {
    /// Items that arrived while the clock ran.
    pub items: u64,
    /// From the end of the warm-up to the last item, as the consumer saw it.
    pub elapsed: Duration,
    /// The number of times that the producer found the queue full.
    pub producer_stalls: u64,
    /// The number of times that the consumer found the queue empty.
    pub consumer_stalls: u64,
    /// L1 misses of the producer and of the consumer, if asked for.
    pub misses: Option<(u64, u64)>,
    /// The machine's behaviour.
    pub conditions: Conditions,
}

impl Streamed {
    /// Returns million items per second.
    #[must_use]
    pub fn mitems_per_second(&self) -> f64 {
        self.items as f64 / self.elapsed.as_secs_f64() / 1e6
    }
}

/// Runs the measurement on a fresh queue of that kind.
pub(super) fn stream<K: Kind>(spec: &Stream) -> Result<Streamed, Fault> {
    match spec.payload {
        Payload::Embedded => stream_with::<K, Embedded>(spec),
        Payload::Indirect => stream_with::<K, Indirect>(spec),
    }
}

fn stream_with<K: Kind, C: Carrier>(spec: &Stream) -> Result<Streamed, Fault> {
    stream_over::<C, _, _>(spec, K::open::<C::Item>(spec.capacity).map_err(Fault::Refused)?, K::most(spec.capacity))
}

/// Runs the measurement on a fresh queue, which holds `most` items at most.
pub(super) fn stream_over<C: Carrier, S: Sender<C::Item>, R: Receiver<C::Item>>(
    spec: &Stream,
    (sender, receiver): (S, R),
    most: usize,
) -> Result<Streamed, Fault> {
    let shared = Shared::new(spec.wait, spec.patience);
    let total = spec.warm_up + spec.items;
    let pool = C::pool(spec.capacity, most);
    let source = C::source(&pool);
    let producer = || {
        let mut side = Producing::<C>::new(spec, source, &shared);
        shared.meet();
        let sender = side.run(sender, spec.warm_up)?;
        side.waiting.stalls = 0;
        let misses = Misses::start_if(spec.count_misses).map_err(Fault::NotAvailable)?;
        let _sender = side.run(sender, spec.items)?;
        Ok((side.waiting.stalls, misses.stop()))
    };
    let consumer = || {
        let mut side = Consuming::<C>::new(spec, &shared);
        shared.meet();
        let receiver = side.run(receiver, spec.warm_up)?;
        side.waiting.stalls = 0;
        let before = side.tally.count;
        let misses = Misses::start_if(spec.count_misses).map_err(Fault::NotAvailable)?;
        let begin = Instant::now();
        let _receiver = side.run(receiver, total)?;
        let elapsed = begin.elapsed();
        let misses = misses.stop();
        side.tally.verify(total)?;
        Ok((side.tally.count - before, elapsed, side.waiting.stalls, misses))
    };
    let (produced, consumed, conditions) = run_pair(spec.cores, producer, consumer);
    // The consumer's fault is the most exact one.
    let (items, elapsed, consumer_stalls, consumer_misses) = consumed?;
    let (producer_stalls, producer_misses): (u64, Option<u64>) = produced?;
    let misses = producer_misses.zip(consumer_misses);
    Ok(Streamed { items, elapsed, producer_stalls, consumer_stalls, misses, conditions })
}

/// A handle that is moved into the loops below and out again, as tallies are: the compiler can keep
/// locals whose address is not shared in registers, as it can for a user whose thread owns its
/// handle. An atomic access would force everything behind a reference back to memory. For the same
/// reason a handle is kept from being dropped by an unwinding loop, and each loop moves it once
/// more: an argument that is passed in memory stays there.
type Held<H> = ManuallyDrop<H>;

/// The producer's state between two stretches.
struct Producing<'a, C: Carrier> {
    maker: Maker<C>,
    batch: usize,
    waiting: Waiting<'a>,
}

impl<'a, C: Carrier> Producing<'a, C> {
    fn new(spec: &Stream, source: C::Source, shared: &'a Shared) -> Self {
        let steps = spec.producer_steps;
        let maker = Maker { source, number: 0, trash: 1, zero: black_box(0), steps };
        Self { maker, batch: spec.batch, waiting: Waiting::new(shared) }
    }

    fn run<S: Sender<C::Item>>(&mut self, sender: S, count: u64) -> Result<S, Fault> {
        let held = Held::new(sender);
        let end = self.maker.number + count;
        let (held, done) = match (self.batch > 1, C::LOADS && self.maker.steps > 0) {
            (false, false) => self.run_single::<S, false>(held, end),
            (false, true) => self.run_single::<S, true>(held, end),
            (true, false) => self.run_batch::<S, false>(held, end),
            (true, true) => self.run_batch::<S, true>(held, end),
        };
        let sender = Held::into_inner(held);
        match done {
            Ok(()) => Ok(sender),
            Err(GivenUp) => Err(Fault::Stuck { moved: self.maker.number, wanted: end, in_order: true }),
        }
    }

    #[inline(never)]
    fn run_single<S: Sender<C::Item>, const LOADED: bool>(
        &mut self,
        sender: Held<S>,
        end: u64,
    ) -> (Held<S>, Result<(), GivenUp>) {
        let mut sender = sender;
        let mut maker = self.maker;
        let mut done = Ok(());
        'items: while maker.number < end {
            let item = maker.make::<LOADED>();
            let mut first = true;
            while !sender.push(item) {
                done = self.waiting.failed(first);
                if done.is_err() {
                    break 'items;
                }
                first = false;
            }
        }
        self.maker = maker;
        (sender, done)
    }

    #[inline(never)]
    fn run_batch<S: Sender<C::Item>, const LOADED: bool>(
        &mut self,
        sender: Held<S>,
        end: u64,
    ) -> (Held<S>, Result<(), GivenUp>) {
        let mut sender = sender;
        let mut maker = self.maker;
        let mut done = Ok(());
        'batches: while maker.number < end {
            let wanted = self.batch.min((end - maker.number) as usize);
            let mut first = true;
            while sender.push_batch(wanted, &mut || maker.make::<LOADED>()) == 0 {
                done = self.waiting.failed(first);
                if done.is_err() {
                    break 'batches;
                }
                first = false;
            }
        }
        self.maker = maker;
        (sender, done)
    }
}

/// Makes the producer's items, with emulated work before each if there is a load.
struct Maker<C: Carrier> {
    source: C::Source,
    /// The number of the item made last.
    number: u64,
    trash: u64,
    /// Zero, which is hidden from the compiler: an item that adds it depends on the work before it.
    zero: u64,
    steps: u32,
}

impl<C: Carrier> Clone for Maker<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Carrier> Copy for Maker<C> {}

impl<C: Carrier> Maker<C> {
    #[inline]
    fn make<const LOADED: bool>(&mut self) -> C::Item {
        self.number += 1;
        let mut number = self.number;
        if LOADED {
            self.trash = load::work(self.trash, self.steps);
            number += self.trash & self.zero;
        }
        // SAFETY: numbers start at 1, 2^64 of them do not pass in a run, and `zero` is zero.
        C::make(&mut self.source, unsafe { NonZeroU64::new_unchecked(number) })
    }
}

/// The consumer's state between two stretches.
struct Consuming<'a, C: Carrier> {
    tally: Tally<C>,
    batch: usize,
    waiting: Waiting<'a>,
}

impl<'a, C: Carrier> Consuming<'a, C> {
    fn new(spec: &Stream, shared: &'a Shared) -> Self {
        let steps = spec.consumer_steps;
        let tally = Tally { count: 0, sum: 0, difference: 0, trash: 1, steps, carrier: PhantomData };
        Self { tally, batch: spec.batch, waiting: Waiting::new(shared) }
    }

    /// Takes items until the total is `until`.
    fn run<R: Receiver<C::Item>>(&mut self, receiver: R, until: u64) -> Result<R, Fault> {
        let held = Held::new(receiver);
        let (held, done) = match (self.batch > 1, C::LOADS && self.tally.steps > 0) {
            (false, false) => self.run_single::<R, false>(held, until),
            (false, true) => self.run_single::<R, true>(held, until),
            (true, false) => self.run_batch::<R, false>(held, until),
            (true, true) => self.run_batch::<R, true>(held, until),
        };
        let receiver = Held::into_inner(held);
        black_box(self.tally.trash);
        let Tally { count: moved, difference, .. } = self.tally;
        match done {
            Ok(()) => Ok(receiver),
            Err(GivenUp) => Err(Fault::Stuck { moved, wanted: until, in_order: difference == 0 }),
        }
    }

    #[inline(never)]
    fn run_single<R: Receiver<C::Item>, const LOADED: bool>(
        &mut self,
        receiver: Held<R>,
        until: u64,
    ) -> (Held<R>, Result<(), GivenUp>) {
        let mut receiver = receiver;
        let mut tally = self.tally;
        let mut done = Ok(());
        'items: while tally.count < until {
            let mut first = true;
            while receiver.pop(&mut |item| tally.take::<LOADED>(item)) == 0 {
                done = self.waiting.failed(first);
                if done.is_err() {
                    break 'items;
                }
                first = false;
            }
        }
        self.tally = tally;
        (receiver, done)
    }

    #[inline(never)]
    fn run_batch<R: Receiver<C::Item>, const LOADED: bool>(
        &mut self,
        receiver: Held<R>,
        until: u64,
    ) -> (Held<R>, Result<(), GivenUp>) {
        let mut receiver = receiver;
        let mut tally = self.tally;
        let mut done = Ok(());
        'batches: while tally.count < until {
            let wanted = self.batch.min((until - tally.count) as usize);
            let mut first = true;
            while receiver.pop_batch(wanted, &mut |item| tally.take::<LOADED>(item)) == 0 {
                done = self.waiting.failed(first);
                if done.is_err() {
                    break 'batches;
                }
                first = false;
            }
        }
        self.tally = tally;
        (receiver, done)
    }
}

/// The items so far, and whether they were right.
struct Tally<C> {
    count: u64,
    sum: u64,
    /// Every bit in which an item's number differed from the expected one.
    difference: u64,
    trash: u64,
    steps: u32,
    carrier: PhantomData<C>,
}

impl<C> Clone for Tally<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Tally<C> {}

impl<C: Carrier> Tally<C> {
    #[inline]
    fn take<const LOADED: bool>(&mut self, item: C::Item) {
        let number = C::number(item);
        self.count += 1;
        self.sum = self.sum.wrapping_add(number);
        self.difference |= number ^ C::visible(self.count);
        if LOADED {
            self.trash = load::work(self.trash.wrapping_add(number), self.steps);
        }
    }

    /// Checks order and checksum: every item arrived once, unchanged, in its place.
    fn verify(&self, total: u64) -> Result<(), Fault> {
        let expected = (1..=total).fold(0_u64, |sum, number| sum.wrapping_add(C::visible(number)));
        if self.difference != 0 || self.sum != expected || self.count != total {
            return Err(Fault::WrongItems { sum: self.sum, expected });
        }
        Ok(())
    }
}
