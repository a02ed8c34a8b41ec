//! The interface of an algorithm to the handles. Sealed: only this crate's queues implement it.
//!
//! The batch operations are those of Maffione, Lettieri and Rizzo (2018): space, local writes,
//! publish (`blq_enq_space`, `blq_enq_local`, `blq_enq_publish`, section 3.3); available, local
//! reads, release (`blq_deq_*`). The implementing types hold the state that the paper keeps in the
//! groups D and E (`write_priv`, `read_shadow`, ...).

use crate::error::{PopError, PushError};
use crate::sync::Cell;

/// The producer's end of an algorithm.
pub trait RawProducer {
    /// The type of the queue's items.
    type Item;

    /// Adds an item and publishes it.
    fn push(&mut self, item: Self::Item) -> Result<(), PushError<Self::Item>>;
    /// Adds as many items as there is room for, and returns their number.
    fn push_slice(&mut self, items: &[Self::Item]) -> usize
    where
        Self::Item: Copy,
    {
        items.iter().take_while(|&&item| self.push(item).is_ok()).count()
    }
    /// Returns the capacity that was asked for.
    fn capacity(&self) -> usize;
    /// Returns the number of items in the queue, as far as this end can see.
    fn len(&self) -> usize;
    /// Whether a push would fail now.
    fn is_full(&self) -> bool {
        self.len() == self.capacity()
    }
    /// Whether the consumer has been dropped.
    fn is_closed(&self) -> bool;
}

/// A producer's end that can publish several items at once.
pub trait RawBatchProducer: RawProducer {
    /// Returns the number of slots that can be written before the next publish.
    ///
    /// It reads the consumer's side only if fewer than `wanted` slots are known to be free.
    fn space(&mut self, wanted: usize) -> usize;

    /// Returns the adjacent slots that follow the last one written, from one to `most` of them.
    ///
    /// # Safety
    /// `most` is not 0 and not more than the rest of the last `space`.
    unsafe fn free_run(&mut self, most: usize) -> Run<Cell<Self::Item>>;

    /// Counts the first `count` slots of the last `free_run` as written.
    ///
    /// # Safety
    /// The slots are initialised, and part of that run.
    unsafe fn written(&mut self, count: usize);

    /// Publishes all written items to the consumer.
    fn publish(&mut self);
}

/// The consumer's end of an algorithm.
pub trait RawConsumer {
    /// The type of the queue's items.
    type Item;

    /// Takes the oldest item.
    fn pop(&mut self) -> Result<Self::Item, PopError>;
    /// Takes up to `items.len()` items, and returns their number.
    fn pop_slice(&mut self, items: &mut [Self::Item]) -> usize
    where
        Self::Item: Copy,
    {
        items.iter_mut().map_while(|item| self.pop().ok().map(|value| *item = value)).count()
    }
    /// Returns the capacity that was asked for.
    fn capacity(&self) -> usize;
    /// Returns the number of items in the queue, as far as this end can see.
    fn len(&self) -> usize;
    /// Whether a pop would fail now.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Whether the producer has been dropped.
    fn is_closed(&self) -> bool;
}

/// A consumer's end that can give back several slots at once.
pub trait RawBatchConsumer: RawConsumer {
    /// The type of a slot: a [`Cell`] of the item, or a word that stands for it.
    type Slot;

    /// Returns the number of items that can be read.
    ///
    /// Exact up to `wanted`; beyond that, at least `wanted`. It reads the producer's side only if
    /// fewer than `wanted` items are known.
    fn available(&mut self, wanted: usize) -> usize;

    /// Returns the adjacent filled slots that follow the last one read, at most `most`.
    ///
    /// The run is empty only if the queue is, or `most` is 0.
    fn filled_run(&mut self, most: usize) -> Run<Self::Slot>;

    /// Moves the item out of a slot.
    ///
    /// # Safety
    /// The slot is part of a filled run, is taken from once, and has not been given back.
    unsafe fn take(slot: &Self::Slot) -> Self::Item;

    /// Counts the first `count` slots of the last `filled_run` as read, so that no other call takes
    /// from them.
    ///
    /// # Safety
    /// `count` is not more than that run's length.
    unsafe fn read(&mut self, count: usize);

    /// Takes back the last `count` slots that `read` counted since the last `filled_run`.
    ///
    /// # Safety
    /// As many slots have been counted, their items have not been taken, and `release` has not been
    /// called since.
    unsafe fn unread(&mut self, count: usize);

    /// Gives back the slots of all items that have been read.
    fn release(&mut self);
}

/// Slots that are adjacent in memory.
#[derive(Debug)]
pub struct Run<S> {
    /// The first slot that is left.
    pub slot: *const S,
    /// The number of slots that are left.
    pub len: usize,
}

impl<S> Run<S> {
    /// A run of no slots.
    pub(super) const EMPTY: Self = Self { slot: core::ptr::null(), len: 0 };

    /// Returns the next slot.
    ///
    /// # Safety
    /// One is left, and its queue is alive during `'a`.
    #[inline(always)]
    pub(super) unsafe fn next<'a>(&mut self) -> &'a S {
        // SAFETY: a slot is left.
        let slot = unsafe { &*self.slot };
        // SAFETY: the pointer is at most one past the last slot.
        self.slot = unsafe { self.slot.add(1) };
        self.len -= 1;
        slot
    }
}

/// Implements `push_slice` for queues whose free slots can be written in place.
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
        // SAFETY: `space` slots are free.
        let mut run = unsafe { producer.free_run(space) };
        let (now, later) = rest.split_at(run.len);
        for &item in now {
            // SAFETY: the run's slots are free, the producer's, and as many as `now` has items.
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

/// Implements `pop_slice` for queues whose slots are given back together.
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
