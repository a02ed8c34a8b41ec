//! The seam: the library's own, which reports each access of an atomic or a cell to the machine.
//!
//! Items of this module hide the library's of that name. The module exports the library's own additions to its
//! seam unchanged.

#[allow(dead_code, unreachable_pub, unused_imports, reason = "what stands below hides some of it")]
#[path = "../../../crates/aqueduct/src/sync/native.rs"]
mod native;
#[allow(dead_code, unreachable_pub, reason = "written for the library as a whole")]
#[path = "../../../crates/aqueduct/src/sync/pair.rs"]
mod pair;

use core::mem::MaybeUninit;
use core::sync::atomic;

pub(crate) use native::*;

use crate::machine::{self, Access, note_failed, touch};

/// An atomic whose accesses are reported to the machine.
#[derive(Debug, Default)]
#[repr(transparent)]
#[allow(unreachable_pub, reason = "a private part of public interfaces, as core's atomics are")]
pub struct Told<A>(A);

impl<A> Told<A> {
    #[track_caller]
    fn touch(&self, access: Access) {
        touch(core::ptr::from_ref(self).addr(), access);
    }
}

/// The accesses that all atomics have.
macro_rules! accesses {
    ([$($generics:tt)*] $atomic:ty, $value:ty) => {
        #[allow(dead_code, reason = "as core's; the library needs some")]
        impl<$($generics)*> Told<$atomic> {
            pub(crate) const fn new(value: $value) -> Self {
                Self(<$atomic>::new(value))
            }

            #[track_caller]
            pub(crate) fn load(&self, ordering: Ordering) -> $value {
                self.touch(Access::Load);
                self.0.load(ordering)
            }

            #[track_caller]
            pub(crate) fn store(&self, value: $value, ordering: Ordering) {
                self.touch(Access::Store);
                self.0.store(value, ordering);
            }

            #[track_caller]
            pub(crate) fn swap(&self, value: $value, ordering: Ordering) -> $value {
                self.touch(Access::Locked);
                self.0.swap(value, ordering)
            }

            #[track_caller]
            pub(crate) fn compare_exchange(
                &self,
                expected: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.touch(Access::Locked);
                let exchanged = self.0.compare_exchange(expected, new, success, failure);
                if exchanged.is_err() {
                    note_failed();
                }
                exchanged
            }

            #[track_caller]
            pub(crate) fn compare_exchange_weak(
                &self,
                expected: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange(expected, new, success, failure)
            }

            pub(crate) fn get_mut(&mut self) -> &mut $value {
                self.0.get_mut()
            }

            pub(crate) fn into_inner(self) -> $value {
                self.0.into_inner()
            }
        }
    };
}

macro_rules! numbers {
    ($($name:ident, $value:ty;)*) => {$(
        #[allow(dead_code, reason = "the library needs some")]
        pub(crate) type $name = Told<atomic::$name>;

        accesses!([] atomic::$name, $value);

        #[allow(dead_code, reason = "as core's; the library needs some")]
        impl $name {
            numbers!(@ $value: fetch_add, fetch_sub, fetch_and, fetch_or, fetch_xor, fetch_max, fetch_min);
        }
    )*};
    (@ $value:ty: $($change:ident),*) => {$(
        #[track_caller]
        pub(crate) fn $change(&self, by: $value, ordering: Ordering) -> $value {
            self.touch(Access::Locked);
            self.0.$change(by, ordering)
        }
    )*};
}

numbers! {
    AtomicU8, u8;
    AtomicUsize, usize;
}

pub(crate) type AtomicPtr<T> = Told<atomic::AtomicPtr<T>>;
accesses!([T] atomic::AtomicPtr<T>, *mut T);

/// Compares by one load, as the native function does.
#[track_caller]
pub(crate) fn is_greater<const INDEX: usize, const LEN: usize>(words: &[AtomicUsize; LEN], number: usize) -> bool {
    words[INDEX].load(Ordering::Relaxed) > number
}

/// Compares by one load, as the native function does.
#[track_caller]
pub(crate) fn is_less<const INDEX: usize, const LEN: usize>(words: &[AtomicUsize; LEN], number: usize) -> bool {
    (words[INDEX].load(Ordering::Relaxed) as isize) < number as isize
}

/// Reports that light fences cost nothing, because cores take turns.
pub(crate) fn prepare_fences() -> bool {
    true
}

/// Costs nothing, and orders nothing: cores take turns.
pub(crate) fn light_fence(_ordering: Ordering) {}

/// Does what [`light_fence`] does.
pub(crate) fn free_light_fence(_ordering: Ordering) {}

/// Costs what the system's barrier for all threads of a process takes.
pub(crate) fn heavy_fence(_ordering: Ordering) {
    /// Two microseconds.
    const BARRIER: u64 = 20_000;
    machine::spend(BARRIER);
}

/// Executes `times` spin hints.
#[track_caller]
pub(crate) fn pause(times: u32) {
    machine::hint(times);
}

/// Executes at most `times` spin hints, while the condition holds.
#[track_caller]
pub(crate) fn pause_while(times: u32, mut condition: impl FnMut() -> bool) {
    for _ in 0..times {
        if !condition() {
            break;
        }
        machine::hint(1);
    }
}

/// Returns the simulated time, in tenths of a nanosecond; never 0.
pub(crate) fn ticks() -> u64 {
    machine::now() + 1
}

/// Asks for the line at any `address` to be read.
#[track_caller]
pub(crate) fn prefetch_to_read(address: *const u8) {
    touch(address.addr(), Access::FetchToRead);
}

/// Asks for the line at any `address` to be written.
#[track_caller]
pub(crate) fn prefetch_to_write(address: *const u8) {
    touch(address.addr(), Access::FetchToWrite);
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

    #[track_caller]
    fn touch(&self, access: Access) {
        touch(core::ptr::from_ref(self).addr(), access);
    }

    /// Calls the native method.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    pub(crate) unsafe fn second(&self, ordering: Ordering) -> u64 {
        self.touch(Access::Load);
        // SAFETY: the caller's promise.
        unsafe { self.0.second(ordering) }
    }

    /// Calls the native method.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    pub(crate) unsafe fn first(&self, ordering: Ordering) -> u64 {
        self.touch(Access::Load);
        // SAFETY: the caller's promise.
        unsafe { self.0.first(ordering) }
    }

    /// Calls the native method.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    pub(crate) unsafe fn exchange(&self, expected: [u64; 2], new: [u64; 2], ordering: Ordering) -> bool {
        self.touch(Access::Locked);
        // SAFETY: the caller's promise.
        let exchanged = unsafe { self.0.exchange(expected, new, ordering) };
        if !exchanged {
            note_failed();
        }
        exchanged
    }
}

/// One slot's memory, whose accesses are reported to the machine, at the line in which the slot begins.
#[allow(missing_debug_implementations)]
#[repr(transparent)]
pub struct Cell<T>(native::Cell<T>);

impl<T> Cell<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(native::Cell::new(value))
    }

    #[track_caller]
    fn touch_all(first: *const Self, len: usize, access: Access) {
        for at in 0..len {
            touch(first.wrapping_add(at).addr(), access);
        }
    }

    /// Calls the native method.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    pub(crate) unsafe fn write(&self, value: T) {
        Self::touch_all(self, 1, Access::Store);
        // SAFETY: the caller's promise.
        unsafe { self.0.write(value) }
    }

    /// Calls the native method.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    pub(crate) unsafe fn take(&self) -> T {
        Self::touch_all(self, 1, Access::Load);
        // SAFETY: the caller's promise.
        unsafe { self.0.take() }
    }

    /// Calls the native method.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    pub(crate) unsafe fn filled<'a>(first: *const Self, len: usize) -> &'a [T] {
        Self::touch_all(first, len, Access::Load);
        // SAFETY: the caller's promise; this cell is transparent.
        unsafe { native::Cell::<T>::filled(first.cast(), len) }
    }

    /// Calls the native method.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    pub(crate) unsafe fn free<'a>(first: *const Self, len: usize) -> &'a mut [MaybeUninit<T>] {
        Self::touch_all(first, len, Access::Store);
        // SAFETY: the caller's promise; this cell is transparent.
        unsafe { native::Cell::<T>::free(first.cast(), len) }
    }

    /// Calls the native method.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    pub(crate) unsafe fn drop_values(first: *const Self, len: usize) {
        Self::touch_all(first, len, Access::Load);
        // SAFETY: the caller's promise; this cell is transparent.
        unsafe { native::Cell::<T>::drop_values(first.cast(), len) }
    }
}
