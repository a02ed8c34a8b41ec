//! A handle together with a value that borrows it.

use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// A handle, and a value that borrows the handle until it is dropped.
pub(super) struct Owned<H, B> {
    /// Initialised until it is dropped, which is before the handle. Its references may dangle while
    /// the owner of both is moved.
    borrower: MaybeUninit<B>,
    /// A box, which nothing but the borrower accesses.
    handle: NonNull<H>,
}

// SAFETY: both parts move together, and both may move to another thread.
unsafe impl<H: Send, B: Send> Send for Owned<H, B> {}
// SAFETY: `&Owned` gives access to neither.
unsafe impl<H: Sync, B: Sync> Sync for Owned<H, B> {}

impl<H: 'static, B> Owned<H, B> {
    pub(super) fn new(handle: H, borrow: impl FnOnce(&'static mut H) -> B) -> Self {
        let handle = NonNull::from(Box::leak(Box::new(handle)));
        // SAFETY: the handle has an address of its own, and is dropped after the borrower. The
        // borrower's type does not show outside how long it borrows. If `borrow` panics, the handle
        // is leaked.
        let borrower = borrow(unsafe { &mut *handle.as_ptr() });
        Self { borrower: MaybeUninit::new(borrower), handle }
    }
}

impl<H, B> Owned<H, B> {
    pub(super) fn borrower(&mut self) -> &mut B {
        // SAFETY: it is dropped with `self`.
        unsafe { self.borrower.assume_init_mut() }
    }
}

impl<H, B> Drop for Owned<H, B> {
    fn drop(&mut self) {
        // SAFETY: it is dropped once.
        unsafe { self.borrower.assume_init_drop() };
        // SAFETY: it came from a box, and nothing borrows it any more.
        drop(unsafe { Box::from_raw(self.handle.as_ptr()) });
    }
}
