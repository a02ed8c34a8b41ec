//! Forgotten batches: their items may be lost, but none arrives twice, and the queue goes on.

use std::mem::forget;

use aqueduct::error::CapacityError;
use aqueduct::queue::{Full, Len};
use aqueduct::spsc::{self, PopBatch, PushBatch};

use crate::common::{Heap, Item, Random, rounds, steps};

/// A check that the numbers rise.
struct Rising(u64);

impl Rising {
    fn popped(&mut self, item: &Heap) {
        assert!(self.0 < item.number(), "{} after {}", item.number(), self.0);
        self.0 = item.number();
    }
}

/// Items with rising numbers.
struct Items(u64);

impl Items {
    fn make(&mut self) -> Heap {
        self.0 += 1;
        Heap::make(self.0)
    }
}

/// Writes a batch of the producer, and forgets every other batch.
fn write_batch<P: PushBatch<Item = Heap>>(random: &mut Random, items: &mut Items, producer: &mut P) {
    let mut batch = producer.batch(random.below(20));
    while !random.one_in(10) && batch.push(items.make()).is_ok() {}
    if random.one_in(2) {
        forget(batch);
    }
}

/// The producers of some queues have no batches.
fn no_batch<P>(_: &mut Random, _: &mut Items, _: &mut P) {}

fn forgetful<P, C>(
    random: &mut Random,
    queue: Result<(P, C), CapacityError>,
    write: fn(&mut Random, &mut Items, &mut P),
) where
    P: Full<Item = Heap> + Len,
    C: PopBatch<Item = Heap> + Len,
{
    let (mut producer, mut consumer) = queue.expect("a small queue");
    let (mut items, mut rising) = (Items(0), Rising(0));
    for _ in 0..steps(100) {
        match random.below(6) {
            0 => drop(producer.push(items.make())),
            1 => write(random, &mut items, &mut producer),
            2 => drop(consumer.pop().map(|item| rising.popped(&item))),
            3 => {
                let mut batch = consumer.batch(random.below(20));
                while !random.one_in(10)
                    && let Some(item) = batch.pop()
                {
                    rising.popped(&item);
                }
                if random.one_in(2) {
                    forget(batch);
                }
            }
            4 => {
                let _ = (producer.len(), producer.is_full(), consumer.len(), consumer.is_empty());
                let _ = consumer.available(random.below(30));
            }
            _ => consumer.drain().take(2).for_each(|item| rising.popped(&item)),
        }
    }
    // The queue still works after all forgotten batches: pushed items arrive.
    consumer.drain().for_each(|item| rising.popped(&item));
    for _ in 0..100 {
        assert!(producer.push(items.make()).is_ok(), "an empty queue has room");
        rising.popped(&consumer.pop().expect("it has been pushed"));
    }
}

fn every_kind(random: &mut Random) {
    let (capacity, part) = (1 + random.below(40), 1 + random.below(8));
    forgetful(random, spsc::batched_lamport::new(capacity), write_batch);
    forgetful(random, spsc::ring::starting_at(capacity, part, 0), write_batch);
    forgetful(random, spsc::improved_fast_forward::with_partition(capacity, part), no_batch);
    forgetful(random, spsc::batched_improved_fast_forward::with_partition(capacity, part), write_batch);
    #[cfg(all(feature = "mirrored", target_os = "linux", not(miri)))]
    forgetful(random, spsc::batched_lamport::mirrored(capacity), write_batch);
}

/// The test leaks on purpose, so it does not count items.
#[test]
fn nothing_comes_twice() {
    rounds(60, every_kind);
}
