//! One thread does random operations by any of the handles, and a `VecDeque` gives the expected
//! results.

use std::collections::VecDeque;

use aqueduct::bbq::Geometry;
use aqueduct::error::{PopError, PushError};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::common::{LAPS, PopEnd, PushEnd, SliceForm, entries, every_form, geometry, room};
use aqueduct::queue::{Pop, PopSlice, Push, PushSlice};

#[derive(Clone, Copy, Debug)]
enum Operation {
    Push,
    PushSlice(usize),
    Pop,
    PopSlice(usize),
    Drain(usize),
    /// The handle that is used from now on, where there can be several: its place may be out of
    /// date.
    Producer(usize),
    Consumer(usize),
    /// A copy of the handle in use takes the place of another.
    CloneProducer(usize),
    CloneConsumer(usize),
}

/// The number of handles of each side.
const HANDLES: usize = 3;

/// Counts up to a block or so mostly, and up to more than a whole queue.
fn count() -> impl Strategy<Value = usize> {
    prop_oneof![6 => 0..9usize, 3 => 0..60usize, 1 => 0..500usize]
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        5 => Just(Operation::Push),
        4 => count().prop_map(Operation::PushSlice),
        5 => Just(Operation::Pop),
        4 => count().prop_map(Operation::PopSlice),
        1 => count().prop_map(Operation::Drain),
        2 => (0..HANDLES).prop_map(Operation::Producer),
        2 => (0..HANDLES).prop_map(Operation::Consumer),
        1 => (0..HANDLES).prop_map(Operation::CloneProducer),
        1 => (0..HANDLES).prop_map(Operation::CloneConsumer),
    ]
}

fn geometry_and_lap() -> impl Strategy<Value = (Geometry, usize)> {
    let small = (2..6usize, 1..12usize);
    let large = (2..5usize, 12..120usize);
    let divided = prop_oneof![3 => small, 1 => large].prop_map(|(blocks, block_size)| geometry(blocks, block_size));
    (divided, prop::sample::select(LAPS.to_vec()))
}

fn agrees_with_a_deque<F: SliceForm<u64>>() {
    let inputs = (geometry_and_lap(), prop::collection::vec(operation(), 1..150));
    let config = Config { cases: 64, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&inputs, |((geometry, lap), operations)| {
        let mut pair = Modelled::<F>::new(geometry, lap);
        for operation in operations {
            pair.apply(operation);
            pair.check_length();
        }
        pair.drain(usize::MAX);
        pair.check_length();
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
every_form!(fifo: agrees_with_a_deque);

/// A queue and what it should hold.
struct Modelled<F: SliceForm<u64>> {
    producers: Vec<F::Producer>,
    consumers: Vec<F::Consumer>,
    /// The handles in use.
    producer: usize,
    consumer: usize,
    model: VecDeque<u64>,
    geometry: Geometry,
    pushed: usize,
    popped: usize,
}

impl<F: SliceForm<u64>> Modelled<F> {
    fn new(geometry: Geometry, lap: usize) -> Self {
        let (producer, consumer) = F::starting_at(geometry, lap).expect("a small queue");
        let mut producers: Vec<_> = std::iter::repeat_with(|| producer.another()).map_while(|it| it).take(2).collect();
        let mut consumers: Vec<_> = std::iter::repeat_with(|| consumer.another()).map_while(|it| it).take(2).collect();
        producers.push(producer);
        consumers.push(consumer);
        let model = VecDeque::new();
        Self { producers, consumers, producer: 0, consumer: 0, model, geometry, pushed: 0, popped: 0 }
    }

    fn apply(&mut self, operation: Operation) {
        match operation {
            Operation::Push => self.push(),
            Operation::PushSlice(count) => self.push_slice(count),
            Operation::Pop => self.pop(),
            Operation::PopSlice(count) => self.pop_slice(count),
            Operation::Drain(count) => self.drain(count),
            Operation::Producer(number) => self.producer = number % self.producers.len(),
            Operation::Consumer(number) => self.consumer = number % self.consumers.len(),
            Operation::CloneProducer(number) => {
                if let Some(copy) = self.producers[self.producer].another() {
                    self.producers[number] = copy;
                }
            }
            Operation::CloneConsumer(number) => {
                if let Some(copy) = self.consumers[self.consumer].another() {
                    self.consumers[number] = copy;
                }
            }
        }
    }

    fn check_length(&self) {
        for producer in &self.producers {
            assert_eq!(producer.capacity(), self.geometry.capacity());
            assert!(
                producer.len().is_none_or(|len| len == self.model.len()),
                "{:?} of {:?}",
                producer.len(),
                self.model
            );
            assert_ne!(producer.is_closed(), Some(true));
        }
        assert!(self.consumers.iter().all(|consumer| consumer.is_closed() != Some(true)));
    }

    /// The number of items that have to fit now.
    fn room(&self) -> usize {
        let room = room(self.geometry, self.pushed, self.popped);
        assert!(self.model.len() + room <= entries(self.geometry));
        assert!(self.model.len() + room >= self.geometry.capacity());
        room
    }

    fn pushed(&mut self, count: usize) {
        self.model.extend(self.pushed as u64..(self.pushed + count) as u64);
        self.pushed += count;
    }

    fn push(&mut self) {
        let (item, room) = (self.pushed as u64, self.room());
        match self.producers[self.producer].push(item) {
            Ok(()) => {
                assert_ne!(room, 0, "pushed into a full queue");
                self.pushed(1);
            }
            Err(PushError::Full(back)) => assert_eq!((back, room), (item, 0), "the value, and why"),
            Err(PushError::Busy(_)) => panic!("busy, and nobody else is at work"),
        }
    }

    fn push_slice(&mut self, count: usize) {
        let items: Vec<_> = (self.pushed as u64..).take(count).collect();
        let pushed = self.producers[self.producer].push_slice(&items);
        assert_eq!(pushed, count.min(self.room()), "pushed from a slice of {count}");
        self.pushed(pushed);
    }

    fn popped(&mut self, items: &[u64]) {
        for &item in items {
            assert_eq!(Some(item), self.model.pop_front(), "first in, first out");
        }
        self.popped += items.len();
    }

    fn pop(&mut self) {
        match self.consumers[self.consumer].pop() {
            Ok(item) => self.popped(&[item]),
            Err(error) => assert_eq!((error, self.model.len()), (PopError::Empty, 0), "the reason and the length"),
        }
    }

    fn pop_slice(&mut self, count: usize) {
        let mut items = vec![u64::MAX; count];
        let popped = self.consumers[self.consumer].pop_slice(&mut items);
        assert_eq!(popped, count.min(self.model.len()), "popped into a slice of {count}");
        self.popped(&items[..popped]);
        assert!(items[popped..].iter().all(|&item| item == u64::MAX), "wrote beyond what it popped");
    }

    fn drain(&mut self, count: usize) {
        let items: Vec<_> = self.consumers[self.consumer].drain().take(count).collect();
        assert_eq!(items.len(), count.min(self.model.len()));
        self.popped(&items);
    }
}
