//! Z12: OCaml's ring of runtime events (#15016), which overwrites its oldest events.
//!
//! The producer moves the head past an event and then writes over it; a reader copies an event and
//! then checks whether the head has passed it. Nothing kept the writes of the event after the store
//! of the head, nor the check after the copy: a lapped reader takes a new event for an old one. A
//! release fence after the store and an acquire fence before the check repair it.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::super::{AtomicUsize, fence, spawn};

const CAPACITY: usize = 2;

/// Returns the event at a position.
const fn event(position: usize) -> usize {
    10 + position
}

struct Ring {
    head: AtomicUsize,
    tail: AtomicUsize,
    slots: [AtomicUsize; CAPACITY],
}

impl Ring {
    /// Overwrites the oldest event of a full ring.
    fn push(&self, moved: fn()) {
        let tail = self.tail.load(Relaxed);
        self.head.store(tail + 1 - CAPACITY, Release);
        moved();
        self.slots[tail % CAPACITY].store(event(tail), Relaxed);
        self.tail.store(tail + 1, Release);
    }

    /// Returns the oldest event and its position, or `None` if it has been overwritten meanwhile.
    fn read(&self, copied: fn()) -> Option<(usize, usize)> {
        let position = self.head.load(Acquire);
        let found = self.slots[position % CAPACITY].load(Relaxed);
        copied();
        (self.head.load(Relaxed) <= position).then_some((position, found))
    }
}

/// The producer laps a reader of a full ring.
fn client(moved: fn(), copied: fn()) {
    let ring = Ring {
        head: AtomicUsize::new(0),
        tail: AtomicUsize::new(CAPACITY),
        slots: std::array::from_fn(|position| AtomicUsize::new(event(position))),
    };
    let ring = Arc::new(ring);
    let producer = Arc::clone(&ring);
    let producer = spawn(move || producer.push(moved));
    if let Some((position, found)) = ring.read(copied) {
        assert_eq!(found, event(position), "the stream is corrupt");
    }
    producer.join().unwrap();
}

pub(crate) fn broken() {
    client(|| (), || ());
}

pub(crate) fn repaired() {
    client(|| fence(Release), || fence(Acquire));
}
