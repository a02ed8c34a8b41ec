//! The model backend: every access is an event of the execution that the model checker explores.

use std::io;
use std::mem::MaybeUninit;
use std::time::Duration;

use aqueduct_model::cell::UnsafeCell;
use aqueduct_model::sync::{self, MutexGuard};
use aqueduct_model::{hint, thread};

pub(crate) use aqueduct_model::sync::Arc;
pub(crate) use aqueduct_model::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence};
pub(crate) use aqueduct_model::thread_local as per_thread;

/// The model's lock, which is never poisoned.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(sync::Mutex::new(value))
    }

    #[track_caller]
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        match self.0.lock() {
            Ok(guard) => guard,
            Err(_) => unreachable!("nothing is ever poisoned"),
        }
    }
}

/// Memory for a value that one thread hands to another. It does not drop the value.
#[derive(Debug)]
pub(crate) struct Slot<T>(UnsafeCell<MaybeUninit<T>>);

impl<T> Slot<T> {
    /// Makes a slot with a value.
    pub(crate) const fn full(value: T) -> Self {
        Self(UnsafeCell::new(MaybeUninit::new(value)))
    }

    /// Makes a slot without a value.
    pub(crate) const fn empty() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// Moves a value in. The slot forgets an earlier value without dropping it.
    ///
    /// # Safety
    /// No other thread accesses the slot at the same time; the model reports such an access.
    #[track_caller]
    pub(crate) unsafe fn put(&self, value: T) {
        // SAFETY: the caller has the slot to itself.
        self.0.with_mut(|slot| unsafe { *slot = MaybeUninit::new(value) });
    }

    /// Moves the value out.
    ///
    /// # Safety
    /// The slot holds a value, and no other thread accesses the slot at the same time; the model
    /// reports such an access.
    #[track_caller]
    pub(crate) unsafe fn take(&self) -> T {
        // SAFETY: the caller has the slot to itself, and it holds a value.
        self.0.with_mut(|slot| unsafe { (*slot).assume_init_read() })
    }

    /// Calls `body` with the value.
    ///
    /// # Safety
    /// The slot holds a value, and neither another thread nor `body` accesses the slot at the same
    /// time; the model reports such an access.
    #[track_caller]
    pub(crate) unsafe fn with<R>(&self, body: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: the caller has the slot to itself, and it holds a value.
        self.0.with_mut(|slot| body(unsafe { (*slot).assume_init_mut() }))
    }
}

/// A thread that other threads wake.
#[derive(Clone, Debug)]
pub(crate) struct Sleeper(thread::Thread);

impl Sleeper {
    pub(crate) fn current() -> Self {
        Self(thread::current())
    }

    #[track_caller]
    pub(crate) fn wake(&self) {
        self.0.unpark();
    }
}

/// Parks the calling thread until it is woken.
#[track_caller]
pub(crate) fn park() {
    thread::park();
}

/// Parks the calling thread until it is woken: time does not pass in the model.
#[track_caller]
pub(crate) fn park_for(_duration: Option<Duration>) {
    thread::park();
}

/// The model has no time, so no watch looks at pools.
pub(crate) const WATCHES: bool = false;

/// The greatest number of rounds in which a worker looks for work before it sleeps.
pub(crate) const ROUNDS: usize = 1;

/// The least number of rounds.
pub(crate) const LEAST_ROUNDS: usize = 1;

/// Number of rounds after which a worker insists on work that it was not granted: more than there
/// are.
pub(crate) const HINTED: usize = ROUNDS;

/// The time of a search, which does not exist in the model.
pub(crate) struct SearchTime;

impl SearchTime {
    pub(crate) fn start() -> Self {
        Self
    }

    /// Returns false.
    pub(crate) fn is_over(&mut self, _round: usize) -> bool {
        false
    }
}

/// The time of a sleep, which does not exist in the model.
pub(crate) struct Nap;

impl Nap {
    pub(crate) fn start() -> Self {
        Self
    }

    /// Returns false.
    pub(crate) fn is_short(&self) -> bool {
        false
    }
}

/// Waits until another thread has changed a value, if a look is repeated.
pub(crate) fn relax(round: usize) {
    if round > 0 {
        hint::spin_loop();
    }
}

/// Waits until another thread has changed a value.
pub(crate) fn hold_on(_round: usize) {
    hint::spin_loop();
}

/// Returns the default number of threads of a pool: two in the model.
pub(crate) fn available_threads() -> usize {
    2
}

/// Starts a thread.
#[track_caller]
pub(crate) fn spawn(_name: Option<&str>, _stack_size: Option<usize>, body: impl FnOnce() + 'static) -> io::Result<()> {
    drop(thread::spawn(body));
    Ok(())
}

/// The model has no cores.
pub(crate) fn bind(_core: usize) {}

/// All of the model's cores are equally near.
pub(crate) fn groups(_core: usize, cores: &[usize]) -> Box<[Box<[usize]>]> {
    Box::new([(0..cores.len()).collect()])
}

/// Starts a thread that other threads wake.
#[track_caller]
pub(crate) fn start(_name: &str, body: impl FnOnce() + 'static) -> io::Result<Sleeper> {
    Ok(Sleeper(thread::spawn(body).thread().clone()))
}
