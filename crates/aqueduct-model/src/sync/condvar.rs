//! Condition variables, as in `std::sync`.

use std::mem;
use std::sync::LockResult;
use std::time::Duration;

use super::mutex::MutexGuard;
use crate::hint::{self, await_here, either};
use crate::runtime::driver;
use crate::sync::atomic::{AtomicU64, Ordering};

/// As [`std::sync::Condvar`], inside a model. Waking one wakes any of those that wait: all are explored. Nobody wakes
/// spuriously; [`Condvar::wait_timeout`] may time out at any moment.
#[derive(Debug, Default)]
pub struct Condvar {
    /// The threads that wait, one bit for each.
    waiting: AtomicU64,
}

/// Whether a wait ended for its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether a wait ended for its time.
    #[must_use]
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

/// The bit of a thread among those that wait.
struct Waiting<'a> {
    condvar: &'a Condvar,
    me: u64,
}

impl<'a> Waiting<'a> {
    /// Returns the thread that calls begins to wait.
    #[track_caller]
    fn begin(condvar: &'a Condvar) -> Self {
        let me = 1 << driver::ask(|engine| engine.current);
        condvar.waiting.fetch_or(me, Ordering::Relaxed);
        Self { condvar, me }
    }

    /// Waits to be woken.
    #[track_caller]
    fn wait(self) {
        await_here!(self.condvar.waiting.load(Ordering::Relaxed) & self.me == 0);
        mem::forget(self);
    }

    /// Waits no longer. Whether it had been woken before.
    #[track_caller]
    fn stop(self) -> bool {
        let waiting = self.condvar.waiting.fetch_and(!self.me, Ordering::Relaxed);
        let me = self.me;
        mem::forget(self);
        waiting & me == 0
    }
}

impl Drop for Waiting<'_> {
    /// The thread is killed while it waits: waking it would wake nobody.
    #[track_caller]
    fn drop(&mut self) {
        let _shield = driver::shield();
        self.condvar.waiting.fetch_and(!self.me, Ordering::Relaxed);
    }
}

impl Condvar {
    /// Nobody waits.
    #[must_use]
    pub const fn new() -> Self {
        Self { waiting: AtomicU64::new(0) }
    }

    /// Opens the lock, waits to be woken, and takes the lock again.
    ///
    /// # Errors
    /// None.
    ///
    /// # Panics
    /// Outside of a model.
    #[track_caller]
    pub fn wait<'a, T: ?Sized>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let waiting = Waiting::begin(self);
        // From here on the thread has no guard: one that dies while it waits does not hold the lock.
        let mutex = guard.unlock();
        waiting.wait();
        Ok(mutex.acquire())
    }

    /// As [`Self::wait`], as long as `condition` holds.
    ///
    /// # Errors
    /// None.
    ///
    /// # Panics
    /// Outside of a model.
    #[track_caller]
    pub fn wait_while<'a, T: ?Sized>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<MutexGuard<'a, T>> {
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// As [`Self::wait`], or not that long: the model explores both, whatever the time is.
    ///
    /// # Errors
    /// None.
    ///
    /// # Panics
    /// Outside of a model.
    #[track_caller]
    pub fn wait_timeout<'a, T: ?Sized>(
        &self,
        guard: MutexGuard<'a, T>,
        _timeout: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let waiting = Waiting::begin(self);
        let mutex = guard.unlock();
        // Whether it has been woken by the time that is over: that may be any moment.
        let woken = waiting.stop();
        if !woken {
            hint::time_out();
        }
        Ok((mutex.acquire(), WaitTimeoutResult(!woken)))
    }

    /// Wakes one of those that wait, if any does.
    #[track_caller]
    pub fn notify_one(&self) {
        let mut waiting = self.waiting.load(Ordering::Relaxed);
        while waiting != 0 {
            let woken = any_of(waiting);
            match self.waiting.compare_exchange(waiting, waiting & !woken, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => waiting = now,
            }
        }
    }

    /// Wakes all that wait.
    #[track_caller]
    pub fn notify_all(&self) {
        self.waiting.swap(0, Ordering::Relaxed);
    }
}

/// One of the bits that are set: each in an execution of its own.
#[track_caller]
fn any_of(bits: u64) -> u64 {
    let first = bits & bits.wrapping_neg();
    if bits == first || either() { first } else { any_of(bits & !first) }
}
