//! The allocator of a round in turns, which reuses freed memory in an order that repeats itself.
//!
//! The unbounded queue compares addresses of blocks. With the system's allocator, a repeated round
//! would get other addresses and go another way.

use std::alloc::{self, Layout};
use std::cell::RefCell;

use crate::pauses::takes_turns;

std::thread_local! {
    /// Freed memory of the round's threads, which can be used again.
    static SPARE: RefCell<Vec<(Layout, *mut u8)>> = const { RefCell::new(Vec::new()) };
}

/// Allocates memory: in a round in turns, the memory that was freed last, if it has this layout.
///
/// # Safety
/// As for [`std::alloc::alloc`].
pub(crate) unsafe fn alloc(layout: Layout) -> *mut u8 {
    let spare = SPARE.with_borrow_mut(|spare| {
        let at = takes_turns().then(|| spare.iter().rposition(|(its, _)| *its == layout))??;
        Some(spare.remove(at).1)
    });
    // SAFETY: the caller's promise.
    spare.unwrap_or_else(|| unsafe { alloc::alloc(layout) })
}

/// Frees memory: in a round in turns, keeps it for the round.
///
/// # Safety
/// As for [`std::alloc::dealloc`].
pub(crate) unsafe fn dealloc(memory: *mut u8, layout: Layout) {
    if takes_turns() {
        SPARE.with_borrow_mut(|spare| spare.push((layout, memory)));
    } else {
        // SAFETY: the caller's promise.
        unsafe { alloc::dealloc(memory, layout) }
    }
}

/// Frees the memory that the threads of a round have given back.
pub(crate) fn forget_spare() {
    for (layout, memory) in SPARE.take() {
        // SAFETY: `dealloc` was given the memory with this layout, and `alloc` has not used it
        // since.
        unsafe { alloc::dealloc(memory, layout) }
    }
}
