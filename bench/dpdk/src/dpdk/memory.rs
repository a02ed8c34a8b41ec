//! Memory that all processes of DPDK have at one address.
//!
//! DPDK maps its memory at one address in each of its processes, so pointers into it are good in
//! all of them. The library's queues take their memory from the global allocator: this one takes it
//! from DPDK while [`shared`] runs.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use super::ffi;

thread_local! {
    static IS_SHARED: Cell<bool> = const { Cell::new(false) };
}

/// The system's allocator, and DPDK's for the queues between processes.
#[derive(Clone, Copy, Debug)]
pub struct Memory;

// SAFETY: both allocators give memory of the size and alignment asked for. What DPDK has given is
// never freed, so the system's allocator gets back its own alone.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if IS_SHARED.get() {
            // SAFETY: DPDK is there while `shared` runs, by the promise of its caller.
            return unsafe { ffi::rte_malloc(std::ptr::null(), layout.size(), layout.align() as u32) }.cast();
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if !IS_SHARED.get() {
            // SAFETY: the caller's promise; what `shared` has allocated is leaked.
            unsafe { System.dealloc(memory, layout) }
        }
    }
}

/// Allocates what `make` needs in DPDK's memory, and leaks the result: all processes may use it, at
/// this address.
///
/// # Errors
/// The error of `make`.
///
/// # Safety
/// DPDK has been started.
pub(crate) unsafe fn shared<T, E>(make: impl FnOnce() -> Result<T, E>) -> Result<&'static mut T, E> {
    IS_SHARED.set(true);
    let made = make().map(|made| Box::leak(Box::new(made)));
    IS_SHARED.set(false);
    made
}
