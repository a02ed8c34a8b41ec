//! One producer, one consumer: all kinds that carry any item, and both directions of a duplex
//! queue.

use std::num::NonZeroUsize;

use aqueduct::spsc;

use crate::common::{
    Aligned, AlignedNothing, Big, Heap, Item, Model, Nothing, Random, Tiny, assert_none_is_left, rounds, steps,
};
use crate::turns::{batches_in_place, beside_a_deque, one_by_one, slices};

fn every_kind<T: Item>(random: &mut Random) {
    let most = random.any(&[3, 100]);
    let (capacity, index, report_every) = (1 + random.below(most), random.index(), 1 + random.below(6));
    beside_a_deque(random, spsc::lamport::starting_at::<T>(capacity, index), one_by_one);
    beside_a_deque(random, spsc::lazy_lamport::starting_at::<T>(capacity, index), one_by_one);
    beside_a_deque(random, spsc::batched_lamport::starting_at::<T>(capacity, index), batches_in_place);
    beside_a_deque(random, spsc::ring::starting_at::<T>(capacity, report_every, index), batches_in_place);
    #[cfg(all(feature = "mirrored", target_os = "linux", not(miri)))]
    if size_of::<T>() != 0 {
        beside_a_deque(random, spsc::batched_lamport::mirrored::<T>(capacity), batches_in_place);
    }
    duplex::<T>(random, capacity, report_every, index);
    assert_none_is_left();
}

fn slices_of_words(random: &mut Random) {
    let (most, longest) = (random.any(&[3, 100]), random.any(&[3, 40]));
    let (capacity, partition, index) = (1 + random.below(most), 1 + random.below(longest), random.index());
    slices(random, spsc::lamport::starting_at::<u64>(capacity, index), one_by_one);
    slices(random, spsc::lazy_lamport::starting_at::<u64>(capacity, index), one_by_one);
    slices(random, spsc::batched_lamport::starting_at::<u64>(capacity, index), one_by_one);
    slices(random, spsc::ring::starting_at::<u64>(capacity, partition, index), one_by_one);
    slices(random, spsc::fast_forward::starting_at::<NonZeroUsize>(capacity, index), one_by_one);
    slices(random, spsc::improved_fast_forward::starting_at::<NonZeroUsize>(capacity, partition, index), one_by_one);
    slices(
        random,
        spsc::batched_improved_fast_forward::starting_at::<NonZeroUsize>(capacity, partition, index),
        one_by_one,
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
            0 => one_by_one(random, &mut model, &mut there, &mut arriving),
            1 => one_by_one(random, &mut model_back, &mut back, &mut returning),
            2 => batches_in_place(random, &mut model, &mut there, &mut arriving),
            _ => batches_in_place(random, &mut model_back, &mut back, &mut returning),
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
