//! The handles' hold on a queue: the threads of each side share one of its two ends.

use core::mem::ManuallyDrop;
use core::ops::Deref;

use super::block::Content;
use super::shared::Shared;
use super::side::{Commits, Consumes};
use crate::error::CapacityError;
use crate::heap::End;
use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, Ordering};

/// A queue and how many handles each side has.
struct Counted<K: Content<P, C>, P: Commits, C: Consumes> {
    shared: Shared<K, P, C>,
    handles: Isolated<[AtomicUsize; 2]>,
}

/// Which side a handle is on.
#[derive(Clone, Copy)]
enum Side {
    Producing,
    Consuming,
}

/// One handle's hold.
pub(super) struct Hold<K: Content<P, C>, P: Commits, C: Consumes> {
    /// The side's end of the queue, the same for all of its handles. The last one drops it.
    end: ManuallyDrop<End<Counted<K, P, C>>>,
    side: Side,
}

impl<K: Content<P, C>, P: Commits, C: Consumes> Hold<K, P, C> {
    /// The first producer's and the first consumer's.
    pub(super) fn pair(shared: Shared<K, P, C>) -> Result<(Self, Self), CapacityError> {
        let handles = Isolated([AtomicUsize::new(1), AtomicUsize::new(1)]);
        let (producing, consuming) = End::pair(Counted { shared, handles })?;
        let hold = |end, side| Self { end: ManuallyDrop::new(end), side };
        Ok((hold(producing, Side::Producing), hold(consuming, Side::Consuming)))
    }

    /// Whether the other side has no handle left. What it did before is then visible to the caller.
    pub(super) fn is_alone(&self) -> bool {
        self.end.is_alone()
    }
}

impl<K: Content<P, C>, P: Commits, C: Consumes> Clone for Hold<K, P, C> {
    fn clone(&self) -> Self {
        // Ordering: Relaxed, this handle keeps the end alive.
        let before = self.end.handles[self.side as usize].fetch_add(1, Ordering::Relaxed);
        // Handles that were forgotten count for ever; the count must not come around.
        assert!(before < usize::MAX / 2, "there are too many handles of one queue");
        // SAFETY: the copy is counted, and only the last one counted drops the end.
        Self { end: ManuallyDrop::new(unsafe { self.end.copy() }), side: self.side }
    }
}

impl<K: Content<P, C>, P: Commits, C: Consumes> Deref for Hold<K, P, C> {
    type Target = Shared<K, P, C>;

    #[inline(always)]
    fn deref(&self) -> &Shared<K, P, C> {
        &self.end.shared
    }
}

impl<K: Content<P, C>, P: Commits, C: Consumes> Drop for Hold<K, P, C> {
    fn drop(&mut self) {
        // Ordering: Release so that all that this handle did happens before what the last one does; Acquire for the last one,
        // which hands that on to the other side.
        if self.end.handles[self.side as usize].fetch_sub(1, Ordering::AcqRel) == 1 {
            // SAFETY: this was the side's last handle.
            unsafe { ManuallyDrop::drop(&mut self.end) }
        }
    }
}
