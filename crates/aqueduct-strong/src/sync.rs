//! The seam: natively as in the library, but for the orderings.

#[allow(dead_code, unreachable_pub, unused_imports, reason = "it is written for the library as a whole")]
#[path = "../../aqueduct/src/sync/native.rs"]
mod native;
#[allow(dead_code, unreachable_pub, reason = "as above")]
#[path = "../../aqueduct/src/sync/pair.rs"]
mod pair;

pub(crate) use native::{AtomicU8, AtomicUsize, Cell, alloc, dealloc, prefetch_to_read, prefetch_to_write};

/// As in the library, where it is a relaxed load.
#[inline(always)]
pub(crate) fn is_greater(word: &AtomicUsize, number: usize) -> bool {
    word.load(Ordering::Relaxed) > number
}

/// Whether the word is less than that number.
#[inline(always)]
pub(crate) fn is_less(word: &AtomicUsize, number: usize) -> bool {
    word.load(Ordering::Relaxed) < number
}

/// By whatever name, the strongest ordering.
pub(crate) struct Ordering;

#[allow(non_upper_case_globals, reason = "the names of core's orderings")]
impl Ordering {
    pub(crate) const Relaxed: native::Ordering = native::Ordering::SeqCst;
    pub(crate) const Acquire: native::Ordering = native::Ordering::SeqCst;
    pub(crate) const Release: native::Ordering = native::Ordering::SeqCst;
    pub(crate) const AcqRel: native::Ordering = native::Ordering::SeqCst;
}
