//! L2a: a compare-exchange that fails is only a load, and may read an old value.
//!
//! In a queue, a cell is made ready and a relaxed flag publishes that. A thread that has seen the
//! flag assumes that the compare-exchange that takes the cell cannot fail, because a
//! read-modify-write "reads the newest value". Release and acquire on the flag repair it.

use std::sync::Arc;
use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release};

use super::super::{AtomicUsize, spawn};

const EMPTY: usize = 0;
const READY: usize = 1;
const TAKEN: usize = 2;

/// The owner makes a cell ready and grants it; the thread with the grant takes the cell.
fn client(grant: Ordering, see: Ordering) {
    let cell = Arc::new((AtomicUsize::new(EMPTY), AtomicUsize::new(0)));
    let taker = Arc::clone(&cell);
    let taker = spawn(move || {
        if taker.1.load(see) == 1 {
            let took = taker.0.compare_exchange(READY, TAKEN, AcqRel, Relaxed);
            assert!(took.is_ok(), "the cell that was granted is not ready");
        }
    });
    cell.0.store(READY, Relaxed);
    cell.1.store(1, grant);
    taker.join().unwrap();
}

pub(crate) fn broken() {
    client(Relaxed, Relaxed);
}

pub(crate) fn repaired() {
    client(Release, Acquire);
}
