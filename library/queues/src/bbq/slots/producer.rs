//! Producers of items in place, and the slots into which they write.

use core::fmt;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

use super::super::consumer::{ConsumerSide, SharedConsumerSide};
use super::super::memory::{Cursor, Marks, line};
use super::super::producer::{ProducerSide, SlotProducerSide};
use super::super::side::Multi;
use super::{Slots, StateOf};
use crate::backoff::Backoff;
use crate::error::PushError;
use crate::hold::Hold;
use crate::sync::Cell;

/// A producer's handle of a queue of [slots](super).
///
/// `P` is [`Single`](super::super::Single) or [`Multi`] producers, `C` is the consumers' side. With
/// `P` = [`Multi`] it can be cloned, one for each thread.
///
/// # Examples
/// ```
/// use aqueduct::bbq::slots::mpmc;
///
/// let (mut producer, mut consumer) = mpmc::new::<[u64; 512]>(100)?;
/// let mut other = producer.clone();
/// producer.reserve()?.write([1; 512]);
/// let slot = other.reserve()?;
/// producer.push([3; 512])?;
/// slot.write([2; 512]);
/// let first_words: Vec<u64> = std::iter::from_fn(|| consumer.read().ok().map(|block| block[0])).collect();
/// assert_eq!(first_words, [1, 2, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Compile errors
/// A second slot is not available before the first one is committed or dropped:
/// ```compile_fail,E0499
/// let (mut producer, _consumer) = aqueduct::bbq::slots::spsc::new::<u64>(10)?;
/// let first = producer.reserve()?;
/// let second = producer.reserve()?;
/// first.write(1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// A slot cannot outlive its producer:
/// ```compile_fail,E0505
/// let (mut producer, _consumer) = aqueduct::bbq::slots::spsc::new::<u64>(10)?;
/// let slot = producer.reserve()?;
/// drop(producer);
/// slot.write(1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// A single producer cannot be cloned:
/// ```compile_fail,E0599
/// let (producer, _consumer) = aqueduct::bbq::slots::spsc::new::<u8>(10)?;
/// let second = producer.clone();
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
/// Items must be able to go to other threads (`Send`):
/// ```compile_fail,E0277
/// let (producer, consumer) = aqueduct::bbq::slots::spsc::new::<std::rc::Rc<u8>>(10)?;
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
pub struct Producer<T, P: SlotProducerSide, C: ConsumerSide> {
    state: StateOf<P>,
    /// The entry that is allocated and not committed yet. A forgotten slot leaves it here.
    allocated: Option<Cursor>,
    ring: Hold<Slots<T, P, C>>,
}

// SAFETY: a handle is a position in a queue of items that may go from thread to thread.
unsafe impl<T: Send, P: SlotProducerSide, C: ConsumerSide> Send for Producer<T, P, C> {}
// SAFETY: `&Producer` gives no access to items.
unsafe impl<T: Send, P: SlotProducerSide, C: ConsumerSide> Sync for Producer<T, P, C> {}

impl<T, P: SlotProducerSide, C: ConsumerSide> Producer<T, P, C> {
    pub(super) fn new(state: StateOf<P>, ring: Hold<Slots<T, P, C>>) -> Self {
        Self { state, allocated: None, ring }
    }

    /// Reserves the next slot, into which an item can be written in place.
    ///
    /// The item comes after all items whose slots were reserved before. There is an item only if
    /// the slot is committed; a slot that is dropped is cancelled. A slot that was forgotten before
    /// is cancelled now.
    ///
    /// Wait-free with one producer; lock-free with more. Consumers cannot pass the slot until it is
    /// committed or cancelled.
    ///
    /// # Errors
    /// [`PushError::Full`] if there is no room. With many consumers [`PushError::Busy`] if one of
    /// them has not yet given back the item that is in the way.
    #[inline(always)]
    pub fn reserve(&mut self) -> Result<Slot<'_, T, P, C>, PushError<()>> {
        self.settle();
        let allocated = P::allocate_entry(&self.ring, &mut self.state);
        let (at, slot) = allocated.map_err(|reason| C::refused((), reason))?;
        self.allocated = Some(at);
        Ok(Slot { producer: self, at, slot })
    }

    /// Adds `item` at the end of the queue.
    ///
    /// # Errors
    /// [`PushError`] gives the item back, for the reasons of [`reserve`](Self::reserve).
    #[inline(always)]
    pub fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        match self.reserve() {
            Ok(slot) => {
                slot.write(item);
                Ok(())
            }
            Err(PushError::Full(())) => Err(PushError::Full(item)),
            Err(PushError::Busy(())) => Err(PushError::Busy(item)),
        }
    }

    /// Cancels a slot that was forgotten.
    #[inline(always)]
    fn settle(&mut self) {
        if let Some(at) = self.allocated {
            self.cancel_forgotten(at);
        }
    }

    #[cold]
    #[inline(never)]
    fn cancel_forgotten(&mut self, at: Cursor) {
        // SAFETY: an entry of the block, which was allocated last.
        let slot = unsafe { self.ring.entry(P::Entries::block(&self.state), at.offset()) };
        // SAFETY: allocated, and not committed.
        unsafe { self.cancel(at, slot) };
    }

    /// Gives the allocated entry back.
    ///
    /// # Safety
    /// It is allocated, not committed, and at `slot`.
    #[inline(always)]
    unsafe fn cancel(&mut self, at: Cursor, slot: line::Slot) {
        self.allocated = None;
        // SAFETY: the caller's promise.
        unsafe { P::cancel(&mut self.state, at, slot) };
    }

    /// Commits the allocated entry.
    ///
    /// # Safety
    /// It is allocated, at `slot`, and holds an item.
    #[inline(always)]
    unsafe fn commit(&mut self, at: Cursor, slot: line::Slot) {
        self.allocated = None;
        // SAFETY: the caller's promise.
        unsafe { P::Entries::commit(slot.line, slot.number, at, 1) };
    }

    /// Sets whether this handle backs off when it has lost a race. Handles cloned from it inherit
    /// the setting.
    pub fn set_backoff(&mut self, backoff: Backoff) {
        P::Entries::set_backoff(&mut self.state, backoff);
    }

    /// Returns the capacity that was asked for.
    ///
    /// This number of items always fits. A few more may. A dummy takes an item's room.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.ring.capacity
    }

    /// Whether all consumers have been dropped. Items that are committed now are dropped with the
    /// queue.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.ring.is_alone()
    }
}

impl<T, P: SlotProducerSide, C: ConsumerSide> Producer<T, P, C> {
    /// Whether a reservation would return [`PushError::Full`] now.
    ///
    /// `true` was certain at one moment during the call. If `false`, a single producer with a
    /// single consumer succeeds in its next reservation. Other producers can still find the queue
    /// full, because of another producer, or busy.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.ring.is_full_at(P::Entries::place(&*self.ring, &self.state))
    }
}

/// `len` and `is_empty` exist if there are many consumers, as for
/// [`bbq`](super::super::Producer::len).
impl<T, P: SlotProducerSide, C: SharedConsumerSide> Producer<T, P, C> {
    /// Returns the number of entries in use, exact while no operation is in progress.
    ///
    /// Slots that are reserved count, and so do dummies. Items that are being read do not. Beside
    /// other operations it is a value of a recent moment.
    #[must_use]
    pub fn len(&self) -> usize {
        // The consumers' place is read first: so it is not ahead of the producers' place.
        let consumers = self.ring.place_of_consumers();
        self.ring.entries_between(consumers, P::Entries::place(&*self.ring, &self.state))
    }

    /// Whether [`len`](Self::len) is 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T, C: ConsumerSide> Clone for Producer<T, Multi, C> {
    fn clone(&self) -> Self {
        Self { state: self.state, allocated: None, ring: self.ring.clone() }
    }
}

impl<T, P: SlotProducerSide, C: ConsumerSide> Drop for Producer<T, P, C> {
    fn drop(&mut self) {
        self.settle();
        P::Entries::leave(&*self.ring, &self.state);
    }
}

impl<T, P: SlotProducerSide, C: ConsumerSide> fmt::Debug for Producer<T, P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Producer").field("capacity", &self.capacity()).finish_non_exhaustive()
    }
}

/// A reserved slot: room for an item in the queue's memory.
///
/// [`write`](Self::write), [`commit`](Self::commit), or [`fill`](Self::fill) and
/// [`Filled::commit`] make it an item. A slot that is dropped, also by a `?` or a panic, is
/// cancelled; [the module](super#what-may-be-left-behind) describes what a cancelled slot leaves
/// behind.
///
/// # Examples
/// An item that is made in place, byte by byte:
/// ```
/// use aqueduct::bbq::slots::spsc;
///
/// let (mut producer, mut consumer) = spsc::new::<[u8; 4096]>(10)?;
/// let mut slot = producer.reserve()?;
/// let block = slot.as_mut_ptr().cast::<u8>();
/// for offset in 0..4096 {
///     // SAFETY: the slot has that many bytes.
///     unsafe { block.add(offset).write(offset as u8) };
/// }
/// // SAFETY: all bytes are written.
/// unsafe { slot.commit() };
/// assert_eq!(consumer.read()?[257], 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// A slot cannot be committed twice:
/// ```compile_fail,E0382
/// let (mut producer, _consumer) = aqueduct::bbq::slots::spsc::new::<u64>(10)?;
/// let slot = producer.reserve()?;
/// slot.write(1);
/// slot.write(2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "grant")]
#[doc(alias = "write_chunk_uninit")]
#[doc(alias = "push_ref")]
#[must_use = "a slot that is not committed is cancelled"]
pub struct Slot<'a, T, P: SlotProducerSide, C: ConsumerSide> {
    producer: &'a mut Producer<T, P, C>,
    at: Cursor,
    slot: line::Slot,
}

// SAFETY: a slot is its producer's handle, and room for an item that may go from thread to thread.
unsafe impl<T: Send, P: SlotProducerSide, C: ConsumerSide> Send for Slot<'_, T, P, C> {}
// SAFETY: `&Slot` gives no access to the room.
unsafe impl<T: Send, P: SlotProducerSide, C: ConsumerSide> Sync for Slot<'_, T, P, C> {}

impl<'a, T, P: SlotProducerSide, C: ConsumerSide> Slot<'a, T, P, C> {
    #[inline(always)]
    fn cell(&self) -> NonNull<Cell<T>> {
        self.slot.entry.cast()
    }

    /// Moves `item` into the slot and commits it.
    #[inline(always)]
    pub fn write(self, item: T) {
        // SAFETY: the entry is this slot's alone.
        unsafe { self.cell().as_ref().write(item) };
        // SAFETY: written.
        unsafe { self.commit() }
    }

    /// Moves `item` into the slot, where it can be changed before it is committed.
    ///
    /// For an item that is made in place by safe code: fill the slot with an empty one, and write
    /// into that.
    ///
    /// # Examples
    /// ```
    /// use std::io::Read;
    /// use aqueduct::bbq::slots::{Filled, spsc};
    ///
    /// let (mut producer, mut consumer) = spsc::new::<[u8; 4096]>(10)?;
    /// let mut file = std::io::repeat(7);
    /// let mut block = producer.reserve()?.fill([0; 4096]);
    /// file.read_exact(&mut *block)?; // An error here would cancel the slot.
    /// Filled::commit(block);
    /// assert_eq!(consumer.read()?[4095], 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline(always)]
    pub fn fill(self, item: T) -> Filled<'a, T, P, C> {
        // SAFETY: the entry is this slot's alone.
        unsafe { self.cell().as_ref().write(item) };
        Filled { slot: self }
    }

    /// Returns the room for the item. Its bytes are uninitialised, or those of an older item.
    #[inline(always)]
    pub fn uninit(&mut self) -> &mut MaybeUninit<T> {
        // SAFETY: the entry is this slot's alone, as long as the slot is there.
        unsafe { &mut Cell::free(self.cell().as_ptr(), 1)[0] }
    }

    /// Returns the address of the room for the item, to write it through.
    #[inline(always)]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.uninit().as_mut_ptr()
    }

    /// Commits the slot, whose item was written in place.
    ///
    /// # Safety
    /// A whole and valid `T` has been written to [`uninit`](Self::uninit) or through
    /// [`as_mut_ptr`](Self::as_mut_ptr).
    #[inline(always)]
    pub unsafe fn commit(self) {
        // Nothing is left for the drop to cancel.
        // SAFETY: allocated; the caller has written the item.
        unsafe { self.producer.commit(self.at, self.slot) };
    }

    /// Gives the slot back without an item, as dropping it does.
    #[inline(always)]
    pub fn cancel(self) {}
}

impl<T, P: SlotProducerSide, C: ConsumerSide> Drop for Slot<'_, T, P, C> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.producer.allocated.is_some() {
            // SAFETY: allocated, and not committed.
            unsafe { self.producer.cancel(self.at, self.slot) };
        }
    }
}

impl<T, P: SlotProducerSide, C: ConsumerSide> fmt::Debug for Slot<'_, T, P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot").finish_non_exhaustive()
    }
}

/// A slot with an item that is not committed yet. [`Slot::fill`] makes it.
///
/// If it is dropped, also by a `?` or a panic, the item is dropped and the slot is cancelled.
#[must_use = "a slot that is not committed is cancelled"]
pub struct Filled<'a, T, P: SlotProducerSide, C: ConsumerSide> {
    slot: Slot<'a, T, P, C>,
}

// SAFETY: a filled slot is its producer's handle, and an item.
unsafe impl<T: Sync + Send, P: SlotProducerSide, C: ConsumerSide> Sync for Filled<'_, T, P, C> {}

impl<T, P: SlotProducerSide, C: ConsumerSide> Filled<'_, T, P, C> {
    /// Commits the item. (It is called `Filled::commit(slot)`, because the item may have a method
    /// of that name.)
    #[inline(always)]
    pub fn commit(this: Self) {
        let this = ManuallyDrop::new(this);
        // SAFETY: the slot moves out, once.
        let slot = unsafe { core::ptr::read(&raw const this.slot) };
        // SAFETY: filled.
        unsafe { slot.commit() }
    }
}

impl<T, P: SlotProducerSide, C: ConsumerSide> Deref for Filled<'_, T, P, C> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the entry is this slot's alone, and holds an item.
        unsafe { &Cell::filled(self.slot.cell().as_ptr(), 1)[0] }
    }
}

impl<T, P: SlotProducerSide, C: ConsumerSide> DerefMut for Filled<'_, T, P, C> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the slot holds an item.
        unsafe { self.slot.uninit().assume_init_mut() }
    }
}

impl<T, P: SlotProducerSide, C: ConsumerSide> Drop for Filled<'_, T, P, C> {
    /// Drops the item; the slot is cancelled after that, even if the destructor panics.
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the entry is this slot's alone, and its item is not used again.
        unsafe { Cell::drop_values(self.slot.cell().as_ptr(), 1) };
    }
}

impl<T: fmt::Debug, P: SlotProducerSide, C: ConsumerSide> fmt::Debug for Filled<'_, T, P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Filled").field(&**self).finish()
    }
}

crate::queue::implement! {
    [T, P: SlotProducerSide, C: ConsumerSide] Producer<T, P, C>, T: Push Closed;
    [T, P: SlotProducerSide, C: ConsumerSide] Producer<T, P, C>, T: Full;
    [T, P: SlotProducerSide, C: SharedConsumerSide] Producer<T, P, C>, T: Len;
}
