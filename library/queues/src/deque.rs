//! Work stealing: the queues of [`bwos`](crate::bwos), and the [`Injector`], whose tasks all owners
//! share.
//!
//! | `crossbeam_deque` | here |
//! | --- | --- |
//! | `Worker::new_lifo`, `Worker::new_fifo` | [`lifo::new`], [`fifo::new`]: bounded; they return the stealer, too |
//! | `Worker` | [`lifo::Owner`], [`fifo::Owner`] |
//! | `Stealer` | [`lifo::Stealer`], [`fifo::Stealer`] |
//! | `Injector` | [`Injector`]: bounded |
//! | `Steal` | [`Steal`] |
//!
//! Each item can be stolen as soon as it is pushed, also while its owner is busy elsewhere. Read
//! [when not to use it](crate::bwos#when-not-to-use-it): a theft from the block that the owner
//! works in costs more than another.

use core::fmt;

use crate::bbq::Queue;
use crate::error::{CapacityError, PopError, PushError};

#[doc(no_inline)]
pub use crate::bwos::{Geometry, Order, Owner, Steal, fifo, lifo, policy};

/// A bounded queue of tasks: any thread pushes, and any owner steals the oldest ones.
///
/// It holds the tasks that come from outside a pool of work-stealing threads, as
/// `crossbeam_deque::Injector` does. Unlike that one, it is bounded: a push can fail, and then
/// gives the task back.
///
/// It is a [`bbq::Queue`](Queue), and has its guarantees: items come out in the order in which they
/// were pushed, each once. Pushes are lock-free among pushing threads, thefts among thieves.
///
/// # Examples
/// ```
/// use aqueduct::deque::{Injector, Steal, lifo};
///
/// /// A thread's next task: its own, else one from outside, else another thread's.
/// fn next_task(own: &mut lifo::Owner<u32>, injector: &Injector<u32>, others: &[lifo::Stealer<u32>]) -> Option<u32> {
///     own.pop().ok().or_else(|| {
///         loop {
///             let stolen = injector
///                 .steal_batch_and_pop(own, 32)
///                 .or_else(|| others.iter().map(|other| other.steal()).collect());
///             if !stolen.is_retry() {
///                 return stolen.success();
///             }
///         }
///     })
/// }
///
/// let injector = Injector::new(1000)?;
/// let (mut own, _stealer) = lifo::new(100)?;
/// for task in 0..10 {
///     injector.push(task)?;
/// }
/// let mut done: Vec<u32> = std::iter::from_fn(|| next_task(&mut own, &injector, &[])).collect();
/// done.sort_unstable();
/// assert_eq!(done, (0..10).collect::<Vec<_>>());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Injector<T> {
    queue: Queue<T>,
}

/// Maps the queue's error. `Busy` becomes `Retry`: the oldest task is still being pushed.
fn refused<T>(error: PopError) -> Steal<T> {
    match error {
        PopError::Empty => Steal::Empty,
        PopError::Busy => Steal::Retry,
    }
}

impl<T> Injector<T> {
    /// Makes an injector for at least `capacity` tasks.
    ///
    /// # Errors
    /// [`CapacityError`] if `capacity` is 0 or too large, or there is no memory.
    pub fn new(capacity: usize) -> Result<Self, CapacityError> {
        Ok(Self { queue: Queue::new(capacity)? })
    }

    /// Adds a task.
    ///
    /// # Errors
    /// [`PushError`] gives the task back. It is [`PushError::Full`] if there is no room, and
    /// [`PushError::Busy`] if a thief is in the middle of the theft that makes room.
    #[inline]
    pub fn push(&self, task: T) -> Result<(), PushError<T>> {
        self.queue.push(task)
    }

    /// Steals the oldest task.
    ///
    /// [`Steal::Retry`] means that the oldest task is still being pushed.
    #[inline]
    pub fn steal(&self) -> Steal<T> {
        self.queue.pop().map_or_else(refused, Steal::Success)
    }

    /// Steals up to `most` of the oldest tasks into an owner's queue. Returns their number.
    ///
    /// The tasks are adjacent in the queue, and cost one compare-exchange together. At most one
    /// block's tasks are stolen, and at most as many as fit the owner's block. Returns 0 if the
    /// owner's queue is full, or `most` is 0.
    pub fn steal_batch<O: Order>(&self, owner: &mut Owner<T, O>, most: usize) -> Steal<usize> {
        let most = most.min(owner.make_room());
        if most == 0 {
            return Steal::Success(0);
        }
        self.queue.pop_some(most, |task| owner.put(task)).map_or_else(refused, Steal::Success)
    }

    /// Steals up to `most` of the oldest tasks, and returns the first.
    ///
    /// The others go into an owner's queue.
    ///
    /// At least one task is stolen if there is one, also if the owner's queue is full or `most` is
    /// 0. The cost is that of [`steal_batch`](Self::steal_batch).
    pub fn steal_batch_and_pop<O: Order>(&self, owner: &mut Owner<T, O>, most: usize) -> Steal<T> {
        let most = most.clamp(1, 1 + owner.make_room());
        let mut first = None;
        let stolen = self.queue.pop_some(most, |task| match first {
            None => first = Some(task),
            Some(_) => owner.put(task),
        });
        stolen.map_or_else(refused, |_| Steal::Success(first.expect("a batch is not empty")))
    }

    /// Returns the number of tasks, exact while no operation is in progress.
    #[must_use]
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Whether a theft would return no task now.
    ///
    /// If so, the queue is empty, or its oldest task is still being pushed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Whether a push would return [`PushError::Full`] now.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.queue.is_full()
    }

    /// Returns the capacity that was asked for: this number of tasks always fits.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.queue.capacity()
    }
}

impl<T> fmt::Debug for Injector<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Injector").field("capacity", &self.capacity()).finish_non_exhaustive()
    }
}
