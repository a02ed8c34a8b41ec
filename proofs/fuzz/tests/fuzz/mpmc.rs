//! BBQ in all forms, FAAQ, the queues that threads share by reference, and the tubes as queues;
//! with handles that come and go.

use std::fmt::Debug;

use aqueduct::bbq::{self, Geometry, ProducerSide, Single};
use aqueduct::error::CapacityError;
use aqueduct::queue::{Closed, Len, Pop, Push, PushIter};
use aqueduct::tube::{self, Tube};
use aqueduct::{exact, faaq, unbounded};

use crate::common::{
    Aligned, AlignedNothing, Big, Handles, Heap, Item, Model, Nothing, Random, Start, Tiny, assert_none_is_left,
    may_panic, rounds, steps, wanted_panic,
};
use crate::turns::{pop, push, push_or_pop, shared, slices};

/// The entries of the longest blocks: FAAQ's words of 32 bits have no room for more.
const LONGEST: usize = if usize::BITS < 64 { 127 } else { 200 };

fn geometry(random: &mut Random) -> Geometry {
    let (blocks, size) = match random.below(4) {
        0 => (2, 1),
        1 => (2 + random.below(5), 1 + random.below(3)),
        2 => (2 + random.below(3), 1 + random.below(LONGEST)),
        _ => (2 + random.below(20), 1 + random.below(30)),
    };
    Geometry::new(blocks, size).expect("a small queue")
}

/// The only producer pushes the items of an iterator.
fn push_iter<P: PushIter<Item: Item>>(random: &mut Random, model: &mut Model, producer: &mut P) {
    let (most, bad) = (random.below(60), random.below(100));
    may_panic(|| producer.push_iter(model.items(most, bad)));
}

/// The only consumer passes items to a function.
fn pop_each<T: Item, P: ProducerSide>(
    random: &mut Random,
    model: &mut Model,
    consumer: &mut bbq::Consumer<T, P, Single>,
) {
    let (most, there, mut left) = (random.below(60), model.len(), random.below(100));
    let done = may_panic(|| {
        consumer.pop_each(most, |item| {
            model.popped(&item);
            left = left.checked_sub(1).unwrap_or_else(|| wanted_panic());
        })
    });
    assert!(done.is_none_or(|done| done == most.min(there)));
}

/// A handle that is one of several has no further operations.
fn no_more<H>(_: &mut Random, _: &mut Model, _: &mut H) {}

/// One side of a queue, in a list of forms.
struct Side<H> {
    handles: Start<H>,
    /// The operation that only the single handle of a side has.
    alone: fn(&mut Random, &mut Model, &mut H),
}

impl<H> Side<H> {
    fn one(alone: fn(&mut Random, &mut Model, &mut H)) -> Self {
        Self { handles: Handles::one, alone }
    }

    fn many() -> Self
    where
        H: Clone,
    {
        Self { handles: Handles::many, alone: no_more }
    }
}

/// Tests a queue with handles on both sides.
fn beside_a_deque<T, P, C>(
    random: &mut Random,
    queue: Result<(P, C), CapacityError>,
    producing: Side<P>,
    consuming: Side<C>,
) where
    T: Item,
    P: Push<Item = T> + Closed + Debug,
    C: Pop<Item = T> + Closed + Len + Debug,
{
    let (producer, consumer) = queue.expect("a small queue");
    let capacity = consumer.capacity();
    let (mut producers, mut consumers) = ((producing.handles)(producer), (consuming.handles)(consumer));
    let mut model = Model::default();
    for _ in 0..steps(300) {
        let (producer, consumer) = (producers.any(random), consumers.any(random));
        match random.below(12) {
            0..=2 => push(&mut model, producer, capacity),
            3..=5 => pop(&mut model, consumer),
            6 => {
                let (most, there) = (random.below(30), model.len());
                let came = consumer.drain().take(most).map(|item| model.popped(&item)).count();
                assert_eq!(came, most.min(there));
            }
            7 => (producing.alone)(random, &mut model, producer),
            8 => (consuming.alone)(random, &mut model, consumer),
            9 => drop(producers.come_and_go(random)),
            10 => drop(consumers.come_and_go(random)),
            _ => {
                assert!(!producer.is_closed() && !consumer.is_closed());
                let told = format!("{producer:?} {consumer:?}");
                assert!(told.contains("Producer") && told.contains("Consumer"), "{told}");
            }
        }
    }
    if random.one_in(2) {
        drop(producers);
        let consumer = consumers.any(random);
        assert!(consumer.is_closed());
        consumer.drain().take(random.below(5)).for_each(|item| model.popped(&item));
    } else {
        drop(consumers);
        let producer = producers.any(random);
        assert!(producer.is_closed());
        let _ = producer.push(model.make());
    }
}

/// Tests a queue that has a `len`.
fn with_length<T: Item, Q>(random: &mut Random, queue: Result<Q, CapacityError>, capacity: usize)
where
    for<'q> &'q Q: Push<Item = T> + Pop<Item = T> + Len,
{
    shared(random, &queue.expect("a small queue"), capacity, |queue, model| {
        assert_eq!((queue.len(), queue.is_empty()), (model.len(), model.len() == 0));
    });
}

/// Tests a tube, which has `is_empty` and no `len`.
fn tube<T: Item, U: Tube>(random: &mut Random, slots: usize) {
    let queue = tube::Fifo::<T, U>::new(slots).expect("a small queue");
    shared(random, &queue, slots, |queue, model| assert_eq!(queue.is_empty(), model.len() == 0));
}

/// Permits beside items: together they take as many slots as there are, and not one more.
fn permits<T: Item>(random: &mut Random, capacity: usize, laps: u64) {
    let queue = exact::Queue::<T>::starting_at(capacity, laps.wrapping_neg()).expect("a small queue");
    let (mut model, mut held) = (Model::default(), Vec::new());
    for _ in 0..steps(300) {
        let free = capacity - model.len() - held.len();
        assert_eq!((queue.len(), queue.is_full()), (model.len(), free == 0));
        assert!(!queue.has_room_for(free + 1) && queue.has_room_for(free));
        match random.below(6) {
            0 | 1 => push(&mut model, &mut &queue, capacity - held.len()),
            2 => pop(&mut model, &mut &queue),
            3 => match queue.reserve() {
                Ok(permit) => held.push(permit),
                Err(error) => assert!(error.is_full() && free == 0, "{free} are free"),
            },
            4 if !held.is_empty() => {
                held.swap_remove(random.below(held.len())).push(model.make());
                model.pushed();
            }
            _ => drop(held.pop()),
        }
    }
}

fn every_form<T: Item>(random: &mut Random) {
    let (geometry, lap) = (geometry(random), random.lap());
    let (capacity, slots) = (1 + random.below(1000), 1 + random.below(40));
    beside_a_deque(random, bbq::spsc::starting_at::<T>(geometry, lap), Side::one(push_iter), Side::one(pop_each));
    beside_a_deque(random, bbq::mpsc::starting_at::<T>(geometry, lap), Side::many(), Side::one(pop_each));
    beside_a_deque(random, bbq::spmc::starting_at::<T>(geometry, lap), Side::one(push_iter), Side::many());
    beside_a_deque(random, bbq::mpmc::starting_at::<T>(geometry, lap), Side::many(), Side::many());
    beside_a_deque(random, bbq::mpmc::new::<T>(capacity), Side::many(), Side::many());
    beside_a_deque(random, faaq::new::<T>(capacity), Side::many(), Side::many());
    beside_a_deque(random, faaq::starting_at::<T>(geometry, lap), Side::many(), Side::many());
    beside_a_deque(random, unbounded::with_block_size::<T>(slots), Side::many(), Side::many());
    with_length(random, bbq::Queue::<T>::starting_at(geometry, lap), geometry.capacity());
    with_length(random, faaq::Queue::<T>::starting_at(geometry, lap), geometry.capacity());
    with_length(random, unbounded::Queue::<T>::with_block_size(slots), usize::MAX);
    let laps = random.below(3) as u64;
    with_length(random, exact::Queue::<T>::starting_at(slots, laps.wrapping_neg()), slots);
    permits::<T>(random, slots, laps);
    tube::<T, tube::SequencedRing>(random, slots);
    tube::<T, tube::IndexQueues>(random, slots);
    tube::<T, tube::Blocks>(random, slots);
    tube::<T, tube::FetchAddBlocks>(random, slots);
    assert_none_is_left();
}

fn slices_of_words(random: &mut Random) {
    let [one, two, three, four, five, six] = [(); 6].map(|()| geometry(random));
    slices(random, bbq::spsc::with_geometry::<u64>(one), push_or_pop);
    slices(random, bbq::mpsc::with_geometry::<u64>(two), push_or_pop);
    slices(random, bbq::spmc::with_geometry::<u64>(three), push_or_pop);
    slices(random, bbq::mpmc::with_geometry::<u64>(four), push_or_pop);
    slices(random, faaq::with_geometry::<u64>(five), push_or_pop);
    slices(random, unbounded::with_block_size::<u64>(six.block_size()), push_or_pop);
}

#[test]
fn items_on_the_heap() {
    rounds(30, every_form::<Heap>);
}

#[test]
fn items_of_several_lines() {
    rounds(15, every_form::<Big>);
}

#[test]
fn items_with_much_alignment() {
    rounds(15, every_form::<Aligned>);
}

#[test]
fn items_of_three_bytes() {
    rounds(15, every_form::<Tiny>);
}

#[test]
fn items_without_bytes() {
    rounds(15, every_form::<Nothing>);
}

#[test]
fn items_without_bytes_with_much_alignment() {
    rounds(15, every_form::<AlignedNothing>);
}

#[test]
fn words() {
    rounds(15, every_form::<u64>);
}

#[test]
fn slices_between_single_items() {
    rounds(30, slices_of_words);
}
