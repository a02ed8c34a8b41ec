//! What an algorithm offers to the handles that users hold. Sealed: only this crate's queues implement it.
//!
//! The batch operations are the seed's: space, local writes, publish (`blq_enq_space`, `blq_enq_local`,
//! `blq_enq_publish`, section 3.3); available, local reads, release (`blq_deq_*`). State that the paper keeps in
//! the groups D and E (`write_priv`, `read_shadow`, ...) is in the implementing types.

use crate::error::{PopError, PushError};
use crate::sync::Cell;

/// The producing end of an algorithm.
pub trait RawProducer {
    /// What the queue carries.
    type Item;

    /// Adds an item and publishes it.
    fn push(&mut self, item: Self::Item) -> Result<(), PushError<Self::Item>>;
    /// Adds as many items as there is room for; returns how many.
    fn push_slice(&mut self, items: &[Self::Item]) -> usize
    where
        Self::Item: Copy,
    {
        items.iter().take_while(|&&item| self.push(item).is_ok()).count()
    }
    /// What the user asked for.
    fn capacity(&self) -> usize;
    /// Items in the queue, as far as this end can see.
    fn len(&self) -> usize;
    /// Whether a push would fail now.
    fn is_full(&self) -> bool;
    /// Whether the consumer has been dropped.
    fn is_closed(&self) -> bool;
}

/// A producing end that can publish several items at once.
pub trait RawBatchProducer: RawProducer {
    /// Number of slots that can be written before the next publish; looks at the consumer's side only when
    /// fewer than `wanted` are known to be free.
    fn space(&mut self, wanted: usize) -> usize;

    /// The slots that follow the last one written and lie one after the other in memory, `most` at most and at least one.
    ///
    /// # Safety
    /// `most` is not 0 and not more than what is left of the last `space`.
    unsafe fn free_run(&mut self, most: usize) -> Run<Cell<Self::Item>>;

    /// Counts the first `count` slots of the last `free_run` as written.
    ///
    /// # Safety
    /// They are initialised, and part of that run.
    unsafe fn written(&mut self, count: usize);

    /// Shows the consumer all that has been written.
    fn publish(&mut self);
}

/// The consuming end of an algorithm.
pub trait RawConsumer {
    /// What the queue carries.
    type Item;

    /// Takes the oldest item.
    fn pop(&mut self) -> Result<Self::Item, PopError>;
    /// Takes as many items as there are, up to `items.len()`; returns how many.
    fn pop_slice(&mut self, items: &mut [Self::Item]) -> usize
    where
        Self::Item: Copy,
    {
        items.iter_mut().map_while(|item| self.pop().ok().map(|value| *item = value)).count()
    }
    /// What the user asked for.
    fn capacity(&self) -> usize;
    /// Items in the queue, as far as this end can see.
    fn len(&self) -> usize;
    /// Whether a pop would fail now.
    fn is_empty(&self) -> bool;
    /// Whether the producer has been dropped.
    fn is_closed(&self) -> bool;
}

/// A consuming end that can give back several slots at once.
pub trait RawBatchConsumer: RawConsumer {
    /// What a slot is: a [`Cell`] of the item, or a word that stands for it.
    type Slot;

    /// Number of items that can be read: exact up to `wanted`, and at least `wanted` beyond. Looks at the producer's side
    /// only when fewer than `wanted` are known to be there.
    fn available(&mut self, wanted: usize) -> usize;

    /// The filled slots that follow the last one read and lie one after the other in memory, `most` at most. Empty only if
    /// the queue is, or `most` is 0.
    fn filled_run(&mut self, most: usize) -> Run<Self::Slot>;

    /// Moves the item out of a slot.
    ///
    /// # Safety
    /// The slot is part of a filled run, is taken from once, and has not been given back.
    unsafe fn take(slot: &Self::Slot) -> Self::Item;

    /// Counts the first `count` slots of the last `filled_run` as read: nobody else takes from them any more.
    ///
    /// # Safety
    /// `count` is not more than that run's length.
    unsafe fn read(&mut self, count: usize);

    /// Takes back the last `count` of what `read` counted since the last `filled_run`.
    ///
    /// # Safety
    /// As many have been counted, their items are still there, and `release` has not been called since.
    unsafe fn unread(&mut self, count: usize);

    /// Gives back the slots of all that has been read.
    fn release(&mut self);
}

/// Slots that lie one after the other in memory.
#[derive(Debug)]
pub struct Run<S> {
    /// The first slot that is left.
    pub slot: *const S,
    /// How many are left.
    pub len: usize,
}

impl<S> Run<S> {
    /// No slots.
    pub(super) const EMPTY: Self = Self { slot: core::ptr::null(), len: 0 };

    /// The next slot.
    ///
    /// # Safety
    /// One is left, and the queue that the run is of is still there during `'a`.
    #[inline(always)]
    pub(super) unsafe fn next<'a>(&mut self) -> &'a S {
        // SAFETY: a slot is left.
        let slot = unsafe { &*self.slot };
        // SAFETY: at most one past the last.
        self.slot = unsafe { self.slot.add(1) };
        self.len -= 1;
        slot
    }
}

/// `push_slice` where free slots can be written in place.
pub(super) fn copy_in<P: RawBatchProducer>(producer: &mut P, items: &[P::Item]) -> usize
where
    P::Item: Copy,
{
    let mut rest = items;
    while !rest.is_empty() {
        let space = producer.space(rest.len()).min(rest.len());
        if space == 0 {
            break;
        }
        // SAFETY: there is space for so many.
        let mut run = unsafe { producer.free_run(space) };
        let (now, later) = rest.split_at(run.len);
        for &item in now {
            // SAFETY: the run's slots are free, ours, and as many as `now` has items.
            unsafe { run.next().write(item) };
        }
        // SAFETY: all of the run has just been written.
        unsafe { producer.written(now.len()) };
        rest = later;
    }
    if rest.len() != items.len() {
        producer.publish();
    }
    items.len() - rest.len()
}

/// `pop_slice` where items are given back together.
pub(super) fn copy_out<C: RawBatchConsumer>(consumer: &mut C, items: &mut [C::Item]) -> usize
where
    C::Item: Copy,
{
    let mut done = 0;
    while done < items.len() {
        let mut run = consumer.filled_run(items.len() - done);
        let len = run.len;
        if len == 0 {
            break;
        }
        for item in &mut items[done..done + len] {
            // SAFETY: the run has as many filled slots, and each is taken from once.
            *item = unsafe { C::take(run.next()) };
        }
        // SAFETY: the whole run has just been taken.
        unsafe { consumer.read(len) };
        done += len;
    }
    if done != 0 {
        consumer.release();
    }
    done
}
