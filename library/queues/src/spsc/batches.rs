//! The traits of handles with batches, for code that works with any of them.

use super::raw::{RawBatchConsumer, RawBatchProducer};
use super::{Consumer, Producer, ReadBatch, WriteBatch};
use crate::queue::{Pop, Push};
use crate::sync::Cell;

/// A producer that publishes several items at once.
///
/// # Examples
/// ```
/// use aqueduct::spsc::{PopBatch, PushBatch};
///
/// /// Moves up to `most` items from one queue to another.
/// fn relay<T>(from: &mut impl PopBatch<Item = T>, to: &mut impl PushBatch<Item = T>, most: usize) -> usize {
///     let count = from.available(most).min(most);
///     // The batch has room for fewer items if the queue has.
///     to.batch(count).fill(from.batch(count))
/// }
///
/// let (mut producer, mut input) = aqueduct::spsc::ring::new(100)?;
/// let (mut output, consumer) = aqueduct::spsc::batched_lamport::new(100)?;
/// assert_eq!(producer.push_slice(&[1, 2, 3]), 3);
/// assert_eq!(relay(&mut input, &mut output, 2), 2);
/// assert_eq!((input.len(), consumer.len()), (1, 2));
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
pub trait PushBatch: Push {
    /// The algorithm, as the handle's type names it.
    type Algorithm: RawBatchProducer<Item = Self::Item>;

    /// Starts a batch, with room for `wanted` items if the queue has it.
    fn batch(&mut self, wanted: usize) -> WriteBatch<'_, Self::Algorithm>;
}

/// A consumer that gives back several slots at once. [`PushBatch`] has an example.
pub trait PopBatch: Pop {
    /// The algorithm, as the handle's type names it.
    type Algorithm: RawBatchConsumer<Item = Self::Item>;

    /// Returns how many items can be popped now: exact up to `wanted`; beyond that, at least
    /// `wanted`.
    fn available(&mut self, wanted: usize) -> usize;

    /// Starts a batch of up to `most` items.
    fn batch(&mut self, most: usize) -> ReadBatch<'_, Self::Algorithm>;
}

/// A consumer that gives access to items in their slots: one item, or a batch's
/// [runs](ReadBatch::run).
///
/// # Examples
/// ```
/// use aqueduct::queue::Pop;
/// use aqueduct::spsc::{Peek, PopBatch};
///
/// /// Drops the items at the front that are less than `bound`.
/// fn skip_less(queue: &mut impl Peek<Item = u32>, bound: u32) {
///     while queue.peek().is_some_and(|&item| item < bound) {
///         let _ = queue.pop();
///     }
///     // A batch shows several items at once.
///     assert!(queue.batch(1).run().iter().all(|&item| item >= bound));
/// }
///
/// let (mut producer, mut consumer) = aqueduct::spsc::ring::new(100)?;
/// assert_eq!(producer.push_slice(&[1, 2, 5, 1]), 4);
/// skip_less(&mut consumer, 3);
/// assert_eq!(consumer.drain().collect::<Vec<_>>(), [5, 1]);
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
pub trait Peek: PopBatch<Algorithm = <Self as Peek>::InPlace> {
    /// The algorithm, whose slots can be read in place.
    type InPlace: RawBatchConsumer<Item = <Self as Pop>::Item, Slot = Cell<<Self as Pop>::Item>>;

    /// Returns the oldest item, left in its place.
    fn peek(&mut self) -> Option<&<Self as Pop>::Item>;
}

impl<R: RawBatchProducer> PushBatch for Producer<R> {
    type Algorithm = R;

    #[inline(always)]
    fn batch(&mut self, wanted: usize) -> WriteBatch<'_, R> {
        self.batch(wanted)
    }
}

impl<R: RawBatchConsumer> PopBatch for Consumer<R> {
    type Algorithm = R;

    #[inline]
    fn available(&mut self, wanted: usize) -> usize {
        self.available(wanted)
    }

    #[inline(always)]
    fn batch(&mut self, most: usize) -> ReadBatch<'_, R> {
        self.batch(most)
    }
}

impl<T, R: RawBatchConsumer<Item = T, Slot = Cell<T>>> Peek for Consumer<R> {
    type InPlace = R;

    #[inline]
    fn peek(&mut self) -> Option<&T> {
        self.peek()
    }
}
