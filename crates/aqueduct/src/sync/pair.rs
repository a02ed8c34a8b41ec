//! Two words that are exchanged as one, natively: `cmpxchg16b` on x86-64. Nowhere else for now, and never by a lock.

use core::cell::UnsafeCell;
use core::sync::atomic::Ordering;

/// Two words that are exchanged as one, where the machine [can](Self::is_available).
#[repr(C, align(16))]
pub(crate) struct AtomicPair(UnsafeCell<[u64; 2]>);

// SAFETY: shared, it is accessed by an atomic instruction only.
unsafe impl Sync for AtomicPair {}

impl AtomicPair {
    pub(crate) const fn new(pair: [u64; 2]) -> Self {
        Self(UnsafeCell::new(pair))
    }

    /// Whether the machine has the instruction.
    pub(crate) fn is_available() -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            const CMPXCHG16B: u32 = 1 << 13;
            core::arch::x86_64::__cpuid(1).ecx & CMPXCHG16B != 0
        }
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// The pair. By the same instruction as an exchange: it takes the line for writing.
    ///
    /// # Safety
    /// It [is available](Self::is_available).
    #[inline(always)]
    pub(crate) unsafe fn load(&self, ordering: Ordering) -> [u64; 2] {
        // SAFETY: the caller's promise. What is there is replaced by itself.
        unsafe { self.exchanged([0, 0], [0, 0], ordering, ordering) }
    }

    /// Puts `new` in if `expected` is there; whether it was. Relaxed where it was not.
    ///
    /// # Safety
    /// It [is available](Self::is_available).
    #[inline(always)]
    pub(crate) unsafe fn exchange(&self, expected: [u64; 2], new: [u64; 2], ordering: Ordering) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.exchanged(expected, new, ordering, Ordering::Relaxed) == expected }
    }

    /// What was there.
    ///
    /// # Safety
    /// As above.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn exchanged(&self, expected: [u64; 2], new: [u64; 2], success: Ordering, failure: Ordering) -> [u64; 2] {
        let word = |[first, second]: [u64; 2]| u128::from(first) | u128::from(second) << 64;
        // SAFETY: the caller's promise; the pair is aligned, and nobody accesses it otherwise.
        let found =
            unsafe { core::arch::x86_64::cmpxchg16b(self.0.get().cast(), word(expected), word(new), success, failure) };
        [found as u64, (found >> 64) as u64]
    }

    /// There is no such instruction.
    ///
    /// # Safety
    /// Never called: it is not available.
    #[cfg(not(target_arch = "x86_64"))]
    unsafe fn exchanged(&self, _: [u64; 2], _: [u64; 2], _: Ordering, _: Ordering) -> [u64; 2] {
        unreachable!("it is not available")
    }
}
