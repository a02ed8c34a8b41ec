//! Values that are made once, as in `std::sync`.

use std::cell::UnsafeCell;
use std::fmt;
use std::mem::{MaybeUninit, needs_drop};
use std::panic::{RefUnwindSafe, UnwindSafe};

use super::Once;
use crate::runtime::{driver, inside, locals};

/// A [`std::sync::OnceLock`] whose operations the model sees.
///
/// A static one begins each execution empty. The value of the execution before is then not dropped,
/// because safe code may have kept a `&'static` to it. So an execution that ends while such a cell
/// has a value with a destructor is not searched for leaks.
pub struct OnceLock<T> {
    once: Once,
    /// Initialised if a call of `once` has ended.
    value: UnsafeCell<MaybeUninit<T>>,
}

// SAFETY: One thread makes the value, before any other sees it; after that it is only read.
unsafe impl<T: Send> Send for OnceLock<T> {}
// SAFETY: One thread makes the value, and another may drop it, hence `Send`; many read it, hence
// `Sync`.
unsafe impl<T: Send + Sync> Sync for OnceLock<T> {}

impl<T: UnwindSafe> UnwindSafe for OnceLock<T> {}
impl<T: RefUnwindSafe + UnwindSafe> RefUnwindSafe for OnceLock<T> {}

impl<T> OnceLock<T> {
    /// Makes a cell without a value.
    #[must_use]
    pub const fn new() -> Self {
        Self { once: Once::new(), value: UnsafeCell::new(MaybeUninit::uninit()) }
    }

    /// Returns the value, if there is one.
    #[track_caller]
    #[must_use]
    pub fn get(&self) -> Option<&T> {
        // SAFETY: It has been made.
        self.once.is_completed().then(|| unsafe { self.made() })
    }

    /// Returns the value, if there is one. No other thread can reach it.
    #[track_caller]
    #[must_use]
    pub fn get_mut(&mut self) -> Option<&mut T> {
        // SAFETY: It has been made.
        self.once.is_completed_mut().then(|| unsafe { self.value.get_mut().assume_init_mut() })
    }

    /// Waits for the value.
    #[track_caller]
    #[must_use]
    pub fn wait(&self) -> &T {
        self.once.wait_force();
        // SAFETY: It has been made.
        unsafe { self.made() }
    }

    /// Makes `value` the cell's, unless it has one. Waits for a thread that makes one.
    ///
    /// # Errors
    /// `value`, if the cell has another one.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.get_or_init(|| value.take().expect("a cell makes one value"));
        value.map_or(Ok(()), Err)
    }

    /// Returns the value, after it has been made by `init` if there was none. Waits for a thread
    /// that makes one. The cell stays empty if `init` panics.
    #[track_caller]
    pub fn get_or_init<F: FnOnce() -> T>(&self, init: F) -> &T {
        self.once.call_once_force(|_| self.write(init()));
        // SAFETY: It has been made.
        unsafe { self.made() }
    }

    /// Returns the value. It is not dropped.
    #[track_caller]
    #[must_use]
    pub fn into_inner(mut self) -> Option<T> {
        self.take()
    }

    /// Takes the value out. No other thread can reach it.
    #[track_caller]
    pub fn take(&mut self) -> Option<T> {
        self.once.is_completed_mut().then(|| {
            self.once = Once::new();
            if needs_drop::<T>() && inside() {
                locals::note_owner_gone();
            }
            // SAFETY: It has been made, and `once` is now in its initial state.
            unsafe { self.value.get_mut().assume_init_read() }
        })
    }

    /// Returns the value after `init` has made it, if nothing was made before.
    ///
    /// # Panics
    /// If an earlier `init` panicked.
    #[track_caller]
    pub(super) fn get_or_poison(&self, init: impl FnOnce() -> T) -> &T {
        self.once.call_once(|| self.write(init()));
        // SAFETY: It has been made.
        unsafe { self.made() }
    }

    /// Writes the value, for the thread that `once` calls.
    fn write(&self, value: T) {
        // SAFETY: `once` lets one thread at a time do this, and none that reads before this one has
        // ended.
        unsafe { (*self.value.get()).write(value) };
        if needs_drop::<T>() && inside() {
            locals::note_owner();
        }
    }

    /// # Safety
    /// The value has been made.
    unsafe fn made(&self) -> &T {
        // SAFETY: The caller promises it, and only an exclusive reference takes it out.
        unsafe { (*self.value.get()).assume_init_ref() }
    }
}

impl<T> Drop for OnceLock<T> {
    #[track_caller]
    fn drop(&mut self) {
        let shield = driver::shield();
        let value = self.take();
        drop(shield);
        drop(value);
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<T> for OnceLock<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        let cell = Self::new();
        let _ = cell.set(value);
        cell
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        self.get().map_or_else(Self::new, |value| Self::from(value.clone()))
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    #[track_caller]
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for OnceLock<T> {}

impl<T> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceLock").finish_non_exhaustive()
    }
}
