//! Z13: the `RwLock` of `parking_lot` (#323). A writer has announced itself and waits for the
//! remaining readers.
//!
//! It marks itself as parked with a relaxed compare-exchange. If that fails because the last reader
//! has just left, the writer continues with the value that the failure returned, and has acquired
//! nothing: its writes race with the reader's reads. Acquire in the failing case repairs it.

use std::sync::Arc;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};

use super::super::{AtomicUsize, Slot, await_until, spawn};

const WRITER: usize = 1;
const PARKED: usize = 2;
const READER: usize = 4;

struct Lock {
    state: AtomicUsize,
    data: Slot<usize>,
}

impl Lock {
    fn unlock_shared(&self) {
        // The program does not wake a parked writer, which checks for itself.
        self.state.fetch_sub(READER, Release);
    }

    fn lock_exclusive(&self, failure: Ordering) {
        self.state.fetch_or(WRITER, Acquire);
        let mut state = self.state.load(Acquire);
        while state >= READER {
            match self.state.compare_exchange(state, state | PARKED, Relaxed, failure) {
                Ok(_) => {
                    await_until(|| self.state.load(Acquire) < READER);
                    return;
                }
                Err(now) => state = now,
            }
        }
    }
}

/// The client starts with one reader inside.
fn client(failure: Ordering) {
    let lock = Arc::new(Lock { state: AtomicUsize::new(READER), data: Slot::new(10) });
    let reader = Arc::clone(&lock);
    let reader = spawn(move || {
        assert_eq!(reader.data.get(), 10, "the writer came in too early");
        reader.unlock_shared();
    });
    lock.lock_exclusive(failure);
    lock.data.set(11);
    reader.join().unwrap();
}

pub(crate) fn broken() {
    client(Relaxed);
}

pub(crate) fn repaired() {
    client(Acquire);
}
