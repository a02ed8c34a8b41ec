//! Guarantees of a batch beyond first in, first out: when its items appear, and how it ends.

use std::num::NonZeroUsize;

use crate::common::{Ending, Kind, Number, PopEnd, PushEnd, Setup, every_queue, every_queue_of_anything};
use aqueduct::queue::{Len, Pop, Push, PushIter};

type Item = NonZeroUsize;

fn fill<P: PushEnd<Item>>(producer: &mut P) -> usize {
    producer.push_iter(&mut (1..).map(Item::of))
}

fn appears_when_published<K: Kind<Item>>() {
    for ending in [Ending::Say, Ending::Drop] {
        let (mut producer, mut consumer) = K::with_capacity(20);
        producer.batch(20, ending, &mut |batch| {
            for number in 1..=20 {
                batch.push(Item::of(number)).expect("there is space for 20");
                if K::BATCH_AT_ONCE {
                    assert!(
                        consumer.pop().is_err() && consumer.is_empty(),
                        "item {number} appeared before the publish"
                    );
                }
            }
        });
        if !producer.is_empty() {
            assert_eq!(consumer.len(), 20);
            assert!(consumer.drain().eq((1..=20).map(Item::of)));
        }
    }
}
every_queue!(visibility: appears_when_published);

fn a_batch_that_wrote_nothing_changes_nothing<K: Kind<Item>>() {
    let (mut producer, mut consumer) = K::with_capacity(3);
    producer.batch(2, Ending::Say, &mut |_| {});
    producer.batch(2, Ending::Drop, &mut |batch| {
        batch.run();
    });
    assert!(consumer.pop().is_err());
    producer.push(Item::of(7)).expect("empty");
    consumer.batch(2, Ending::Drop, &mut |_| {});
    consumer.batch(2, Ending::Say, &mut |batch| {
        batch.run();
    });
    consumer.batch(0, Ending::Drop, &mut |batch| assert!(batch.pop().is_none()));
    assert_eq!(consumer.len(), 1);
    assert_eq!(consumer.pop().map(Item::get), Ok(7));
}
every_queue!(untouched: a_batch_that_wrote_nothing_changes_nothing);

fn a_batch_larger_than_the_ring_has_the_rings_space<K: Kind<Item>>() {
    for wanted in [11, 1000, usize::MAX] {
        let setup = Setup::plain(10);
        let (mut producer, mut consumer) = K::make(setup).expect("ten items");
        let mut added = 0;
        producer.batch(wanted, Ending::Say, &mut |batch| {
            let space = batch.space();
            assert!((10..=10 + K::surplus(setup)).contains(&space), "space {space}");
            added = batch.fill(&mut (1..).map(Item::of));
            assert_eq!(added, space);
            assert_eq!(batch.push(Item::of(99)).expect_err("no space is left").into_inner(), Item::of(99));
            assert!(batch.run().is_empty());
        });
        let mut taken = 0;
        consumer.batch(wanted, Ending::Say, &mut |batch| {
            while let Some(item) = batch.pop() {
                taken += 1;
                assert_eq!(item.number(), taken);
            }
        });
        assert_eq!(taken, wanted.min(added) as u64);
    }
}
every_queue!(too_large: a_batch_larger_than_the_ring_has_the_rings_space);

fn a_batch_sees_what_came_after_it_began<K: Kind<Item>>() {
    let (mut producer, mut consumer) = K::with_capacity(8);
    consumer.batch(8, Ending::Say, &mut |batch| {
        assert!(batch.pop().is_none());
        producer.push(Item::of(1)).expect("empty");
        assert_eq!(batch.pop(), Some(Item::of(1)));
        assert!(batch.pop().is_none());
    });
    assert!(consumer.is_empty());
}
every_queue!(late_items: a_batch_sees_what_came_after_it_began);

fn slots_come_back_when_a_batch_ends<K: Kind<Item>>() {
    for ending in [Ending::Say, Ending::Drop] {
        let (mut producer, mut consumer) = K::make(Setup::tight(9)).expect("nine items");
        let room = fill(&mut producer);
        consumer.batch(room, ending, &mut |batch| while batch.pop().is_some() {});
        // Some queues report all items only when they are found empty.
        let rest = consumer.drain().count();
        assert!(rest == 0 || rest == room, "{rest} of {room} left");
        assert!(fill(&mut producer) >= 9);
    }
}
every_queue!(slots: slots_come_back_when_a_batch_ends);

fn runs_lie_side_by_side<K: Kind<Item>>() {
    let (mut producer, mut consumer) = K::with_capacity(40);
    assert!(consumer.peek().is_none_or(|first| first.is_none()));
    producer.push_iter(&mut (1..=40).map(Item::of));
    let first = consumer.peek().flatten().map(std::ptr::from_ref);
    let mut seen = 0;
    consumer.batch(40, Ending::Say, &mut |batch| {
        while let Some(run) = batch.run().filter(|run| !run.is_empty()) {
            if seen == 0 {
                assert_eq!(first, Some(run.as_ptr()), "peek shows the first item in its place");
            }
            for item in run {
                seen += 1;
                assert_eq!(item.number(), seen);
            }
            let len = run.len();
            assert_eq!(batch.skip_run(usize::MAX), Some(len), "no more than the run is skipped");
        }
    });
    assert!(seen == 40 || consumer.peek().is_none(), "{seen} of 40 seen");
}
every_queue_of_anything!(views: runs_lie_side_by_side);

#[cfg(all(feature = "mirrored", target_os = "linux"))]
#[test]
fn a_mirrored_ring_lends_everything_as_one_run() {
    let (mut producer, mut consumer) =
        aqueduct::spsc::batched_lamport::mirrored::<[u8; 24]>(1000).expect("a few pages, mapped twice");
    // 24 and 4096 meet at 12288 bytes, so a unit has 512 slots: at each start the run may cross the
    // end.
    for round in 0..100u64 {
        let mut batch = producer.batch(1000);
        assert_eq!(batch.run().len(), 1000, "free, round {round}");
        assert_eq!(batch.fill((0..700).map(|i| item(round, i))), 700);
        batch.publish();
        let mut batch = consumer.batch(1000);
        let run = batch.run();
        assert_eq!(run.len(), 700, "filled, round {round}");
        assert!(run.iter().copied().eq((0..700).map(|i| item(round, i))), "round {round}");
        assert_eq!(batch.skip_run(700), 700);
    }

    fn item(round: u64, i: u64) -> [u8; 24] {
        let mut bytes = [0; 24];
        bytes[..8].copy_from_slice(&round.to_ne_bytes());
        bytes[16..].copy_from_slice(&i.to_ne_bytes());
        bytes
    }
}
