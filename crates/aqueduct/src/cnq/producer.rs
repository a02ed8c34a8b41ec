//! The producing side: `enqueue` and `producer_unregister` (3.6.1).

use core::fmt;
use core::ptr::NonNull;

use super::capsule::Capsule;
use super::shared::{Content, HandleError, Shared};
use super::windows::Entering;
use crate::error::PushError;
use crate::hold::Hold;
use crate::sync::Cell;
use crate::tube::Tube;

/// A registered producer of a [queue](super::Queue).
///
/// It has a capsule of its own that it fills. When it is dropped, the capsule is closed, and what is in it stays in the queue. A handle
/// that is forgotten stays registered and keeps the queue's memory; it holds up nobody.
///
/// Items have to be able to go to other threads:
/// ```compile_fail,E0277
/// use aqueduct::cnq::{Geometry, Queue};
/// let queue: Queue<std::rc::Rc<u8>> = Queue::new(Geometry::for_order(10, 100, 1, 1)?)?;
/// let producer = queue.producer()?;
/// std::thread::spawn(move || drop(producer));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Producer<T, U: Tube> {
    /// The open capsule, and where its entries begin; dangling if there is none.
    capsule: NonNull<Capsule>,
    entries: NonNull<Cell<T>>,
    /// How many items it has; all that fit if there is none.
    count: usize,
    size: usize,
    /// With which number its life began.
    base: usize,
    /// Its number.
    id: usize,
    /// The capsule that the consumer gives back in place of the open one, if this producer has not left it by then.
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

    /// Adds an item. It can be popped when this returns.
    ///
    /// Lock-free. A store and a load in a line that the consumer of the same capsule looks at, and no exchange (but a full fence
    /// where the system has [no asymmetric ones](super#asymmetric-fences)). With every
    /// [`capsule_size`](super::Geometry::capsule_size)th item, a new capsule is taken from the tube, and that of another producer that
    /// is too far behind is closed, which takes some microseconds if that producer is not at work.
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
        // SAFETY: as above.
        unsafe { entry.write(item) };
        if self.commit(1) {
            return Ok(());
        }
        // SAFETY: written above, and nobody else's: the capsule has been closed without it.
        let item = unsafe { entry.take() };
        self.leave();
        self.push_into_next(item)
    }

    /// Adds copies of the first items, as many as there is room for, and says how many. As [`push`](Self::push), with one store
    /// and load for each capsule that they go into.
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
            // SAFETY: so many entries at most as a capsule has.
            if !self.open_with(first.len(), |entries| unsafe { write_all(entries, first) }) {
                break;
            }
            items = rest;
        }
        all - items.len()
    }

    /// Closes its capsule, so that its consumer does not wait for more; the next push takes another one. Worth while before a
    /// producer does something else for long, and never needed: others close the capsule when they want to go on.
    pub fn pause(&mut self) {
        if self.count < self.size {
            self.leave();
        }
    }

    /// Lets the consumer have so many more entries of the open capsule. Says whether they are in.
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

    /// Takes the next capsule, with so many items in it that `fill` puts in. Says whether there was one.
    fn open_with(&mut self, count: usize, fill: impl FnOnce(NonNull<Cell<T>>)) -> bool {
        let queue = &*self.queue;
        let Ok(ticket) = queue.tube.allocate() else { return false };
        // SAFETY: just allocated.
        let Content { id, .. } = unsafe { queue.take(ticket) };
        let (capsule, entries) = (queue.capsules.capsule(id), queue.capsules.entries(id));
        fill(entries);
        let base = capsule.begin(count, self.size);
        // SAFETY: the slot is this producer's.
        unsafe { queue.put(ticket, Content { id, spare: self.spare, base, read: 0 }) };
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
