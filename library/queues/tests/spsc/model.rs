//! One thread does random operations on both ends, and a `VecDeque` gives the expected results.

use std::collections::VecDeque;
use std::mem::MaybeUninit;
use std::num::NonZeroUsize;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::common::{Ending, Number, OpenRead, OpenWrite, PopEnd, PushEnd, Setup, SliceKind, every_queue};
use aqueduct::queue::{Closed, Full, Len, Pop, PopSlice, Push, PushIter, PushSlice};

type Item = NonZeroUsize;

/// The way in which items are put into a batch, or taken from it.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// One by one.
    Single,
    /// By an iterator, or by internal iteration.
    Whole,
    /// In place, run by run, with this number of slots at once.
    Runs(usize),
}

#[derive(Clone, Debug)]
enum Operation {
    Push,
    PushSlice(usize),
    PushIter(usize),
    PushBatch { wanted: usize, count: usize, way: Way, ending: Ending },
    Pop,
    PopSlice(usize),
    Drain(usize),
    PopBatch { most: usize, count: usize, way: Way, ending: Ending },
    Available(usize),
    Peek,
}

/// Makes counts around the tested capacities, and some far beyond.
fn count() -> impl Strategy<Value = usize> {
    prop_oneof![8 => 0..12usize, 3 => 0..60usize, 1 => Just(1000), 1 => Just(usize::MAX)]
}

fn operation() -> impl Strategy<Value = Operation> {
    let way = prop_oneof![Just(Way::Single), Just(Way::Whole), (1..9usize).prop_map(Way::Runs)];
    let ending = prop_oneof![Just(Ending::Say), Just(Ending::Drop)];
    prop_oneof![
        4 => Just(Operation::Push),
        2 => (0..50usize).prop_map(Operation::PushSlice),
        1 => count().prop_map(Operation::PushIter),
        4 => (count(), count(), way.clone(), ending.clone())
            .prop_map(|(wanted, count, way, ending)| Operation::PushBatch { wanted, count, way, ending }),
        4 => Just(Operation::Pop),
        2 => (0..50usize).prop_map(Operation::PopSlice),
        1 => count().prop_map(Operation::Drain),
        4 => (count(), count(), way, ending)
            .prop_map(|(most, count, way, ending)| Operation::PopBatch { most, count, way, ending }),
        2 => count().prop_map(Operation::Available),
        1 => Just(Operation::Peek),
    ]
}

fn setup() -> impl Strategy<Value = Setup> {
    // Indices count down from zero: most runs wrap.
    (1..=40usize, 0..200usize, prop_oneof![1..7usize, Just(32)], 1..5usize).prop_map(
        |(capacity, before, partition, report_every)| Setup {
            capacity,
            index: 0usize.wrapping_sub(before),
            partition,
            report_every,
        },
    )
}

fn agrees_with_a_deque<K: SliceKind<Item>>() {
    // A mirrored ring has at least a page: rotating it first brings its end within reach.
    let inputs = (setup(), 0..520usize, prop::collection::vec(operation(), 1..120));
    let config = Config { cases: 64, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&inputs, |(setup, rotation, operations)| {
        let mut pair = Modelled::<K>::new(setup);
        for _ in 0..rotation {
            pair.push();
            pair.pop();
        }
        for operation in operations {
            pair.apply(&operation);
            pair.check_lengths();
        }
        pair.drain(usize::MAX);
        pair.check_lengths();
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

every_queue!(fifo: agrees_with_a_deque);

/// A queue and its expected content.
struct Modelled<K: SliceKind<Item>> {
    producer: K::Producer,
    consumer: K::Consumer,
    model: VecDeque<Item>,
    /// The number of the next item.
    next: u64,
    setup: Setup,
}

impl<K: SliceKind<Item>> Modelled<K> {
    fn new(setup: Setup) -> Self {
        let (producer, consumer) = K::make(setup).expect("small queues can be made");
        Self { producer, consumer, model: VecDeque::new(), next: 1, setup }
    }

    /// Returns the next `count` items; a test that takes `n` of them calls `pushed(n)`.
    fn items(&self, count: usize) -> impl Iterator<Item = Item> + use<K> {
        (self.next..).take(count).map(Item::of)
    }

    fn pushed(&mut self, count: usize) {
        self.model.extend(self.items(count));
        self.next += count as u64;
        let most = self.setup.capacity + K::surplus(self.setup);
        assert!(self.model.len() <= most, "{} items are in, {most} are allowed", self.model.len());
    }

    /// Asserts, after a refusal, that the capacity that was asked for is in use.
    fn assert_full(&self) {
        assert!(self.producer.is_full(), "refused and not full");
        assert!(self.model.len() >= self.setup.capacity, "full with {} items", self.model.len());
    }

    fn apply(&mut self, operation: &Operation) {
        match *operation {
            Operation::Push => self.push(),
            Operation::PushSlice(count) => self.push_slice(count),
            Operation::PushIter(count) => self.push_iter(count),
            Operation::PushBatch { wanted, count, way, ending } => self.push_batch(wanted, count, way, ending),
            Operation::Pop => self.pop(),
            Operation::PopSlice(count) => self.pop_slice(count),
            Operation::Drain(count) => self.drain(count),
            Operation::PopBatch { most, way: Way::Whole, .. } => self.fold_batch(most),
            Operation::PopBatch { most, count, way, ending } => self.pop_batch(most, count, way, ending),
            Operation::Available(wanted) => self.available(wanted),
            Operation::Peek => self.peek(),
        }
    }

    fn check_lengths(&self) {
        let len = self.model.len();
        assert_eq!(self.consumer.len(), len, "the consumer's len");
        assert_eq!(self.consumer.is_empty(), len == 0, "the consumer's is_empty");
        let seen = self.producer.len();
        if K::GIVES_BACK_LATE {
            let most = self.setup.capacity + K::surplus(self.setup);
            assert!((len..=most).contains(&seen), "the producer's len {seen}, with {len} items and room for {most}");
        } else {
            assert_eq!(seen, len, "the producer's len");
        }
        assert_eq!(self.producer.is_empty(), seen == 0, "the producer's is_empty");
        if len < self.setup.capacity {
            assert!(!self.producer.is_full(), "full with {len} items");
        }
        assert_eq!(self.producer.capacity(), self.setup.capacity);
        assert_eq!(self.consumer.capacity(), self.setup.capacity);
        assert!(!self.producer.is_closed() && !self.consumer.is_closed());
    }

    fn push(&mut self) {
        let full = self.producer.is_full();
        let item = Item::of(self.next);
        match self.producer.push(item) {
            Ok(()) => {
                assert!(!full, "pushed into a full queue");
                self.pushed(1);
            }
            Err(back) => {
                assert_eq!(back.into_inner(), item, "the value comes back");
                assert!(full, "refused by a queue that was not full");
                self.assert_full();
            }
        }
    }

    fn push_slice(&mut self, count: usize) {
        let items: Vec<_> = self.items(count).collect();
        let pushed = self.producer.push_slice(&items);
        assert!(pushed <= count);
        self.pushed(pushed);
        if pushed < count {
            self.assert_full();
        }
    }

    fn push_iter(&mut self, count: usize) {
        let mut asked = 0;
        let mut items = self.items(count).inspect(|_| asked += 1);
        let pushed = self.producer.push_iter(&mut items);
        drop(items);
        assert_eq!(asked, pushed, "items asked of the iterator and items pushed");
        self.pushed(pushed);
        if pushed < count {
            self.assert_full();
        }
    }

    fn push_batch(&mut self, wanted: usize, count: usize, way: Way, ending: Ending) {
        let most = self.setup.capacity + K::surplus(self.setup);
        let longest = K::longest_batch(self.setup);
        let room = self.setup.capacity.saturating_sub(self.model.len());
        let before = self.model.len();
        let mut items = self.items(count);
        let (mut added, mut first_space) = (0, 0);
        let has_batches = self.producer.batch(wanted, ending, &mut |batch| {
            first_space = batch.space();
            added = match way {
                Way::Single => add_singly(batch, &mut items),
                Way::Whole => batch.fill(&mut items),
                Way::Runs(stride) => add_in_place(batch, &mut items, count, stride),
            };
            assert_eq!(batch.space(), first_space - added, "space after {added} items");
        });
        if !has_batches {
            return;
        }
        assert!(first_space >= wanted.min(room).min(longest), "space {first_space}, wanted {wanted}, room {room}");
        assert!(first_space <= longest, "space {first_space} in a batch that holds {longest} at most");
        assert!(before + first_space <= most, "space {first_space} beside {before} items");
        assert_eq!(added, first_space.min(count), "items added to a batch with space {first_space}");
        self.pushed(added);
    }

    fn popped(&mut self, items: &[Item]) {
        for &item in items {
            assert_eq!(Some(item), self.model.pop_front(), "first in, first out");
        }
    }

    fn pop(&mut self) {
        let first = self.model.pop_front();
        assert_eq!(self.consumer.pop().ok(), first);
        if first.is_none() {
            assert!(self.producer.is_empty(), "a consumer that found nothing has given all back");
        }
    }

    fn pop_slice(&mut self, count: usize) {
        let mut items = vec![Item::MAX; count];
        let popped = self.consumer.pop_slice(&mut items);
        assert_eq!(popped, count.min(self.model.len()), "popped into a slice of {count}");
        self.popped(&items[..popped]);
        assert!(items[popped..].iter().all(|&item| item == Item::MAX), "wrote beyond what it popped");
    }

    fn drain(&mut self, count: usize) {
        let items: Vec<_> = self.consumer.drain().take(count).collect();
        assert_eq!(items.len(), count.min(self.model.len()));
        self.popped(&items);
    }

    fn fold_batch(&mut self, most: usize) {
        let Some(items) = self.consumer.fold_batch(most) else { return };
        assert_eq!(items.len(), most.min(self.model.len()));
        self.popped(&items);
    }

    fn pop_batch(&mut self, most: usize, count: usize, way: Way, ending: Ending) {
        let there = self.model.len();
        let mut items = Vec::new();
        let has_batches = self.consumer.batch(most, ending, &mut |batch| match way {
            Way::Runs(stride) => take_in_place(batch, &mut items, count, stride),
            _ => take_singly(batch, &mut items, count, most),
        });
        if !has_batches {
            return;
        }
        assert_eq!(items.len(), count.min(most).min(there), "items of a batch of at most {most} with {there} there");
        self.popped(&items);
    }

    fn available(&mut self, wanted: usize) {
        let there = self.model.len();
        match self.consumer.available(wanted) {
            Some(available) if there <= wanted => assert_eq!(available, there, "of {wanted} wanted"),
            Some(available) => {
                assert!((wanted..=there).contains(&available), "{available} of {there}, {wanted} wanted")
            }
            None => {}
        }
    }

    fn peek(&mut self) {
        if let Some(first) = self.consumer.peek() {
            assert_eq!(first, self.model.front());
        }
    }
}

fn add_singly(batch: &mut dyn OpenWrite<Item>, items: &mut dyn Iterator<Item = Item>) -> usize {
    let mut added = 0;
    for item in items {
        let full = batch.space() == 0;
        match batch.push(item) {
            Ok(()) => added += 1,
            Err(back) => {
                assert_eq!(back.into_inner(), item);
                assert!(full, "refused by a batch with space");
                break;
            }
        }
        assert!(!full, "pushed into a batch without space");
    }
    added
}

/// Writes up to `stride` slots at a time.
fn add_in_place(
    batch: &mut dyn OpenWrite<Item>,
    items: &mut dyn Iterator<Item = Item>,
    count: usize,
    stride: usize,
) -> usize {
    let mut added = 0;
    while added < count {
        let space = batch.space();
        let run = batch.run();
        assert_eq!(run.is_empty(), space == 0, "a run of {} with space {space}", run.len());
        assert!(run.len() <= space);
        let now = run.len().min(stride).min(count - added);
        if now == 0 {
            break;
        }
        for (slot, item) in run[..now].iter_mut().zip(&mut *items) {
            *slot = MaybeUninit::new(item);
        }
        // SAFETY: `count` items are left in the iterator, so the first `now` slots have been
        // written.
        unsafe { batch.written(now) };
        added += now;
    }
    added
}

fn take_singly(batch: &mut dyn OpenRead<Item>, items: &mut Vec<Item>, count: usize, most: usize) {
    while items.len() < count {
        let (least, hint) = batch.size_hint();
        assert_eq!(hint, Some(most - items.len()), "the hint is the number of items left");
        match batch.pop() {
            Some(item) => items.push(item),
            None => {
                assert_eq!(least, 0, "a batch ended with items left");
                break;
            }
        }
    }
}

/// Reads runs and skips up to `stride` items of each at a time, if the queue's slots can be viewed.
fn take_in_place(batch: &mut dyn OpenRead<Item>, items: &mut Vec<Item>, count: usize, stride: usize) {
    while items.len() < count {
        let Some(run) = batch.run() else {
            items.extend(std::iter::from_fn(|| batch.pop()).take(count - items.len()));
            return;
        };
        let (len, now) = (run.len(), stride.min(count - items.len()));
        items.extend(&run[..now.min(len)]);
        let skipped = batch.skip_run(now).expect("a queue that shows runs skips them");
        assert_eq!(skipped, now.min(len), "skipped of a run of {len}");
        if len == 0 {
            break;
        }
    }
}
