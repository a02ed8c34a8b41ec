//! Z54: forte's latch (0ebd373). A latch lies in the frame of the thread that waits for it, and the
//! frame ends when the latch is set.
//!
//! The thread that sets the latch first reads from it the thread to wake. The store and the load
//! are relaxed, so the owner frees the frame though that read need not have happened. The repaired
//! latch releases and acquires.

use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};

use super::super::{AtomicUsize, Slot, allocate, await_until, free, spawn};
use crate::worlds::Shared;

const LOCKED: usize = 0;
const SIGNAL: usize = 1;

struct Latch {
    state: AtomicUsize,
    owner: Slot<usize>,
}

/// Sets the latch. Returns the thread to wake.
fn set(latch: Shared<Latch>, store: Ordering) -> usize {
    // SAFETY: the latch is not set yet. (The owner's free, unordered with this, is the bug.)
    let latch = unsafe { latch.get() };
    let owner = latch.owner.get();
    latch.state.store(SIGNAL, store);
    owner
}

/// A thread sets a latch, whose owner frees it as soon as it is set.
fn client(load: Ordering, store: Ordering) {
    let latch = Shared::new(allocate(Latch { state: AtomicUsize::new(LOCKED), owner: Slot::new(7) }));
    let thief = spawn(move || assert_eq!(set(latch, store), 7));
    // SAFETY: only this thread frees the latch, below.
    await_until(|| unsafe { latch.get() }.state.load(load) == SIGNAL);
    // SAFETY: the latch is set.
    unsafe { free(latch.pointer()) };
    thief.join().unwrap();
}

pub(crate) fn broken() {
    client(Relaxed, Relaxed);
}

pub(crate) fn repaired() {
    client(Acquire, Release);
}
