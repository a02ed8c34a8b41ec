//! The path from one producer to one consumer: the interface of a queue here.

use aqueduct::bbq::{Consumer, ConsumerSide, Producer, ProducerSide};

use aqueduct_measure::run::{GivenUp, Run};

/// The pushing side.
pub(super) trait Tx<T: Copy>: Send {
    /// Pushes one item. Returns whether the queue had room.
    fn push(&mut self, item: T) -> bool;

    /// Pushes the first of `items`, until the queue is full, and returns their number.
    fn push_slice(&mut self, items: &[T]) -> usize;
}

/// The popping side.
pub(super) trait Rx<T: Copy>: Send {
    /// Returns the oldest item, if there is one.
    fn pop(&mut self) -> Option<T>;

    /// Takes up to `items.len()` items to the front of `items`, and returns their number.
    fn pop_slice(&mut self, items: &mut [T]) -> usize;
}

impl<T: Copy + Send, P: ProducerSide, C: ConsumerSide> Tx<T> for Producer<T, P, C> {
    #[inline(always)]
    fn push(&mut self, item: T) -> bool {
        Producer::push(self, item).is_ok()
    }

    #[inline(always)]
    fn push_slice(&mut self, items: &[T]) -> usize {
        Producer::push_slice(self, items)
    }
}

impl<T: Copy + Send, P: ProducerSide, C: ConsumerSide> Rx<T> for Consumer<T, P, C> {
    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        Consumer::pop(self).ok()
    }

    #[inline(always)]
    fn pop_slice(&mut self, items: &mut [T]) -> usize {
        Consumer::pop_slice(self, items)
    }
}

/// Pushes all of `items`, by a single push if it is one item.
#[inline(always)]
pub(super) fn push_all<T: Copy>(to: &mut impl Tx<T>, items: &[T], run: &Run) -> Result<(), GivenUp> {
    let (mut left, mut failures) = (items, 0);
    while !left.is_empty() {
        let pushed = match left {
            [only] if items.len() == 1 => usize::from(to.push(*only)),
            _ => to.push_slice(left),
        };
        if pushed == 0 {
            failures += 1;
            run.failed(failures)?;
        } else {
            failures = 0;
            left = &left[pushed..];
        }
    }
    Ok(())
}

/// Waits for at least one item, and takes up to `items.len()`; by a single pop if that is one.
#[inline(always)]
pub(super) fn pop_some<T: Copy>(from: &mut impl Rx<T>, items: &mut [T], run: &Run) -> Result<usize, GivenUp> {
    let mut failures = 0;
    loop {
        let popped = match items {
            [only] => from.pop().map(|item| *only = item).is_some().into(),
            _ => from.pop_slice(items),
        };
        if popped > 0 {
            return Ok(popped);
        }
        failures += 1;
        run.failed(failures)?;
    }
}
