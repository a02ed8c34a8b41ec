//! Laps around the wrap of lap numbers, and of either parity: a mark of the lap before never counts
//! as one of this lap.

use aqueduct::error::{PopError, PushError};

use crate::common::{Form, LAPS, LAST_LAP, PopEnd, PushEnd, SliceForm, entries, every_form, geometries, room};
use aqueduct::queue::{Pop, PopSlice, Push, PushSlice};

/// Items one at a time: the queue is empty before and after each.
fn one_at_a_time<F: Form<u64>>() {
    for geometry in geometries() {
        for lap in LAPS {
            let (mut producer, mut consumer) = F::starting_at(geometry, lap).expect("a small queue");
            for number in 0..5 * entries(geometry) as u64 {
                assert_eq!(consumer.pop(), Err(PopError::Empty), "before {number}, from {lap} on in {geometry:?}");
                assert_eq!(producer.push(number), Ok(()));
                assert_eq!(consumer.pop(), Ok(number), "from {lap} on in {geometry:?}");
            }
        }
    }
}
every_form!(nearly_empty: one_at_a_time);

/// The queue is full before and after each block.
fn nearly_full<F: Form<u64>>() {
    for geometry in geometries() {
        for lap in LAPS {
            let (mut producer, mut consumer) = F::starting_at(geometry, lap).expect("a small queue");
            let mut pushed = producer.push_all(0..).0;
            assert_eq!(pushed, entries(geometry));
            for popped in 0..5 * entries(geometry) {
                let fit = room(geometry, pushed, popped);
                assert_eq!(producer.push_all(pushed as u64..).0, fit, "from {lap} on in {geometry:?}");
                pushed += fit;
                assert_eq!(producer.push(99), Err(PushError::Full(99)));
                assert_eq!(consumer.pop(), Ok(popped as u64), "from {lap} on in {geometry:?}");
            }
        }
    }
}
every_form!(nearly_full: nearly_full);

/// All at once, by slices that are longer than the queue.
fn whole_queues<F: SliceForm<u64>>() {
    for geometry in geometries() {
        for lap in LAPS {
            let (mut producer, mut consumer) = F::starting_at(geometry, lap).expect("a small queue");
            for first in 0..5 {
                let items: Vec<_> = (first..first + 2 * entries(geometry) as u64).collect();
                let mut popped = vec![u64::MAX; items.len()];
                assert_eq!(producer.push_slice(&items), entries(geometry));
                assert_eq!(producer.push_slice(&items), 0);
                assert_eq!(consumer.pop_slice(&mut popped), entries(geometry));
                assert_eq!(popped[..entries(geometry)], items[..entries(geometry)]);
                assert_eq!(consumer.pop_slice(&mut popped), 0);
            }
        }
    }
}
every_form!(whole: whole_queues);

/// Handles that rest for laps, the wrap of lap numbers among them, go on where the others are.
fn handles_that_slept<F: Form<u64>>() {
    for geometry in geometries() {
        for (before, slept) in [(0, 1), (0, 2), (1, 2), (1, 3), (0, 5)] {
            let (mut producer, mut consumer) = F::starting_at(geometry, LAST_LAP - 1).expect("a small queue");
            let go = |items: usize, producer: &mut F::Producer, consumer: &mut F::Consumer| {
                for number in 0..items as u64 {
                    assert_eq!(producer.push(number), Ok(()));
                    assert_eq!(consumer.pop(), Ok(number));
                }
            };
            go(before * entries(geometry) + 1, &mut producer, &mut consumer);
            let (late_producer, late_consumer) = (producer.another(), consumer.another());
            for more in 0..geometry.block_size().min(3) {
                go(slept * entries(geometry) + more, &mut producer, &mut consumer);
                if let Some(late) = &late_consumer {
                    let mut late = late.another().expect("one of many");
                    assert_eq!(late.pop(), Err(PopError::Empty), "slept for {slept} laps of {geometry:?}");
                    assert_eq!(producer.push(7), Ok(()));
                    assert_eq!(late.pop(), Ok(7), "slept for {slept} laps of {geometry:?}");
                }
                if let Some(late) = &late_producer {
                    let mut late = late.another().expect("one of many");
                    assert_eq!(late.push(8), Ok(()), "slept for {slept} laps of {geometry:?}");
                    assert_eq!(consumer.pop(), Ok(8));
                    assert_eq!(consumer.pop(), Err(PopError::Empty));
                }
            }
        }
    }
}
every_form!(late: handles_that_slept);
