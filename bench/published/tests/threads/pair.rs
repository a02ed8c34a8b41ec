//! The bench's pairs, with the checker's types.

use super::sync::{AtomicU64, Ordering};

/// Two words of 32 bits in one, so that each can be used alone.
#[derive(Debug)]
pub(crate) struct Pair(AtomicU64);

fn both(first: u64, second: u64) -> u64 {
    assert!(first < 1 << 32 && second < 1 << 32, "small numbers");
    first << 32 | second
}

impl Pair {
    pub(crate) fn new(first: u64, second: u64) -> Self {
        Self(AtomicU64::new(both(first, second)))
    }

    pub(crate) fn first(&self) -> u64 {
        self.0.load(Ordering::Acquire) >> 32
    }

    pub(crate) fn second(&self) -> u64 {
        self.0.load(Ordering::Acquire) & u64::from(u32::MAX)
    }

    pub(crate) fn add_to_second(&self, value: u64) -> u64 {
        self.0.fetch_add(value, Ordering::SeqCst) & u64::from(u32::MAX)
    }

    pub(crate) fn or_to_second(&self, bits: u64) {
        self.0.fetch_or(bits, Ordering::SeqCst);
    }

    pub(crate) fn exchange_second(&self, expected: u64, new: u64) -> bool {
        let first = self.first();
        // It fails as well where the first word has changed meanwhile: that does no harm where it
        // is called.
        self.0.compare_exchange(both(first, expected), both(first, new), Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    pub(crate) unsafe fn exchange(&self, [first, second]: [u64; 2], [new_first, new_second]: [u64; 2]) -> bool {
        let (old, new) = (both(first, second), both(new_first, new_second));
        self.0.compare_exchange(old, new, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }
}
