//! The native backend: std's threads, locks and clock.

use std::cell::{Cell, UnsafeCell};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::hint::spin_loop;
use std::mem::MaybeUninit;
use std::sync::{self, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread::{self, available_parallelism};
use std::time::Instant;

pub(crate) use std::sync::Arc;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
pub(crate) use std::thread::{Thread, current};

/// A lock that a panic does not poison: no user's code runs under it.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the lock if it is free.
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// Memory for a value that one thread hands to another.
#[derive(Debug)]
pub(crate) struct Slot<T>(UnsafeCell<MaybeUninit<T>>);

impl<T> Slot<T> {
    /// Makes a slot without a value.
    pub(crate) const fn new() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// Moves a value in. One that is there is forgotten.
    ///
    /// # Safety
    /// No other thread accesses the slot at the same time.
    pub(crate) unsafe fn put(&self, value: T) {
        // SAFETY: the caller has the slot to itself.
        unsafe { *self.0.get() = MaybeUninit::new(value) };
    }

    /// Moves the value out.
    ///
    /// # Safety
    /// There is a value, and no other thread accesses the slot at the same time.
    pub(crate) unsafe fn take(&self) -> T {
        // SAFETY: the caller has the slot to itself, and it holds a value.
        unsafe { (*self.0.get()).assume_init_read() }
    }
}

/// Whether the time is over.
pub(crate) fn has_passed(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// Parks the calling thread, at most until the deadline. Returns whether the deadline has passed.
pub(crate) fn park(deadline: Option<Instant>) -> bool {
    let Some(deadline) = deadline else {
        thread::park();
        return false;
    };
    let left = deadline.saturating_duration_since(Instant::now());
    if !left.is_zero() {
        thread::park_timeout(left);
    }
    has_passed(Some(deadline))
}

/// Executes `times` spin hints.
pub(crate) fn pause(times: u32) {
    for _ in 0..times {
        spin_loop();
    }
}

/// Lets another thread complete its operation, for the `round`th time.
#[cold]
pub(crate) fn snooze(round: u32) {
    if round < 6 && longest_spin() > 0 {
        pause(1 << round);
    } else {
        thread::yield_now();
    }
}

/// Picks a number below `count`, which is not 0.
pub(crate) fn pick(count: usize) -> usize {
    thread_local! {
        static STATE: Cell<u64> = Cell::new(RandomState::new().build_hasher().finish() | 1);
    }
    // Marsaglia's xorshift. A thread that ends has no state any more.
    let next = STATE.try_with(|state| {
        let mut next = state.get();
        next ^= next << 13;
        next ^= next >> 7;
        next ^= next << 17;
        state.set(next);
        next
    });
    (next.unwrap_or(0) >> 32) as usize % count
}

/// Returns how many attempts a thread makes at most before it parks. On one core, nobody else can make any succeed.
pub(crate) fn longest_spin() -> usize {
    static LONGEST: OnceLock<usize> = OnceLock::new();
    *LONGEST.get_or_init(|| if available_parallelism().is_ok_and(|cores| cores.get() > 1) { 48 } else { 0 })
}

/// Returns a number that no other call returns.
pub(crate) fn unique() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Whether the calling thread unwinds its stack.
pub(crate) fn is_panicking() -> bool {
    thread::panicking()
}
