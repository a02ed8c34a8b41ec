//! One producer, one consumer: all kinds that carry any item, and both directions of a duplex queue.

use std::num::NonZeroUsize;

use aqueduct::spsc;

use crate::common::{
    Aligned, AlignedNothing, Big, Heap, Item, Model, Nothing, Random, Tiny, assert_none_is_left, may_panic, rounds,
    steps, wanted_panic,
};

/// The operations of every kind: one operation of one end, single or by iterators.
macro_rules! one_by_one {
    ($item:ty, $random:ident, $model:ident, $producer:ident, $consumer:ident) => {
        match $random.below(9) {
            0..=2 => match $producer.push($model.make::<$item>()) {
                Ok(()) => $model.pushed(),
                Err(refused) => {
                    $model.refused(&refused.into_inner());
                    assert!($producer.is_full() && $model.len() >= $producer.capacity());
                }
            },
            3..=5 => match $consumer.pop() {
                Ok(item) => $model.popped(&item),
                Err(_) => assert_eq!($model.len(), 0),
            },
            6 => {
                let (most, bad) = ($random.below(20), $random.below(40));
                let done = may_panic(|| $producer.push_iter($model.items::<$item>(most, bad)));
                assert!(done.is_none_or(|done| done == most || $producer.is_full()));
            }
            7 => {
                let most = $random.below(20);
                $consumer.drain().take(most).for_each(|item| $model.popped(&item));
            }
            _ => {
                assert_eq!(($consumer.len(), $consumer.is_empty()), ($model.len(), $model.len() == 0));
                assert!($producer.len() >= $model.len());
                assert!(!$producer.is_closed() && !$consumer.is_closed());
                let told = format!("{:?} {:?}", $producer, $consumer);
                assert!(told.contains("Producer") && told.contains("Consumer"), "{told}");
            }
        }
    };
}

/// The further operations of kinds with batches.
macro_rules! batches {
    ($item:ty, $random:ident, $model:ident, $producer:ident, $consumer:ident) => {
        match $random.below(5) {
            0 => {
                let mut batch = $producer.batch($random.below(40));
                for _ in 0..$random.below(20) {
                    let space = batch.space();
                    match batch.push($model.make::<$item>()) {
                        Ok(()) => $model.pushed(),
                        Err(refused) => {
                            $model.refused(&refused.into_inner());
                            assert_eq!(space, 0);
                            break;
                        }
                    }
                }
                if $random.one_in(2) {
                    batch.publish();
                }
            }
            1 => {
                let (wanted, most, bad) = ($random.below(40), $random.below(20), $random.below(40));
                let mut batch = $producer.batch(wanted);
                may_panic(|| batch.fill($model.items::<$item>(most, bad)));
            }
            2 => {
                let mut batch = $consumer.batch($random.below(40));
                for _ in 0..$random.below(30) {
                    let Some(item) = batch.pop() else { break };
                    $model.popped(&item);
                }
            }
            3 => {
                let (most, mut left) = ($random.below(40), $random.below(40));
                let batch = $consumer.batch(most);
                may_panic(|| {
                    batch.for_each(|item| {
                        $model.popped(&item);
                        left = left.checked_sub(1).unwrap_or_else(|| wanted_panic());
                    })
                });
            }
            _ => {
                let wanted = $random.below(60);
                let available = $consumer.available(wanted);
                assert!(available <= $model.len() && available >= wanted.min($model.len()));
            }
        }
    };
}

/// The further operations of kinds whose slots can be viewed.
macro_rules! in_place {
    ($random:ident, $model:ident, $consumer:ident) => {
        if $random.one_in(2) {
            let first = $model.first();
            assert_eq!($consumer.peek().map(|item| first.is_some_and(|first| item.is(first))), first.map(|_| true));
        } else {
            let mut batch = $consumer.batch($random.below(40));
            while !batch.run().is_empty() && !$random.one_in(3) {
                let count = 1 + $random.below(batch.run().len());
                // Items are read in their slots, and then dropped in place, one by one or all at once.
                let each = if $random.one_in(2) { 1 } else { count };
                for _ in 0..count / each {
                    batch.run()[..each].iter().for_each(|item| $model.popped(item));
                    assert_eq!(batch.skip_run(each), each);
                }
                if $random.one_in(3)
                    && let Some(item) = batch.pop()
                {
                    $model.popped(&item);
                }
            }
        }
    };
}

/// Drops the two ends of a queue in either order, with the remaining items.
macro_rules! end {
    ($item:ty, $random:ident, $model:ident, $producer:ident, $consumer:ident) => {
        if $random.one_in(2) {
            drop($producer);
            assert!($consumer.is_closed());
            for _ in 0..$random.below(10) {
                let Ok(item) = $consumer.pop() else { break };
                $model.popped(&item);
            }
        } else {
            drop($consumer);
            assert!($producer.is_closed());
            let _ = $producer.push($model.make::<$item>());
        }
    };
}

macro_rules! differential {
    ($item:ty, $random:ident, $make:expr, |$model:ident, $producer:ident, $consumer:ident| $more:expr) => {{
        let (mut $producer, mut $consumer) = $make.expect("a small queue");
        let mut $model = Model::default();
        for _ in 0..steps(300) {
            if $random.one_in(3) {
                one_by_one!($item, $random, $model, $producer, $consumer);
            } else {
                $more;
            }
            if $random.one_in(20) {
                // Handles may be moved.
                ($producer, $consumer) = *std::hint::black_box(Box::new(($producer, $consumer)));
            }
        }
        end!($item, $random, $model, $producer, $consumer);
    }};
}

fn every_kind<T: Item>(random: &mut Random) {
    let most = random.any(&[3, 100]);
    let (capacity, index, report_every) = (1 + random.below(most), random.index(), 1 + random.below(6));
    differential!(T, random, spsc::lamport::starting_at::<T>(capacity, index), |model, producer, consumer| {
        one_by_one!(T, random, model, producer, consumer)
    });
    differential!(T, random, spsc::lazy_lamport::starting_at::<T>(capacity, index), |model, producer, consumer| {
        one_by_one!(T, random, model, producer, consumer)
    });
    differential!(T, random, spsc::batched_lamport::starting_at::<T>(capacity, index), |model, producer, consumer| {
        batches!(T, random, model, producer, consumer);
        in_place!(random, model, consumer)
    });
    differential!(
        T,
        random,
        spsc::ring::starting_at::<T>(capacity, report_every, index),
        |model, producer, consumer| {
            batches!(T, random, model, producer, consumer);
            in_place!(random, model, consumer)
        }
    );
    #[cfg(all(feature = "mirrored", target_os = "linux", not(miri)))]
    if size_of::<T>() != 0 {
        differential!(T, random, spsc::batched_lamport::mirrored::<T>(capacity), |model, producer, consumer| {
            batches!(T, random, model, producer, consumer);
            in_place!(random, model, consumer)
        });
    }
    duplex::<T>(random, capacity, report_every, index);
    assert_none_is_left();
}

/// Tests slices between single items.
macro_rules! slices {
    ($item:ty, $random:ident, $($make:expr),* $(,)?) => {$(
        let (mut producer, mut consumer) = $make.expect("a small queue");
        let mut model = Model::default();
        for _ in 0..steps(200) {
            match $random.below(4) {
                0 => {
                    let items: Vec<$item> = model.slice($random.below(40));
                    let done = producer.push_slice(&items);
                    (0..done).for_each(|_| model.pushed());
                    assert!(done == items.len() || model.len() >= producer.capacity());
                }
                1 => {
                    let (mut items, there) = (vec![<$item>::make(1); $random.below(40)], model.len());
                    let done = consumer.pop_slice(&mut items);
                    assert_eq!(done, there.min(items.len()));
                    items[..done].iter().for_each(|item| model.popped(item));
                }
                _ => one_by_one!($item, $random, model, producer, consumer),
            }
        }
    )*};
}

fn slices_of_words(random: &mut Random) {
    let (most, longest) = (random.any(&[3, 100]), random.any(&[3, 40]));
    let (capacity, partition, index) = (1 + random.below(most), 1 + random.below(longest), random.index());
    slices!(
        u64,
        random,
        spsc::lamport::starting_at::<u64>(capacity, index),
        spsc::lazy_lamport::starting_at::<u64>(capacity, index),
        spsc::batched_lamport::starting_at::<u64>(capacity, index),
        spsc::ring::starting_at::<u64>(capacity, partition, index),
    );
    slices!(
        NonZeroUsize,
        random,
        spsc::fast_forward::starting_at::<NonZeroUsize>(capacity, index),
        spsc::improved_fast_forward::starting_at::<NonZeroUsize>(capacity, partition, index),
        spsc::batched_improved_fast_forward::starting_at::<NonZeroUsize>(capacity, partition, index),
    );
}

/// Tests two directions with different items, whose four ends go in any order.
fn duplex<T: Item>(random: &mut Random, capacity: usize, report_every: usize, index: usize) {
    let (client, server) = spsc::duplex::starting_at::<T, Big>(capacity, report_every, index).expect("a small queue");
    let (mut there, mut back) = (client.producer, server.producer);
    let (mut arriving, mut returning) = (server.consumer, client.consumer);
    let (mut model, mut model_back) = (Model::default(), Model::default());
    for _ in 0..steps(300) {
        match random.below(4) {
            0 => one_by_one!(T, random, model, there, arriving),
            1 => one_by_one!(Big, random, model_back, back, returning),
            2 => {
                batches!(T, random, model, there, arriving);
                in_place!(random, model, arriving);
            }
            _ => {
                batches!(Big, random, model_back, back, returning);
                in_place!(random, model_back, returning);
            }
        }
    }
    let mut ends: Vec<Box<dyn FnOnce()>> = vec![
        Box::new(move || drop(there)),
        Box::new(move || drop(arriving)),
        Box::new(move || drop(back)),
        Box::new(move || drop(returning)),
    ];
    while !ends.is_empty() {
        ends.swap_remove(random.below(ends.len()))();
    }
}

#[test]
fn items_on_the_heap() {
    rounds(40, every_kind::<Heap>);
}

#[test]
fn items_of_several_lines() {
    rounds(20, every_kind::<Big>);
}

#[test]
fn items_with_much_alignment() {
    rounds(20, every_kind::<Aligned>);
}

#[test]
fn items_of_three_bytes() {
    rounds(20, every_kind::<Tiny>);
}

#[test]
fn items_without_bytes() {
    rounds(20, every_kind::<Nothing>);
}

#[test]
fn items_without_bytes_with_much_alignment() {
    rounds(20, every_kind::<AlignedNothing>);
}

#[test]
fn words() {
    rounds(20, every_kind::<u64>);
}

#[test]
fn slices_between_single_items() {
    rounds(40, slices_of_words);
}
