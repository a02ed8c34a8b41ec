//! Initialisation that happens once, as in `std::sync`.

use std::cell::Cell;
use std::fmt;

use crate::hint::await_here;
use crate::runtime::driver;
use crate::sync::atomic::{AtomicUsize, Ordering};

const NEW: usize = 0;
const RUNNING: usize = 1;
const DONE: usize = 2;
/// The initialisation panicked, or its thread was killed.
const POISONED: usize = 3;

/// A [`std::sync::Once`] whose operations the model sees. A static one begins each execution anew.
///
/// All that the initialisation does happens before every call that finds it done.
///
/// # Examples
/// ```
/// use aqueduct_model::sync::atomic::{AtomicUsize, Ordering::Relaxed};
/// use aqueduct_model::sync::{Arc, Once};
/// use aqueduct_model::{model, thread};
///
/// model(|| {
///     let shared = Arc::new((Once::new(), AtomicUsize::new(0)));
///     let other = Arc::clone(&shared);
///     let begin = |(once, count): &(Once, AtomicUsize)| once.call_once(|| count.store(1, Relaxed));
///     let thread = thread::spawn(move || begin(&other));
///     begin(&shared);
///     assert_eq!(shared.1.load(Relaxed), 1, "the call has ended, whichever thread made it");
///     thread.join().unwrap();
/// });
/// ```
pub struct Once {
    state: AtomicUsize,
}

/// The state of a [`Once`]: whether an earlier initialisation panicked.
pub struct OnceState {
    /// A cell, so that it is not `Sync`, as `std`'s is not.
    is_poisoned: Cell<bool>,
}

impl OnceState {
    /// Whether an earlier initialisation panicked.
    #[must_use]
    pub fn is_poisoned(&self) -> bool {
        self.is_poisoned.get()
    }
}

/// A thread that initialises. If it does not come to the end, the object is poisoned.
struct Running<'a> {
    once: &'a Once,
    end: usize,
}

impl Drop for Running<'_> {
    #[track_caller]
    fn drop(&mut self) {
        let _shield = driver::shield();
        // Ordering: Release, for the Acquire of `run`, `wait` and `is_completed`: without it, they
        // could find the object initialised, and not what the initialisation wrote.
        self.once.state.store(self.end, Ordering::Release);
    }
}

impl Once {
    /// Makes an object that has not initialised anything.
    #[must_use]
    pub const fn new() -> Self {
        Self { state: AtomicUsize::new(NEW) }
    }

    /// Calls `init`, unless a call has ended before. Waits for the end of a call that another
    /// thread makes.
    ///
    /// # Panics
    /// If an earlier call panicked.
    #[track_caller]
    pub fn call_once<F: FnOnce()>(&self, init: F) {
        self.run(false, |_| init());
    }

    /// Calls `init` as [`Self::call_once`] does, also after an earlier call that panicked.
    #[track_caller]
    pub fn call_once_force<F: FnOnce(&OnceState)>(&self, init: F) {
        self.run(true, init);
    }

    /// Whether a call has ended.
    #[track_caller]
    #[must_use]
    pub fn is_completed(&self) -> bool {
        // Ordering: Acquire, of the store in `Running::drop`.
        self.state.load(Ordering::Acquire) == DONE
    }

    /// Waits until a call has ended.
    ///
    /// # Panics
    /// If a call panicked.
    #[track_caller]
    pub fn wait(&self) {
        assert!(self.ended(|state| state == DONE || state == POISONED) == DONE, "{POISON}");
    }

    /// Waits until a call has ended without a panic.
    #[track_caller]
    pub fn wait_force(&self) {
        self.ended(|state| state == DONE);
    }

    /// Waits for one of the states that `is_end` names.
    #[track_caller]
    fn ended(&self, is_end: impl Fn(usize) -> bool) -> usize {
        let mut state;
        await_here!({
            // Ordering: Acquire, of the store in `Running::drop`.
            state = self.state.load(Ordering::Acquire);
            is_end(state)
        });
        state
    }

    #[track_caller]
    fn run(&self, ignores_poison: bool, init: impl FnOnce(&OnceState)) {
        let mut expected = NEW;
        loop {
            // Ordering: Acquire, of the store in `Running::drop`: also of one that poisoned,
            // because `init` may use what that call left.
            match self.state.compare_exchange(expected, RUNNING, Ordering::Acquire, Ordering::Acquire) {
                Ok(before) => {
                    let mut running = Running { once: self, end: POISONED };
                    init(&OnceState { is_poisoned: Cell::new(before == POISONED) });
                    running.end = DONE;
                    return;
                }
                Err(DONE) => return,
                Err(POISONED) => assert!(ignores_poison, "{POISON}"),
                Err(_) => match self.ended(|state| state != RUNNING) {
                    DONE => return,
                    _ => assert!(ignores_poison, "{POISON}"),
                },
            }
            expected = POISONED;
        }
    }

    /// Whether a call has ended. No other thread can reach the object.
    #[track_caller]
    pub(super) fn is_completed_mut(&mut self) -> bool {
        *self.state.get_mut() == DONE
    }
}

const POISON: &str = "an earlier initialisation panicked";

impl Default for Once {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}

impl fmt::Debug for OnceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceState").field("poisoned", &self.is_poisoned.get()).finish()
    }
}
