//! Permits: slots that are reserved before their item exists.

use core::fmt;
use core::mem::forget;
use core::panic::{RefUnwindSafe, UnwindSafe};

use super::Queue;

/// A reserved slot of a queue, made by [`Queue::reserve`]. Dropping it gives the slot back.
///
/// One that is forgotten keeps its slot; [`Permit::recall`] makes another permit of it.
///
/// # Examples
/// ```
/// let queue = aqueduct::exact::Queue::new(1)?;
/// let permit = queue.reserve()?;
/// assert!(queue.push(1).is_err());
/// drop(permit);
/// queue.push(1)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a slot is reserved until the permit is dropped"]
pub struct Permit<'a, T> {
    queue: &'a Queue<T>,
}

impl<'a, T> Permit<'a, T> {
    /// Makes the permit of a slot that has been reserved.
    pub(super) fn new(queue: &'a Queue<T>) -> Self {
        Self { queue }
    }

    /// Makes a permit of a slot whose permit has been forgotten, for owners that keep the queue
    /// elsewhere.
    ///
    /// # Safety
    /// A permit of this queue has been passed to [`forget`], and no other permit has been made of
    /// its slot since.
    ///
    /// # Examples
    /// ```
    /// use aqueduct::exact::{Permit, Queue};
    ///
    /// let queue = Queue::new(1)?;
    /// std::mem::forget(queue.reserve()?);
    /// // SAFETY: the permit has been forgotten in the line above.
    /// unsafe { Permit::recall(&queue) }.push(7);
    /// assert_eq!(queue.pop()?, 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub unsafe fn recall(queue: &'a Queue<T>) -> Self {
        Self { queue }
    }

    /// Adds `item` at the end of the queue, into the reserved slot. Lock-free among producers.
    ///
    /// # Examples
    /// ```
    /// let queue = aqueduct::exact::Queue::new(2)?;
    /// let permit = queue.reserve()?;
    /// queue.push(1)?;
    /// permit.push(2);
    /// assert_eq!(queue.into_iter().collect::<Vec<_>>(), [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn push(self, item: T) {
        // SAFETY: this permit's slot is reserved, and the permit is forgotten.
        unsafe { self.queue.ring.push_reserved(item) };
        forget(self);
    }
}

impl<T> Drop for Permit<'_, T> {
    fn drop(&mut self) {
        // SAFETY: this permit's slot is reserved, and the permit is gone after this.
        unsafe { self.queue.ring.release() };
    }
}

impl<T> UnwindSafe for Permit<'_, T> {}
impl<T> RefUnwindSafe for Permit<'_, T> {}

impl<T> fmt::Debug for Permit<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").finish_non_exhaustive()
    }
}
