//! Over every tube, shortly before each wrap: of the tube's laps, its positions, and the part of a
//! position that a lane has.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::thread;

use aqueduct::cnq::{Geometry, Queue};
use aqueduct::error::PopError;
use aqueduct::tube::{Blocks, FetchAddBlocks, IndexQueues, SequencedRing, Tube};

use crate::geometry;

/// The laps to start in, for a queue that was asked to have `capsules` capsules.
fn laps(capsules: usize) -> [usize; 5] {
    let last_lap = usize::MAX >> (usize::BITS / 4);
    let lane = (1 << (usize::BITS / 2 + 4)) / capsules;
    [0, last_lap - 3, lane - 3, usize::MAX / (2 * capsules) - 2, usize::MAX - 2]
}

/// The numbers of capsules, of their items, and of handles.
struct Shape {
    capsules: usize,
    size: usize,
    producers: usize,
    consumers: usize,
}

fn queues<T, U: Tube>() -> impl Iterator<Item = (Geometry, usize, Queue<T, U>)> {
    [
        Shape { capsules: 1, size: 1, producers: 1, consumers: 1 },
        Shape { capsules: 3, size: 2, producers: 1, consumers: 1 },
        Shape { capsules: 5, size: 1, producers: 2, consumers: 1 },
        Shape { capsules: 6, size: 2, producers: 1, consumers: 2 },
        Shape { capsules: 8, size: 2, producers: 2, consumers: 2 },
        Shape { capsules: 10, size: 1, producers: 2, consumers: 4 },
    ]
    .into_iter()
    .flat_map(|Shape { capsules, size, producers, consumers }| {
        let geometry = geometry(capsules, size, producers, consumers);
        laps(capsules).map(|lap| (geometry, lap, Queue::starting_at(geometry, lap).expect("a small queue")))
    })
}

/// Handles that take turns, against a list: each item comes once, is one of the k oldest, and is
/// there when it is said that none is.
fn alone<U: Tube>() {
    for (geometry, lap, queue) in queues::<u64, U>() {
        let mut producers: Vec<_> = (0..geometry.producers()).map(|_| queue.producer().expect("one of them")).collect();
        let mut consumers: Vec<_> = (0..geometry.consumers()).map(|_| queue.consumer().expect("one of them")).collect();
        let (mut inside, mut next) = (VecDeque::new(), 0_u64);
        let bursts = [1, queue.capacity(), 2, geometry.capsule_size() + 1];
        for round in 0..40 * geometry.capsules() {
            let producer = &mut producers[round % geometry.producers()];
            for _ in 0..bursts[round % bursts.len()] {
                if producer.push(next).is_ok() {
                    inside.push_back(next);
                    next += 1;
                }
            }
            let mut refusals = 0;
            for turn in round.. {
                match consumers[turn % geometry.consumers()].pop() {
                    Ok(item) => {
                        let rank = inside.iter().position(|&other| other == item).expect("it is in the queue");
                        assert!(rank < queue.k(), "{item} is {rank} too young in {geometry:?} from lap {lap} on");
                        inside.remove(rank);
                        refusals = 0;
                    }
                    Err(_) => refusals += 1,
                }
                if refusals > geometry.consumers() {
                    break;
                }
            }
            assert!(inside.is_empty(), "{} stay in {geometry:?} from lap {lap} on, round {round}", inside.len());
            consumers.iter_mut().for_each(|consumer| assert_eq!(consumer.pop(), Err(PopError::Empty)));
        }
        assert!(next as usize > 20 * geometry.capsules());
    }
}

/// Among threads, each item is popped once.
fn among_threads<U: Tube>() {
    const EACH: u64 = 200;
    for (geometry, lap, queue) in queues::<u64, U>() {
        let came = Mutex::new(Vec::new());
        let total = EACH as usize * geometry.producers();
        thread::scope(|scope| {
            for number in 0..geometry.producers() as u64 {
                let mut producer = queue.producer().expect("one of them");
                scope.spawn(move || {
                    for item in number * EACH..(number + 1) * EACH {
                        while producer.push(item).is_err() {
                            thread::yield_now();
                        }
                    }
                });
            }
            for _ in 0..geometry.consumers() {
                let (mut consumer, came) = (queue.consumer().expect("one of them"), &came);
                scope.spawn(move || {
                    while came.lock().expect("no thread panics").len() < total {
                        match consumer.pop() {
                            Ok(item) => came.lock().expect("no thread panics").push(item),
                            Err(_) => {
                                consumer.pause();
                                thread::yield_now();
                            }
                        }
                    }
                });
            }
        });
        let mut came = came.into_inner().expect("no thread panics");
        came.sort_unstable();
        assert!(came.into_iter().eq(0..total as u64), "{geometry:?} from lap {lap} on");
    }
}

macro_rules! over_each_tube {
    ($($name:ident: $tube:ty;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn nothing_breaks_alone() {
                alone::<$tube>();
            }

            #[test]
            fn nothing_breaks_among_threads() {
                among_threads::<$tube>();
            }
        }
    )*};
}

over_each_tube! {
    bbq: Blocks;
    sequenced_ring: SequencedRing;
    faaq: FetchAddBlocks;
    scqd: IndexQueues;
}
