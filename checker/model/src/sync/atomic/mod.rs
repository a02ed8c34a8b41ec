//! Atomics with core's names and signatures.
//!
//! Inside a model every operation is an event of the execution. Outside, they are plain atomics.
//! An atomic that outlives an execution, such as a static, begins each one with the value that it
//! had when the check began.

mod access;
mod fences;
mod locks;
mod shares;

use std::fmt;
use std::panic::Location;

use core::sync::atomic as native;

pub use core::sync::atomic::{Ordering, compiler_fence};
pub use fences::{fence, heavy_fence, light_fence};

use crate::graph::event::{Kind, RmwOp};
use crate::runtime::inside;
use crate::runtime::place::{Place, Tag};

use access::{Exchange, compare, load, modify, own, peek, store};

/// Spins, as [`crate::hint::spin_loop`] does.
pub fn spin_loop_hint() {
    crate::hint::spin_loop();
}

/// The methods of all atomics: everything but arithmetic.
macro_rules! atomic {
    ($(#[$docs:meta])* $name:ident $(<$param:ident>)?, $value:ty, $native:ty, $bits:expr,
     to: $to:expr, from: $from:expr) => {
        $(#[$docs])*
        pub struct $name $(<$param>)? {
            tag: Tag,
            value: $native,
        }

        impl $(<$param>)? $name $(<$param>)? {
            /// Makes an atomic with an initial value.
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

            /// Returns the value, which no other thread can reach.
            #[track_caller]
            pub fn get_mut(&mut self) -> &mut $value {
                if inside() {
                    let value = own(&self.place(), Kind::CellWrite, Location::caller());
                    *self.value.get_mut() = $from(value);
                }
                self.value.get_mut()
            }

            /// Uses the value, which no other thread can reach.
            #[track_caller]
            pub fn with_mut<R>(&mut self, with: impl FnOnce(&mut $value) -> R) -> R {
                with(self.get_mut())
            }

            /// Reads non-atomically: a race with every write that is not ordered with it.
            ///
            /// # Safety
            ///
            /// No write happens at this time. Inside a model, a violation is reported.
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

            /// Loads the value.
            ///
            /// # Panics
            ///
            /// If `order` is `Release` or `AcqRel`.
            #[inline]
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $value {
                if self.tag.is_inside() {
                    $from(load(&self.place(), order, Location::caller()))
                } else {
                    self.value.load(order)
                }
            }

            /// Stores a value.
            ///
            /// # Panics
            ///
            /// If `order` is `Acquire` or `AcqRel`.
            #[inline]
            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                if self.tag.is_inside() {
                    store(&self.place(), $to(value), order, Location::caller());
                } else {
                    self.value.store(value, order);
                }
            }

            /// Stores a value and returns the old one.
            #[inline]
            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                if self.tag.is_inside() {
                    let site = Location::caller();
                    $from(modify(&self.place(), RmwOp::Swap, $to(value), order, site))
                } else {
                    self.value.swap(value, order)
                }
            }

            /// Exchanges values as [`Self::compare_exchange`] does, and returns the old value.
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

            /// Stores `new` if the value is `current`.
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
                if !self.tag.is_inside() {
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

            /// Stores `new` if the value is `current`, or fails spuriously: a model explores both.
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
                if !self.tag.is_inside() {
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

            /// Loads the value, and tries to store the result of `next`, until that succeeds or
            /// `next` returns `None`.
            ///
            /// # Errors
            ///
            /// The value for which `next` returned `None`.
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

            /// Does what [`Self::fetch_update`] does, under core's newer name.
            ///
            /// # Errors
            ///
            /// The value for which `next` returned `None`.
            #[track_caller]
            pub fn try_update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                next: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                self.fetch_update(set_order, fetch_order, next)
            }

            /// Updates as [`Self::fetch_update`] does, with a `next` that always returns a value.
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
                // This is not a load, because printing is not part of an execution.
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

/// Defines one read-modify-write method.
macro_rules! fetch {
    ($(#[$docs:meta])* $method:ident, $value:ty, $op:expr, $to:expr, $from:expr) => {
        $(#[$docs])*
        #[inline]
        #[track_caller]
        pub fn $method(&self, value: $value, order: Ordering) -> $value {
            if self.tag.is_inside() {
                let site = Location::caller();
                $from(modify(&self.place(), $op, $to(value), order, site))
            } else {
                self.value.$method(value, order)
            }
        }
    };
}

/// Defines the integer types.
macro_rules! integer {
    ($name:ident, $value:ty, $unsigned:ty, $max:expr, $min:expr, $docs:expr) => {
        atomic!(
            #[doc = $docs]
            $name, $value, native::$name, <$value>::BITS as u8,
            to: |v: $value| v as $unsigned as u64, from: |v: u64| v as $value
        );

        impl $name {
            fetch!(
                /// Adds, wrapping around, and returns the old value.
                fetch_add, $value, RmwOp::Add, |v: $value| v as $unsigned as u64, |v: u64| v as $value
            );
            fetch!(
                /// Subtracts, wrapping around, and returns the old value.
                fetch_sub, $value, RmwOp::Sub, |v: $value| v as $unsigned as u64, |v: u64| v as $value
            );
            fetch!(
                /// Applies a bitwise "and", and returns the old value.
                fetch_and, $value, RmwOp::And, |v: $value| v as $unsigned as u64, |v: u64| v as $value
            );
            fetch!(
                /// Applies a bitwise "not and", and returns the old value.
                fetch_nand, $value, RmwOp::Nand, |v: $value| v as $unsigned as u64, |v: u64| v as $value
            );
            fetch!(
                /// Applies a bitwise "or", and returns the old value.
                fetch_or, $value, RmwOp::Or, |v: $value| v as $unsigned as u64, |v: u64| v as $value
            );
            fetch!(
                /// Applies a bitwise "exclusive or", and returns the old value.
                fetch_xor, $value, RmwOp::Xor, |v: $value| v as $unsigned as u64, |v: u64| v as $value
            );
            fetch!(
                /// Stores the greater value, and returns the old one.
                fetch_max, $value, $max, |v: $value| v as $unsigned as u64, |v: u64| v as $value
            );
            fetch!(
                /// Stores the lesser value, and returns the old one.
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
    /// A [`core::sync::atomic::AtomicBool`] whose operations the model sees.
    AtomicBool, bool, native::AtomicBool, 1, to: u64::from, from: |v: u64| v != 0
);

impl AtomicBool {
    fetch!(
        /// Applies a logical "and", and returns the old value.
        fetch_and, bool, RmwOp::And, u64::from, |v: u64| v != 0
    );
    fetch!(
        /// Applies a logical "not and", and returns the old value.
        fetch_nand, bool, RmwOp::Nand, u64::from, |v: u64| v != 0
    );
    fetch!(
        /// Applies a logical "or", and returns the old value.
        fetch_or, bool, RmwOp::Or, u64::from, |v: u64| v != 0
    );
    fetch!(
        /// Applies a logical "exclusive or", and returns the old value.
        fetch_xor, bool, RmwOp::Xor, u64::from, |v: u64| v != 0
    );

    /// Inverts the value, and returns the old one.
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
    /// A [`core::sync::atomic::AtomicPtr`] whose operations the model sees.
    AtomicPtr<T>, *mut T, native::AtomicPtr<T>, usize::BITS as u8,
    to: |v: *mut T| v.expose_provenance() as u64,
    from: |v: u64| std::ptr::with_exposed_provenance_mut(v as usize)
);

/// Defines one read-modify-write method of pointers whose operand is a number.
macro_rules! fetch_pointer {
    ($(#[$docs:meta])* $method:ident, $op:expr, $scale:expr) => {
        $(#[$docs])*
        #[inline]
        #[track_caller]
        pub fn $method(&self, value: usize, order: Ordering) -> *mut T {
            if self.tag.is_inside() {
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
        /// Adds that many elements, wrapping around, and returns the old value.
        fetch_ptr_add, RmwOp::Add, size_of::<T>()
    );
    fetch_pointer!(
        /// Subtracts that many elements, wrapping around, and returns the old value.
        fetch_ptr_sub, RmwOp::Sub, size_of::<T>()
    );
    fetch_pointer!(
        /// Adds that many bytes, wrapping around, and returns the old value.
        fetch_byte_add, RmwOp::Add, 1
    );
    fetch_pointer!(
        /// Subtracts that many bytes, wrapping around, and returns the old value.
        fetch_byte_sub, RmwOp::Sub, 1
    );
    fetch_pointer!(
        /// Applies a bitwise "or" to the address, and returns the old value.
        fetch_or, RmwOp::Or, 1
    );
    fetch_pointer!(
        /// Applies a bitwise "and" to the address, and returns the old value.
        fetch_and, RmwOp::And, 1
    );
    fetch_pointer!(
        /// Applies a bitwise "exclusive or" to the address, and returns the old value.
        fetch_xor, RmwOp::Xor, 1
    );
}

impl<T> Default for AtomicPtr<T> {
    fn default() -> Self {
        Self::new(std::ptr::null_mut())
    }
}
