//! The consuming side: `dequeue` and `consumer_unregister` of J. Wang's thesis (TU Dresden, 2024,
//! section 3.6.1).

use core::fmt;
use core::ptr::NonNull;

use super::capsule::Stock;
use super::shared::{HandleError, Shared, SlotContent};
use crate::backoff::Patience;
use crate::error::PopError;
use crate::hold::Hold;
use crate::sync::Cell;
use crate::tube::Tube;
use crate::tube::raw::{Nothing, Reserved, Ticket};

/// The spin hints of a backoff: some microseconds on x86-64.
///
/// A consumer that takes each item at once makes every item cost both sides two cache lines, the
/// capsule's word and the item's own. So it backs off for a moment when it found few items.
const BACKOFF: u32 = 256;
/// The number of items below which a look has found few.
const FEW: usize = 64;

/// A registered consumer of a [queue](super::Queue).
///
/// It empties a capsule of its own. When the handle is dropped, the other consumers get the rest of
/// that capsule. A handle that is forgotten stays registered, and keeps the queue's memory and the
/// items of its capsule. The others wait for those items when they have taken as many younger ones
/// as the order allows.
///
/// # Examples
/// ```
/// use aqueduct::cnq::{Geometry, Queue};
/// use aqueduct::error::PopError;
///
/// let queue = Queue::<i32>::new(Geometry::for_order(100, 1000, 1, 2)?)?;
/// let (mut producer, mut consumer, mut other) = (queue.producer()?, queue.consumer()?, queue.consumer()?);
/// assert_eq!(producer.push_slice(&[1, 2, 3]), 3);
/// assert_eq!(consumer.pop()?, 1);
/// // The others are in this consumer's capsule, until it pauses.
/// assert!(other.pop().is_err());
/// consumer.pause();
/// assert_eq!((other.pop()?, other.pop()?), (2, 3));
/// assert_eq!(other.pop(), Err(PopError::Empty));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Consumer<T, U: Tube> {
    /// The first entry of the capsule, or a dangling pointer.
    ///
    /// It dangles if there is no capsule, or the capsule may not be read yet.
    entries: NonNull<Cell<T>>,
    /// The number of items read from the capsule.
    read: usize,
    limit: usize,
    /// The end of the capsule: the number of items with which it was closed, or its size if it was
    /// open at the last look.
    end: usize,
    held: Option<Held>,
    /// Decides when the consumer backs off.
    patience: Patience,
    queue: Hold<Shared<T, U>>,
}

/// The capsule that a consumer empties.
#[derive(Clone, Copy)]
struct Held {
    ticket: Ticket,
    content: SlotContent,
    /// True if the capsule may be read: false while another consumer holds one that is too far
    /// before it.
    is_permitted: bool,
    /// The result of the last look into it.
    found: Stock,
}

// SAFETY: a handle is a place in a queue of items that may go from thread to thread.
unsafe impl<T: Send, U: Tube> Send for Consumer<T, U> {}
// SAFETY: `&Consumer` gives no access to items.
unsafe impl<T: Send, U: Tube> Sync for Consumer<T, U> {}

impl<T, U: Tube> Consumer<T, U> {
    pub(super) fn register(queue: &Hold<Shared<T, U>>) -> Result<Self, HandleError> {
        queue.register_consumer()?;
        let entries = NonNull::dangling();
        Ok(Self { entries, read: 0, limit: 0, end: 0, held: None, patience: Patience::new(), queue: queue.clone() })
    }

    /// Takes one of the [`k`](super::Geometry::k) oldest items.
    ///
    /// Lock-free. While the capsule has items that were seen before, a pop costs a load and no
    /// exchange. Otherwise it also reads the line that the capsule's producer writes, and at the
    /// capsule's end it takes a new capsule from the tube. A consumer that is too close behind its
    /// producer backs off for some microseconds before it looks, if earlier backoffs brought more
    /// items at a time.
    ///
    /// # Errors
    /// - [`PopError::Empty`]: the only items are those that other consumers have in their capsules,
    ///   at most `consumers - 1` capsules. With one consumer, there is no item. With more than `k`
    ///   items in the queue, a pop never returns this.
    /// - [`PopError::Busy`]: there may be an item when another thread goes on. Either that thread
    ///   is in the middle of a push; or it is a consumer, not necessarily in the middle of a pop,
    ///   whose items are so old that they have to be taken first. A consumer that is busy elsewhere
    ///   should [pause](Self::pause): then the others can take its items.
    #[inline]
    pub fn pop(&mut self) -> Result<T, PopError> {
        if self.read == self.limit {
            self.find()?;
        }
        // SAFETY: within the capsule.
        let entry = unsafe { self.entries.add(self.read).as_ref() };
        // SAFETY: it holds an item, and this consumer is the only one that takes it.
        let item = unsafe { entry.take() };
        self.took(1);
        Ok(item)
    }

    /// Moves up to `items.len()` items to the start of `items` and returns their number.
    ///
    /// If that is 0, a [`pop`](Self::pop) returns the reason.
    #[must_use = "says how many of the items were written"]
    pub fn pop_slice(&mut self, items: &mut [T]) -> usize
    where
        T: Copy,
    {
        let mut done = 0;
        while done < items.len() {
            if self.read == self.limit && self.find().is_err() {
                break;
            }
            let count = (self.limit - self.read).min(items.len() - done);
            // SAFETY: the `count` entries from `read` on hold items that are this consumer's.
            let found = unsafe { Cell::filled(self.entries.add(self.read).as_ptr(), count) };
            items[done..done + count].copy_from_slice(found);
            self.took(count);
            done += count;
        }
        done
    }

    /// Whether a pop would return [`PopError::Empty`] now.
    ///
    /// If `true`, the only items at one moment during the call were those that other consumers have
    /// in their capsules. If `false`, the next pop can still be [`PopError::Busy`]. No handle can
    /// count the items, because each capsule's count belongs to the threads that work in it: so
    /// there is no `len`, and a producer has no `is_full`.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let is_elsewhere = || self.queue.fragments.any() || self.queue.tube.look() != Err(Nothing::Empty);
        let is_here = |held: Held| {
            !held.is_permitted || self.queue.capsules.capsule(held.content.id).has_more(held.content.base, self.read)
        };
        self.read == self.limit && !self.held.is_some_and(is_here) && !is_elsewhere()
    }

    /// Returns how many items fit if all capsules are filled: the queue's
    /// [`capacity`](super::Queue::capacity).
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.queue.capacity()
    }

    /// Gives up this consumer's capsule, so that others can take its items.
    ///
    /// The next pop takes a capsule again. A consumer that does something else for long should
    /// pause: sooner or later the other consumers wait for its items ([`PopError::Busy`]).
    pub fn pause(&mut self) {
        if let Some(held) = self.held.take() {
            self.give_up(held);
            (self.read, self.limit) = (0, 0);
        }
    }

    /// Counts `count` items as taken, and leaves a capsule whose end is reached.
    #[inline]
    fn took(&mut self, count: usize) {
        self.read += count;
        if self.read == self.end {
            self.leave_at_end();
        }
    }

    #[cold]
    #[inline(never)]
    fn leave_at_end(&mut self) {
        if let Some(held) = self.held {
            self.leave(held);
        }
    }

    /// Finds the next item: afterwards there is one below `limit`.
    #[inline(never)]
    fn find(&mut self) -> Result<(), PopError> {
        loop {
            let Some(mut held) = self.held else {
                self.advance()?;
                continue;
            };
            if !held.is_permitted {
                self.wait(held)?;
                continue;
            }
            self.patience.back_off(BACKOFF);
            let Shared { capsules, .. } = &*self.queue;
            let capsule = capsules.capsule(held.content.id);
            held.found = capsule.look(held.content.base);
            self.held = Some(held);
            self.limit = held.found.count;
            self.patience.found(self.limit - self.read, FEW);
            self.end = if held.found.is_closed { self.limit } else { capsules.size };
            if self.read < self.limit {
                return Ok(());
            }
            if self.read == self.end {
                self.leave(held);
                continue;
            }
            self.can_advance()?;
            // An item may have arrived meanwhile, so the loop looks again.
            capsule.close(capsules.size);
        }
    }

    /// Checks that an empty capsule, which may still be filled, should be closed.
    ///
    /// It should be closed if there is another capsule, which has an item. So each closed capsule
    /// costs a successful push, and there is no livelock. (J. Wang's thesis, section 3.6.3, scans
    /// all capsules from this one on, because they may be empty there.)
    fn can_advance(&self) -> Result<(), PopError> {
        if self.queue.fragments.any() { Ok(()) } else { self.queue.tube.look().map_err(error) }
    }

    /// Gets the next capsule: the oldest fragment, or one from the tube.
    fn advance(&mut self) -> Result<(), PopError> {
        if self.take_fragment() {
            return Ok(());
        }
        let queue = &*self.queue;
        let reserved = queue.tube.reserve(|position| queue.finished.allows(position));
        let Reserved { ticket, is_permitted } = reserved.map_err(error)?;
        self.hold(ticket, is_permitted);
        Ok(())
    }

    /// Checks whether the capsule may be read by now; if not, exchanges it for a fragment.
    fn wait(&mut self, held: Held) -> Result<(), PopError> {
        if self.queue.finished.allows(held.ticket.position) {
            self.held = Some(Held { is_permitted: true, ..held });
            return Ok(());
        }
        if !self.take_fragment() {
            return Err(PopError::Busy);
        }
        self.leave_fragment(held.ticket, SlotContent { read: 0, ..held.content });
        Ok(())
    }

    /// Takes the oldest fragment if it may be read. Returns whether it did.
    fn take_fragment(&mut self) -> bool {
        let Shared { fragments, finished, .. } = &*self.queue;
        let taken = match fragments.any() {
            true => fragments.remove(finished.near(), |position| finished.allows(position)),
            false => None,
        };
        if let Some(ticket) = taken {
            self.hold(ticket, true);
        }
        taken.is_some()
    }

    /// Starts with the capsule in a slot that is this consumer's.
    fn hold(&mut self, ticket: Ticket, is_permitted: bool) {
        // SAFETY: the slot is this consumer's.
        let content = unsafe { self.queue.take(ticket) };
        self.entries = self.queue.capsules.entries(content.id);
        (self.read, self.limit, self.end) = (content.read, content.read, self.queue.capsules.size);
        self.held = Some(Held { ticket, content, is_permitted, found: Stock::NOTHING });
    }

    /// Leaves a capsule that is at its end.
    fn leave(&mut self, held: Held) {
        let SlotContent { id, spare, .. } = held.content;
        let Shared { capsules, .. } = &*self.queue;
        let is_full = held.found.count == capsules.size;
        let producer_left = is_full || held.found.producer_left || capsules.capsule(id).leave_as_consumer();
        self.give_back(held.ticket, if producer_left { id } else { spare });
    }

    /// Gives the slot back with a capsule in it.
    fn give_back(&mut self, ticket: Ticket, id: usize) {
        self.held = None;
        (self.read, self.limit) = (0, 0);
        // SAFETY: the slot is this consumer's.
        unsafe { self.queue.put(ticket, SlotContent { id, spare: id, base: 0, read: 0 }) };
        self.queue.finished.finish(ticket.position);
        // SAFETY: reserved by this consumer, or by the one whose fragment it was.
        unsafe { self.queue.tube.consume(ticket) };
    }

    /// Leaves a capsule to the other consumers.
    fn leave_fragment(&self, ticket: Ticket, content: SlotContent) {
        // SAFETY: the slot is this consumer's.
        unsafe { self.queue.put(ticket, content) };
        self.queue.fragments.insert(ticket);
    }

    /// Gives up the capsule.
    fn give_up(&mut self, mut held: Held) {
        if held.is_permitted {
            let Shared { capsules, .. } = &*self.queue;
            held.found = capsules.capsule(held.content.id).look(held.content.base);
            let is_at_end = held.found.is_closed || held.found.count == capsules.size;
            if is_at_end && self.read == held.found.count {
                return self.leave(held);
            }
        }
        self.leave_fragment(held.ticket, SlotContent { read: self.read, ..held.content });
    }
}

/// Maps a tube's refusal to `PopError`.
fn error(nothing: Nothing) -> PopError {
    match nothing {
        Nothing::Empty => PopError::Empty,
        Nothing::Busy | Nothing::Refused => PopError::Busy,
    }
}

impl<T, U: Tube> Drop for Consumer<T, U> {
    fn drop(&mut self) {
        self.pause();
        self.queue.unregister_consumer();
    }
}

impl<T, U: Tube> fmt::Debug for Consumer<T, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consumer").finish_non_exhaustive()
    }
}

crate::queue::implement! {
    [T, U: Tube] Consumer<T, U>, T: Pop Drain;
    [T: Copy, U: Tube] Consumer<T, U>, T: PopSlice;
}
