//! Links of lists whose nodes are reclaimed.

use std::sync::atomic::Ordering;

use crossbeam_epoch::{Atomic, Guard, Shared};

/// Replaces `expected` by `new`. Returns whether it did.
#[inline(always)]
pub(super) fn exchange<T>(link: &Atomic<T>, expected: Shared<'_, T>, new: Shared<'_, T>, guard: &Guard) -> bool {
    // Ordering: Release publishes the node's contents to the thread that acquires it here.
    link.compare_exchange(expected, new, Ordering::Release, Ordering::Relaxed, guard).is_ok()
}
