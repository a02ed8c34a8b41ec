//! Forgotten batches: their items may be lost, but none arrives twice, and the queue goes on.

use std::mem::forget;

use aqueduct::spsc;

use crate::common::{Heap, Item, Random, rounds, steps};

/// A check that the numbers rise.
struct Rising(u64);

impl Rising {
    fn popped(&mut self, item: &Heap) {
        assert!(self.0 < item.number(), "{} after {}", item.number(), self.0);
        self.0 = item.number();
    }
}

macro_rules! if_batches {
    (batches $act:block) => {
        $act
    };
    (none $act:block) => {
        ()
    };
}

macro_rules! forgetful {
    ($random:ident, $make:expr, $writes:tt) => {{
        let (mut producer, mut consumer) = $make.expect("a small queue");
        let (mut next, mut rising) = (0, Rising(0));
        let mut make = || {
            next += 1;
            Heap::make(next)
        };
        for _ in 0..steps(100) {
            match $random.below(6) {
                0 => drop(producer.push(make())),
                1 => if_batches!($writes {
                    let mut batch = producer.batch($random.below(20));
                    while !$random.one_in(10) && batch.push(make()).is_ok() {}
                    if $random.one_in(2) {
                        forget(batch);
                    }
                }),
                2 => drop(consumer.pop().map(|item| rising.popped(&item))),
                3 => {
                    let mut batch = consumer.batch($random.below(20));
                    while !$random.one_in(10) && let Some(item) = batch.pop() {
                        rising.popped(&item);
                    }
                    if $random.one_in(2) {
                        forget(batch);
                    }
                }
                4 => {
                    let _ = (producer.len(), producer.is_full(), consumer.len(), consumer.is_empty());
                    let _ = consumer.available($random.below(30));
                }
                _ => consumer.drain().take(2).for_each(|item| rising.popped(&item)),
            }
        }
        // The queue still works after all forgotten batches: pushed items arrive.
        consumer.drain().for_each(|item| rising.popped(&item));
        for _ in 0..100 {
            assert!(producer.push(make()).is_ok(), "an empty queue has room");
            rising.popped(&consumer.pop().expect("it has been pushed"));
        }
    }};
}

fn every_kind(random: &mut Random) {
    let (capacity, part) = (1 + random.below(40), 1 + random.below(8));
    forgetful!(random, spsc::batched_lamport::new::<Heap>(capacity), batches);
    forgetful!(random, spsc::ring::starting_at::<Heap>(capacity, part, 0), batches);
    forgetful!(random, spsc::improved_fast_forward::with_partition::<Heap>(capacity, part), none);
    forgetful!(random, spsc::batched_improved_fast_forward::with_partition::<Heap>(capacity, part), batches);
    #[cfg(all(feature = "mirrored", target_os = "linux", not(miri)))]
    forgetful!(random, spsc::batched_lamport::mirrored::<Heap>(capacity), batches);
}

/// It leaks on purpose, so it does not count items.
#[test]
fn nothing_comes_twice() {
    rounds(60, every_kind);
}
