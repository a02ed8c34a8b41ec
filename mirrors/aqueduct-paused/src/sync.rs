//! The seam: the library's own, with a point before each access of an atomic or a cell, where the thread may
//! be stopped.
//!
//! Items of this module hide the library's of that name. The module exports the library's own additions to
//! its seam unpaused.

#[allow(dead_code, unreachable_pub, reason = "what stands below hides some of it")]
#[path = "../../../crates/aqueduct/src/sync/asymmetric.rs"]
mod asymmetric;
#[allow(dead_code, unreachable_pub, unused_imports, reason = "what stands below hides some of it")]
#[path = "../../../crates/aqueduct/src/sync/native.rs"]
mod native;
#[allow(dead_code, unreachable_pub, reason = "written for the library as a whole")]
#[path = "../../../crates/aqueduct/src/sync/pair.rs"]
mod pair;

use core::mem::MaybeUninit;
use core::sync::atomic;

pub(crate) use asymmetric::*;
pub(crate) use native::*;

pub(crate) use crate::memory::{alloc, dealloc};
use crate::pauses::point;

/// An atomic whose accesses are points.
#[derive(Debug, Default)]
#[repr(transparent)]
#[allow(unreachable_pub, reason = "a private part of public interfaces, as core's atomics are")]
pub struct Paused<A>(A);

/// Defines the accesses of all atomics.
macro_rules! accesses {
    ([$($generics:tt)*] $atomic:ty, $value:ty) => {
        #[allow(dead_code, reason = "as core's; the library needs some")]
        impl<$($generics)*> Paused<$atomic> {
            pub(crate) const fn new(value: $value) -> Self {
                Self(<$atomic>::new(value))
            }

            #[inline(always)]
            pub(crate) fn load(&self, ordering: Ordering) -> $value {
                point();
                self.0.load(ordering)
            }

            #[inline(always)]
            pub(crate) fn store(&self, value: $value, ordering: Ordering) {
                point();
                self.0.store(value, ordering);
            }

            #[inline(always)]
            pub(crate) fn swap(&self, value: $value, ordering: Ordering) -> $value {
                point();
                self.0.swap(value, ordering)
            }

            #[inline(always)]
            pub(crate) fn compare_exchange(
                &self,
                expected: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                point();
                self.0.compare_exchange(expected, new, success, failure)
            }

            #[inline(always)]
            pub(crate) fn compare_exchange_weak(
                &self,
                expected: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                point();
                self.0.compare_exchange_weak(expected, new, success, failure)
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
        pub(crate) type $name = Paused<atomic::$name>;

        accesses!([] atomic::$name, $value);

        #[allow(dead_code, reason = "as core's; the library needs some")]
        impl $name {
            numbers!(@ $value: fetch_add, fetch_sub, fetch_and, fetch_or, fetch_xor, fetch_max, fetch_min);
        }
    )*};
    (@ $value:ty: $($change:ident),*) => {$(
        #[inline(always)]
        pub(crate) fn $change(&self, by: $value, ordering: Ordering) -> $value {
            point();
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
pub(crate) type AtomicBool = Paused<atomic::AtomicBool>;
accesses!([] atomic::AtomicBool, bool);

pub(crate) type AtomicPtr<T> = Paused<atomic::AtomicPtr<T>>;
accesses!([T] atomic::AtomicPtr<T>, *mut T);

/// Compares in one load, as natively.
#[inline(always)]
pub(crate) fn is_greater<const INDEX: usize, const LEN: usize>(words: &[AtomicUsize; LEN], number: usize) -> bool {
    words[INDEX].load(Ordering::Relaxed) > number
}

/// Compares in one load, as natively.
#[inline(always)]
pub(crate) fn is_less<const INDEX: usize, const LEN: usize>(words: &[AtomicUsize; LEN], number: usize) -> bool {
    (words[INDEX].load(Ordering::Relaxed) as isize) < number as isize
}

/// Executes a light fence after a point: the thread's earlier writes may be seen long before its next read.
#[inline(always)]
pub(crate) fn light_fence(ordering: Ordering) {
    point();
    asymmetric::light_fence(ordering);
}

/// A light fence after a point, as natively.
#[inline(always)]
pub(crate) fn free_light_fence(ordering: Ordering) {
    point();
    asymmetric::free_light_fence(ordering);
}

/// Executes a heavy fence after a point.
pub(crate) fn heavy_fence(ordering: Ordering) {
    point();
    asymmetric::heavy_fence(ordering);
}

/// Makes a short wait a point, which takes no time.
pub(crate) fn pause(_times: u32) {
    point();
}

/// Makes a pause of any length a point. The library repeats all that it read during a pause.
pub(crate) fn pause_while(times: u32, _condition: impl FnMut() -> bool) {
    pause(times);
}

/// Two words that are exchanged as one, at points.
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
    #[inline(always)]
    pub(crate) unsafe fn second(&self, ordering: Ordering) -> u64 {
        point();
        // SAFETY: the caller's promise.
        unsafe { self.0.second(ordering) }
    }

    /// Loads the first word.
    ///
    /// # Safety
    /// The native function's conditions.
    #[inline(always)]
    pub(crate) unsafe fn first(&self, ordering: Ordering) -> u64 {
        point();
        // SAFETY: the caller's promise.
        unsafe { self.0.first(ordering) }
    }

    /// Exchanges both words.
    ///
    /// # Safety
    /// The native function's conditions.
    #[inline(always)]
    pub(crate) unsafe fn exchange(&self, expected: [u64; 2], new: [u64; 2], ordering: Ordering) -> bool {
        point();
        // SAFETY: the caller's promise.
        unsafe { self.0.exchange(expected, new, ordering) }
    }
}

/// One slot's memory, whose accesses are points.
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
    #[inline(always)]
    pub(crate) unsafe fn write(&self, value: T) {
        point();
        // SAFETY: the caller's promise.
        unsafe { self.0.write(value) }
    }

    /// Moves the value out.
    ///
    /// # Safety
    /// The native function's conditions.
    #[inline(always)]
    pub(crate) unsafe fn take(&self) -> T {
        point();
        // SAFETY: the caller's promise.
        unsafe { self.0.take() }
    }

    /// Returns a view of `len` slots that hold values.
    ///
    /// # Safety
    /// The native function's conditions.
    #[inline(always)]
    pub(crate) unsafe fn filled<'a>(first: *const Self, len: usize) -> &'a [T] {
        point();
        // SAFETY: the caller's promise; this cell is transparent.
        unsafe { native::Cell::<T>::filled(first.cast(), len) }
    }

    /// Returns a view of `len` slots to be filled.
    ///
    /// # Safety
    /// The native function's conditions.
    #[inline(always)]
    pub(crate) unsafe fn free<'a>(first: *const Self, len: usize) -> &'a mut [MaybeUninit<T>] {
        point();
        // SAFETY: the caller's promise; this cell is transparent.
        unsafe { native::Cell::<T>::free(first.cast(), len) }
    }

    /// Drops the values of `len` slots.
    ///
    /// # Safety
    /// The native function's conditions.
    pub(crate) unsafe fn drop_values(first: *const Self, len: usize) {
        point();
        // SAFETY: the caller's promise; this cell is transparent.
        unsafe { native::Cell::<T>::drop_values(first.cast(), len) }
    }
}
