//! The producing side: `enqueue` and `producer_unregister` of J. Wang's thesis (TU Dresden, 2024,
//! section 3.6.1).

use core::fmt;
use core::ptr::NonNull;

use super::Queue;
use super::capsule::Capsule;
use super::shared::{HandleError, Shared, SlotContent};
use super::windows::Entering;
use crate::error::PushError;
use crate::hold::Hold;
use crate::sync::Cell;
use crate::tube::Tube;

/// A registered producer of a [queue](super::Queue).
///
/// It fills a capsule of its own. When the handle is dropped, the capsule is closed, and its items
/// stay in the queue. A handle that is forgotten stays registered and keeps the queue's memory; it
/// holds up no other thread.
///
/// # Examples
/// ```
/// use aqueduct::cnq::{Geometry, Queue};
///
/// let queue = Queue::<i32>::new(Geometry::for_order(100, 1000, 2, 1)?)?;
/// let (mut producer, mut other) = (queue.producer()?, queue.producer()?);
/// producer.push(1)?;
/// assert_eq!(other.push_slice(&[2, 3]), 2);
/// // Before it does something else for long.
/// producer.pause();
/// let mut consumer = queue.consumer()?;
/// let mut items: Vec<i32> = std::iter::from_fn(|| consumer.pop().ok()).collect();
/// items.sort_unstable();
/// assert_eq!(items, [1, 2, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Items must be able to go to other threads (`Send`):
/// ```compile_fail,E0277
/// use aqueduct::cnq::{Geometry, Queue};
/// let queue: Queue<std::rc::Rc<u8>> = Queue::new(Geometry::for_order(10, 100, 1, 1)?)?;
/// let producer = queue.producer()?;
/// std::thread::spawn(move || drop(producer));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Producer<T, U: Tube> {
    /// The open capsule; dangling if there is none.
    capsule: NonNull<Capsule>,
    /// The first entry of the open capsule; dangling if there is none.
    entries: NonNull<Cell<T>>,
    /// The number of the open capsule's items; a full capsule's number if there is none.
    count: usize,
    size: usize,
    /// The capsule's item count at the start of this use.
    base: usize,
    /// The capsule's number.
    id: usize,
    /// The number of the capsule that returns to the tube in place of the open one if this producer
    /// has not left the open one.
    spare: usize,
    /// This producer's number.
    number: usize,
    queue: Hold<Shared<T, U>>,
}

// SAFETY: a handle is a place in a queue of items that may go from thread to thread.
unsafe impl<T: Send, U: Tube> Send for Producer<T, U> {}
// SAFETY: `&Producer` gives no access to items.
unsafe impl<T: Send, U: Tube> Sync for Producer<T, U> {}

impl<T, U: Tube> Producer<T, U> {
    pub(super) fn register(queue: &Hold<Shared<T, U>>) -> Result<Self, HandleError> {
        let (number, spare) = queue.register_producer()?;
        let size = queue.capsules.size;
        let (capsule, entries) = (NonNull::dangling(), NonNull::dangling());
        Ok(Self { capsule, entries, count: size, size, base: 0, id: spare, spare, number, queue: queue.clone() })
    }

    /// Adds an item, which can be popped when this returns.
    ///
    /// Lock-free. A push stores and loads in a line that the capsule's consumer reads, without an
    /// exchange. (It makes a full fence if the system has no [asymmetric
    /// fences](super#asymmetric-fences).) Every [`capsule_size`](super::Geometry::capsule_size)th
    /// item takes a new capsule from the tube, and closes the capsule of another producer that is
    /// too far behind. That takes some microseconds if the other producer is not working.
    ///
    /// # Errors
    /// [`PushError::Full`] gives the item back if no capsule is free.
    #[inline]
    pub fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        if self.count == self.size {
            return self.push_into_next(item);
        }
        // SAFETY: a place within the open capsule, which is this producer's to fill.
        let entry = unsafe { self.entries.add(self.count).as_ref() };
        // SAFETY: this producer alone fills the open capsule.
        unsafe { entry.write(item) };
        if self.commit(1) {
            return Ok(());
        }
        // SAFETY: written above, and this producer's: the capsule has been closed without it.
        let item = unsafe { entry.take() };
        self.leave();
        self.push_into_next(item)
    }

    /// Adds the first items of `items`, as many as fit, and returns their number.
    ///
    /// Costs one store and one load for each capsule, otherwise what a [`push`](Self::push) costs.
    pub fn push_slice(&mut self, mut items: &[T]) -> usize
    where
        T: Copy,
    {
        let all = items.len();
        while !items.is_empty() {
            let (these, rest) = items.split_at(items.len().min(self.size - self.count));
            if !these.is_empty() {
                // SAFETY: places within the open capsule, which is this producer's to fill.
                unsafe { write_all(self.entries.add(self.count), these) };
                if self.commit(these.len()) {
                    items = rest;
                    continue;
                }
                self.leave();
            }
            let (first, rest) = items.split_at(items.len().min(self.size));
            // SAFETY: `first` has at most as many items as a capsule has entries.
            if !self.open_with(first.len(), |entries| unsafe { write_all(entries, first) }) {
                break;
            }
            items = rest;
        }
        all - items.len()
    }

    /// Returns the queue, which registers more handles.
    #[must_use]
    pub fn queue(&self) -> Queue<T, U> {
        Queue { shared: self.queue.clone() }
    }

    /// Closes this producer's capsule, so that its consumer does not wait for more.
    ///
    /// The next push takes another capsule. A pause is worth its cost before a producer does
    /// something else for long. It is never necessary: other threads close the capsule when they
    /// need to go on.
    pub fn pause(&mut self) {
        if self.count < self.size {
            self.leave();
        }
    }

    /// Publishes `more` entries of the open capsule, and returns whether they are in the queue.
    #[inline]
    fn commit(&mut self, more: usize) -> bool {
        let count = self.count + more;
        // SAFETY: a capsule of this queue, which lives as long as it.
        let are_in = unsafe { self.capsule.as_ref() }.commit(self.base, self.count, count);
        if are_in {
            self.count = count;
        }
        are_in
    }

    #[cold]
    #[inline(never)]
    fn push_into_next(&mut self, item: T) -> Result<(), PushError<T>> {
        let mut item = Some(item);
        let put = |entries: NonNull<Cell<T>>| {
            if let Some(item) = item.take() {
                // SAFETY: the first entry of a capsule that is this producer's.
                unsafe { entries.as_ref().write(item) };
            }
        };
        self.open_with(1, put);
        item.map_or(Ok(()), |item| Err(PushError::Full(item)))
    }

    /// Takes the next capsule, with `count` items that `fill` puts in.
    ///
    /// Returns whether a capsule was free.
    fn open_with(&mut self, count: usize, fill: impl FnOnce(NonNull<Cell<T>>)) -> bool {
        let queue = &*self.queue;
        let Ok(ticket) = queue.tube.allocate() else { return false };
        // SAFETY: just allocated.
        let SlotContent { id, .. } = unsafe { queue.take(ticket) };
        let (capsule, entries) = (queue.capsules.capsule(id), queue.capsules.entries(id));
        fill(entries);
        let base = capsule.begin(count, self.size);
        // SAFETY: the slot is this producer's.
        unsafe { queue.put(ticket, SlotContent { id, spare: self.spare, base, read: 0 }) };
        let open = (count < self.size).then_some(id);
        let mut stays_open = true;
        let enter = |position| {
            // Capsules of one item are never open.
            if self.size > 1 {
                let close = |other| queue.capsules.capsule(other).close(self.size);
                stays_open = queue.open.enter(Entering { producer: self.number, position, open }, close);
            }
        };
        // SAFETY: just allocated.
        unsafe { queue.tube.produce(ticket, enter) };
        (self.capsule, self.entries) = (NonNull::from(capsule), entries);
        (self.count, self.base, self.id) = (count, base, id);
        if open.is_some() && !stays_open {
            self.leave();
        }
        true
    }

    /// Leaves the open capsule.
    #[cold]
    fn leave(&mut self) {
        // SAFETY: as in `commit`.
        let capsule = unsafe { self.capsule.as_ref() };
        let consumer_left = capsule.leave_as_producer(self.base, self.count);
        self.count = self.size;
        if consumer_left {
            self.spare = self.id;
        }
    }
}

/// Copies items to entries.
///
/// # Safety
/// There are as many entries from `first` on, and they are the caller's to fill.
unsafe fn write_all<T: Copy>(first: NonNull<Cell<T>>, items: &[T]) {
    // SAFETY: the caller's promise.
    let places = unsafe { Cell::free(first.as_ptr(), items.len()) };
    for (place, &item) in places.iter_mut().zip(items) {
        place.write(item);
    }
}

impl<T, U: Tube> Drop for Producer<T, U> {
    fn drop(&mut self) {
        self.pause();
        self.queue.unregister_producer(self.number, self.spare);
    }
}

impl<T, U: Tube> fmt::Debug for Producer<T, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Producer").field("number", &self.number).finish_non_exhaustive()
    }
}

crate::queue::implement! {
    [T, U: Tube] Producer<T, U>, T: Push;
    [T: Copy, U: Tube] Producer<T, U>, T: PushSlice;
}
