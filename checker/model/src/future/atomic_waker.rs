//! A place for one waker.

use std::sync::LockResult;
use std::task::Waker;

use crate::sync::{Mutex, MutexGuard};

/// A place for one task's waker, which any thread wakes, as `AtomicWaker` of the crate `futures`.
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
    /// Makes a place without a waker.
    #[must_use]
    pub const fn new() -> Self {
        Self { waker: Mutex::new(None) }
    }

    /// Registers a waker in place of the old one.
    #[track_caller]
    pub fn register(&self, waker: Waker) {
        let before = unpoisoned(self.waker.lock()).replace(waker);
        drop(before);
    }

    /// Registers a clone of a waker in place of the old one.
    #[track_caller]
    pub fn register_by_ref(&self, waker: &Waker) {
        self.register(waker.clone());
    }

    /// Wakes the registered task, and removes its waker.
    #[track_caller]
    pub fn wake(&self) {
        if let Some(waker) = self.take_waker() {
            waker.wake();
        }
    }

    /// Takes the registered waker.
    #[track_caller]
    pub fn take_waker(&self) -> Option<Waker> {
        unpoisoned(self.waker.lock()).take()
    }
}
