//! Z1: DPDK's ring (2017-18). A producer computes the free space from the head and the consumer's
//! tail.
//!
//! If nothing orders its two loads, a new head comes with an old tail, `capacity + tail - head`
//! underflows, and slots are overwritten.

use std::sync::Arc;
use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release};

use super::super::{AtomicUsize, Slot, await_until, spawn};

const CAPACITY: usize = 2;

struct Ring {
    producers_head: AtomicUsize,
    producers_tail: AtomicUsize,
    consumers_tail: AtomicUsize,
    slots: [Slot<usize>; CAPACITY],
}

impl Ring {
    fn new() -> Self {
        Self {
            producers_head: AtomicUsize::new(0),
            producers_tail: AtomicUsize::new(0),
            consumers_tail: AtomicUsize::new(0),
            slots: std::array::from_fn(|_| Slot::new(0)),
        }
    }

    /// Pushes, unless the ring is full. `load` is the ordering of the load of the producers' head,
    /// `take` that of the compare-exchange that moves it.
    fn push(&self, value: usize, load: Ordering, take: Ordering) {
        let mut head = self.producers_head.load(load);
        loop {
            let tail = self.consumers_tail.load(Acquire);
            // This is DPDK's way: unsigned, and never negative as long as the tail is not older
            // than the head.
            let free = CAPACITY.wrapping_add(tail).wrapping_sub(head);
            assert!(free <= CAPACITY, "more free than there is: slots are overwritten");
            if free == 0 {
                return;
            }
            match self.producers_head.compare_exchange(head, head + 1, take, load) {
                Ok(_) => break,
                Err(now) => head = now,
            }
        }
        self.slots[head % CAPACITY].set(value);
        await_until(|| self.producers_tail.load(Relaxed) == head);
        self.producers_tail.store(head + 1, Release);
    }

    fn pop(&self) {
        let tail = self.consumers_tail.load(Relaxed);
        if self.producers_tail.load(Acquire) != tail {
            let _ = self.slots[tail % CAPACITY].get();
            self.consumers_tail.store(tail + 1, Release);
        }
    }
}

/// Starts with a full ring: one consumer frees a slot, and two producers try to take it.
fn client(load: Ordering, take: Ordering) {
    let ring = Arc::new(Ring::new());
    for value in 0..CAPACITY {
        ring.push(value, load, take);
    }
    let producers = [2, 3].map(|value| {
        let ring = Arc::clone(&ring);
        spawn(move || ring.push(value, load, take))
    });
    ring.pop();
    ring.pop();
    for producer in producers {
        producer.join().unwrap();
    }
}

pub(crate) fn broken() {
    client(Relaxed, Relaxed);
}

pub(crate) fn repaired() {
    client(Acquire, AcqRel);
}
