//! Z11: fences without a partner.
//!
//! Z11a, iceoryx2's single-producer queue (#119): `pop` has an acquire-release fence between the
//! read of the slot and the relaxed store of its position, but `push` loads that position relaxed:
//! the slot is overwritten while it is read. A release store and an acquire load repair it. Z11b,
//! iceoryx's free list of indices (#2196): the fence at the start of `push` was a release one where
//! acquire was meant, which fails where an index is passed on relaxed.

use std::sync::Arc;
use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release};

use super::super::{AtomicUsize, Slot, fence, spawn};

/// Z11a: a full queue of one slot. One thread takes the item out, the other puts a new one in if
/// the slot is free.
fn queue_client(publish: fn(&AtomicUsize), load: Ordering) {
    let queue = Arc::new((AtomicUsize::new(0), Slot::new(10)));
    let consumer = Arc::clone(&queue);
    let consumer = spawn(move || {
        assert_eq!(consumer.1.get(), 10, "the item was overwritten");
        publish(&consumer.0);
    });
    if queue.0.load(load) == 1 {
        queue.1.set(11);
    }
    consumer.join().unwrap();
}

/// The value of an index's link while a thread has the index.
const TAKEN: usize = 99;

/// Z11b: one thread takes an index from the free list and passes it on. The other gives it back.
fn list_client(at_begin: Ordering) {
    let list = Arc::new((Slot::new(0), AtomicUsize::new(0)));
    let taker = Arc::clone(&list);
    let taker = spawn(move || {
        taker.0.set(TAKEN);
        fence(Release);
        taker.1.store(1, Relaxed);
    });
    if list.1.load(Relaxed) == 1 {
        fence(at_begin);
        assert_eq!(list.0.get(), TAKEN, "given back before it is taken");
        list.0.set(0);
    }
    taker.join().unwrap();
}

pub(crate) mod no_partner {
    use super::{AcqRel, Acquire, Relaxed, Release, fence, queue_client};

    pub(crate) fn broken() {
        let publish = |read: &super::AtomicUsize| {
            fence(AcqRel);
            read.store(1, Relaxed);
        };
        queue_client(publish, Relaxed);
    }

    pub(crate) fn repaired() {
        queue_client(|read| read.store(1, Release), Acquire);
    }
}

pub(crate) mod wrong_way {
    use super::{Acquire, Release, list_client};

    pub(crate) fn broken() {
        list_client(Release);
    }

    pub(crate) fn repaired() {
        list_client(Acquire);
    }
}
