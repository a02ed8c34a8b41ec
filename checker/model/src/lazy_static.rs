//! The implementation of [`lazy_static!`](crate::lazy_static!).

use std::any::Any;
use std::cell::OnceCell;
use std::fmt;
use std::marker::PhantomData;
use std::mem::needs_drop;
use std::sync::Arc;

use crate::hint::await_here;
use crate::runtime::{inside, locals};
use crate::sync::atomic::{AtomicUsize, Ordering};

#[doc(no_inline)]
pub use crate::thread::{AccessError, panicking, yield_now};

/// A static that is made at its first use, anew in each execution. Its initialisation happens
/// before every use.
///
/// It is never dropped, because safe code may keep the `&'static` to it: each execution leaves its
/// values in memory. The memory that a value owns is not a leak of the program, and the model
/// cannot tell which memory that is. So an execution that has made a value with a destructor is not
/// searched for leaks.
pub struct Lazy<T> {
    #[doc(hidden)]
    pub init: fn() -> T,
    #[doc(hidden)]
    pub _p: PhantomData<fn(T)>,
}

/// A lazy static in one execution.
struct Slot<T: 'static> {
    state: AtomicUsize,
    value: OnceCell<&'static T>,
}

const NEW: usize = 0;
const BEING_MADE: usize = 1;
const MADE: usize = 2;

impl<T: 'static> Lazy<T> {
    /// Returns the value.
    ///
    /// # Panics
    /// Outside of a model.
    #[track_caller]
    pub fn get(&'static self) -> &'static T {
        let key = std::ptr::from_ref(self).addr();
        assert!(inside(), "a lazy static of a model has a value only inside a model");
        let slot = locals::of_run(key).unwrap_or_else(|| {
            let new = Slot::<T> { state: AtomicUsize::new(NEW), value: OnceCell::new() };
            let slot: Arc<dyn Any> = Arc::new(new);
            locals::set_of_run(key, Arc::clone(&slot));
            slot
        });
        let Slot { state, value } = slot.downcast_ref::<Slot<T>>().expect("a key has one type of value");
        match state.compare_exchange(NEW, BEING_MADE, Ordering::Acquire, Ordering::Acquire) {
            Ok(_) => {
                let made = Box::leak(Box::new((self.init)()));
                if needs_drop::<T>() {
                    locals::note_owner();
                }
                assert!(value.set(made).is_ok(), "a lazy static is made once");
                state.store(MADE, Ordering::Release);
            }
            Err(MADE) => {}
            Err(_) => await_here!(state.load(Ordering::Acquire) == MADE),
        }
        value.get().expect("it has been made")
    }
}

impl<T> fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lazy").finish_non_exhaustive()
    }
}

/// The macro of the crate `lazy_static`.
#[macro_export]
macro_rules! lazy_static {
    ($(#[$attribute:meta])* $visibility:vis static ref $name:ident : $type:ty = $init:expr; $($rest:tt)*) => {
        #[allow(missing_copy_implementations, missing_debug_implementations, non_camel_case_types, dead_code)]
        $(#[$attribute])*
        $visibility struct $name { _private: () }
        #[doc(hidden)]
        $visibility static $name: $name = $name { _private: () };
        impl ::core::ops::Deref for $name {
            type Target = $type;
            fn deref(&self) -> &$type {
                static LAZY: $crate::lazy_static::Lazy<$type> =
                    $crate::lazy_static::Lazy { init: || $init, _p: ::core::marker::PhantomData };
                LAZY.get()
            }
        }
        $crate::lazy_static!($($rest)*);
    };
    () => {};
}
