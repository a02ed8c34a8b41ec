//! What an algorithm offers to the handles that users hold. Sealed: only this crate's queues implement it.
//!
//! The batch operations are the seed's: space, local writes, publish (`blq_enq_space`, `blq_enq_local`,
//! `blq_enq_publish`, section 3.3); available, local reads, release (`blq_deq_*`). State that the paper keeps in
//! the groups D and E (`write_priv`, `read_shadow`, ...) is in the implementing types.

use core::mem::MaybeUninit;

use crate::error::{Empty, Full};

/// The producing end of an algorithm.
pub trait RawProducer {
    /// What the queue carries.
    type Item;

    /// Adds an item and publishes it.
    fn push(&mut self, item: Self::Item) -> Result<(), Full<Self::Item>>;
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
    fn is_abandoned(&self) -> bool;
}

/// A producing end that can publish several items at once.
pub trait RawBatchProducer: RawProducer {
    /// Number of slots that can be written before the next publish; looks at the consumer's side only when
    /// fewer than `wanted` are known to be free.
    fn space(&mut self, wanted: usize) -> usize;

    /// Writes an item that the consumer does not see yet.
    ///
    /// # Safety
    /// Fewer items than the last `space` said have been written since.
    unsafe fn write_local(&mut self, item: Self::Item);

    /// Shows the consumer all that has been written.
    fn publish(&mut self);
}

/// A producing end whose free slots can be written in place.
pub trait RawRunProducer: RawBatchProducer {
    /// The slots that follow the last one written and lie one after the other in memory, `most` at most.
    ///
    /// # Safety
    /// `most` is not more than what is left of the last `space`.
    unsafe fn free_run(&mut self, most: usize) -> &mut [MaybeUninit<Self::Item>];

    /// Counts the first `count` slots of the last `free_run` as written.
    ///
    /// # Safety
    /// They are initialised, and part of that run.
    unsafe fn written(&mut self, count: usize);
}

/// The consuming end of an algorithm.
pub trait RawConsumer {
    /// What the queue carries.
    type Item;

    /// Takes the oldest item.
    fn pop(&mut self) -> Result<Self::Item, Empty>;
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
    fn is_abandoned(&self) -> bool;
}

/// A consuming end that can give back several slots at once.
pub trait RawBatchConsumer: RawConsumer {
    /// Number of items that can be read, up to `wanted` or more; looks at the producer's side only when fewer
    /// than `wanted` are known to be there.
    fn available(&mut self, wanted: usize) -> usize;

    /// Takes an item whose slot the producer may not reuse yet.
    ///
    /// # Safety
    /// Fewer items than the last `available` said have been read since.
    unsafe fn read_local(&mut self) -> Self::Item;

    /// Gives back the slots of all that has been read.
    fn release(&mut self);
}

/// A consuming end whose filled slots can be read in place.
pub trait RawRunConsumer: RawBatchConsumer {
    /// The items that follow the last one read and lie one after the other in memory, `most` at most.
    ///
    /// # Safety
    /// `most` is not more than what is left of the last `available`.
    unsafe fn filled_run(&mut self, most: usize) -> &[Self::Item];

    /// Counts the first `count` items of the last `filled_run` as read; the caller has them now.
    ///
    /// # Safety
    /// `count` is not more than that run's length.
    unsafe fn read(&mut self, count: usize);
}

/// `push_slice` where free slots can be written in place.
pub(super) fn copy_in<P: RawRunProducer>(producer: &mut P, items: &[P::Item]) -> usize
where
    P::Item: Copy,
{
    let count = producer.space(items.len()).min(items.len());
    let mut rest = &items[..count];
    while !rest.is_empty() {
        // SAFETY: there is space for `rest`.
        let run = unsafe { producer.free_run(rest.len()) };
        let (now, later) = rest.split_at(run.len());
        run.write_copy_of_slice(now);
        // SAFETY: the whole run has just been written.
        unsafe { producer.written(now.len()) };
        rest = later;
    }
    if count != 0 {
        producer.publish();
    }
    count
}

/// `pop_slice` where filled slots can be read in place.
pub(super) fn copy_out<C: RawRunConsumer>(consumer: &mut C, items: &mut [C::Item]) -> usize
where
    C::Item: Copy,
{
    let count = consumer.available(items.len()).min(items.len());
    let mut rest = &mut items[..count];
    while !rest.is_empty() {
        // SAFETY: as many items as `rest` takes are available.
        let run = unsafe { consumer.filled_run(rest.len()) };
        let len = run.len();
        let (now, later) = rest.split_at_mut(len);
        now.copy_from_slice(run);
        // SAFETY: the whole run has just been copied, and copies need no drop.
        unsafe { consumer.read(len) };
        rest = later;
    }
    if count != 0 {
        consumer.release();
    }
    count
}

/// `push_slice` where items are written one by one and published together.
pub(super) fn write_each<P: RawBatchProducer>(producer: &mut P, items: &[P::Item]) -> usize
where
    P::Item: Copy,
{
    let mut done = 0;
    while done < items.len() {
        let count = producer.space(items.len() - done).min(items.len() - done);
        if count == 0 {
            break;
        }
        for &item in &items[done..done + count] {
            // SAFETY: there is space for `count`.
            unsafe { producer.write_local(item) };
        }
        producer.publish();
        done += count;
    }
    done
}

/// `pop_slice` where items are read one by one and given back together.
pub(super) fn read_each<C: RawBatchConsumer>(consumer: &mut C, items: &mut [C::Item]) -> usize
where
    C::Item: Copy,
{
    let count = consumer.available(items.len()).min(items.len());
    for item in &mut items[..count] {
        // SAFETY: `count` items are available.
        *item = unsafe { consumer.read_local() };
    }
    if count != 0 {
        consumer.release();
    }
    count
}
