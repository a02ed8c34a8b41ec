//! BBQ in all forms, FAAQ, the queues that threads share by reference, and the tubes as queues; with handles
//! that come and go.

use aqueduct::bbq::{self, Geometry};
use aqueduct::error::{CapacityError, PopError, PushError};
use aqueduct::{faaq, tube, unbounded};

use crate::common::{
    Aligned, AlignedNothing, Big, Heap, Item, Model, Nothing, Random, Tiny, assert_none_is_left, come_and_go, if_many,
    if_one, may_panic, rounds, steps, wanted_panic,
};

/// Returns the item of a push that was refused for lack of room.
fn full<T>(error: PushError<T>) -> T {
    assert!(error.is_full(), "busy, and nobody else is at work");
    error.into_inner()
}

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

macro_rules! handles {
    ($item:ty, $random:ident, $make:expr, $producers:tt, $consumers:tt) => {{
        let (producer, consumer) = $make.expect("a small queue");
        let capacity = producer.capacity();
        let (mut producers, mut consumers) = (vec![producer], vec![consumer]);
        let mut model = Model::default();
        for _ in 0..steps(300) {
            let (one, other) = ($random.below(producers.len()), $random.below(consumers.len()));
            match $random.below(12) {
                0..=2 => match producers[one].push(model.make::<$item>()) {
                    Ok(()) => model.pushed(),
                    Err(error) => {
                        model.refused(&full(error));
                        assert!(model.len() >= capacity, "full with {} of {capacity}", model.len());
                    }
                },
                3..=5 => match consumers[other].pop() {
                    Ok(item) => model.popped(&item),
                    Err(error) => {
                        assert_eq!(error, PopError::Empty, "nobody else is at work");
                        assert_eq!(model.len(), 0, "empty");
                    }
                },
                6 => {
                    let (most, there) = ($random.below(30), model.len());
                    let came = consumers[other].drain().take(most).map(|item| model.popped(&item)).count();
                    assert_eq!(came, most.min(there));
                }
                7 => if_one!($producers {
                    let (most, bad) = ($random.below(60), $random.below(100));
                    may_panic(|| producers[one].push_iter(model.items::<$item>(most, bad)));
                }),
                8 => if_one!($consumers {
                    let (most, there, mut left) = ($random.below(60), model.len(), $random.below(100));
                    let done = may_panic(|| consumers[other].pop_each(most, |item| {
                        model.popped(&item);
                        left = left.checked_sub(1).unwrap_or_else(|| wanted_panic());
                    }));
                    assert!(done.is_none_or(|done| done == most.min(there)));
                }),
                9 => if_many!($producers { come_and_go!($random, producers, one) }),
                10 => if_many!($consumers { come_and_go!($random, consumers, other) }),
                _ => {
                    assert!(!producers[one].is_closed() && !consumers[other].is_closed());
                    let told = format!("{:?} {:?}", producers[one], consumers[other]);
                    assert!(told.contains("Producer") && told.contains("Consumer"), "{told}");
                }
            }
        }
        if $random.one_in(2) {
            drop(producers);
            assert!(consumers[0].is_closed());
            consumers[0].drain().take($random.below(5)).for_each(|item| model.popped(&item));
        } else {
            drop(consumers);
            assert!(producers[0].is_closed());
            let _ = producers[0].push(model.make::<$item>());
        }
    }};
}

macro_rules! shared {
    ($item:ty, $random:ident, $make:expr, $capacity:expr) => {
        shared!($item, $random, $make, $capacity, |queue, model| {
            assert_eq!((queue.len(), queue.is_empty()), (model.len(), model.len() == 0));
        })
    };
    ($item:ty, $random:ident, $make:expr, $capacity:expr, |$queue:ident, $model:ident| $more:expr) => {{
        let ($queue, capacity): (_, usize) = ($make.expect("a small queue"), $capacity);
        let mut $model = Model::default();
        for _ in 0..steps(300) {
            $more;
            if $random.one_in(2) {
                match $queue.push($model.make::<$item>()) {
                    Ok(()) => $model.pushed(),
                    Err(error) => {
                        $model.refused(&full(error));
                        assert!($model.len() >= capacity, "full with {} of {capacity}", $model.len());
                    }
                }
            } else {
                match $queue.pop() {
                    Ok(item) => $model.popped(&item),
                    Err(error) => {
                        assert_eq!(error, PopError::Empty, "nobody else is at work");
                        assert_eq!($model.len(), 0, "empty");
                    }
                }
            }
        }
    }};
}

fn every_form<T: Item>(random: &mut Random) {
    let (geometry, lap) = (geometry(random), random.lap());
    handles!(T, random, bbq::spsc::starting_at::<T>(geometry, lap), one, one);
    handles!(T, random, bbq::mpsc::starting_at::<T>(geometry, lap), many, one);
    handles!(T, random, bbq::spmc::starting_at::<T>(geometry, lap), one, many);
    handles!(T, random, bbq::mpmc::starting_at::<T>(geometry, lap), many, many);
    let capacity = 1 + random.below(1000);
    handles!(T, random, bbq::mpmc::new::<T>(capacity), many, many);
    handles!(T, random, faaq::new::<T>(capacity), many, many);
    handles!(T, random, faaq::starting_at::<T>(geometry, lap), many, many);
    shared!(T, random, bbq::Queue::<T>::starting_at(geometry, lap), geometry.capacity());
    shared!(T, random, faaq::Queue::<T>::starting_at(geometry, lap), geometry.capacity());
    let slots = 1 + random.below(40);
    shared!(T, random, tube::Fifo::<T, tube::SequencedRing>::new(slots), slots, |queue, model| {
        assert_eq!(queue.is_empty(), model.len() == 0);
    });
    shared!(T, random, tube::Fifo::<T, tube::IndexQueues>::new(slots), slots, |queue, model| {
        assert_eq!(queue.is_empty(), model.len() == 0);
    });
    shared!(T, random, tube::Fifo::<T, tube::Blocks>::new(slots), slots, |queue, model| {
        assert_eq!(queue.is_empty(), model.len() == 0);
    });
    shared!(T, random, tube::Fifo::<T, tube::FetchAddBlocks>::new(slots), slots, |queue, model| {
        assert_eq!(queue.is_empty(), model.len() == 0);
    });
    handles!(T, random, unbounded::with_block_size::<T>(slots), many, many);
    shared!(T, random, unbounded::Queue::<T>::with_block_size(slots), usize::MAX);
    assert_none_is_left();
}

/// Makes an unbounded queue, with blocks of that geometry.
fn unbounded_queue(geometry: Geometry) -> Result<unbounded::Handles<u64>, CapacityError> {
    unbounded::with_block_size(geometry.block_size())
}

/// Tests slices between single items.
fn slices(random: &mut Random) {
    macro_rules! slices {
        ($make:path) => {{
            let (mut producer, mut consumer) = $make(geometry(random)).expect("a small queue");
            let (mut pushed, mut popped) = (0, 0);
            for _ in 0..steps(200) {
                match random.below(4) {
                    0 => {
                        let items: Vec<u64> = (pushed..).take(random.below(100)).collect();
                        let done = producer.push_slice(&items);
                        pushed += done as u64;
                        assert!(done == items.len() || pushed - popped >= producer.capacity() as u64);
                    }
                    1 => {
                        let mut items = vec![u64::MAX; random.below(100)];
                        let done = consumer.pop_slice(&mut items);
                        assert_eq!(done as u64, (pushed - popped).min(items.len() as u64));
                        assert!(items[..done].iter().copied().eq((popped..).take(done)));
                        popped += done as u64;
                    }
                    2 => pushed += u64::from(producer.push(pushed).is_ok()),
                    _ => {
                        let item = consumer.pop().ok();
                        assert_eq!(item, (popped < pushed).then_some(popped));
                        popped += u64::from(item.is_some());
                    }
                }
            }
        }};
    }
    slices!(bbq::spsc::with_geometry);
    slices!(bbq::mpsc::with_geometry);
    slices!(bbq::spmc::with_geometry);
    slices!(bbq::mpmc::with_geometry);
    slices!(faaq::with_geometry);
    slices!(unbounded_queue);
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
    rounds(30, slices);
}
