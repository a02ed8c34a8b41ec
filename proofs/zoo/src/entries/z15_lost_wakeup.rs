//! Z15: the lost wake-up in the form of store buffering (folly's `ParkingLot`, io_uring, libbpf's
//! ring).
//!
//! A sleeper announces itself and then checks for work; a notifier adds work and then checks for
//! sleepers. Without a sequentially consistent fence in between, both may check too early: the
//! sleeper sleeps forever. Z15b: with the fence on the notifier's side alone it is still wrong,
//! even though the sleeper's announcement is a sequentially consistent `fetch_add` (folly #2649). A
//! fence on both sides repairs it.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

use super::super::{AtomicBool, AtomicUsize, await_until, fence, spawn};

struct Lot {
    waiters: AtomicUsize,
    work: AtomicBool,
    woken: AtomicBool,
}

/// One thread waits for work that the other adds.
fn client(sleeper: fn(), notifier: fn()) {
    let lot = Lot { waiters: AtomicUsize::new(0), work: AtomicBool::new(false), woken: AtomicBool::new(false) };
    let lot = Arc::new(lot);
    let other = Arc::clone(&lot);
    let other = spawn(move || {
        other.work.store(true, Relaxed);
        notifier();
        if other.waiters.load(SeqCst) != 0 {
            other.woken.store(true, Release);
        }
    });
    lot.waiters.fetch_add(1, SeqCst);
    sleeper();
    if !lot.work.load(Relaxed) {
        await_until(|| lot.woken.load(Acquire));
    }
    other.join().unwrap();
}

pub(crate) fn with_both_fences() {
    client(|| fence(SeqCst), || fence(SeqCst));
}

pub(crate) mod no_fence {
    pub(crate) use super::with_both_fences as repaired;

    pub(crate) fn broken() {
        super::client(|| (), || ());
    }
}

pub(crate) mod one_fence {
    pub(crate) use super::with_both_fences as repaired;
    use super::{SeqCst, fence};

    pub(crate) fn broken() {
        super::client(|| (), || fence(SeqCst));
    }
}
