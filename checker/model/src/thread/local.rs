//! Thread locals, as in `std::thread`.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::error::Error;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::runtime::{driver, locals};

/// A [`std::thread::LocalKey`], for use inside a model: each execution begins without values.
///
/// A thread's values are dropped when it ends, the newest first.
pub struct LocalKey<T: 'static> {
    #[doc(hidden)]
    pub init: fn() -> T,
    #[doc(hidden)]
    pub _p: PhantomData<fn(T)>,
}

/// The error that the thread's values have been dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessError;

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the thread ends: its locals have been dropped")
    }
}

impl Error for AccessError {}

impl<T: 'static> LocalKey<T> {
    /// Uses the value of the calling thread.
    ///
    /// # Panics
    /// Outside of a model, and if the thread's values have been dropped.
    #[track_caller]
    pub fn with<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        match self.try_with(f) {
            Ok(result) => result,
            Err(error) => panic!("{error}"),
        }
    }

    /// Uses the value of the calling thread.
    ///
    /// # Errors
    /// [`AccessError`] if the thread's values have been dropped.
    ///
    /// # Panics
    /// Outside of a model.
    #[track_caller]
    pub fn try_with<F, R>(&'static self, f: F) -> Result<R, AccessError>
    where
        F: FnOnce(&T) -> R,
    {
        let key = std::ptr::from_ref(self).addr();
        let value = match locals::of_thread(this_thread(), key) {
            Ok(Some(value)) => value,
            Ok(None) => {
                let value: Arc<dyn Any> = Arc::new((self.init)());
                locals::set_of_thread(this_thread(), key, Arc::clone(&value));
                value
            }
            Err(locals::Over) => return Err(AccessError),
        };
        Ok(f(value.downcast_ref::<T>().expect("a key has one type of value")))
    }
}

impl<T: 'static> LocalKey<Cell<T>> {
    /// Sets the value of the calling thread.
    ///
    /// # Panics
    /// As [`LocalKey::with`].
    #[track_caller]
    pub fn set(&'static self, value: T) {
        self.with(|cell| cell.set(value));
    }

    /// Returns a copy of the value of the calling thread.
    ///
    /// # Panics
    /// As [`LocalKey::with`].
    #[track_caller]
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }

    /// Takes the value of the calling thread, and leaves the default one.
    ///
    /// # Panics
    /// As [`LocalKey::with`].
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }

    /// Replaces the value of the calling thread, and returns the old one.
    ///
    /// # Panics
    /// As [`LocalKey::with`].
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    /// Uses the value of the calling thread.
    ///
    /// # Panics
    /// As [`LocalKey::with`], and if the value is mutably borrowed.
    #[track_caller]
    pub fn with_borrow<R>(&'static self, f: impl FnOnce(&T) -> R) -> R {
        self.with(|cell| f(&cell.borrow()))
    }

    /// Uses the value of the calling thread mutably.
    ///
    /// # Panics
    /// As [`LocalKey::with`], and if the value is borrowed.
    #[track_caller]
    pub fn with_borrow_mut<R>(&'static self, f: impl FnOnce(&mut T) -> R) -> R {
        self.with(|cell| f(&mut cell.borrow_mut()))
    }

    /// Sets the value of the calling thread.
    ///
    /// # Panics
    /// As [`LocalKey::with`], and if the value is borrowed.
    #[track_caller]
    pub fn set(&'static self, value: T) {
        drop(self.replace(value));
    }

    /// Takes the value of the calling thread, and leaves the default one.
    ///
    /// # Panics
    /// As [`LocalKey::with`], and if the value is borrowed.
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(RefCell::take)
    }

    /// Replaces the value of the calling thread, and returns the old one.
    ///
    /// # Panics
    /// As [`LocalKey::with`], and if the value is borrowed.
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

fn this_thread() -> usize {
    driver::ask(|engine| engine.current)
}

impl<T> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}

/// Declares thread locals, as [`std::thread_local!`] does, for programs inside a model.
#[macro_export]
macro_rules! thread_local {
    ($(#[$attribute:meta])* $visibility:vis static $name:ident : $type:ty = const $init:block $(; $($rest:tt)*)?) => {
        $crate::thread_local!($(#[$attribute])* $visibility static $name: $type = $init $(; $($rest)*)?);
    };
    ($(#[$attribute:meta])* $visibility:vis static $name:ident : $type:ty = $init:expr $(; $($rest:tt)*)?) => {
        $(#[$attribute])*
        $visibility static $name: $crate::thread::LocalKey<$type> =
            $crate::thread::LocalKey { init: || $init, _p: ::core::marker::PhantomData };
        $($crate::thread_local!($($rest)*);)?
    };
    () => {};
}
