//! A place for one waker.

use std::sync::LockResult;
use std::task::Waker;

use crate::sync::{Mutex, MutexGuard};

/// As `AtomicWaker` of the crate `futures`: one task registers its waker, any thread wakes it.
#[derive(Debug, Default)]
pub struct AtomicWaker {
    waker: Mutex<Option<Waker>>,
}

fn unpoisoned(result: LockResult<MutexGuard<'_, Option<Waker>>>) -> MutexGuard<'_, Option<Waker>> {
    match result {
        Ok(guard) => guard,
        Err(_) => unreachable!("nothing is ever poisoned"),
    }
}

impl AtomicWaker {
    /// Nobody is registered.
    #[must_use]
    pub const fn new() -> Self {
        Self { waker: Mutex::new(None) }
    }

    /// Registers a waker instead of the one before.
    #[track_caller]
    pub fn register(&self, waker: Waker) {
        let before = unpoisoned(self.waker.lock()).replace(waker);
        drop(before);
    }

    /// As [`Self::register`], with a clone.
    #[track_caller]
    pub fn register_by_ref(&self, waker: &Waker) {
        self.register(waker.clone());
    }

    /// Wakes the task that is registered, and forgets it.
    #[track_caller]
    pub fn wake(&self) {
        if let Some(waker) = self.take_waker() {
            waker.wake();
        }
    }

    /// Takes the waker that is registered.
    #[track_caller]
    pub fn take_waker(&self) -> Option<Waker> {
        unpoisoned(self.waker.lock()).take()
    }
}
