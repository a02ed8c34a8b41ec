//! Two words that are exchanged as one, and read one by one.

use std::arch::asm;
use std::sync::atomic::{AtomicU64, Ordering};

/// Two words. A successful exchange proves that they were read from one state.
#[derive(Debug)]
#[repr(C, align(16))]
pub(crate) struct Pair {
    first: AtomicU64,
    second: AtomicU64,
}

impl Pair {
    pub(crate) fn new(first: u64, second: u64) -> Self {
        Self { first: AtomicU64::new(first), second: AtomicU64::new(second) }
    }

    /// Whether the machine has the instruction.
    pub(crate) fn is_available() -> bool {
        std::arch::is_x86_feature_detected!("cmpxchg16b")
    }

    #[inline(always)]
    pub(crate) fn first(&self) -> u64 {
        // Ordering: Acquire pairs with the exchange, which is a full barrier.
        self.first.load(Ordering::Acquire)
    }

    #[inline(always)]
    pub(crate) fn second(&self) -> u64 {
        // Ordering: Acquire pairs with the exchange, which is a full barrier.
        self.second.load(Ordering::Acquire)
    }

    /// Writes the second word alone.
    #[inline(always)]
    pub(crate) fn set_second(&self, value: u64) {
        // Ordering: Release pairs with the Acquire above.
        self.second.store(value, Ordering::Release);
    }

    /// Adds to the second word alone. Returns its value before.
    #[inline(always)]
    pub(crate) fn add_to_second(&self, value: u64) -> u64 {
        self.second.fetch_add(value, Ordering::SeqCst)
    }

    /// Sets bits of the second word alone.
    #[inline(always)]
    pub(crate) fn or_to_second(&self, bits: u64) {
        self.second.fetch_or(bits, Ordering::SeqCst);
    }

    /// Replaces the second word, if it is `expected`. Returns whether it did.
    #[inline(always)]
    pub(crate) fn exchange_second(&self, expected: u64, new: u64) -> bool {
        self.second.compare_exchange(expected, new, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    /// Replaces `expected` by `new`. Returns whether it did.
    ///
    /// # Safety
    /// It [is available](Self::is_available).
    #[inline(always)]
    pub(crate) unsafe fn exchange(&self, expected: [u64; 2], new: [u64; 2]) -> bool {
        let [mut first, mut second] = expected;
        // SAFETY: the caller's promise; the pair is aligned. `rbx` is the compiler's own and gets
        // its value back.
        unsafe {
            asm!(
                "xchg {new}, rbx",
                "lock cmpxchg16b [rdi]",
                "mov rbx, {new}",
                new = inout(reg) new[0] => _,
                in("rcx") new[1],
                in("rdi") self,
                inout("rax") first,
                inout("rdx") second,
                options(nostack),
            );
        }
        [first, second] == expected
    }
}
