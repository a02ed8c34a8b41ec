//! `len`, `is_empty` and `is_full`: exact while no thread is at work, within bounds while one is.

use std::sync::atomic::{AtomicBool, Ordering};

use aqueduct::bbq::Queue;
use aqueduct::bbq::records::{self, Space};
use aqueduct::error::{PopError, PushError};

use crate::common::{Form, LAPS, Ledger, PushEnd, Random, SliceForm, entries, every_form, geometries, geometry};
use aqueduct::queue::{Full, Len, Pop, PopSlice, Push, PushSlice};

fn every_handle_answers_exactly_through_laps<F: SliceForm<u64>>() {
    let mut random = Random::new(1);
    for geometry in geometries() {
        for lap in LAPS {
            let (mut producer, mut consumer) = F::starting_at(geometry, lap).expect("a small queue");
            let mut len = 0;
            let check = |producer: &F::Producer, consumer: &F::Consumer, len: usize| {
                let context = format!("{geometry:?} from {lap} on");
                assert_eq!((consumer.len(), consumer.is_empty()), (len, len == 0), "{context}");
                assert_eq!(producer.len().unwrap_or(len), len, "{context}");
            };
            for _ in 0..8 * geometry.blocks() {
                len += producer.push_slice(&vec![7; random.below(2 * geometry.block_size() + 1)]);
                check(&producer, &consumer, len);
                let is_full = producer.is_full();
                let pushed = producer.push(8);
                assert_eq!(is_full, pushed.is_err(), "{geometry:?} with {len} items");
                len += usize::from(pushed.is_ok());
                check(&producer, &consumer, len);
                len -= consumer.pop_slice(&mut vec![0; random.below(2 * geometry.block_size() + 1)]);
                check(&producer, &consumer, len);
                len -= usize::from(consumer.pop().is_ok());
                check(&producer, &consumer, len);
            }
        }
    }
}
every_form!(exact_through_laps: every_handle_answers_exactly_through_laps);

fn every_length_at_every_place_is_told<F: Form<u64>>() {
    for geometry in geometries() {
        let (mut producer, mut consumer) = F::divided(geometry).expect("a small queue");
        for _ in 0..3 * entries(geometry) {
            let mut len = 0;
            while producer.push(0).is_ok() {
                len += 1;
                assert_eq!(consumer.len(), len, "{geometry:?}");
            }
            assert!(producer.is_full());
            while consumer.pop().is_ok() {
                len -= 1;
                assert_eq!((consumer.len(), consumer.is_empty()), (len, len == 0), "{geometry:?}");
            }
            assert!(len == 0 && !producer.is_full());
            // The next round begins one entry further on.
            assert!(producer.push(0).is_ok() && consumer.len() == 1 && consumer.pop().is_ok());
        }
    }
}
every_form!(every_length: every_length_at_every_place_is_told);

/// A second consumer observes what the first one does, however long it has not been used.
#[test]
fn a_handle_that_rested_answers_as_one_that_works() {
    let (mut producer, mut consumer) = aqueduct::spmc::new::<u64>(10).expect("a small queue");
    let resting = consumer.clone();
    for number in 0..1000 {
        producer.push(number).expect("there is room");
        producer.push(number).expect("there is room");
        assert_eq!((resting.len(), resting.is_empty(), producer.len()), (2, false, 2));
        assert_eq!(consumer.drain().count(), 2);
        assert_eq!((resting.len(), resting.is_empty(), producer.len()), (0, true, 0));
    }
}

/// If `is_empty` returns `false`, the only consumer gets an item. If `is_full` returns `false`, the
/// only producer of a queue with a single consumer can push one.
#[test]
fn what_is_promised_beside_another_thread_holds() {
    let (mut producer, mut consumer) = aqueduct::bbq::spsc::with_geometry::<u64>(geometry(3, 5)).expect("small");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for number in 0..20_000 {
                while producer.is_full() {
                    std::thread::yield_now();
                }
                producer.push(number).expect("it was not full");
            }
        });
        for number in 0..20_000 {
            while consumer.is_empty() {
                std::thread::yield_now();
            }
            assert_ne!(consumer.len(), 0);
            assert_eq!(consumer.pop(), Ok(number));
        }
    });
}

mod of_records {
    use aqueduct::bbq::records::Handles;
    use aqueduct::bbq::{ProducerSide, RecordConsumerSide};
    use aqueduct::error::CapacityError;

    use super::*;

    fn counts_records_and_dummies<P: ProducerSide, C: RecordConsumerSide>(
        make: impl Fn(Space, usize) -> Result<Handles<P, C>, CapacityError>,
    ) {
        let unit = size_of::<usize>();
        for lap in LAPS {
            let space = Space::new(3, 5 * unit).expect("a small space");
            let (mut producer, mut consumer) = make(space, lap).expect("a small queue");
            assert_eq!((consumer.capacity(), producer.capacity()), (10 * unit, 10 * unit));
            for round in 0..40 {
                assert_eq!((consumer.len(), consumer.is_empty()), (0, true), "{round}");
                producer.push(&[1; 3]).expect("there is room");
                assert!(!consumer.is_empty() && consumer.len() >= 2 * unit);
                // Where it does not fit the rest of a block, a dummy counts, too.
                producer.push(&[2; 17][..2 * unit]).expect("there is room");
                assert!(consumer.len() >= 5 * unit && consumer.len() <= 9 * unit);
                assert_eq!(consumer.read().expect("the first").len(), 3);
                assert!(!consumer.is_empty());
                assert_eq!(consumer.read().expect("the second").len(), 2 * unit);
                // A read that finds nothing has passed all dummies.
                assert_eq!(consumer.read().map(drop), Err(PopError::Empty));
            }
        }
    }

    #[test]
    fn handles_count_records_and_dummies() {
        counts_records_and_dummies(records::spsc::starting_at);
        counts_records_and_dummies(records::mpsc::starting_at);
        counts_records_and_dummies(records::spmc::starting_at);
        counts_records_and_dummies(records::mpmc::starting_at);
    }

    #[test]
    fn a_cancelled_grant_is_space_in_use_and_no_record() {
        let space = Space::new(2, 100).expect("a small space");
        let (mut producer, mut consumer) = records::mpsc::new(space).expect("a small queue");
        let grant = producer.reserve(30).expect("there is room");
        grant.cancel();
        assert!(consumer.is_empty() && consumer.len() > 30);
        producer.push(b"behind it").expect("there is room");
        assert!(!consumer.is_empty());
        assert_eq!(*consumer.read().expect("it was said to be there"), *b"behind it");
        assert_eq!((consumer.is_empty(), consumer.len()), (true, 0));
    }
}

/// The oldest items make room, a block at a time, and nothing is lost between.
#[test]
fn an_item_that_is_forced_in_displaces_the_oldest() {
    for geometry in geometries() {
        let queue = Queue::with_geometry(geometry).expect("a small queue");
        let mut out = Vec::new();
        for number in 0..500 {
            queue.force_push(number, |oldest| out.push(oldest)).expect("nobody else is at work");
            assert!(queue.len() + out.len() == number + 1 && queue.len() <= entries(geometry), "{geometry:?}");
        }
        assert!(queue.len() >= geometry.capacity() - geometry.block_size(), "{geometry:?}: {}", queue.len());
        out.extend(&queue.into_iter().collect::<Vec<_>>());
        assert!(out.iter().copied().eq(0..500), "{geometry:?}: {out:?}");
    }
}

#[test]
fn forced_pushes_of_several_threads_lose_and_repeat_nothing() {
    const EACH: usize = if cfg!(miri) { 50 } else { 5000 };
    let queue = Queue::with_geometry(geometry(3, 4)).expect("a small queue");
    let queue = &queue;
    let mut out = std::thread::scope(|scope| {
        let threads = [0, 1, 2].map(|thread| {
            scope.spawn(move || {
                let mut displaced = Vec::new();
                for number in 0..EACH {
                    let mut item = thread * EACH + number;
                    while let Err(error) = queue.force_push(item, |oldest| displaced.push(oldest)) {
                        assert!(matches!(error, PushError::Busy(_)), "never full");
                        item = error.into_inner();
                        std::thread::yield_now();
                    }
                }
                displaced
            })
        });
        threads.map(|thread| thread.join().expect("it does not panic")).concat()
    });
    out.extend(queue.drain());
    out.sort_unstable();
    assert!(out.iter().copied().eq(0..3 * EACH));
}

/// A loop over a handle, and the iterator of a queue that is given up.
#[test]
fn iterators_take_what_they_are_asked_for() {
    let (mut producer, mut consumer) = aqueduct::mpsc::new(100).expect("a small queue");
    assert_eq!(producer.push_slice(&[1, 2, 3]), 3);
    assert_eq!((&mut consumer).into_iter().next(), Some(1));
    assert_eq!(consumer.len(), 2);
    for item in &mut consumer {
        assert!(item > 1);
    }
    assert!(consumer.is_empty());

    let ledger = Ledger::new(4);
    let queue = Queue::new(10).expect("a small queue");
    for number in 0..4 {
        queue.push(ledger.token(number)).expect("there is room");
    }
    let mut items = queue.into_iter();
    assert_eq!(items.len(), 4);
    drop(items.next().expect("the first"));
    assert_eq!(([0, 1].map(|number| ledger.drops(number)), items.len()), ([1, 0], 3));
    drop(items);
    ledger.assert_all_dropped_once();
}

/// A length that is read beside other threads may be old, but is at most the number of the queue's
/// entries.
#[test]
fn within_bounds_beside_others() {
    let geometry = geometry(3, 7);
    let queue = Queue::with_geometry(geometry).expect("a small queue");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let _ = queue.push(1);
                    let _ = queue.pop();
                }
            });
        }
        for _ in 0..20_000 {
            let len = queue.len();
            assert!(len <= entries(geometry), "{len} of {geometry:?}");
        }
        stop.store(true, Ordering::Relaxed);
    });
    // A pop that finds the other's push unfinished leaves an item behind.
    let left = queue.len();
    assert_eq!((queue.drain().count(), queue.is_empty()), (left, true));
}
