//! A wake-up that waits for its sleeper: entries with lost wake-ups sleep on it, so that every
//! checker sees a thread that sleeps forever.

use super::super::{Condvar, Mutex};

pub(crate) struct Signal {
    given: Mutex<bool>,
    changed: Condvar,
}

impl Signal {
    pub(crate) fn new() -> Self {
        Self { given: Mutex::new(false), changed: Condvar::new() }
    }

    /// Wakes the sleeper, now or at its next wait.
    pub(crate) fn wake(&self) {
        *self.given.lock().unwrap() = true;
        self.changed.notify_one();
    }

    /// Sleeps until woken.
    pub(crate) fn wait(&self) {
        let mut given = self.given.lock().unwrap();
        while !*given {
            given = self.changed.wait(given).unwrap();
        }
        *given = false;
    }
}
