//! The kinds whose items are words: FastForward and its two successors, and NBLFQ.

use std::mem::needs_drop;
use std::num::NonZeroUsize;

use aqueduct::nblfq::{self, Capacity, Rejected};
use aqueduct::spsc::{self, NonZeroWord};

use crate::common::{Heap, Item, Model, Random, assert_none_is_left, may_panic, rounds, steps, wanted_panic};

macro_rules! one_by_one {
    ($random:ident, $model:ident, $producer:ident, $consumer:ident) => {
        match $random.below(8) {
            0..=2 => match $producer.push($model.make::<Heap>()) {
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
                may_panic(|| $producer.push_iter($model.items::<Heap>(most, bad)));
            }
            _ => {
                let most = $random.below(20);
                $consumer.drain().take(most).for_each(|item| $model.popped(&item));
            }
        }
    };
}

macro_rules! read_batches {
    ($random:ident, $model:ident, $consumer:ident) => {
        match $random.below(3) {
            0 => {
                let mut batch = $consumer.batch($random.below(40));
                for _ in 0..$random.below(30) {
                    let Some(item) = batch.pop() else { break };
                    $model.popped(&item);
                }
            }
            1 => {
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

macro_rules! differential {
    ($random:ident, $make:expr, |$model:ident, $producer:ident, $consumer:ident| $more:expr) => {{
        let (mut $producer, mut $consumer) = $make.expect("a small queue");
        let mut $model = Model::default();
        for _ in 0..steps(300) {
            if $random.one_in(3) {
                one_by_one!($random, $model, $producer, $consumer);
            } else {
                $more;
            }
        }
        if $random.one_in(2) {
            drop($producer);
            $consumer.drain().take($random.below(10)).for_each(|item| $model.popped(&item));
        } else {
            drop($consumer);
            let _ = $producer.push($model.make::<Heap>());
        }
    }};
}

fn fast_forward_and_successors(random: &mut Random) {
    let (most, longest) = (random.any(&[3, 100]), random.any(&[3, 40]));
    let (capacity, partition, index) = (1 + random.below(most), 1 + random.below(longest), random.index());
    differential!(random, spsc::fast_forward::starting_at::<Heap>(capacity, index), |model, producer, consumer| {
        one_by_one!(random, model, producer, consumer)
    });
    differential!(
        random,
        spsc::improved_fast_forward::starting_at::<Heap>(capacity, partition, index),
        |model, producer, consumer| read_batches!(random, model, consumer)
    );
    differential!(
        random,
        spsc::batched_improved_fast_forward::starting_at::<Heap>(capacity, partition, index),
        |model, producer, consumer| {
            read_batches!(random, model, consumer);
            let mut batch = producer.batch(random.below(40));
            let (most, bad) = (random.below(20), random.below(40));
            may_panic(|| batch.fill(model.items::<Heap>(most, bad)));
        }
    );
    assert_none_is_left();
}

fn nblfq_of_length<T: Item + NonZeroWord, const N: usize, const BITS: u32>(random: &mut Random) {
    nblfq_beside::<T, _, BITS>(random, &nblfq::Queue::<T, N, BITS>::new(), N);
    nblfq_beside::<T, _, BITS>(random, &nblfq::DynamicQueue::<T, BITS>::new(N).expect("a small queue"), N);
}

fn nblfq_beside<T: Item + NonZeroWord, C: Capacity, const BITS: u32>(
    random: &mut Random,
    queue: &nblfq::QueueOf<T, C, BITS>,
    slots: usize,
) {
    let mut model = Model::default();
    for _ in 0..steps(400) {
        if random.one_in(2) {
            match queue.push(model.make()) {
                Ok(()) => model.pushed(),
                Err(Rejected::TooWide(item)) => {
                    model.refused(&item);
                    // A word of 32 bits has no room for a counter beside an address.
                    assert_eq!((usize::BITS, needs_drop::<T>()), (32, true));
                }
                Err(error) => {
                    model.refused(&error.into_inner());
                    assert_eq!(model.len(), slots);
                }
            }
        } else {
            match queue.pop() {
                Ok(item) => model.popped(&item),
                Err(_) => assert_eq!(model.len(), 0),
            }
        }
        assert_eq!((queue.len(), queue.is_empty()), (model.len(), model.len() == 0));
    }
}

fn wide_of_length<const N: usize, const BITS: u32>(random: &mut Random) {
    wide_beside(random, &nblfq::wide::Queue::<u64, N, BITS>::new(), N);
    wide_beside(random, &nblfq::wide::DynamicQueue::<u64, BITS>::new(N).expect("a small queue"), N);
}

fn wide_beside<C: Capacity, const BITS: u32>(
    random: &mut Random,
    queue: &nblfq::wide::QueueOf<u64, C, BITS>,
    slots: usize,
) {
    // Some machines lack the exchange of two words.
    let Ok(queue) = queue.open() else { return };
    let mut model = Model::default();
    for _ in 0..steps(400) {
        if random.one_in(2) {
            match queue.push(model.make()) {
                Ok(()) => model.pushed(),
                Err(refused) => {
                    model.refused(&refused.into_inner());
                    assert_eq!(model.len(), slots);
                }
            }
        } else {
            match queue.pop() {
                Ok(item) => model.popped(&item),
                Err(_) => assert_eq!(model.len(), 0),
            }
        }
        assert_eq!(queue.len(), model.len());
    }
}

#[test]
fn boxes_as_words() {
    rounds(40, fast_forward_and_successors);
}

/// The counters have one bit and two, so they wrap at once.
#[test]
fn nblfq_beside_a_deque() {
    rounds(20, |random| {
        nblfq_of_length::<Heap, 2, 1>(random);
        nblfq_of_length::<Heap, 3, 1>(random);
        nblfq_of_length::<Heap, 7, 2>(random);
        nblfq_of_length::<Heap, 64, 16>(random);
        nblfq_of_length::<NonZeroUsize, 2, 1>(random);
        nblfq_of_length::<NonZeroUsize, 7, 2>(random);
        nblfq_of_length::<NonZeroUsize, 64, 16>(random);
        assert_none_is_left();
    });
}

#[test]
fn wide_nblfq_beside_a_deque() {
    rounds(20, |random| {
        wide_of_length::<2, 1>(random);
        wide_of_length::<2, 63>(random);
        wide_of_length::<5, 2>(random);
        wide_of_length::<64, 63>(random);
    });
}
