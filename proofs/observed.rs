//! Atomics and cells whose accesses are observed.
//!
//! Shared by the seams of all mirrors that run the library on `core`'s atomics. A seam has
//! `before_load`, `before_store`, `before_exchange` and `exchange_failed`, which are called with
//! the first of some adjacent accessed objects and with their number, and `FAILS_SPURIOUSLY`, which
//! tells whether weak exchanges are weak.

use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic;

use super::{FAILS_SPURIOUSLY, Ordering, before_exchange, before_load, before_store, exchange_failed, native, pair};

/// An atomic whose accesses are observed.
#[derive(Debug, Default)]
#[repr(transparent)]
#[allow(unreachable_pub, reason = "a private part of public interfaces, as core's atomics are")]
pub struct Observed<A>(A);

/// Defines the accesses of all atomics.
macro_rules! accesses {
    ([$($generics:tt)*] $atomic:ty, $value:ty) => {
        #[allow(dead_code, reason = "as core's; the library needs some")]
        impl<$($generics)*> Observed<$atomic> {
            pub(crate) const fn new(value: $value) -> Self {
                Self(<$atomic>::new(value))
            }

            #[track_caller]
            #[inline(always)]
            pub(crate) fn load(&self, ordering: Ordering) -> $value {
                before_load(self, 1);
                self.0.load(ordering)
            }

            #[track_caller]
            #[inline(always)]
            pub(crate) fn store(&self, value: $value, ordering: Ordering) {
                before_store(self, 1);
                self.0.store(value, ordering);
            }

            #[track_caller]
            #[inline(always)]
            pub(crate) fn swap(&self, value: $value, ordering: Ordering) -> $value {
                before_exchange(self);
                self.0.swap(value, ordering)
            }

            #[track_caller]
            #[inline(always)]
            pub(crate) fn compare_exchange(
                &self,
                expected: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                before_exchange(self);
                let exchanged = self.0.compare_exchange(expected, new, success, failure);
                if exchanged.is_err() {
                    exchange_failed();
                }
                exchanged
            }

            #[track_caller]
            #[inline(always)]
            pub(crate) fn compare_exchange_weak(
                &self,
                expected: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                if !FAILS_SPURIOUSLY {
                    return self.compare_exchange(expected, new, success, failure);
                }
                before_exchange(self);
                let exchanged = self.0.compare_exchange_weak(expected, new, success, failure);
                if exchanged.is_err() {
                    exchange_failed();
                }
                exchanged
            }

            #[inline(always)]
            pub(crate) fn get_mut(&mut self) -> &mut $value {
                self.0.get_mut()
            }

            #[inline(always)]
            pub(crate) fn into_inner(self) -> $value {
                self.0.into_inner()
            }
        }
    };
}

macro_rules! numbers {
    ($($name:ident, $value:ty;)*) => {$(
        #[allow(dead_code, reason = "the library needs some")]
        pub(crate) type $name = Observed<atomic::$name>;

        accesses!([] atomic::$name, $value);

        #[allow(dead_code, reason = "as core's; the library needs some")]
        impl $name {
            numbers!(@ $value: fetch_add, fetch_sub, fetch_and, fetch_or, fetch_xor, fetch_max, fetch_min);
        }
    )*};
    (@ $value:ty: $($change:ident),*) => {$(
        #[track_caller]
        #[inline(always)]
        pub(crate) fn $change(&self, by: $value, ordering: Ordering) -> $value {
            before_exchange(self);
            self.0.$change(by, ordering)
        }
    )*};
}

numbers! {
    AtomicU8, u8;
    AtomicU16, u16;
    AtomicU32, u32;
    AtomicU64, u64;
    AtomicUsize, usize;
}

#[allow(dead_code, reason = "the library may need it")]
pub(crate) type AtomicBool = Observed<atomic::AtomicBool>;
accesses!([] atomic::AtomicBool, bool);

pub(crate) type AtomicPtr<T> = Observed<atomic::AtomicPtr<T>>;
accesses!([T] atomic::AtomicPtr<T>, *mut T);

/// Compares by one load, as the native function does.
#[track_caller]
#[inline(always)]
pub(crate) fn is_greater<const INDEX: usize, const LEN: usize>(words: &[AtomicUsize; LEN], number: usize) -> bool {
    words[INDEX].load(Ordering::Relaxed) > number
}

/// Compares by one load, as the native function does.
#[track_caller]
#[inline(always)]
pub(crate) fn is_less<const INDEX: usize, const LEN: usize>(words: &[AtomicUsize; LEN], number: usize) -> bool {
    (words[INDEX].load(Ordering::Relaxed) as isize) < number as isize
}

/// Two words that are exchanged as one.
pub(crate) struct AtomicPair(pair::AtomicPair);

impl AtomicPair {
    pub(crate) const fn new(pair: [u64; 2]) -> Self {
        Self(pair::AtomicPair::new(pair))
    }

    pub(crate) fn is_available() -> bool {
        pair::AtomicPair::is_available()
    }

    /// Loads the second word.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    #[inline(always)]
    pub(crate) unsafe fn second(&self, ordering: Ordering) -> u64 {
        before_load(self, 1);
        // SAFETY: the caller's promise.
        unsafe { self.0.second(ordering) }
    }

    /// Loads the first word.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    #[inline(always)]
    pub(crate) unsafe fn first(&self, ordering: Ordering) -> u64 {
        before_load(self, 1);
        // SAFETY: the caller's promise.
        unsafe { self.0.first(ordering) }
    }

    /// Exchanges both words.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    #[inline(always)]
    pub(crate) unsafe fn exchange(&self, expected: [u64; 2], new: [u64; 2], ordering: Ordering) -> bool {
        before_exchange(self);
        // SAFETY: the caller's promise.
        let exchanged = unsafe { self.0.exchange(expected, new, ordering) };
        if !exchanged {
            exchange_failed();
        }
        exchanged
    }
}

/// One slot's memory, whose accesses are observed.
#[allow(missing_debug_implementations)]
#[repr(transparent)]
pub struct Cell<T>(native::Cell<T>);

impl<T> Cell<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(native::Cell::new(value))
    }

    /// Moves `value` in.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    #[inline(always)]
    pub(crate) unsafe fn write(&self, value: T) {
        before_store(ptr::from_ref(self), 1);
        // SAFETY: the caller's promise.
        unsafe { self.0.write(value) }
    }

    /// Moves the value out.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    #[inline(always)]
    pub(crate) unsafe fn take(&self) -> T {
        before_load(ptr::from_ref(self), 1);
        // SAFETY: the caller's promise.
        unsafe { self.0.take() }
    }

    /// Returns a view of `len` slots that hold values.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    #[inline(always)]
    pub(crate) unsafe fn filled<'a>(first: *const Self, len: usize) -> &'a [T] {
        before_load(first, len);
        // SAFETY: the caller's promise; this cell is transparent.
        unsafe { native::Cell::<T>::filled(first.cast(), len) }
    }

    /// Returns a view of `len` slots to be filled.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    #[inline(always)]
    pub(crate) unsafe fn free<'a>(first: *const Self, len: usize) -> &'a mut [MaybeUninit<T>] {
        before_store(first, len);
        // SAFETY: the caller's promise; this cell is transparent.
        unsafe { native::Cell::<T>::free(first.cast(), len) }
    }

    /// Drops the values of `len` slots.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    #[inline(always)]
    pub(crate) unsafe fn drop_values(first: *const Self, len: usize) {
        before_load(first, len);
        // SAFETY: the caller's promise; this cell is transparent.
        unsafe { native::Cell::<T>::drop_values(first.cast(), len) }
    }
}
