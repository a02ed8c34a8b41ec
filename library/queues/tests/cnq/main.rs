//! CNQ natively.

mod alone;
mod drops;
mod handles;
mod threads;
mod wraps;

use aqueduct::cnq::{Consumer, Geometry, Producer, Queue};
use aqueduct::tube::Tube;

fn geometry(capsules: usize, size: usize, producers: usize, consumers: usize) -> Geometry {
    Geometry::new(capsules, size, producers, consumers).expect("a small queue")
}

#[expect(clippy::type_complexity, reason = "all handles of a queue")]
fn handles<T, U: Tube>(geometry: Geometry) -> (Queue<T, U>, Vec<Producer<T, U>>, Vec<Consumer<T, U>>) {
    let queue = Queue::with_tube(geometry).expect("a small queue");
    let producers = (0..geometry.producers()).map(|_| queue.producer().expect("one of those it is for")).collect();
    let consumers = (0..geometry.consumers()).map(|_| queue.consumer().expect("one of those it is for")).collect();
    (queue, producers, consumers)
}

/// The parameters of each test.
macro_rules! tubes {
    ($($test:ident)*) => {
        mod sequenced_ring {
            $(#[test]
            fn $test() {
                super::$test::<aqueduct::tube::SequencedRing>();
            })*
        }
    };
}
use tubes;
