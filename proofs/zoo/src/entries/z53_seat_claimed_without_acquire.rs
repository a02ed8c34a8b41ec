//! Z53: forte's seats (77f77ce). Threads enroll in a pool: a thread claims a seat's bit, uses the
//! seat's data, and clears the bit when it resigns.
//!
//! The search for a free seat acquires, and the claim does not. Between the two, another thread can
//! claim the seat, use it and resign: the claim finds the bit clear again (ABA) and need not see
//! that thread's writes. The repaired claim acquires.

use std::sync::Arc;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};

use super::super::{AtomicUsize, Slot, spawn};

const SEAT: usize = 1;

struct Pool {
    claimed: AtomicUsize,
    jobs: Slot<usize>,
}

impl Pool {
    fn enroll(&self, claim: Ordering) -> bool {
        self.claimed.load(Acquire) & SEAT == 0 && self.claimed.fetch_or(SEAT, claim) & SEAT == 0
    }

    fn resign(&self) {
        self.claimed.fetch_and(!SEAT, Release);
    }

    /// Uses the seat, if it is free.
    fn visit(&self, claim: Ordering) {
        if self.enroll(claim) {
            self.jobs.set(self.jobs.get() + 1);
            self.resign();
        }
    }
}

/// Two threads claim the only seat.
fn client(claim: Ordering) {
    let pool = Arc::new(Pool { claimed: AtomicUsize::new(0), jobs: Slot::new(0) });
    let other = {
        let pool = Arc::clone(&pool);
        spawn(move || pool.visit(claim))
    };
    pool.visit(claim);
    other.join().unwrap();
}

pub(crate) fn broken() {
    client(Relaxed);
}

pub(crate) fn repaired() {
    client(Acquire);
}
