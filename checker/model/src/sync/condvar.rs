//! Condition variables, as in `std::sync`.

use std::mem;
use std::sync::LockResult;
use std::time::Duration;

use super::mutex::MutexGuard;
use crate::hint::{self, await_here, either};
use crate::runtime::driver;
use crate::sync::atomic::{AtomicU64, Ordering};

/// A [`std::sync::Condvar`], for use inside a model.
///
/// A `notify_one` wakes any of the threads that wait: all choices are explored. No thread wakes
/// spuriously; [`Condvar::wait_timeout`] may time out at any moment.
#[derive(Debug, Default)]
pub struct Condvar {
    /// The threads that wait, one bit for each.
    waiting: AtomicU64,
}

/// Whether a wait ended by its timeout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether the wait ended by its timeout.
    #[must_use]
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

/// A thread's bit among those that wait.
struct Waiting<'a> {
    condvar: &'a Condvar,
    me: u64,
}

impl<'a> Waiting<'a> {
    /// Begins the calling thread's wait.
    #[track_caller]
    fn begin(condvar: &'a Condvar) -> Self {
        let me = 1 << driver::ask(|engine| engine.current);
        condvar.waiting.fetch_or(me, Ordering::Relaxed);
        Self { condvar, me }
    }

    /// Waits until the thread is woken.
    #[track_caller]
    fn wait(self) {
        await_here!(self.condvar.waiting.load(Ordering::Relaxed) & self.me == 0);
        mem::forget(self);
    }

    /// Ends the wait. Returns whether the thread had been woken before.
    #[track_caller]
    fn stop(self) -> bool {
        let waiting = self.condvar.waiting.fetch_and(!self.me, Ordering::Relaxed);
        let me = self.me;
        mem::forget(self);
        waiting & me == 0
    }
}

impl Drop for Waiting<'_> {
    /// Ends the wait of a killed thread, so that no wake-up goes to it.
    #[track_caller]
    fn drop(&mut self) {
        let _shield = driver::shield();
        self.condvar.waiting.fetch_and(!self.me, Ordering::Relaxed);
    }
}

impl Condvar {
    /// Makes a condition variable that no thread waits for.
    #[must_use]
    pub const fn new() -> Self {
        Self { waiting: AtomicU64::new(0) }
    }

    /// Opens the lock, waits to be woken, and takes the lock again.
    ///
    /// # Errors
    /// It never fails.
    ///
    /// # Panics
    /// Outside of a model.
    #[track_caller]
    pub fn wait<'a, T: ?Sized>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let waiting = Waiting::begin(self);
        // From here on the thread has no guard, so a thread that is killed while it waits does not
        // hold the lock.
        let mutex = guard.unlock();
        waiting.wait();
        Ok(mutex.acquire())
    }

    /// Waits as [`Self::wait`] does, as long as `condition` holds.
    ///
    /// # Errors
    /// It never fails.
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

    /// Waits as [`Self::wait`] does, or less: the model explores both, whatever the time is.
    ///
    /// # Errors
    /// It never fails.
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
        // The time may be over at any moment, so the thread may have been woken by then or not.
        let woken = waiting.stop();
        if !woken {
            hint::time_out();
        }
        Ok((mutex.acquire(), WaitTimeoutResult(!woken)))
    }

    /// Waits as [`Self::wait_timeout`] does, as long as `condition` holds and the time is not over.
    ///
    /// # Errors
    /// It never fails.
    ///
    /// # Panics
    /// Outside of a model.
    #[track_caller]
    pub fn wait_timeout_while<'a, T: ?Sized>(
        &self,
        mut guard: MutexGuard<'a, T>,
        timeout: Duration,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        while condition(&mut *guard) {
            let result;
            (guard, result) = self.wait_timeout(guard, timeout)?;
            if result.timed_out() {
                let holds = condition(&mut *guard);
                return Ok((guard, WaitTimeoutResult(holds)));
            }
        }
        Ok((guard, WaitTimeoutResult(false)))
    }

    /// Wakes one of the threads that wait, if there is one.
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

    /// Wakes all threads that wait.
    #[track_caller]
    pub fn notify_all(&self) {
        self.waiting.swap(0, Ordering::Relaxed);
    }
}

/// Returns one of the bits that are set, each in an execution of its own.
#[track_caller]
fn any_of(bits: u64) -> u64 {
    let first = bits & bits.wrapping_neg();
    if bits == first || either() { first } else { any_of(bits & !first) }
}
