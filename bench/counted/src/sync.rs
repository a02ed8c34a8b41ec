//! The seam: the library's native one, with counted exchanges.

#[allow(dead_code, unreachable_pub, unused_imports, reason = "it is written for the library as a whole")]
#[path = "../../../library/queues/src/sync/native.rs"]
mod native;
#[path = "../../../library/queues/src/sync/pair.rs"]
mod pair;

use core::sync::atomic;

pub(crate) use native::{AtomicUsize, Cell, Ordering, alloc, dealloc};

use crate::tally::note;

/// A counted [`core::sync::atomic::AtomicPtr`], with the necessary methods.
#[derive(Debug)]
pub(crate) struct AtomicPtr<T>(atomic::AtomicPtr<T>);

impl<T> AtomicPtr<T> {
    pub(crate) const fn new(value: *mut T) -> Self {
        Self(atomic::AtomicPtr::new(value))
    }

    #[inline(always)]
    pub(crate) fn load(&self, ordering: Ordering) -> *mut T {
        self.0.load(ordering)
    }

    #[inline(always)]
    pub(crate) fn compare_exchange(
        &self,
        expected: *mut T,
        new: *mut T,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut T, *mut T> {
        let exchanged = self.0.compare_exchange(expected, new, success, failure);
        note(exchanged.is_ok());
        exchanged
    }
}

/// Two counted words that are exchanged as one.
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
        // SAFETY: the caller's promise.
        unsafe { self.0.second(ordering) }
    }

    /// Loads the first word.
    ///
    /// # Safety
    /// The native function's conditions.
    #[inline(always)]
    pub(crate) unsafe fn first(&self, ordering: Ordering) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { self.0.first(ordering) }
    }

    /// Exchanges both words, and counts that.
    ///
    /// # Safety
    /// The native function's conditions.
    #[inline(always)]
    pub(crate) unsafe fn exchange(&self, expected: [u64; 2], new: [u64; 2], ordering: Ordering) -> bool {
        // SAFETY: the caller's promise.
        let exchanged = unsafe { self.0.exchange(expected, new, ordering) };
        note(exchanged);
        exchanged
    }
}

/// A counted [`core::sync::atomic::AtomicU64`], with the necessary methods.
#[derive(Debug)]
pub struct AtomicU64(atomic::AtomicU64);

#[expect(missing_docs, reason = "as core's")]
impl AtomicU64 {
    #[must_use]
    pub const fn new(value: u64) -> Self {
        Self(atomic::AtomicU64::new(value))
    }

    #[inline(always)]
    pub fn load(&self, ordering: Ordering) -> u64 {
        self.0.load(ordering)
    }

    #[inline(always)]
    pub fn fetch_add(&self, more: u64, ordering: Ordering) -> u64 {
        self.0.fetch_add(more, ordering)
    }

    #[inline(always)]
    pub fn fetch_or(&self, bits: u64, ordering: Ordering) -> u64 {
        self.0.fetch_or(bits, ordering)
    }

    #[expect(clippy::missing_errors_doc, reason = "as core's")]
    #[inline(always)]
    pub fn compare_exchange_weak(
        &self,
        expected: u64,
        new: u64,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u64, u64> {
        let exchanged = self.0.compare_exchange_weak(expected, new, success, failure);
        note(exchanged.is_ok());
        exchanged
    }
}
