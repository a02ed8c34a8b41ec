//! Memory that a program frees, and that is kept until its execution is over: `crate::allocator`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Memory that is to be freed.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub(crate) memory: *mut u8,
    pub(crate) layout: Layout,
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
pub(crate) fn keep(block: Block) -> bool {
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
        // SAFETY: There are so many, and each was given to `keep` and not freed.
        unsafe {
            let block = kept.blocks.add(at).read();
            System.dealloc(block.memory, block.layout);
        }
    }
    kept.length = 0;
    KEPT.set(kept);
}
