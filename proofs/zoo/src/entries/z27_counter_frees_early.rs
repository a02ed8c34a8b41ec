//! Z27: crossbeam-channel's counter. Each side of a channel marks that it has gone; the second one frees the
//! channel.
//!
//! A side that marks before it disconnects the channel is still at work inside when the other frees it. The
//! repaired form disconnects first.

use std::sync::atomic::Ordering::AcqRel;

use super::super::{AtomicBool, AtomicUsize, allocate, free, spawn};
use crate::worlds::Shared;

struct Counter {
    destroy: AtomicBool,
    tail: AtomicUsize,
}

impl Counter {
    /// Tells the other side.
    fn disconnect(&self) {
        self.tail.fetch_or(1, AcqRel);
    }
}

/// A side goes.
fn release<const DISCONNECT_FIRST: bool>(side: Shared<Counter>) {
    // SAFETY: this side has not marked that it has gone. (A use after the mark is the bug.)
    let counter = unsafe { side.get() };
    if DISCONNECT_FIRST {
        counter.disconnect();
    }
    if counter.destroy.swap(true, AcqRel) {
        // SAFETY: both sides have gone.
        unsafe { free(side.pointer()) };
    } else if !DISCONNECT_FIRST {
        counter.disconnect();
    }
}

/// Both sides go.
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
