//! A global allocator for programs that compare addresses.
//!
//! An address that `Box` and similar types free may be allocated again at once, or later, as the
//! allocator chooses. A compare-exchange of pointers then succeeds in one run of an execution and
//! fails in the next, and the check reports a program that is not deterministic. Under
//! [`DistinctAddresses`] no address is allocated twice within an execution. Memory of
//! [`alloc`](crate::alloc) does not need it.
//!
//! ```
//! #[global_allocator]
//! static ADDRESSES: aqueduct_model::allocator::DistinctAddresses = aqueduct_model::allocator::DistinctAddresses;
//! # fn main() {}
//! ```

use std::alloc::{GlobalAlloc, Layout, System};

use crate::runtime::inside;
use crate::runtime::kept::{Block, keep};

/// The system's allocator, which keeps memory that a model frees until the execution is over.
///
/// So the comparison of two addresses has one result in every run of an execution: two objects have
/// one address only if they are one. Outside of a model it is the system's allocator.
#[derive(Clone, Copy, Debug, Default)]
pub struct DistinctAddresses;

// SAFETY: Every block comes from the system's allocator, and goes back to it once, with its layout:
// at once, or when the execution is over, if `dealloc` gave it to `keep`. No function here panics.
unsafe impl GlobalAlloc for DistinctAddresses {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: The caller keeps the conditions of `System`'s function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: The caller keeps the conditions of `System`'s function.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if !(inside() && keep(Block { memory, layout })) {
            // SAFETY: The caller keeps the conditions of `System`'s function.
            unsafe { System.dealloc(memory, layout) }
        }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !inside() {
            // SAFETY: The caller keeps the conditions of `System`'s function.
            return unsafe { System.realloc(memory, layout, size) };
        }
        // SAFETY: The caller promises that `size` is not zero and does not overflow when it is
        // rounded up to the alignment.
        let new = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !new.is_null() {
            // SAFETY: Both blocks have that many bytes and do not overlap; the old one is not used
            // any more.
            unsafe {
                std::ptr::copy_nonoverlapping(memory, new, layout.size().min(size));
                self.dealloc(memory, layout);
            }
        }
        new
    }
}
