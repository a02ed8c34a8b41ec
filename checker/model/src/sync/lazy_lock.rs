//! Values that are made at their first use, as in `std::sync`.

use std::any::TypeId;
use std::cell::UnsafeCell;
use std::fmt;
use std::ops::Deref;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr;

use super::OnceLock;

/// A [`std::sync::LazyLock`] whose operations the model sees.
///
/// A static one makes its value anew in each execution, and drops none: see [`OnceLock`].
///
/// # Examples
/// ```
/// use aqueduct_model::sync::LazyLock;
/// use aqueduct_model::sync::atomic::{AtomicUsize, Ordering::Relaxed};
/// use aqueduct_model::{model, thread};
///
/// static COUNT: LazyLock<AtomicUsize> = LazyLock::new(|| AtomicUsize::new(5));
///
/// model(|| {
///     let thread = thread::spawn(|| COUNT.fetch_add(1, Relaxed));
///     COUNT.fetch_add(1, Relaxed);
///     thread.join().unwrap();
///     assert_eq!(COUNT.load(Relaxed), 7);
/// });
/// ```
pub struct LazyLock<T, F = fn() -> T> {
    value: OnceLock<T>,
    /// Read and taken by the thread that makes the value.
    init: UnsafeCell<Option<F>>,
}

// SAFETY: One thread, which may be any, calls the function and makes the value, hence `Send` for
// both; many read the value, hence `Sync` for it.
unsafe impl<T: Send + Sync, F: Send> Sync for LazyLock<T, F> {}

impl<T: UnwindSafe, F: UnwindSafe> UnwindSafe for LazyLock<T, F> {}
impl<T: RefUnwindSafe + UnwindSafe, F: UnwindSafe> RefUnwindSafe for LazyLock<T, F> {}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// Makes a value that `init` will make at its first use.
    #[must_use]
    pub const fn new(init: F) -> Self {
        Self { value: OnceLock::new(), init: UnsafeCell::new(Some(init)) }
    }
}

impl<T: 'static, F: FnOnce() -> T + 'static> LazyLock<T, F> {
    /// Returns the value, after it has been made if this is its first use. Waits for a thread that
    /// makes it.
    ///
    /// # Panics
    /// If an earlier use panicked. If the function is a closure with a state that an earlier
    /// execution has used up: such an object has to be made in each execution.
    #[track_caller]
    pub fn force(this: &Self) -> &T {
        this.value.get_or_poison(|| {
            // SAFETY: `value` lets one thread do this, once in each execution.
            let init = unsafe { this.init() };
            init.expect("a LazyLock of an earlier execution has no function: make it in each execution")()
        })
    }

    /// Returns the function. A function without a state stays, for the next execution.
    ///
    /// # Safety
    /// No other thread does this at the same time.
    unsafe fn init(&self) -> Option<F> {
        let init = self.init.get();
        if TypeId::of::<F>() == TypeId::of::<fn() -> T>() {
            // SAFETY: The caller promises that no thread writes, and a pointer to a function can be
            // copied.
            unsafe { ptr::read(init) }
        } else {
            // SAFETY: The caller promises that no other thread is here.
            unsafe { (*init).take() }
        }
    }
}

impl<T: 'static, F: FnOnce() -> T + 'static> Deref for LazyLock<T, F> {
    type Target = T;

    #[track_caller]
    fn deref(&self) -> &T {
        Self::force(self)
    }
}

impl<T: Default> Default for LazyLock<T> {
    fn default() -> Self {
        Self::new(T::default)
    }
}

impl<T, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LazyLock").finish_non_exhaustive()
    }
}
