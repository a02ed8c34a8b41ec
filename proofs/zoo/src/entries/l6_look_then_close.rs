//! L6: plain interleaving, sequentially consistent throughout: one thread reads a flag and then
//! sets it, another reads it.
//!
//! The other thread may see it set. A checker that takes two loads to commute, and therefore never
//! runs the store after one of them before the other, runs a single execution and never sees this.
//! The broken program expects that the flag is never seen set, the repaired one expects both.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use super::super::{AtomicUsize, spawn};

/// One thread reads the state of a channel. The other closes it if it is open.
fn client(expected: fn(usize) -> bool) {
    let closed = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&closed);
    let other = spawn(move || {
        if other.load(SeqCst) == 0 {
            other.store(1, SeqCst);
        }
    });
    let seen = closed.load(SeqCst);
    other.join().unwrap();
    assert!(expected(seen), "closed, where it was expected to be open");
    assert_eq!(closed.load(SeqCst), 1, "it was closed");
}

pub(crate) fn broken() {
    client(|seen| seen == 0);
}

pub(crate) fn repaired() {
    client(|seen| seen <= 1);
}
