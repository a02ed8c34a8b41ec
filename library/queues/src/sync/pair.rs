//! Two words that are exchanged as one, natively: `cmpxchg16b` on x86-64, `caspal` on 64-bit Arm.
//!
//! Other processors have no implementation. There is never a lock, except under Miri, which lacks
//! the instruction. A plain load of 8 bytes reads each word by itself. A reader sees an exchange of
//! the pair as one exchange of each word, with nothing between the two.

use core::cell::UnsafeCell;
use core::sync::atomic::Ordering;

/// Two words that are exchanged as one, if the machine [can](Self::is_available).
#[repr(C, align(16))]
pub(crate) struct AtomicPair(UnsafeCell<[u64; 2]>);

// SAFETY: only atomic instructions access a shared pair.
unsafe impl Sync for AtomicPair {}

impl AtomicPair {
    pub(crate) const fn new(pair: [u64; 2]) -> Self {
        Self(UnsafeCell::new(pair))
    }

    /// Whether the machine has the instruction.
    pub(crate) fn is_available() -> bool {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        {
            const CMPXCHG16B: u32 = 1 << 13;
            // SAFETY: every x86-64 processor has `cpuid`. (Newer versions of Rust declare it safe.)
            #[allow(unused_unsafe, reason = "the oldest Rust that the crate supports needs it")]
            let leaf = unsafe { core::arch::x86_64::__cpuid(1) };
            leaf.ecx & CMPXCHG16B != 0
        }
        // Armv8.1 has it, with its other atomic instructions. Without `std`, only the compiler's
        // target features tell.
        #[cfg(all(target_arch = "aarch64", feature = "std", not(miri)))]
        {
            std::arch::is_aarch64_feature_detected!("lse")
        }
        #[cfg(not(all(any(target_arch = "x86_64", all(target_arch = "aarch64", feature = "std")), not(miri))))]
        {
            cfg!(any(miri, all(target_arch = "aarch64", target_feature = "lse")))
        }
    }

    /// Loads the second word.
    ///
    /// # Safety
    /// The instruction [is available](Self::is_available).
    #[inline(always)]
    pub(crate) unsafe fn second(&self, ordering: Ordering) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { self.word(1, ordering) }
    }

    /// Loads the first word.
    ///
    /// After an Acquire load of the second word, the first one is as it was then, or as a later
    /// exchange has made it.
    ///
    /// # Safety
    /// The instruction [is available](Self::is_available).
    #[inline(always)]
    pub(crate) unsafe fn first(&self, ordering: Ordering) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { self.word(0, ordering) }
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64", miri))]
    #[inline(always)]
    unsafe fn word(&self, number: usize, ordering: Ordering) -> u64 {
        use core::sync::atomic::AtomicU64;
        // SAFETY: the word is in the pair, aligned, and only atomic instructions access it.
        unsafe { AtomicU64::from_ptr(self.0.get().cast::<u64>().add(number)) }.load(ordering)
    }

    /// Never called, because this machine has no such instruction.
    ///
    /// # Safety
    /// It is never called.
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", miri)))]
    unsafe fn word(&self, _: usize, _: Ordering) -> u64 {
        unreachable!("it is not available")
    }

    /// Stores `new` if the value is `expected`, and returns whether it was. For every `ordering` it
    /// is a full barrier.
    ///
    /// The code names the instruction, because compilers may turn an exchange of 16 bytes into a
    /// call of a library that takes a lock.
    ///
    /// # Safety
    /// The instruction [is available](Self::is_available).
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[inline(always)]
    pub(crate) unsafe fn exchange(&self, expected: [u64; 2], new: [u64; 2], _ordering: Ordering) -> bool {
        let mut last = new[1];
        // SAFETY: the caller's promise; the pair is aligned, and only atomic instructions access
        // it. The compiler owns `rbx`, which gets its content back.
        unsafe {
            core::arch::asm!(
                "xchg {new}, rbx",
                "lock cmpxchg16b [rdi]",
                "mov rbx, {new}",
                "sete cl",
                new = inout(reg) new[0] => _,
                inout("rcx") last,
                in("rdi") self.0.get(),
                inout("rax") expected[0] => _,
                inout("rdx") expected[1] => _,
                options(nostack),
            );
        }
        last as u8 != 0
    }

    /// Stores `new` if the value is `expected`, and returns whether it was. For every `ordering` it
    /// acquires and releases.
    ///
    /// # Safety
    /// The instruction [is available](Self::is_available).
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    #[inline(always)]
    pub(crate) unsafe fn exchange(&self, expected: [u64; 2], new: [u64; 2], _ordering: Ordering) -> bool {
        let mut found = expected;
        // SAFETY: the caller's promise; the pair is aligned, and only atomic instructions access
        // it. The instruction takes pairs of neighbouring registers, and the first of a pair has an
        // even number.
        unsafe {
            core::arch::asm!(
                ".arch_extension lse",
                "caspal x4, x5, x6, x7, [{pair}]",
                pair = in(reg) self.0.get(),
                inout("x4") found[0],
                inout("x5") found[1],
                in("x6") new[0],
                in("x7") new[1],
                options(nostack, preserves_flags),
            );
        }
        found == expected
    }

    /// Stores `new` if the value is `expected`, under Miri: a lock admits one exchange at a time.
    ///
    /// The words are written in the order that keeps the promise of `first`.
    ///
    /// # Safety
    /// The conditions of the exchange on x86-64.
    #[cfg(miri)]
    pub(crate) unsafe fn exchange(&self, expected: [u64; 2], new: [u64; 2], _ordering: Ordering) -> bool {
        use core::sync::atomic::{AtomicBool, AtomicU64, fence};
        static IS_LOCKED: AtomicBool = AtomicBool::new(false);
        // Ordering: Acquire pairs with the Release store below: one exchange follows the other.
        while IS_LOCKED.swap(true, Ordering::Acquire) {
            core::hint::spin_loop();
        }
        // Ordering: SeqCst, because the instruction is a full barrier.
        fence(Ordering::SeqCst);
        // SAFETY: the words are in the pair, aligned, and only atomic instructions access them.
        let [first, second] =
            [0, 1].map(|number| unsafe { AtomicU64::from_ptr(self.0.get().cast::<u64>().add(number)) });
        // Ordering: Relaxed, the lock orders the exchanges.
        let is_expected = [first.load(Ordering::Relaxed), second.load(Ordering::Relaxed)] == expected;
        if is_expected {
            // Ordering: Release pairs with the Acquire load of the second word: the first one is
            // not older then.
            first.store(new[0], Ordering::Release);
            second.store(new[1], Ordering::Release);
        }
        fence(Ordering::SeqCst);
        // Ordering: Release pairs with the Acquire of the swap: one exchange follows the other.
        IS_LOCKED.store(false, Ordering::Release);
        is_expected
    }

    /// Never called, because this machine has no such instruction.
    ///
    /// # Safety
    /// It is never called.
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", miri)))]
    pub(crate) unsafe fn exchange(&self, _: [u64; 2], _: [u64; 2], _: Ordering) -> bool {
        unreachable!("it is not available")
    }
}
