//! The hold that a queue's handles have on it: the last one drops it.

use core::mem::ManuallyDrop;
use core::ops::Deref;

use crate::error::CapacityError;
use crate::heap::End;
use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, Ordering};

/// A queue, and how many hold it.
struct Counted<Q> {
    queue: Q,
    holds: Isolated<AtomicUsize>,
}

pub(super) struct Hold<Q>(ManuallyDrop<End<Counted<Q>>>);

impl<Q> Hold<Q> {
    pub(super) fn new(queue: Q) -> Result<Self, CapacityError> {
        // There is one side only.
        let (end, _) = End::pair(Counted { queue, holds: Isolated(AtomicUsize::new(1)) })?;
        Ok(Self(ManuallyDrop::new(end)))
    }
}

impl<Q> Clone for Hold<Q> {
    fn clone(&self) -> Self {
        // Ordering: Relaxed, this one keeps the queue alive.
        let before = self.0.holds.fetch_add(1, Ordering::Relaxed);
        // Those that were forgotten count for ever; the count must not come around.
        assert!(before < usize::MAX / 2, "there are too many handles of one queue");
        // SAFETY: the copy is counted, and only the last one counted drops the end.
        Self(ManuallyDrop::new(unsafe { self.0.copy() }))
    }
}

impl<Q> Deref for Hold<Q> {
    type Target = Q;

    #[inline(always)]
    fn deref(&self) -> &Q {
        &self.0.queue
    }
}

impl<Q> Drop for Hold<Q> {
    fn drop(&mut self) {
        // Ordering: Release so that all that was done by this hold happens before what the last one does; Acquire for the last one
        // (`cnq-ring/drop-one`).
        if self.0.holds.fetch_sub(1, Ordering::AcqRel) == 1 {
            // SAFETY: this was the last one.
            unsafe { ManuallyDrop::drop(&mut self.0) }
        }
    }
}
