//! Z37: disruptor-rs. A producer that publishes in batches keeps the limit up to which slots are
//! free.
//!
//! When a batch passes it, it counts the free slots anew, from its own position, but adds them to
//! the old limit, which was ahead of that: it counts slots that are not read yet, and overwrites
//! them. The repaired form adds to its position.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Release};

use super::super::{AtomicUsize, Slot, await_until, spawn};

const CAPACITY: usize = 2;

struct Ring {
    slots: [Slot<usize>; CAPACITY],
    published: AtomicUsize,
    consumed: AtomicUsize,
}

struct Producer {
    next: usize,
    limit: usize,
}

impl Producer {
    fn publish<const FROM_POSITION: bool>(&mut self, ring: &Ring, batch: usize) {
        if self.next + batch > self.limit {
            let mut free = 0;
            await_until(|| {
                free = CAPACITY - (self.next - ring.consumed.load(Acquire));
                free >= batch
            });
            self.limit = if FROM_POSITION { self.next } else { self.limit } + free;
        }
        for _ in 0..batch {
            ring.slots[self.next % CAPACITY].set(self.next);
            self.next += 1;
        }
        ring.published.store(self.next, Release);
    }
}

/// Batches of one, two and one, against a consumer of the first two.
fn client<const FROM_POSITION: bool>() {
    let ring = Arc::new(Ring {
        slots: std::array::from_fn(|_| Slot::new(0)),
        published: AtomicUsize::new(0),
        consumed: AtomicUsize::new(0),
    });
    let consumer = {
        let ring = Arc::clone(&ring);
        spawn(move || {
            for next in 0..2 {
                await_until(|| ring.published.load(Acquire) > next);
                assert_eq!(ring.slots[next % CAPACITY].get(), next, "a slot was overwritten that was not read");
                ring.consumed.store(next + 1, Release);
            }
        })
    };
    let mut producer = Producer { next: 0, limit: CAPACITY };
    for batch in [1, 2, 1] {
        producer.publish::<FROM_POSITION>(&ring, batch);
    }
    consumer.join().unwrap();
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
