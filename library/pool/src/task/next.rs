//! The slot of a worker's next task.

use std::ptr;

use super::raw::Runnable;
use crate::job::{Header, JobRef};
use crate::sync::{AtomicPtr, Ordering};

/// A slot for one task, into which one thread puts tasks, and from which all threads take them.
#[derive(Debug)]
pub struct Next(AtomicPtr<Header>);

impl Next {
    /// Makes an empty slot.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "an internal type")]
    pub fn new() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    /// Whether the slot is empty, as far as the calling thread can see.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.load(Ordering::Relaxed).is_null()
    }

    /// Takes the task.
    #[must_use]
    pub fn take(&self) -> Option<Runnable> {
        if self.is_empty() {
            return None;
        }
        // Ordering: Acquire pairs with the Release of `put`; without it, a new task is run before
        // it is written.
        let job = self.0.swap(ptr::null_mut(), Ordering::Acquire);
        // SAFETY: `put` has put this job here, and only this swap has taken it.
        (!job.is_null()).then(|| Runnable(unsafe { JobRef::from_raw(job) }))
    }

    /// Puts a task into the slot. Returns the earlier task.
    ///
    /// # Safety
    /// No other thread calls this at the same time.
    pub unsafe fn put(&self, Runnable(job): Runnable) -> Option<Runnable> {
        let before = self.take();
        // Ordering: Release pairs with the Acquire of `take`. Other threads only empty the slot, so
        // it still is empty.
        self.0.store(job.into_raw(), Ordering::Release);
        before
    }
}
