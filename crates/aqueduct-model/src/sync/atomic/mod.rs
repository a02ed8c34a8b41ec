//! Atomics with core's names and signatures.
//!
//! Inside a model every operation is an event of the execution. Outside, they are plain atomics.
//! An atomic that outlives an execution, such as a static, begins each one with the value that it
//! had when the check began.

mod access;
mod fences;

use std::fmt;
use std::panic::Location;

use core::sync::atomic as native;

pub use core::sync::atomic::{Ordering, compiler_fence};
pub use fences::{fence, heavy_fence, light_fence};

use crate::graph::event::{Kind, RmwOp};
use crate::runtime::inside;
use crate::runtime::place::{Place, Tag};

use access::{Exchange, compare, load, modify, own, peek, store};

/// As [`crate::hint::spin_loop`].
pub fn spin_loop_hint() {
    crate::hint::spin_loop();
}

/// What all atomics have: everything but arithmetic.
macro_rules! atomic {
    ($(#[$docs:meta])* $name:ident $(<$param:ident>)?, $value:ty, $native:ty, $bits:expr,
     to: $to:expr, from: $from:expr) => {
        $(#[$docs])*
        pub struct $name $(<$param>)? {
            tag: Tag,
            value: $native,
        }

        impl $(<$param>)? $name $(<$param>)? {
            /// Makes an atomic with a first value.
            #[must_use]
            pub const fn new(value: $value) -> Self {
                Self { tag: Tag::new(), value: <$native>::new(value) }
            }

            #[inline]
            fn place(&self) -> Place<'_> {
                Place {
                    tag: &self.tag,
                    memory: $to(self.value.load(Ordering::Relaxed)),
                    bits: $bits,
                }
            }

            /// Returns the value, which nobody else can reach.
            #[track_caller]
            pub fn get_mut(&mut self) -> &mut $value {
                if inside() {
                    let value = own(&self.place(), Kind::CellWrite, Location::caller());
                    *self.value.get_mut() = $from(value);
                }
                self.value.get_mut()
            }

            /// Uses the value, which nobody else can reach.
            #[track_caller]
            pub fn with_mut<R>(&mut self, with: impl FnOnce(&mut $value) -> R) -> R {
                with(self.get_mut())
            }

            /// Reads as if it were no atomic: a race with every write that nothing orders.
            ///
            /// # Safety
            ///
            /// No write happens at the same time. Inside a model, one that does is found.
            #[track_caller]
            pub unsafe fn unsync_load(&self) -> $value {
                if inside() {
                    $from(own(&self.place(), Kind::CellRead, Location::caller()))
                } else {
                    self.value.load(Ordering::Relaxed)
                }
            }

            /// Returns the value.
            #[track_caller]
            #[must_use]
            pub fn into_inner(self) -> $value {
                if inside() {
                    $from(own(&self.place(), Kind::CellRead, Location::caller()))
                } else {
                    self.value.into_inner()
                }
            }

            /// Reads.
            ///
            /// # Panics
            ///
            /// If `order` is `Release` or `AcqRel`.
            #[inline]
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $value {
                if inside() {
                    $from(load(&self.place(), order, Location::caller()))
                } else {
                    self.value.load(order)
                }
            }

            /// Writes.
            ///
            /// # Panics
            ///
            /// If `order` is `Acquire` or `AcqRel`.
            #[inline]
            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                if inside() {
                    store(&self.place(), $to(value), order, Location::caller());
                } else {
                    self.value.store(value, order);
                }
            }

            /// Writes and gives what was there.
            #[inline]
            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                if inside() {
                    let site = Location::caller();
                    $from(modify(&self.place(), RmwOp::Swap, $to(value), order, site))
                } else {
                    self.value.swap(value, order)
                }
            }

            /// As [`Self::compare_exchange`], without saying whether it succeeded.
            #[deprecated = "use `compare_exchange` or `compare_exchange_weak` instead"]
            #[track_caller]
            pub fn compare_and_swap(&self, current: $value, new: $value, order: Ordering) -> $value {
                let failure = match order {
                    Ordering::Release => Ordering::Relaxed,
                    Ordering::AcqRel => Ordering::Acquire,
                    order => order,
                };
                match self.compare_exchange(current, new, order, failure) {
                    Ok(value) | Err(value) => value,
                }
            }

            /// Writes `new` if the value is `current`.
            ///
            /// # Errors
            ///
            /// The value found, if it is another.
            ///
            /// # Panics
            ///
            /// If `failure` is `Release` or `AcqRel`.
            #[inline]
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                if !inside() {
                    return self.value.compare_exchange(current, new, success, failure);
                }
                let exchange = Exchange {
                    op: RmwOp::CompareExchange,
                    expected: $to(current),
                    new: $to(new),
                    success,
                    failure,
                };
                let found = compare(&self.place(), &exchange, Location::caller());
                if found.wrote { Ok($from(found.value)) } else { Err($from(found.value)) }
            }

            /// Writes `new` if the value is `current`, or fails for no reason: a model explores
            /// both.
            ///
            /// # Errors
            ///
            /// The value found, which may be the expected one.
            ///
            /// # Panics
            ///
            /// If `failure` is `Release` or `AcqRel`.
            #[inline]
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                if !inside() {
                    return self.value.compare_exchange_weak(current, new, success, failure);
                }
                let exchange = Exchange {
                    op: RmwOp::CompareExchangeWeak,
                    expected: $to(current),
                    new: $to(new),
                    success,
                    failure,
                };
                let found = compare(&self.place(), &exchange, Location::caller());
                if found.wrote { Ok($from(found.value)) } else { Err($from(found.value)) }
            }

            /// Loads, and tries to write what `next` makes of it, until that succeeds or `next`
            /// gives `None`.
            ///
            /// # Errors
            ///
            /// The value for which `next` gave `None`.
            ///
            /// # Panics
            ///
            /// If `fetch_order` is `Release` or `AcqRel`.
            #[track_caller]
            pub fn fetch_update<F>(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut next: F,
            ) -> Result<$value, $value>
            where
                F: FnMut($value) -> Option<$value>,
            {
                let mut previous = self.load(fetch_order);
                while let Some(new) = next(previous) {
                    match self.compare_exchange_weak(previous, new, set_order, fetch_order) {
                        Ok(value) => return Ok(value),
                        Err(value) => previous = value,
                    }
                }
                Err(previous)
            }

            /// Returns the name that core has given to [`Self::fetch_update`] since.
            ///
            /// # Errors
            ///
            /// The value for which `next` gave `None`.
            #[track_caller]
            pub fn try_update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                next: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                self.fetch_update(set_order, fetch_order, next)
            }

            /// As [`Self::fetch_update`], where `next` always gives a value.
            #[track_caller]
            pub fn update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut next: impl FnMut($value) -> $value,
            ) -> $value {
                match self.fetch_update(set_order, fetch_order, |value| Some(next(value))) {
                    Ok(value) | Err(value) => value,
                }
            }
        }

        impl $(<$param>)? fmt::Debug for $name $(<$param>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                // No load: what is printed is no part of an execution.
                let value = if inside() { $from(peek(&self.place())) } else { self.value.load(Ordering::Relaxed) };
                fmt::Debug::fmt(&value, f)
            }
        }

        impl $(<$param>)? From<$value> for $name $(<$param>)? {
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }
    };
}

/// One read-modify-write method.
macro_rules! fetch {
    ($(#[$docs:meta])* $method:ident, $value:ty, $op:expr, $to:expr, $from:expr) => {
        $(#[$docs])*
        #[inline]
        #[track_caller]
        pub fn $method(&self, value: $value, order: Ordering) -> $value {
            if inside() {
                let site = Location::caller();
                $from(modify(&self.place(), $op, $to(value), order, site))
            } else {
                self.value.$method(value, order)
            }
        }
    };
}

/// The integers.
macro_rules! integer {
    ($name:ident, $value:ty, $unsigned:ty, $max:expr, $min:expr, $docs:expr) => {
        atomic!(
            #[doc = $docs]
            $name, $value, native::$name, <$value>::BITS as u8,
            to: |v: $value| v as $unsigned as u64, from: |v: u64| v as $value
        );

        impl $name {
            fetch!(
                /// Adds, wrapping around, and gives what was there.
                fetch_add, $value, RmwOp::Add, |v: $value| v as $unsigned as u64, |v: u64| v as $value
            );
            fetch!(
                /// Subtracts, wrapping around, and gives what was there.
                fetch_sub, $value, RmwOp::Sub, |v: $value| v as $unsigned as u64, |v: u64| v as $value
            );
            fetch!(
                /// Bitwise "and"; gives what was there.
                fetch_and, $value, RmwOp::And, |v: $value| v as $unsigned as u64, |v: u64| v as $value
            );
            fetch!(
                /// Bitwise "not and"; gives what was there.
                fetch_nand, $value, RmwOp::Nand, |v: $value| v as $unsigned as u64, |v: u64| v as $value
            );
            fetch!(
                /// Bitwise "or"; gives what was there.
                fetch_or, $value, RmwOp::Or, |v: $value| v as $unsigned as u64, |v: u64| v as $value
            );
            fetch!(
                /// Bitwise "exclusive or"; gives what was there.
                fetch_xor, $value, RmwOp::Xor, |v: $value| v as $unsigned as u64, |v: u64| v as $value
            );
            fetch!(
                /// The greater of both; gives what was there.
                fetch_max, $value, $max, |v: $value| v as $unsigned as u64, |v: u64| v as $value
            );
            fetch!(
                /// The lesser of both; gives what was there.
                fetch_min, $value, $min, |v: $value| v as $unsigned as u64, |v: u64| v as $value
            );
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new(0)
            }
        }
    };
}

macro_rules! signed {
    ($($name:ident, $value:ty, $unsigned:ty;)*) => {
        $(integer!($name, $value, $unsigned, RmwOp::MaxSigned, RmwOp::MinSigned,
            concat!("As [`core::sync::atomic::", stringify!($name), "`]."));)*
    };
}

macro_rules! unsigned {
    ($($name:ident, $value:ty;)*) => {
        $(integer!($name, $value, $value, RmwOp::MaxUnsigned, RmwOp::MinUnsigned,
            concat!("As [`core::sync::atomic::", stringify!($name), "`]."));)*
    };
}

signed! {
    AtomicI8, i8, u8;
    AtomicI16, i16, u16;
    AtomicI32, i32, u32;
    AtomicI64, i64, u64;
    AtomicIsize, isize, usize;
}

unsigned! {
    AtomicU8, u8;
    AtomicU16, u16;
    AtomicU32, u32;
    AtomicU64, u64;
    AtomicUsize, usize;
}

atomic!(
    /// As [`core::sync::atomic::AtomicBool`].
    AtomicBool, bool, native::AtomicBool, 1, to: u64::from, from: |v: u64| v != 0
);

impl AtomicBool {
    fetch!(
        /// Logical "and"; gives what was there.
        fetch_and, bool, RmwOp::And, u64::from, |v: u64| v != 0
    );
    fetch!(
        /// Logical "not and"; gives what was there.
        fetch_nand, bool, RmwOp::Nand, u64::from, |v: u64| v != 0
    );
    fetch!(
        /// Logical "or"; gives what was there.
        fetch_or, bool, RmwOp::Or, u64::from, |v: u64| v != 0
    );
    fetch!(
        /// Logical "exclusive or"; gives what was there.
        fetch_xor, bool, RmwOp::Xor, u64::from, |v: u64| v != 0
    );

    /// Inverts, and gives what was there.
    #[inline]
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.fetch_xor(true, order)
    }
}

impl Default for AtomicBool {
    fn default() -> Self {
        Self::new(false)
    }
}

atomic!(
    /// As [`core::sync::atomic::AtomicPtr`].
    AtomicPtr<T>, *mut T, native::AtomicPtr<T>, usize::BITS as u8,
    to: |v: *mut T| v.expose_provenance() as u64,
    from: |v: u64| std::ptr::with_exposed_provenance_mut(v as usize)
);

/// One read-modify-write method of pointers whose operand is a number.
macro_rules! fetch_pointer {
    ($(#[$docs:meta])* $method:ident, $op:expr, $scale:expr) => {
        $(#[$docs])*
        #[inline]
        #[track_caller]
        pub fn $method(&self, value: usize, order: Ordering) -> *mut T {
            if inside() {
                let operand = (value as u64).wrapping_mul($scale as u64);
                let old = modify(&self.place(), $op, operand, order, Location::caller());
                std::ptr::with_exposed_provenance_mut(old as usize)
            } else {
                self.value.$method(value, order)
            }
        }
    };
}

impl<T> AtomicPtr<T> {
    fetch_pointer!(
        /// Adds that many elements, wrapping around, and gives what was there.
        fetch_ptr_add, RmwOp::Add, size_of::<T>()
    );
    fetch_pointer!(
        /// Subtracts that many elements, wrapping around, and gives what was there.
        fetch_ptr_sub, RmwOp::Sub, size_of::<T>()
    );
    fetch_pointer!(
        /// Adds that many bytes, wrapping around, and gives what was there.
        fetch_byte_add, RmwOp::Add, 1
    );
    fetch_pointer!(
        /// Subtracts that many bytes, wrapping around, and gives what was there.
        fetch_byte_sub, RmwOp::Sub, 1
    );
    fetch_pointer!(
        /// Bitwise "or" of the address; gives what was there.
        fetch_or, RmwOp::Or, 1
    );
    fetch_pointer!(
        /// Bitwise "and" of the address; gives what was there.
        fetch_and, RmwOp::And, 1
    );
    fetch_pointer!(
        /// Bitwise "exclusive or" of the address; gives what was there.
        fetch_xor, RmwOp::Xor, 1
    );
}

impl<T> Default for AtomicPtr<T> {
    fn default() -> Self {
        Self::new(std::ptr::null_mut())
    }
}
