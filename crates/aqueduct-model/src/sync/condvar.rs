//! Condition variables, as in `std::sync`.

use std::sync::LockResult;
use std::time::Duration;

use super::mutex::MutexGuard;
use crate::hint::{await_here, either};
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

/// The bit of the thread that calls.
fn me() -> u64 {
    1 << driver::ask(|engine| engine.current)
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
    pub fn wait<'a, T: ?Sized>(&self, mut guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let me = me();
        self.waiting.fetch_or(me, Ordering::Relaxed);
        guard.unlock();
        self.wait_for(me);
        guard.lock_again();
        Ok(guard)
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
        mut guard: MutexGuard<'a, T>,
        _timeout: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let me = me();
        self.waiting.fetch_or(me, Ordering::Relaxed);
        guard.unlock();
        // Whether somebody has woken it by the time that is over: that may be any moment.
        let timed_out = self.waiting.fetch_and(!me, Ordering::Relaxed) & me != 0;
        guard.lock_again();
        Ok((guard, WaitTimeoutResult(timed_out)))
    }

    #[track_caller]
    fn wait_for(&self, me: u64) {
        await_here!(self.waiting.load(Ordering::Relaxed) & me == 0);
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
