//! Z27: crossbeam-channel's counter. Each side of a channel marks that it was dropped; the second
//! one frees the channel.
//!
//! A side that marks before it disconnects the channel still uses it when the other frees it. The
//! repaired form disconnects first.

use std::sync::atomic::Ordering::AcqRel;

use super::super::{AtomicBool, AtomicUsize, allocate, free, spawn};
use crate::worlds::Shared;

struct Counter {
    destroy: AtomicBool,
    tail: AtomicUsize,
}

impl Counter {
    /// Disconnects the other side.
    fn disconnect(&self) {
        self.tail.fetch_or(1, AcqRel);
    }
}

/// Drops a side.
fn release<const DISCONNECT_FIRST: bool>(side: Shared<Counter>) {
    // SAFETY: this side has not marked that it was dropped. (A use after the mark is the bug.)
    let counter = unsafe { side.get() };
    if DISCONNECT_FIRST {
        counter.disconnect();
    }
    if counter.destroy.swap(true, AcqRel) {
        // SAFETY: both sides were dropped.
        unsafe { free(side.pointer()) };
    } else if !DISCONNECT_FIRST {
        counter.disconnect();
    }
}

/// Both sides are dropped.
fn client<const DISCONNECT_FIRST: bool>() {
    let counter = Counter { destroy: AtomicBool::new(false), tail: AtomicUsize::new(0) };
    let side = Shared::new(allocate(counter));
    let other = spawn(move || release::<DISCONNECT_FIRST>(side));
    release::<DISCONNECT_FIRST>(side);
    other.join().unwrap();
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
