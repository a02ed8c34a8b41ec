//! The turns of a scenario with one producer and one consumer, beside a model of their queue.

use std::fmt::Debug;

use aqueduct::error::{CapacityError, PopError};
use aqueduct::queue::{Closed, Full, Len, Pop, PopSlice, Push, PushIter, PushSlice};
use aqueduct::spsc::{Peek, PopBatch, PushBatch};

use crate::common::{Item, Model, Random, may_panic, steps, wanted_panic};

/// The operations of the producer of any queue with one producer and one consumer.
pub(crate) trait Producing: PushIter<Item: Item> + Full + Closed + Len + Debug {}
impl<P: PushIter<Item: Item> + Full + Closed + Len + Debug> Producing for P {}

/// The operations of the consumer of such a queue.
pub(crate) trait Consuming: Pop<Item: Item> + Closed + Len + Debug {}
impl<C: Pop<Item: Item> + Closed + Len + Debug> Consuming for C {}

/// A push, which is refused only if `capacity` items are in the queue.
pub(crate) fn push<P: Push<Item: Item>>(model: &mut Model, producer: &mut P, capacity: usize) {
    match producer.push(model.make()) {
        Ok(()) => model.pushed(),
        Err(error) => {
            assert!(error.is_full(), "busy, and nobody else is at work");
            model.refused(&error.into_inner());
            assert!(model.len() >= capacity, "full with {} of {capacity}", model.len());
        }
    }
}

/// A pop, which fails only if the queue is empty.
pub(crate) fn pop<C: Pop<Item: Item>>(model: &mut Model, consumer: &mut C) {
    match consumer.pop() {
        Ok(item) => model.popped(&item),
        Err(error) => {
            assert_eq!(error, PopError::Empty, "nobody else is at work");
            assert_eq!(model.len(), 0, "empty");
        }
    }
}

/// A push or a pop.
pub(crate) fn push_or_pop<P, C>(random: &mut Random, model: &mut Model, producer: &mut P, consumer: &mut C)
where
    P: Push<Item: Item>,
    C: Pop<Item = P::Item> + Len,
{
    if random.one_in(2) {
        push(model, producer, consumer.capacity());
    } else {
        pop(model, consumer);
    }
}

/// An operation of one of the ends, on one item or by iterators.
pub(crate) fn one_by_one<P, C>(random: &mut Random, model: &mut Model, producer: &mut P, consumer: &mut C)
where
    P: Producing,
    C: Consuming<Item = P::Item>,
{
    match random.below(9) {
        0..=2 => {
            let before = model.len();
            push(model, producer, producer.capacity());
            assert!(model.len() > before || producer.is_full());
        }
        3..=5 => pop(model, consumer),
        6 => {
            let (most, bad) = (random.below(20), random.below(40));
            let done = may_panic(|| producer.push_iter(model.items(most, bad)));
            assert!(done.is_none_or(|done| done == most || producer.is_full()));
        }
        7 => {
            let most = random.below(20);
            consumer.drain().take(most).for_each(|item| model.popped(&item));
        }
        _ => {
            assert_eq!((consumer.len(), consumer.is_empty()), (model.len(), model.len() == 0));
            assert!(producer.len() >= model.len());
            assert!(!producer.is_closed() && !consumer.is_closed());
            let told = format!("{producer:?} {consumer:?}");
            assert!(told.contains("Producer") && told.contains("Consumer"), "{told}");
        }
    }
}

/// A batch of the producer.
pub(crate) fn write_batch<P: PushBatch<Item: Item>>(random: &mut Random, model: &mut Model, producer: &mut P) {
    if random.one_in(2) {
        let mut batch = producer.batch(random.below(40));
        for _ in 0..random.below(20) {
            let space = batch.space();
            match batch.push(model.make()) {
                Ok(()) => model.pushed(),
                Err(refused) => {
                    model.refused(&refused.into_inner());
                    assert_eq!(space, 0);
                    break;
                }
            }
        }
        if random.one_in(2) {
            batch.publish();
        }
    } else {
        let (wanted, most, bad) = (random.below(40), random.below(20), random.below(40));
        let mut batch = producer.batch(wanted);
        may_panic(|| batch.fill(model.items(most, bad)));
    }
}

/// A batch of the consumer, or a call that returns how long a batch could be.
pub(crate) fn read_batch<C: PopBatch<Item: Item>>(random: &mut Random, model: &mut Model, consumer: &mut C) {
    match random.below(3) {
        0 => {
            let mut batch = consumer.batch(random.below(40));
            for _ in 0..random.below(30) {
                let Some(item) = batch.pop() else { break };
                model.popped(&item);
            }
        }
        1 => {
            let (most, mut left) = (random.below(40), random.below(40));
            let batch = consumer.batch(most);
            may_panic(|| {
                batch.for_each(|item| {
                    model.popped(&item);
                    left = left.checked_sub(1).unwrap_or_else(|| wanted_panic());
                })
            });
        }
        _ => {
            let wanted = random.below(60);
            let available = consumer.available(wanted);
            assert!(available <= model.len() && available >= wanted.min(model.len()));
        }
    }
}

/// Items that are read in their slots.
pub(crate) fn in_place<C: Peek<Item: Item>>(random: &mut Random, model: &mut Model, consumer: &mut C) {
    if random.one_in(2) {
        let first = model.first();
        assert_eq!(consumer.peek().map(|item| first.is_some_and(|first| item.is(first))), first.map(|_| true));
        return;
    }
    let mut batch = consumer.batch(random.below(40));
    while !batch.run().is_empty() && !random.one_in(3) {
        let count = 1 + random.below(batch.run().len());
        // Items are read in their slots, and then dropped in place, one by one or all at once.
        let each = if random.one_in(2) { 1 } else { count };
        for _ in 0..count / each {
            batch.run()[..each].iter().for_each(|item| model.popped(item));
            assert_eq!(batch.skip_run(each), each);
        }
        if random.one_in(3)
            && let Some(item) = batch.pop()
        {
            model.popped(&item);
        }
    }
}

/// Batches on both sides, of a queue whose slots can be viewed.
pub(crate) fn batches_in_place<P, C>(random: &mut Random, model: &mut Model, producer: &mut P, consumer: &mut C)
where
    P: PushBatch<Item: Item>,
    C: Peek<Item = P::Item>,
{
    if random.below(5) < 2 {
        write_batch(random, model, producer);
    } else {
        read_batch(random, model, consumer);
    }
    in_place(random, model, consumer);
}

/// Tests a queue with operations on single items between `turn`s. Its ends go in either order, with
/// the remaining items.
pub(crate) fn beside_a_deque<P, C>(
    random: &mut Random,
    queue: Result<(P, C), CapacityError>,
    turn: impl Fn(&mut Random, &mut Model, &mut P, &mut C),
) where
    P: Producing,
    C: Consuming<Item = P::Item>,
{
    let (mut producer, mut consumer) = queue.expect("a small queue");
    let mut model = Model::default();
    for _ in 0..steps(300) {
        if random.one_in(3) {
            one_by_one(random, &mut model, &mut producer, &mut consumer);
        } else {
            turn(random, &mut model, &mut producer, &mut consumer);
        }
        if random.one_in(20) {
            // Handles may be moved.
            (producer, consumer) = *std::hint::black_box(Box::new((producer, consumer)));
        }
    }
    if random.one_in(2) {
        drop(producer);
        assert!(consumer.is_closed());
        consumer.drain().take(random.below(10)).for_each(|item| model.popped(&item));
    } else {
        drop(consumer);
        assert!(producer.is_closed());
        let _ = producer.push(model.make());
    }
}

/// Tests slices between `single` operations.
pub(crate) fn slices<P, C>(
    random: &mut Random,
    queue: Result<(P, C), CapacityError>,
    single: impl Fn(&mut Random, &mut Model, &mut P, &mut C),
) where
    P: PushSlice<Item: Item>,
    C: PopSlice<Item = P::Item> + Len,
{
    let (mut producer, mut consumer) = queue.expect("a small queue");
    let mut model = Model::default();
    for _ in 0..steps(200) {
        match random.below(4) {
            0 => {
                let items: Vec<P::Item> = model.slice(random.below(100));
                let done = producer.push_slice(&items);
                (0..done).for_each(|_| model.pushed());
                assert!(done == items.len() || model.len() >= consumer.capacity());
            }
            1 => {
                let (mut items, there) = (vec![P::Item::make(1); random.below(100)], model.len());
                let done = consumer.pop_slice(&mut items);
                assert_eq!(done, there.min(items.len()));
                items[..done].iter().for_each(|item| model.popped(item));
            }
            _ => single(random, &mut model, &mut producer, &mut consumer),
        }
    }
}

/// Tests a queue that threads share as a whole. `check` compares it with the model between
/// operations.
pub(crate) fn shared<Q>(random: &mut Random, queue: Q, capacity: usize, check: impl Fn(&Q, &Model))
where
    Q: Push<Item: Item> + Pop<Item = <Q as Push>::Item> + Copy,
{
    let (mut producer, mut consumer, mut model) = (queue, queue, Model::default());
    for _ in 0..steps(400) {
        check(&queue, &model);
        if random.one_in(2) {
            push(&mut model, &mut producer, capacity);
        } else {
            pop(&mut model, &mut consumer);
        }
    }
    check(&queue, &model);
}
