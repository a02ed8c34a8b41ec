//! Z39: JCTools #292, its linked queue of one producer and one consumer.
//!
//! The producer links a node before it moves its own pointer on. The consumer polls the node, and
//! is then ahead of the producer: `is_empty` compares the two pointers, and returns false for an
//! empty queue. The repaired form moves the pointer first.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::super::{AtomicUsize, await_until, spawn};

/// The number for "no node".
const NULL: usize = usize::MAX;

/// The queue of nodes by their numbers. The first one is used up.
struct Queue {
    next: [AtomicUsize; 2],
    producer: AtomicUsize,
    consumer: AtomicUsize,
}

impl Queue {
    fn offer<const POINTER_FIRST: bool>(&self, node: usize) {
        let last = self.producer.load(Relaxed);
        if POINTER_FIRST {
            self.producer.store(node, Release);
        }
        self.next[last].store(node, Release);
        if !POINTER_FIRST {
            self.producer.store(node, Release);
        }
    }

    fn poll(&self) -> bool {
        let last = self.consumer.load(Relaxed);
        let mut next = self.next[last].load(Acquire);
        if next == NULL {
            if self.producer.load(Acquire) == last {
                return false;
            }
            await_until(|| {
                next = self.next[last].load(Acquire);
                next != NULL
            });
        }
        self.consumer.store(next, Release);
        true
    }

    fn is_empty(&self) -> bool {
        self.consumer.load(Relaxed) == self.producer.load(Acquire)
    }
}

/// The producer offers one node. The thread that has polled it finds the queue empty.
fn client<const POINTER_FIRST: bool>() {
    let queue = Arc::new(Queue {
        next: [AtomicUsize::new(NULL), AtomicUsize::new(NULL)],
        producer: AtomicUsize::new(0),
        consumer: AtomicUsize::new(0),
    });
    let producer = {
        let queue = Arc::clone(&queue);
        spawn(move || queue.offer::<POINTER_FIRST>(1))
    };
    if queue.poll() {
        assert!(queue.is_empty(), "an empty queue says that it is not");
    }
    producer.join().unwrap();
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
