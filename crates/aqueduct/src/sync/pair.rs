//! Two words that are exchanged as one, natively: `cmpxchg16b` on x86-64. Nowhere else for now, and never by a lock.
//!
//! Every access is a full barrier, whatever ordering is asked for.

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
    pub(crate) unsafe fn load(&self, _ordering: Ordering) -> [u64; 2] {
        // SAFETY: the caller's promise. What is there is replaced by itself.
        unsafe { self.exchanged([0, 0], [0, 0]) }
    }

    /// Puts `new` in if `expected` is there; whether it was. Relaxed where it was not.
    ///
    /// # Safety
    /// It [is available](Self::is_available).
    #[inline(always)]
    pub(crate) unsafe fn exchange(&self, expected: [u64; 2], new: [u64; 2], _ordering: Ordering) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.exchanged(expected, new) == expected }
    }

    /// What was there. By the instruction itself, which orders everything: what the compiler makes of an exchange of 16 bytes
    /// can be a call of a library that takes a lock.
    ///
    /// # Safety
    /// As above.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn exchanged(&self, expected: [u64; 2], new: [u64; 2]) -> [u64; 2] {
        let [mut first, mut second] = expected;
        // SAFETY: the caller's promise; the pair is aligned, and nobody accesses it otherwise. `rbx` is the compiler's own and
        // gets back what was in it.
        unsafe {
            core::arch::asm!(
                "xchg {new}, rbx",
                "lock cmpxchg16b [rdi]",
                "mov rbx, {new}",
                new = inout(reg) new[0] => _,
                in("rcx") new[1],
                in("rdi") self.0.get(),
                inout("rax") first,
                inout("rdx") second,
                options(nostack),
            );
        }
        [first, second]
    }

    /// There is no such instruction.
    ///
    /// # Safety
    /// Never called: it is not available.
    #[cfg(not(target_arch = "x86_64"))]
    unsafe fn exchanged(&self, _: [u64; 2], _: [u64; 2]) -> [u64; 2] {
        unreachable!("it is not available")
    }
}
