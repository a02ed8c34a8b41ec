//! L5: a weak compare-exchange may fail although the value is the expected one.
//!
//! A lock's `try_lock` that uses it once, without a loop, can fail in every thread while the lock
//! is free. The strong compare-exchange repairs it.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use super::super::{AtomicBool, spawn};

/// Two threads try to take a free lock, and none gives it back: one of them must get it.
fn client(try_lock: fn(&AtomicBool) -> bool) {
    let lock = Arc::new(AtomicBool::new(false));
    let other = Arc::clone(&lock);
    let other = spawn(move || try_lock(&other));
    let mine = try_lock(&lock);
    let theirs = other.join().unwrap();
    assert!(mine || theirs, "nobody got a lock that was free");
    assert!(!(mine && theirs), "both got the lock");
}

pub(crate) fn broken() {
    client(|lock| lock.compare_exchange_weak(false, true, Acquire, Relaxed).is_ok());
}

pub(crate) fn repaired() {
    client(|lock| lock.compare_exchange(false, true, Acquire, Relaxed).is_ok());
}
