//! The handles' hold on a queue. The handles of one side share one of its two ends, and the last
//! one drops it.

use core::mem::ManuallyDrop;
use core::ops::Deref;

use crate::error::CapacityError;
use crate::heap::End;
use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, Ordering};

/// A queue, and the number of handles of each side.
///
/// The queue is first: a word at its start is at the address that the handles hold.
#[repr(C)]
struct Counted<Q> {
    queue: Q,
    handles: Isolated<[AtomicUsize; 2]>,
}

/// The greatest number of handles of a side. A thread that exceeds it undoes its increment before
/// the count can wrap.
const MOST: usize = usize::MAX / 2;

/// One handle's hold on the queue.
pub(crate) struct Hold<Q> {
    /// The side's end of the queue, shared by all of its handles. The last one drops it.
    end: ManuallyDrop<End<Counted<Q>>>,
    /// The handle's side.
    side: HandleSide,
}

#[derive(Clone, Copy)]
enum HandleSide {
    First,
    Second,
}

impl<Q> Hold<Q> {
    /// Makes the first hold of each side.
    pub(crate) fn pair(queue: Q) -> Result<(Self, Self), CapacityError> {
        let handles = Isolated([AtomicUsize::new(1), AtomicUsize::new(1)]);
        let (first, second) = End::pair(Counted { queue, handles })?;
        let hold = |end, side| Self { end: ManuallyDrop::new(end), side };
        Ok((hold(first, HandleSide::First), hold(second, HandleSide::Second)))
    }

    /// Whether the other side has no handle left. If so, all that its handles did happens before
    /// the caller's next step.
    pub(crate) fn is_alone(&self) -> bool {
        self.end.is_alone()
    }
}

impl<Q> Clone for Hold<Q> {
    fn clone(&self) -> Self {
        let handles = &self.end.handles[self.side as usize];
        // Ordering: Acquire only keeps later stores behind (load buffering): this handle keeps the
        // end alive.
        if handles.fetch_add(1, Ordering::Acquire) >= MOST {
            // A forgotten handle stays in the count, which must not wrap, however often this panic
            // is caught.
            // Ordering: Relaxed, this handle keeps the end alive.
            handles.fetch_sub(1, Ordering::Relaxed);
            panic!("there are too many handles of one queue");
        }
        // SAFETY: the copy is counted, and only the last counted one drops the end.
        Self { end: ManuallyDrop::new(unsafe { self.end.copy() }), side: self.side }
    }
}

impl<Q> Deref for Hold<Q> {
    type Target = Q;

    #[inline(always)]
    fn deref(&self) -> &Q {
        &self.end.queue
    }
}

impl<Q> Drop for Hold<Q> {
    fn drop(&mut self) {
        // Ordering: Release so that all that this handle did happens before what the last one does;
        // Acquire for the last one, which hands that on to the other side.
        if self.end.handles[self.side as usize].fetch_sub(1, Ordering::AcqRel) == 1 {
            // SAFETY: this was the side's last handle.
            unsafe { ManuallyDrop::drop(&mut self.end) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_too_many_is_refused_however_often_it_is_tried() {
        let (hold, _other) = Hold::pair(()).expect("there is memory");
        let handles = &hold.end.handles[hold.side as usize];
        handles.store(MOST - 1, Ordering::Relaxed);
        core::mem::forget(hold.clone());
        for _ in 0..3 {
            assert!(std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| hold.clone())).is_err());
            assert_eq!(handles.load(Ordering::Relaxed), MOST);
        }
        handles.store(1, Ordering::Relaxed);
    }
}
