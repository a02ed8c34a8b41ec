//! The handles' hold on a queue: the owner has one of its two ends, the stealers share the other one.

use core::mem::ManuallyDrop;
use core::ops::Deref;

use crate::error::CapacityError;
use crate::heap::End;
use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, Ordering};

/// A queue, and how many stealers it has.
pub(super) struct Counted<Q> {
    queue: Q,
    stealers: Isolated<AtomicUsize>,
}

impl<Q> Deref for Counted<Q> {
    type Target = Q;

    #[inline(always)]
    fn deref(&self) -> &Q {
        &self.queue
    }
}

/// The owner's hold.
pub(super) type OwnersHold<Q> = End<Counted<Q>>;

/// A stealer's hold.
pub(super) struct StealersHold<Q>(ManuallyDrop<OwnersHold<Q>>);

/// The owner's hold on a queue and the first stealer's.
pub(super) fn pair<Q>(queue: Q) -> Result<(OwnersHold<Q>, StealersHold<Q>), CapacityError> {
    let (owners, stealers) = End::pair(Counted { queue, stealers: Isolated(AtomicUsize::new(1)) })?;
    Ok((owners, StealersHold(ManuallyDrop::new(stealers))))
}

impl<Q> StealersHold<Q> {
    /// Whether the owner is gone. What it did before is then visible to the caller.
    pub(super) fn is_alone(&self) -> bool {
        self.0.is_alone()
    }
}

impl<Q> Clone for StealersHold<Q> {
    fn clone(&self) -> Self {
        // Ordering: Relaxed, this one keeps the end alive.
        let before = self.0.stealers.fetch_add(1, Ordering::Relaxed);
        // Those that were forgotten count for ever; the count must not come around.
        assert!(before < usize::MAX / 2, "there are too many stealers of one queue");
        // SAFETY: the copy is counted, and only the last one counted drops the end.
        Self(ManuallyDrop::new(unsafe { self.0.copy() }))
    }
}

impl<Q> Deref for StealersHold<Q> {
    type Target = Q;

    #[inline(always)]
    fn deref(&self) -> &Q {
        &self.0.queue
    }
}

impl<Q> Drop for StealersHold<Q> {
    fn drop(&mut self) {
        // Ordering: Release so that all that this stealer did happens before what the last one does; Acquire for the last one,
        // which hands that on to the owner.
        if self.0.stealers.fetch_sub(1, Ordering::AcqRel) == 1 {
            // SAFETY: this was the last stealer.
            unsafe { ManuallyDrop::drop(&mut self.0) }
        }
    }
}
