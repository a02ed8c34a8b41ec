//! The kinds whose items are words: FastForward and its two successors, and NBLFQ.

use std::mem::needs_drop;
use std::num::NonZeroUsize;

use aqueduct::nblfq::{self, Capacity, Rejected};
use aqueduct::spsc::{self, NonZeroWord};

use crate::common::{Heap, Item, Model, Random, assert_none_is_left, rounds, steps};
use crate::turns::{self, beside_a_deque, one_by_one, read_batch, write_batch};

fn fast_forward_and_successors(random: &mut Random) {
    let (most, longest) = (random.any(&[3, 100]), random.any(&[3, 40]));
    let (capacity, partition, index) = (1 + random.below(most), 1 + random.below(longest), random.index());
    beside_a_deque(random, spsc::fast_forward::starting_at::<Heap>(capacity, index), one_by_one);
    beside_a_deque(
        random,
        spsc::improved_fast_forward::starting_at::<Heap>(capacity, partition, index),
        |random, model, _, consumer| read_batch(random, model, consumer),
    );
    beside_a_deque(
        random,
        spsc::batched_improved_fast_forward::starting_at::<Heap>(capacity, partition, index),
        |random, model, producer, consumer| {
            read_batch(random, model, consumer);
            write_batch(random, model, producer);
        },
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
            turns::pop(&mut model, &mut &*queue);
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
    turns::shared(random, queue, slots, |queue, model| {
        assert_eq!(queue.len(), model.len());
        assert!(model.len() <= slots);
    });
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
