//! Z20: parking_lot #465 (in the reader-writer lock). A sleeper clears the bit for sleepers too
//! late.
//!
//! A thread that times out leaves the queue of sleepers, and as the last one clears the bit for
//! sleepers, after it has released the queue. Another thread went to sleep in between; the thread
//! that unlocks sees no bit, and wakes no thread. The repaired form clears the bit while it holds
//! the queue.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::super::{AtomicUsize, Mutex, spawn};
use super::signal::Signal;

const LOCKED: usize = 1;
const PARKED: usize = 2;

struct Lock {
    state: AtomicUsize,
    sleepers: Mutex<Vec<usize>>,
    signals: [Signal; 2],
}

impl Lock {
    fn lock(&self, me: usize) {
        loop {
            let state = self.state.load(Relaxed);
            if state & LOCKED == 0 {
                if self.state.compare_exchange(state, state | LOCKED, Acquire, Relaxed).is_ok() {
                    return;
                }
            } else if (state & PARKED != 0 || self.announce(state)) && self.park(me) {
                self.signals[me].wait();
                return;
            }
        }
    }

    /// Announces that a thread is about to sleep.
    fn announce(&self, state: usize) -> bool {
        self.state.compare_exchange(state, state | PARKED, Relaxed, Relaxed).is_ok()
    }

    /// Joins the sleepers, if there is still a lock to wait for.
    fn park(&self, me: usize) -> bool {
        let mut sleepers = self.sleepers.lock().unwrap();
        let waits = self.state.load(Relaxed) == LOCKED | PARKED;
        if waits {
            sleepers.push(me);
        }
        waits
    }

    /// Ends a sleeper's wait. Returns `false` if it was handed the lock before.
    fn time_out<const HOLD_QUEUE: bool>(&self, me: usize) -> bool {
        let mut sleepers = self.sleepers.lock().unwrap();
        let Some(at) = sleepers.iter().position(|&sleeper| sleeper == me) else {
            return false;
        };
        sleepers.remove(at);
        let last = sleepers.is_empty();
        let held = HOLD_QUEUE.then_some(sleepers);
        if last {
            self.state.fetch_and(!PARKED, Relaxed);
        }
        drop(held);
        true
    }

    /// Unlocks, or hands the lock to the first sleeper.
    fn unlock(&self) {
        if self.state.compare_exchange(LOCKED, 0, Release, Relaxed).is_ok() {
            return;
        }
        let mut sleepers = self.sleepers.lock().unwrap();
        if sleepers.is_empty() {
            self.state.store(0, Release);
            return;
        }
        let next = sleepers.remove(0);
        self.state.store(if sleepers.is_empty() { LOCKED } else { LOCKED | PARKED }, Release);
        self.signals[next].wake();
    }
}

/// The lock is taken, and a sleeper times out. Another thread comes, and the lock is released.
fn client<const HOLD_QUEUE: bool>() {
    let lock = Arc::new(Lock {
        state: AtomicUsize::new(LOCKED | PARKED),
        sleepers: Mutex::new(vec![0]),
        signals: [Signal::new(), Signal::new()],
    });
    let sleeper = {
        let lock = Arc::clone(&lock);
        spawn(move || {
            if !lock.time_out::<HOLD_QUEUE>(0) {
                lock.unlock();
            }
        })
    };
    let other = {
        let lock = Arc::clone(&lock);
        spawn(move || lock.lock(1))
    };
    lock.unlock();
    sleeper.join().unwrap();
    other.join().unwrap();
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
