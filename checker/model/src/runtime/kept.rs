//! Memory that a program frees, and that is kept until its execution is over, for
//! `crate::allocator`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Memory to be freed.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub(crate) memory: *mut u8,
    pub(crate) layout: Layout,
}

/// The blocks that an operating system thread keeps. The list lies in memory of the system's
/// allocator, because it cannot use itself.
#[derive(Clone, Copy)]
struct Kept {
    blocks: *mut Block,
    length: usize,
    capacity: usize,
}

std::thread_local! {
    static KEPT: Cell<Kept> = const { Cell::new(Kept { blocks: std::ptr::null_mut(), length: 0, capacity: 0 }) };
}

/// Keeps a block until the execution is over. Returns `false` if there is no memory for that.
pub(crate) fn keep(block: Block) -> bool {
    let mut kept = KEPT.get();
    if kept.length == kept.capacity && !grow(&mut kept) {
        return false;
    }
    // SAFETY: The list has room for one more block.
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

/// Frees the kept blocks when the execution is over.
pub(crate) fn release() {
    let mut kept = KEPT.get();
    for at in 0..kept.length {
        // SAFETY: The list has that number of blocks, and each was given to `keep` and not freed.
        unsafe {
            let block = kept.blocks.add(at).read();
            System.dealloc(block.memory, block.layout);
        }
    }
    kept.length = 0;
    KEPT.set(kept);
}
