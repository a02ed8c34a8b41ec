//! Z3: a ring for one producer and one consumer that publishes an index before the access to the
//! slot is complete.
//!
//! DPDK, FreeBSD's `buf_ring`, jack, and the tty layer of Linux each had it. Z3a: the producer's
//! index outruns the write, and the consumer reads an old value. Z3b: the consumer's index outruns
//! the read, and the slot is overwritten under it. A release store of the index repairs either.

use std::sync::Arc;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};

use super::super::{AtomicUsize, Slot, await_until, spawn};

/// A ring of one slot.
struct Ring {
    written: AtomicUsize,
    read: AtomicUsize,
    slot: Slot<usize>,
}

impl Ring {
    /// Waits for a free slot, and pushes.
    fn push(&self, index: usize, value: usize, publish: Ordering) {
        await_until(|| self.read.load(Acquire) == index);
        self.slot.set(value);
        self.written.store(index + 1, publish);
    }

    /// Waits for an item, and pops it.
    fn pop(&self, index: usize, publish: Ordering) -> usize {
        await_until(|| self.written.load(Acquire) == index + 1);
        let value = self.slot.get();
        self.read.store(index + 1, publish);
        value
    }
}

/// Two items go through the one slot. `written` and `read` are the orderings that publish the two
/// indices.
fn client(written: Ordering, read: Ordering) {
    let ring = Arc::new(Ring { written: AtomicUsize::new(0), read: AtomicUsize::new(0), slot: Slot::new(0) });
    let producer = Arc::clone(&ring);
    let producer = spawn(move || {
        producer.push(0, 10, written);
        producer.push(1, 11, written);
    });
    assert_eq!(ring.pop(0, read), 10);
    assert_eq!(ring.pop(1, read), 11);
    producer.join().unwrap();
}

pub(crate) mod producer {
    use super::{Relaxed, Release, client};

    pub(crate) fn broken() {
        client(Relaxed, Release);
    }

    pub(crate) fn repaired() {
        client(Release, Release);
    }
}

pub(crate) mod consumer {
    use super::{Relaxed, Release, client};

    pub(crate) fn broken() {
        client(Release, Relaxed);
    }

    pub(crate) fn repaired() {
        client(Release, Release);
    }
}
