//! The lock of channels: one thread holds it, and sees what the last one did.

use std::sync::Arc;

use super::common::Client;
use super::library::internal::RawLock;
use aqueduct_model::cell::UnsafeCell;
use aqueduct_model::thread::spawn;

/// A number under the lock.
struct Locked {
    lock: RawLock,
    number: UnsafeCell<u32>,
}

// SAFETY: the number is accessed under the lock; the model reports a race.
unsafe impl Sync for Locked {}

impl Locked {
    fn new() -> Arc<Self> {
        Arc::new(Self { lock: RawLock::new(), number: UnsafeCell::new(0) })
    }

    /// Adds one, and opens the lock that the caller has taken.
    fn add_and_unlock(&self) {
        // SAFETY: the lock is held.
        self.number.with_mut(|number| unsafe { *number += 1 });
        // SAFETY: the caller has taken the lock.
        unsafe { self.lock.unlock() };
    }

    fn number(&self) -> u32 {
        // SAFETY: no other thread is there any more.
        self.number.with(|number| unsafe { *number })
    }
}

/// Two threads wait for it.
fn two_wait() {
    let locked = Locked::new();
    let other = Arc::clone(&locked);
    let add = |locked: &Locked| {
        locked.lock.lock();
        locked.add_and_unlock();
    };
    let thread = spawn(move || add(&other));
    add(&locked);
    thread.join().unwrap();
    assert_eq!(locked.number(), 2);
}

/// One thread waits, and another one does not.
fn one_tries() {
    let locked = Locked::new();
    let other = Arc::clone(&locked);
    let thread = spawn(move || {
        let is_taken = other.lock.try_lock();
        if is_taken {
            other.add_and_unlock();
        }
        u32::from(is_taken)
    });
    locked.lock.lock();
    locked.add_and_unlock();
    let added = thread.join().unwrap();
    assert_eq!(locked.number(), 1 + added);
}

/// Each client, and its number of executions.
pub(crate) const CLIENTS: &[Client] = &[("lock::two_wait", two_wait, 6), ("lock::one_tries", one_tries, 5)];
