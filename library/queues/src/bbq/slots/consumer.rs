//! Consumers of items in place, and the items that they read.

use core::fmt;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

use super::super::consumer::{ConsumerSide, SharedConsumerSide, take};
use super::super::memory::{Block, Cursor, Marks, Slot};
use super::super::producer::SlotProducerSide;
use super::Slots;
use crate::backoff::Backoff;
use crate::error::PopError;
use crate::hold::Hold;
use crate::sync::Cell;

/// A consumer's handle of a queue of [slots](super).
///
/// `P` is the producers' side, `C` is [`Single`](super::super::Single) or
/// [`Multi`](super::super::Multi) consumers. With `C` = [`Multi`](super::super::Multi) it can be
/// cloned, one for each thread.
///
/// # Examples
/// ```
/// use aqueduct::bbq::slots::{Item, spmc};
/// use aqueduct::error::PopError;
///
/// let (mut producer, mut consumer) = spmc::new::<[u64; 512]>(100)?;
/// let mut other = consumer.clone();
/// producer.push([1; 512])?;
/// producer.push([2; 512])?;
/// let mut first = consumer.read()?;
/// let second = other.read()?;
/// first[0] += second[511];
/// assert_eq!(first[..2], [3, 1]);
/// drop(first); // Its entry is free again.
/// assert_eq!(Item::take(second), [2; 512]);
/// assert_eq!(consumer.read().map(drop), Err(PopError::Empty));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// An item cannot outlive its consumer:
/// ```compile_fail,E0505
/// let (mut producer, mut consumer) = aqueduct::bbq::slots::spsc::new::<u64>(10)?;
/// producer.push(1)?;
/// let item = consumer.read()?;
/// drop(consumer);
/// println!("{}", *item);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// A reference into an item cannot outlive the item:
/// ```compile_fail,E0505
/// let (mut producer, mut consumer) = aqueduct::bbq::slots::spsc::new::<String>(10)?;
/// producer.push("one".to_owned())?;
/// let item = consumer.read()?;
/// let text: &str = &item;
/// drop(item);
/// println!("{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// A single consumer cannot be cloned:
/// ```compile_fail,E0599
/// let (producer, consumer) = aqueduct::bbq::slots::mpsc::new::<u8>(10)?;
/// let second = consumer.clone();
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
pub struct Consumer<T, P: SlotProducerSide, C: ConsumerSide> {
    state: C::State,
    /// The entry whose item is being read. A forgotten item leaves it here.
    reserved: Option<Cursor>,
    ring: Hold<Slots<T, P, C>>,
}

// SAFETY: a handle is a position in a queue of items that may go from thread to thread.
unsafe impl<T: Send, P: SlotProducerSide, C: ConsumerSide> Send for Consumer<T, P, C> {}
// SAFETY: `&Consumer` gives no access to items.
unsafe impl<T: Send, P: SlotProducerSide, C: ConsumerSide> Sync for Consumer<T, P, C> {}

impl<T, P: SlotProducerSide, C: ConsumerSide> Consumer<T, P, C> {
    pub(super) fn new(state: C::State, ring: Hold<Slots<T, P, C>>) -> Self {
        Self { state, reserved: None, ring }
    }

    /// Returns the oldest item, in place. Dropping it drops the item and gives its entry back.
    ///
    /// An item that was forgotten before is dropped now.
    ///
    /// Wait-free with one consumer, except for dummies that it passes over; lock-free with more.
    /// Producers cannot reuse the item's block until the item is dropped or taken.
    ///
    /// # Errors
    /// [`PopError::Empty`] if there is no item. With many producers, [`PopError::Busy`] if the oldest
    /// slot is neither committed nor cancelled yet.
    ///
    /// # Panics
    /// If the destructor of a forgotten item panics. The item's entry is given back.
    #[inline(always)]
    pub fn read(&mut self) -> Result<Item<'_, T, P, C>, PopError> {
        self.settle();
        loop {
            let reserved = C::reserve_entry(&self.ring, &mut self.state);
            let (at, slot) = reserved.map_err(P::Entries::nothing)?;
            // SAFETY: found committed, and reserved.
            if unsafe { P::Entries::is_dummy(slot.line, slot.number) } {
                C::consume(&*self.ring, C::block(&self.state), at, 1);
                continue;
            }
            self.reserved = Some(at);
            return Ok(Item { consumer: self, at, slot });
        }
    }

    /// Takes the oldest item out.
    ///
    /// # Errors
    /// [`PopError`], for the reasons of [`read`](Self::read).
    #[inline(always)]
    pub fn pop(&mut self) -> Result<T, PopError> {
        self.read().map(Item::take)
    }

    /// Drops an item that was forgotten.
    #[inline(always)]
    fn settle(&mut self) {
        if let Some(at) = self.reserved {
            self.drop_forgotten(at);
        }
    }

    #[cold]
    #[inline(never)]
    fn drop_forgotten(&mut self, at: Cursor) {
        // SAFETY: an entry of the block, which was reserved last.
        let slot = unsafe { self.ring.entry(C::block(&self.state), at.offset()) };
        // SAFETY: reserved, and not given back.
        unsafe { self.drop_in_place(at, slot) };
    }

    /// Drops the item that is being read, and gives its entry back, also if the destructor panics.
    ///
    /// # Safety
    /// The entry is reserved, at `slot`, and holds an item.
    #[inline(always)]
    unsafe fn drop_in_place(&mut self, at: Cursor, slot: Slot) {
        self.reserved = None;
        let _consume = Consume::<T, P, C> { ring: &self.ring, block: C::block(&self.state), at };
        // SAFETY: the caller's promise; the item is not used again.
        unsafe { Cell::drop_values(slot.entry.cast::<Cell<T>>().as_ptr(), 1) };
    }

    /// Returns the number of entries in use, exact while no operation is in progress.
    ///
    /// Items that are being read do not count. Dummies do, and, with many producers, slots that are
    /// reserved. Beside other operations it is a value of a recent moment.
    ///
    /// # Examples
    /// ```
    /// let (mut producer, mut consumer) = aqueduct::bbq::slots::mpsc::new(100)?;
    /// producer.push(1)?;
    /// producer.reserve()?.cancel();
    /// assert_eq!((consumer.len(), consumer.is_empty()), (2, false));
    /// drop(consumer.read()?);
    /// assert_eq!((consumer.len(), consumer.is_empty()), (1, true));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.ring.used(C::place(&*self.ring, &self.state))
    }

    /// Whether a read would return no item now, because there is none or the oldest slot is not
    /// committed yet.
    ///
    /// If `false`, a single consumer succeeds in its next read. With many consumers, something was
    /// there at one moment during the call: an item, which another consumer may take, or a dummy.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        if !C::ALONE {
            return C::is_empty(&*self.ring, &self.state);
        }
        let mut place = C::place(&*self.ring, &self.state);
        while let Some((head, at)) = self.ring.next_there(place) {
            // SAFETY: an entry of the block; it is committed, and its only consumer has not given
            // it back.
            let is_dummy = unsafe {
                let slot = self.ring.entry(self.ring.at(head), at.offset());
                P::Entries::is_dummy(slot.line, slot.number)
            };
            if !is_dummy {
                return false;
            }
            place = (head, at.plus(1));
        }
        true
    }

    /// Sets whether this handle backs off when it is close behind the producers or has lost a race.
    ///
    /// Handles cloned from it inherit the setting.
    pub fn set_backoff(&mut self, backoff: Backoff) {
        C::set_backoff(&mut self.state, backoff);
    }

    /// Returns the capacity that was asked for.
    ///
    /// This number of items always fits. A few more may. A dummy takes an item's room.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.ring.capacity
    }

    /// Whether all producers have been dropped. The queue then receives no further items.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.ring.is_alone()
    }
}

/// Gives an entry back when it is dropped.
struct Consume<'a, T, P: SlotProducerSide, C: ConsumerSide> {
    ring: &'a Slots<T, P, C>,
    block: NonNull<Block>,
    at: Cursor,
}

impl<T, P: SlotProducerSide, C: ConsumerSide> Drop for Consume<'_, T, P, C> {
    #[inline(always)]
    fn drop(&mut self) {
        C::consume(self.ring, self.block, self.at, 1);
    }
}

impl<T, P: SlotProducerSide, C: SharedConsumerSide> Clone for Consumer<T, P, C> {
    fn clone(&self) -> Self {
        Self { state: self.state, reserved: None, ring: self.ring.clone() }
    }
}

impl<T, P: SlotProducerSide, C: ConsumerSide> Drop for Consumer<T, P, C> {
    /// Leaves first: the destructor of a forgotten item may panic, and the place is behind that
    /// item.
    fn drop(&mut self) {
        C::leave(&*self.ring, &self.state);
        self.settle();
    }
}

impl<T, P: SlotProducerSide, C: ConsumerSide> fmt::Debug for Consumer<T, P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consumer").field("capacity", &self.capacity()).finish_non_exhaustive()
    }
}

/// An item, in place in the queue.
///
/// Dropping it drops the item, where it lies, and gives its entry back. [`Item::take`] moves it
/// out.
///
/// # Examples
/// ```
/// use aqueduct::bbq::slots::{Item, spsc};
///
/// let (mut producer, mut consumer) = spsc::new(10)?;
/// producer.push(String::from("one"))?;
/// producer.push(String::from("two"))?;
/// let mut item = consumer.read()?;
/// item.push('!');
/// assert_eq!(*item, "one!");
/// drop(item);
/// assert_eq!(Item::take(consumer.read()?), "two");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "peek")]
#[doc(alias = "pop_ref")]
#[doc(alias = "read_chunk")]
pub struct Item<'a, T, P: SlotProducerSide, C: ConsumerSide> {
    consumer: &'a mut Consumer<T, P, C>,
    at: Cursor,
    slot: Slot,
}

// SAFETY: an item and its consumer's handle, both of which may go from thread to thread.
unsafe impl<T: Send, P: SlotProducerSide, C: ConsumerSide> Send for Item<'_, T, P, C> {}
// SAFETY: `&Item` gives `&T`, and no access to the handle.
unsafe impl<T: Send + Sync, P: SlotProducerSide, C: ConsumerSide> Sync for Item<'_, T, P, C> {}

impl<T, P: SlotProducerSide, C: ConsumerSide> Item<'_, T, P, C> {
    #[inline(always)]
    fn cell(&self) -> NonNull<Cell<T>> {
        self.slot.entry.cast()
    }

    /// Moves the item out, and gives its entry back. (It is called `Item::take(item)`, because the
    /// item may have a method of that name.)
    #[inline(always)]
    pub fn take(this: Self) -> T {
        // Nothing is left to be dropped in place.
        this.consumer.reserved = None;
        // SAFETY: reserved, and committed before.
        unsafe { take(&this.consumer.ring, C::block(&this.consumer.state), this.at, this.slot) }
    }
}

impl<T, P: SlotProducerSide, C: ConsumerSide> Deref for Item<'_, T, P, C> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the entry is reserved, holds an item, and is this guard's alone.
        unsafe { &Cell::filled(self.cell().as_ptr(), 1)[0] }
    }
}

impl<T, P: SlotProducerSide, C: ConsumerSide> DerefMut for Item<'_, T, P, C> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the entry is reserved, holds an item, and is this guard's alone.
        unsafe { Cell::free(self.cell().as_ptr(), 1)[0].assume_init_mut() }
    }
}

impl<T, P: SlotProducerSide, C: ConsumerSide> Drop for Item<'_, T, P, C> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.consumer.reserved.is_some() {
            // SAFETY: reserved, with an item.
            unsafe { self.consumer.drop_in_place(self.at, self.slot) };
        }
    }
}

impl<T: fmt::Debug, P: SlotProducerSide, C: ConsumerSide> fmt::Debug for Item<'_, T, P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Item").field(&**self).finish()
    }
}

crate::queue::implement! {
    [T, P: SlotProducerSide, C: ConsumerSide] Consumer<T, P, C>, T: Pop Closed Drain Len;
}
