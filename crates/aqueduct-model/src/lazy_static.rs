//! What [`lazy_static!`](crate::lazy_static!) is made of.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::hint::await_here;
use crate::runtime::locals;
use crate::sync::atomic::{AtomicUsize, Ordering};

#[doc(no_inline)]
pub use crate::thread::{AccessError, panicking, yield_now};

/// A static that is made when somebody first needs it, anew in each execution. What makes it happens before every use.
///
/// It is freed when the execution is over, without events: a leak of memory of [`alloc`](crate::alloc) that it owns is
/// reported as one.
pub struct Lazy<T> {
    #[doc(hidden)]
    pub init: fn() -> T,
    #[doc(hidden)]
    pub _p: PhantomData<fn(T)>,
}

/// A lazy static in one execution.
struct Slot {
    state: AtomicUsize,
}

const NEW: usize = 0;
const BEING_MADE: usize = 1;
const MADE: usize = 2;

impl<T: 'static> Lazy<T> {
    /// The value.
    ///
    /// # Panics
    /// Outside of a model.
    #[track_caller]
    pub fn get(&'static self) -> &'static T {
        let key = std::ptr::from_ref(self).addr();
        let slot = locals::of_run(key).unwrap_or_else(|| {
            let slot: Arc<dyn Any> = Arc::new(Slot { state: AtomicUsize::new(NEW) });
            locals::set_of_run(key, Arc::clone(&slot));
            slot
        });
        let state = &slot.downcast_ref::<Slot>().expect("a key has one kind of value").state;
        match state.compare_exchange(NEW, BEING_MADE, Ordering::Acquire, Ordering::Acquire) {
            Ok(_) => {
                locals::set_of_run(key + 1, Arc::new((self.init)()));
                state.store(MADE, Ordering::Release);
            }
            Err(MADE) => {}
            Err(_) => await_here!(state.load(Ordering::Acquire) == MADE),
        }
        let value = locals::of_run(key + 1).expect("it has been made");
        let value: *const T = value.downcast_ref::<T>().expect("a key has one kind of value");
        // SAFETY: The run keeps the value until all its threads are gone; what outlives them is not the program's.
        unsafe { &*value }
    }
}

impl<T> fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lazy").finish_non_exhaustive()
    }
}

/// As the crate `lazy_static`'s macro.
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
