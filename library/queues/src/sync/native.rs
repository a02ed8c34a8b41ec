//! The native backend: core's atomics and allocator, and a transparent wrapper around core's cell.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

pub(crate) use super::pair::AtomicPair;
pub(crate) use alloc::alloc::{alloc, dealloc};
#[cfg(target_has_atomic = "64")]
pub(crate) use core::sync::atomic::AtomicU64;
pub(crate) use core::sync::atomic::{AtomicPtr, AtomicU8, AtomicUsize, Ordering};

use core::sync::atomic::AtomicU32;

/// Whether atomics and cells are the model checker's.
pub(crate) const IS_MODEL: bool = false;

/// A number that threads share, and on which no result depends: it may be old, and a store may be
/// lost.
#[derive(Debug)]
pub(crate) struct Hint(AtomicU32);

impl Hint {
    pub(crate) const fn new(value: u32) -> Self {
        Self(AtomicU32::new(value))
    }

    #[inline(always)]
    pub(crate) fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(crate) fn set(&self, value: u32) {
        self.0.store(value, Ordering::Relaxed);
    }
}

/// Executes `times` spin hints.
#[cold]
#[inline(never)]
pub(crate) fn pause(times: u32) {
    for _ in 0..times {
        core::hint::spin_loop();
    }
}

/// Executes at most `times` spin hints, while the condition holds.
#[cold]
#[inline(never)]
pub(crate) fn pause_while(times: u32, mut condition: impl FnMut() -> bool) {
    for _ in 0..times {
        if !condition() {
            break;
        }
        core::hint::spin_loop();
    }
}

/// Returns the processor's count of ticks, which has a constant rate, or 0 if the processor has
/// none.
pub(crate) fn ticks() -> u64 {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: every processor of this architecture has the instruction.
    unsafe {
        core::arch::x86_64::_rdtsc()
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    {
        let ticks: u64;
        // SAFETY: systems let programs read this register; the instruction changes nothing.
        unsafe {
            core::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack, preserves_flags));
        }
        ticks
    }
    #[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
    0
}

/// Prefetches the line at `address` for reading. The hint is not a memory access, so any address is
/// allowed.
#[inline(always)]
pub(crate) fn prefetch_to_read(address: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: the instruction changes nothing that a program can see and takes any address.
    unsafe {
        core::arch::asm!("prefetcht0 [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: the instruction changes nothing that a program can see and takes any address.
    unsafe {
        core::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let _ = address;
}

/// Prefetches the line at `address` for writing. The hint is not a memory access, so any address is
/// allowed.
#[inline(always)]
pub(crate) fn prefetch_to_write(address: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: the instruction changes nothing that a program can see and takes any address.
    // Processors that lack it execute a no-operation.
    unsafe {
        core::arch::asm!("prefetchw [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: the instruction changes nothing that a program can see and takes any address.
    unsafe {
        core::arch::asm!("prfm pstl1keep, [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let _ = address;
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident($sign:tt, $unless:literal, $number:ty);)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub(crate) fn $name<const INDEX: usize, const LEN: usize>(words: &[AtomicUsize; LEN], number: usize) -> bool {
            const { assert!(INDEX < LEN) };
            #[cfg(all(target_arch = "x86_64", target_pointer_width = "64", not(miri)))]
            // SAFETY: the instruction reads an aligned word of these, and so reads it as a whole,
            // and changes nothing.
            unsafe {
                core::arch::asm!(
                    "cmp {}, [{} + {}]",
                    concat!($unless, " {}"),
                    in(reg) number,
                    in(reg) core::ptr::from_ref(words),
                    const INDEX * size_of::<AtomicUsize>(),
                    label { return false },
                    options(nostack, readonly),
                );
                true
            }
            #[cfg(not(all(target_arch = "x86_64", target_pointer_width = "64", not(miri))))]
            {
                (words[INDEX].load(Ordering::Relaxed) as $number) $sign (number as $number)
            }
        }
    )*};
}

comparisons! {
    /// Whether the value of word number `INDEX` is greater than the number: a relaxed load and a
    /// comparison.
    ///
    /// On x86-64 this is one instruction. For an atomic word, compilers emit two, which short
    /// operations feel. Words that are compared in one loop share an address, and so a register.
    is_greater(>, "jae", usize);
    /// Whether the value of word number `INDEX` is less than the number, both with a sign.
    is_less(<, "jle", isize);
}

/// One slot's memory, which may be uninitialised.
///
/// A queue's protocol hands it from one thread to another. Public only as a parameter of the
/// algorithms' private interface.
#[allow(missing_debug_implementations)]
#[repr(transparent)]
pub struct Cell<T>(UnsafeCell<MaybeUninit<T>>);

impl<T> Cell<T> {
    /// Makes a slot that holds `value`.
    pub(crate) const fn new(value: T) -> Self {
        Self(UnsafeCell::new(MaybeUninit::new(value)))
    }

    /// Moves `value` in; an old value is forgotten.
    ///
    /// # Safety
    /// No other thread touches the slot during the call, and its last access before this one
    /// happened before the call.
    #[inline(always)]
    pub(crate) unsafe fn write(&self, value: T) {
        // SAFETY: the caller has the slot to itself.
        unsafe { self.0.get().write(MaybeUninit::new(value)) }
    }

    /// Moves the value out; the slot counts as uninitialised afterwards.
    ///
    /// # Safety
    /// The conditions of [`Cell::write`], and the slot holds a value.
    #[inline(always)]
    pub(crate) unsafe fn take(&self) -> T {
        // Read as a `T`, not as memory that then counts as one: the compiler knows the possible
        // values, and does not check for the pattern that an `Option` uses for `None`.
        // SAFETY: the caller has the slot to itself, and it is initialised.
        unsafe { self.0.get().cast::<T>().read() }
    }

    /// Returns a view of `len` slots that hold values, starting with `first`.
    ///
    /// # Safety
    /// The slots lie in one allocation, hold values, and no thread writes them during `'a`.
    #[inline(always)]
    pub(crate) unsafe fn filled<'a>(first: *const Self, len: usize) -> &'a [T] {
        // SAFETY: the caller's promise; a cell is transparent, so slots are laid out as values.
        unsafe { core::slice::from_raw_parts(first.cast::<T>(), len) }
    }

    /// Returns a view of `len` slots to be filled, starting with `first`.
    ///
    /// # Safety
    /// The slots lie in one allocation, and no other thread touches them during `'a`.
    #[inline(always)]
    pub(crate) unsafe fn free<'a>(first: *const Self, len: usize) -> &'a mut [MaybeUninit<T>] {
        // SAFETY: the caller's promise; the pointer comes from a cell, so writing through it is
        // allowed.
        unsafe { core::slice::from_raw_parts_mut(first.cast::<MaybeUninit<T>>().cast_mut(), len) }
    }

    /// Drops the values of `len` slots in place, starting with `first`.
    ///
    /// # Safety
    /// The slots lie in one allocation, hold values, no other thread touches them, and they count
    /// as uninitialised afterwards.
    pub(crate) unsafe fn drop_values(first: *const Self, len: usize) {
        // SAFETY: the caller's promise; the pointer comes from a cell.
        unsafe { core::ptr::slice_from_raw_parts_mut(first.cast::<T>().cast_mut(), len).drop_in_place() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_comparison_is_of_numbers_with_a_sign() {
        let numbers = [0, 1, 7, usize::MAX / 2, usize::MAX / 2 + 1, usize::MAX - 1, usize::MAX];
        for held in numbers {
            let words = [0, held].map(AtomicUsize::new);
            for number in numbers {
                assert_eq!(is_greater::<1, 2>(&words, number), held > number, "{held} and {number}");
                assert_eq!(is_less::<1, 2>(&words, number), (held as isize) < number as isize, "{held} and {number}");
                assert!(!is_greater::<0, 2>(&words, number), "{number}");
            }
        }
    }
}
