//! The batched Lamport queue (BLQ): exactly bounded, with slices in place.
//!
//! **Unstable**: a release may change this module, or remove it.
//!
//! Its slots are adjacent, so the free and the filled part can be used in place as slices: two
//! slices if the ring wraps between them, always one in a mirrored ring ([`mirrored`]).
//!
//! # Guarantees
//! Every operation is wait-free.
//!
//! # Design and proof
//! Maffione, Lettieri and Rizzo (2018), section 3.3, figures 5 to 7. It is the lazy Lamport queue
//! with batches: one store of the shared index publishes many items, or gives back many slots. A
//! single `push` or `pop` is a batch of one. An item in a batch of B costs 1/K + 1/B + 1/N misses
//! if the producer is faster, (2 + (B-1)/K) / B + 1/N if the consumer is.

use super::indexed::Indexed;
use super::raw;
use super::slots::{SlotArray, SlotCursor};
use crate::error::{CapacityError, PopError, PushError};
use crate::heap::End;
use crate::isolated::LINE;
use crate::sync::{Cell, Ordering};

/// The producer's handle of [`new`].
pub type Producer<T> = super::Producer<RawProducer<T>>;
/// The consumer's handle of [`new`].
pub type Consumer<T> = super::Consumer<RawConsumer<T>>;

/// Makes a queue for exactly `capacity` items.
///
/// # Errors
/// [`CapacityError`] if `capacity` is 0, or its bytes overflow, or there is no memory.
///
/// # Examples
/// ```
/// let (mut producer, mut consumer) = aqueduct::spsc::batched_lamport::new(8)?;
/// let mut batch = producer.batch(3);
/// for item in [1, 2, 3] {
///     batch.push(item)?;
/// }
/// batch.publish();
/// assert_eq!(consumer.batch(8).collect::<Vec<_>>(), [1, 2, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn new<T: Send>(capacity: usize) -> Result<(Producer<T>, Consumer<T>), CapacityError> {
    starting_at(capacity, 0)
}

/// Makes a queue whose indices start at `index`, for tests near their end.
#[doc(hidden)]
pub fn starting_at<T: Send>(capacity: usize, index: usize) -> Result<(Producer<T>, Consumer<T>), CapacityError> {
    on_slots(SlotArray::for_values(capacity, unused::<T>())?, capacity, index)
}

/// Makes a queue whose free and filled slots are always one slice each.
///
/// Its pages are mapped twice, one copy right behind the other (Maffione, Lettieri and Rizzo, 2018,
/// section 2.2). It takes whole pages: bytes are rounded up to a common multiple of the item's size
/// and the page's. `capacity` stays the number that was asked for.
///
/// The pages belong to this process. A child made by `fork` does not have them: there, a
/// segmentation fault ends the child at a push or a pop, and dropping the handles does nothing. The
/// parent's queue is not affected.
///
/// # Errors
/// The errors of [`new`]; also [`CapacityError::Mirror`] if the system is not Linux or refuses the
/// mapping, or the items have no size or need more alignment than a page has.
pub fn mirrored<T: Send>(capacity: usize) -> Result<(Producer<T>, Consumer<T>), CapacityError> {
    on_slots(SlotArray::mirrored(capacity, unused::<T>())?, capacity, 0)
}

/// Returns K, the number of slots that stay unused.
fn unused<T>() -> usize {
    LINE.div_ceil(size_of::<T>().max(1))
}

fn on_slots<T: Send>(
    slots: SlotArray<Cell<T>>,
    capacity: usize,
    index: usize,
) -> Result<(Producer<T>, Consumer<T>), CapacityError> {
    let (producer, consumer, cursor) = Indexed::ends(slots, index)?;
    let producer = RawProducer { write_priv: index, read_shadow: index, cursor, capacity, queue: producer };
    let consumer =
        RawConsumer { read_priv: index, released: index, write_shadow: index, cursor, capacity, queue: consumer };
    Ok((super::Producer::new(producer), super::Consumer::new(consumer)))
}

/// The producer's private state (group D).
pub struct RawProducer<T> {
    /// The shared `write`, plus the items that have been written and not published.
    write_priv: usize,
    /// The value of the shared `read` that this end saw last.
    read_shadow: usize,
    cursor: SlotCursor<Cell<T>>,
    capacity: usize,
    queue: End<Indexed<T>>,
}

impl<T> raw::RawProducer for RawProducer<T> {
    type Item = T;

    #[inline(always)]
    fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        use raw::RawBatchProducer;
        if self.space(1) == 0 {
            return Err(PushError::Full(item));
        }
        // SAFETY: there is space for one item, so the slot is free and this end's.
        unsafe { self.cursor.slot().write(item) };
        self.cursor.step();
        self.write_priv = self.write_priv.wrapping_add(1);
        self.publish();
        Ok(())
    }

    fn push_slice(&mut self, items: &[T]) -> usize
    where
        T: Copy,
    {
        raw::copy_in(self, items)
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn len(&self) -> usize {
        self.queue.len_for_producer(self.write_priv)
    }

    fn is_closed(&self) -> bool {
        self.queue.is_alone()
    }
}

impl<T> raw::RawBatchProducer for RawProducer<T> {
    #[inline(always)]
    fn space(&mut self, wanted: usize) -> usize {
        let space = self.capacity - self.write_priv.wrapping_sub(self.read_shadow);
        if space >= wanted {
            return space;
        }
        // Ordering: Acquire pairs with the Release store of `read` in `release`; without it, writes
        // to the slots race with the consumer's reads of the items before.
        self.read_shadow = self.queue.read.load(Ordering::Acquire);
        self.capacity - self.write_priv.wrapping_sub(self.read_shadow)
    }

    #[inline(always)]
    unsafe fn free_run(&mut self, most: usize) -> raw::Run<Cell<T>> {
        raw::Run { slot: self.cursor.as_ptr(), len: self.cursor.run().min(most) }
    }

    #[inline(always)]
    unsafe fn written(&mut self, count: usize) {
        self.cursor.advance(count);
        self.write_priv = self.write_priv.wrapping_add(count);
    }

    #[inline(always)]
    fn publish(&mut self) {
        // Ordering: Release pairs with the Acquire load of `write` in `available`; without it, the
        // consumer reads slots that are not written yet.
        self.queue.write.store(self.write_priv, Ordering::Release);
    }
}

/// The consumer's private state (group E).
pub struct RawConsumer<T> {
    /// The shared `read`, plus the items that have been read and whose slots have not been given
    /// back.
    read_priv: usize,
    /// The shared `read`.
    released: usize,
    /// The value of the shared `write` that this end saw last.
    write_shadow: usize,
    cursor: SlotCursor<Cell<T>>,
    capacity: usize,
    queue: End<Indexed<T>>,
}

impl<T> raw::RawConsumer for RawConsumer<T> {
    type Item = T;

    #[inline(always)]
    fn pop(&mut self) -> Result<T, PopError> {
        use raw::RawBatchConsumer;
        if self.available(1) == 0 {
            return Err(PopError::Empty);
        }
        // SAFETY: one item is available, and the producer leaves its slot alone until `release`
        // gives it back.
        let item = unsafe { self.cursor.slot().take() };
        self.cursor.step();
        self.read_priv = self.read_priv.wrapping_add(1);
        self.release();
        Ok(item)
    }

    fn pop_slice(&mut self, items: &mut [T]) -> usize
    where
        T: Copy,
    {
        raw::copy_out(self, items)
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn len(&self) -> usize {
        self.queue.len_for_consumer(self.read_priv)
    }

    fn is_closed(&self) -> bool {
        self.queue.is_alone()
    }
}

impl<T> raw::RawBatchConsumer for RawConsumer<T> {
    type Slot = Cell<T>;

    #[inline(always)]
    fn available(&mut self, wanted: usize) -> usize {
        let available = self.write_shadow.wrapping_sub(self.read_priv);
        if available >= wanted {
            return available;
        }
        // Ordering: Acquire pairs with the Release store of `write` in `publish`: the items come
        // with it.
        self.write_shadow = self.queue.write.load(Ordering::Acquire);
        let available = self.write_shadow.wrapping_sub(self.read_priv);
        // In an empty queue, the slots of a forgotten batch are given back here. The next batch
        // would do so, but it may never come, because the producer may be waiting for these slots.
        // All items that count as read have been taken by then.
        if available == 0 && self.released != self.read_priv {
            self.release();
        }
        available
    }

    #[inline(always)]
    fn filled_run(&mut self, most: usize) -> raw::Run<Cell<T>> {
        let len = self.available(1).min(self.cursor.run()).min(most);
        raw::Run { slot: self.cursor.as_ptr(), len }
    }

    #[inline(always)]
    unsafe fn take(slot: &Cell<T>) -> T {
        // SAFETY: the caller's promise.
        unsafe { slot.take() }
    }

    #[inline(always)]
    unsafe fn read(&mut self, count: usize) {
        self.cursor.advance(count);
        self.read_priv = self.read_priv.wrapping_add(count);
    }

    #[inline(always)]
    unsafe fn unread(&mut self, count: usize) {
        self.cursor.go_back(count);
        self.read_priv = self.read_priv.wrapping_sub(count);
    }

    #[inline(always)]
    fn release(&mut self) {
        // Ordering: Release pairs with the Acquire load of `read` in `space`: the slots have been
        // read.
        self.queue.read.store(self.read_priv, Ordering::Release);
        self.released = self.read_priv;
    }
}

impl<T> Drop for RawConsumer<T> {
    #[inline(always)]
    fn drop(&mut self) {
        // The slots of a forgotten batch are given back here, so that no end drops their items a
        // second time.
        raw::RawBatchConsumer::release(self);
        // SAFETY: only the consumer touches this cell while it lives.
        unsafe { self.queue.stopped_at.write(self.cursor) }
    }
}
