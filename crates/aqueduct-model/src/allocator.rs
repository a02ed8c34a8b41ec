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
use std::cell::Cell;

use crate::runtime::inside;

/// The system's allocator, which keeps what a model frees until the execution is over.
///
/// Whether two addresses are equal is the same in every run of an execution then: two objects have one address only if
/// they are one. Outside of a model it is the system's allocator and nothing else.
#[derive(Clone, Copy, Debug, Default)]
pub struct DistinctAddresses;

// SAFETY: Every block comes from the system's allocator, and goes back there once, with its layout: at once, or when
// the execution is over, since `dealloc` gave it to `KEPT`. Nothing here panics.
unsafe impl GlobalAlloc for DistinctAddresses {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: The caller promises what `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: The caller promises what `System` asks for.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if !(inside() && keep(Block { memory, layout })) {
            // SAFETY: The caller promises what `System` asks for.
            unsafe { System.dealloc(memory, layout) }
        }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !inside() {
            // SAFETY: The caller promises what `System` asks for.
            return unsafe { System.realloc(memory, layout, size) };
        }
        // SAFETY: The caller promises that `size` is not zero and does not overflow when it is rounded up to the
        // alignment.
        let new = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !new.is_null() {
            // SAFETY: Both blocks have that many bytes and do not overlap; the old one is not used any more.
            unsafe {
                std::ptr::copy_nonoverlapping(memory, new, layout.size().min(size));
                self.dealloc(memory, layout);
            }
        }
        new
    }
}

/// Memory that is to be freed.
#[derive(Clone, Copy)]
struct Block {
    memory: *mut u8,
    layout: Layout,
}

/// The blocks that an operating system thread keeps. It lies in memory of the system's allocator, which it cannot
/// itself use.
#[derive(Clone, Copy)]
struct Kept {
    blocks: *mut Block,
    length: usize,
    capacity: usize,
}

std::thread_local! {
    static KEPT: Cell<Kept> = const { Cell::new(Kept { blocks: std::ptr::null_mut(), length: 0, capacity: 0 }) };
}

/// Keeps a block until the execution is over. False if there is no memory for that.
fn keep(block: Block) -> bool {
    let mut kept = KEPT.get();
    if kept.length == kept.capacity && !grow(&mut kept) {
        return false;
    }
    // SAFETY: There is room for one more.
    unsafe { kept.blocks.add(kept.length).write(block) };
    kept.length += 1;
    KEPT.set(kept);
    true
}

fn grow(kept: &mut Kept) -> bool {
    let capacity = (2 * kept.capacity).max(64);
    let (Ok(old), Ok(new)) = (Layout::array::<Block>(kept.capacity), Layout::array::<Block>(capacity)) else {
        return false;
    };
    let blocks = if kept.capacity == 0 {
        // SAFETY: The size is not zero.
        unsafe { System.alloc(new) }
    } else {
        // SAFETY: The old blocks have that layout, and the new size is larger.
        unsafe { System.realloc(kept.blocks.cast(), old, new.size()) }
    };
    if blocks.is_null() {
        return false;
    }
    (kept.blocks, kept.capacity) = (blocks.cast(), capacity);
    true
}

/// Frees what has been kept: the execution is over.
pub(crate) fn release() {
    let mut kept = KEPT.get();
    for at in 0..kept.length {
        // SAFETY: There are so many, and each was given to `dealloc` and not freed.
        unsafe {
            let block = kept.blocks.add(at).read();
            System.dealloc(block.memory, block.layout);
        }
    }
    kept.length = 0;
    KEPT.set(kept);
}
