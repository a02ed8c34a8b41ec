//! Latches: one thread sets a latch, and another thread waits for that.
//!
//! # Rules
//! A latch often lies in the stack frame of the thread that waits for it, and that frame ends as
//! soon as the latch is set. So a thread that sets a latch reads everything else in the frame
//! before it sets the latch: [`Latch::set`] takes a pointer, not a reference.

use crate::sync::{AtomicBool, AtomicUsize, Mutex, Ordering, Sleeper, park};

/// A flag that a thread sets when its work is done.
pub(crate) trait Latch {
    /// Sets the latch, and wakes the thread that waits for it.
    ///
    /// # Safety
    /// The latch exists until it is set, and is set once. The caller does not use it afterwards.
    unsafe fn set(this: *const Self);

    /// Calls `run`, the closure of a job that another thread has stolen and that ends with this
    /// latch.
    #[inline(always)]
    fn around<R>(&self, run: impl FnOnce() -> R) -> R {
        run()
    }
}

/// The state of a latch for which a worker waits.
#[derive(Debug)]
pub struct CoreLatch(AtomicUsize);

/// The bit that is set when the work is done.
const SET: usize = 1;

/// The bit that is set while the waiting worker sleeps, or is about to.
const SLEEPING: usize = 2;

impl CoreLatch {
    /// Makes a latch that is not set.
    #[inline(always)]
    #[must_use]
    #[expect(clippy::new_without_default, reason = "an internal type")]
    pub const fn new() -> Self {
        Self(AtomicUsize::new(0))
    }

    /// Whether the work is done. Then its results are visible.
    #[inline(always)]
    pub fn is_set(&self) -> bool {
        // Ordering: Acquire pairs with the Release of `set`; without it, the result is read before
        // it is written.
        self.0.load(Ordering::Acquire) & SET != 0
    }

    /// Announces that the worker is about to sleep. Returns whether the latch is not set, so that
    /// the worker may sleep.
    pub fn fall_asleep(&self) -> bool {
        // Ordering: Acquire pairs with the Release of `set`, as in `is_set`. Release keeps the
        // write behind relaxed reads of this thread, such as that of an `Arc`'s drop (load
        // buffering).
        self.0.fetch_or(SLEEPING, Ordering::AcqRel) & SET == 0
    }

    /// Clears the latch after it was set. A later set is either seen, or its results are visible to
    /// the caller.
    pub fn reset(&self) {
        // Ordering: Acquire pairs with the Release of `set`, if the latch was set a second time.
        self.0.fetch_and(!SET, Ordering::Acquire);
    }

    /// Announces that the worker is awake.
    pub fn wake_up(&self) {
        self.0.fetch_and(!SLEEPING, Ordering::Relaxed);
    }

    /// Sets the latch. Returns whether the worker has to be woken.
    ///
    /// # Safety
    /// The latch exists until it is set.
    #[inline]
    pub unsafe fn set(this: *const Self) -> bool {
        // SAFETY: the latch is not set yet, so it exists; the reference ends with the call.
        let state = unsafe { &(*this).0 };
        // Ordering: Release pairs with the Acquire loads of the worker; without it, the result is
        // read before it is written. Acquire makes visible all that the worker did before it slept,
        // its entry in the list above all.
        state.fetch_or(SET, Ordering::AcqRel) & SLEEPING != 0
    }
}

/// A latch for a waiting thread that is not a worker.
#[derive(Debug)]
pub(crate) struct LockLatch {
    is_set: AtomicBool,
    thread: Sleeper,
}

impl LockLatch {
    /// Makes a latch for which the calling thread will wait.
    pub(crate) fn new() -> Self {
        Self { is_set: AtomicBool::new(false), thread: Sleeper::current() }
    }

    /// Waits until the latch is set.
    pub(crate) fn wait(&self) {
        // Ordering: Acquire pairs with the Release of `set`; without it, the result is read before
        // it is written.
        while !self.is_set.load(Ordering::Acquire) {
            park();
        }
    }
}

impl Latch for LockLatch {
    unsafe fn set(this: *const Self) {
        // SAFETY: the latch is not set yet, so its frame exists. The thread's handle is ours.
        let thread = unsafe { (*this).thread.clone() };
        // Ordering: Release pairs with the Acquire of `wait`.
        // SAFETY: the latch is not set yet, so its frame exists.
        unsafe { (*this).is_set.store(true, Ordering::Release) };
        thread.wake();
    }
}

/// A latch for which any number of threads wait. It stays open once it is set.
#[derive(Debug, Default)]
pub(crate) struct Gate(Mutex<(bool, Vec<Sleeper>)>);

impl Gate {
    pub(crate) fn open(&self) {
        let waiting = {
            let mut state = self.0.lock();
            state.0 = true;
            std::mem::take(&mut state.1)
        };
        waiting.iter().for_each(Sleeper::wake);
    }

    pub(crate) fn wait(&self) {
        {
            let mut state = self.0.lock();
            if state.0 {
                return;
            }
            state.1.push(Sleeper::current());
        }
        while !self.0.lock().0 {
            park();
        }
    }
}

/// A pointer to another latch, which is set in place of this one.
#[derive(Debug)]
pub(crate) struct LatchRef<L>(*const L);

impl<L> LatchRef<L> {
    pub(crate) fn new(latch: &L) -> Self {
        Self(latch)
    }
}

impl<L: Latch> Latch for LatchRef<L> {
    unsafe fn set(this: *const Self) {
        // SAFETY: the caller's promise, for the latch that `this` points to.
        unsafe { Latch::set((*this).0) };
    }
}
