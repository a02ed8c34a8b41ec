//! A slot of a published queue under the model checker, which finds accesses that race.

use aqueduct_model::cell::UnsafeCell;

#[derive(Debug)]
pub(crate) struct Slot<T>(UnsafeCell<Option<T>>);

// SAFETY: the checker reports accesses that race before they can do harm.
unsafe impl<T: Send> Sync for Slot<T> {}

impl<T: Copy> Slot<T> {
    pub(crate) fn empty() -> Self {
        Self(UnsafeCell::new(None))
    }

    pub(crate) unsafe fn write(&self, value: T) {
        // SAFETY: the checker has found no race.
        self.0.with_mut(|slot| unsafe { *slot = Some(value) });
    }

    pub(crate) unsafe fn read(&self) -> T {
        // SAFETY: the checker has found no race.
        self.0.with(|slot| unsafe { *slot }).expect("an entry is read after it was written")
    }
}
