//! Z20: parking_lot #465 (there in the reader-writer lock). A thread whose time is over leaves the queue of sleepers,
//! and being the last one clears the bit that tells of sleepers, after it has let go of the queue. Another thread has
//! gone to sleep in between; the one that unlocks sees no bit, and wakes nobody. Repaired by clearing the bit while it
//! holds the queue.

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

    /// Tells that a thread is about to sleep.
    fn announce(&self, state: usize) -> bool {
        self.state.compare_exchange(state, state | PARKED, Relaxed, Relaxed).is_ok()
    }

    /// Joins the sleepers, if there is still something to wait for.
    fn park(&self, me: usize) -> bool {
        let mut sleepers = self.sleepers.lock().unwrap();
        let waits = self.state.load(Relaxed) == LOCKED | PARKED;
        if waits {
            sleepers.push(me);
        }
        waits
    }

    /// A sleeper's time is over. False if it was handed the lock before that.
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

/// It is locked, and a thread sleeps whose time is over. Another one comes, and the lock is unlocked.
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
