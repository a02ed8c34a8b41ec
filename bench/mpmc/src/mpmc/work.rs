//! The work of threads besides pushing and popping.
//!
//! The loops around the queues are written once, in [`stream`](super::stream). A workload decides
//! how an item is made from its number, how a number is taken out of an item, and what happens
//! around each call. All of it is static, so that the simple workload costs nothing.

use super::kind::{Item, Receiver, Sender};
use aqueduct_measure::run::Run;
use aqueduct_measure::times::Timed;

/// A workload: makes what each thread needs.
pub(super) trait Work: Sync {
    /// Whether items can travel in batches. A constant, so that there is no call of a queue's
    /// slices where they are not measured: how often a function is called in a program decides
    /// whether the compiler puts it in place.
    const SLICES: bool = false;
    /// Most items of a run.
    const MOST_ITEMS: u64 = u64::MAX;

    type Producing<'r>: Producing
    where
        Self: 'r;
    type Consuming<'r>: Consuming
    where
        Self: 'r;

    /// Returns the work of that producer.
    fn producing<'r>(&'r self, run: &'r Run, thread: usize) -> Self::Producing<'r>;
    /// Returns the work of that consumer.
    fn consuming<'r>(&'r self, run: &'r Run, thread: usize) -> Self::Consuming<'r>;
}

/// A producer's work around its pushes.
pub(super) trait Producing: Sized {
    /// Whether this thread is to push one more.
    #[inline(always)]
    fn continues(&mut self) -> bool {
        true
    }

    /// Makes item `number`.
    fn make(&mut self, number: u64) -> Item;

    /// Tries to push the item.
    #[inline(always)]
    fn push(&mut self, sender: &mut impl Sender, item: Item) -> bool {
        sender.push(item)
    }

    /// Ends the work: the thread has pushed all of its items.
    #[inline(always)]
    fn complete(&mut self) {}

    /// Returns the times.
    fn timed(self) -> Timed {
        Timed::default()
    }
}

/// A consumer's work around its pops.
pub(super) trait Consuming: Sized {
    /// Tries to pop an item.
    #[inline(always)]
    fn pop(&mut self, receiver: &mut impl Receiver) -> Option<Item> {
        receiver.pop()
    }

    /// Takes the number out of an item, which is used up by that.
    fn take(&mut self, item: Item) -> u64;

    /// Returns the times.
    fn timed(self) -> Timed {
        Timed::default()
    }
}

/// Returns the item that is the number itself.
#[inline(always)]
pub(super) fn item(number: u64) -> Item {
    // Numbers start with 1; so the compiler can infer that none is 0, at no cost.
    Item::new(number).unwrap_or(Item::MIN)
}

/// [`Workload::Simple`](super::workload::Workload::Simple).
pub(super) struct Simple;

impl Work for Simple {
    const SLICES: bool = true;
    type Producing<'r> = Self;
    type Consuming<'r> = Self;

    fn producing(&self, _run: &Run, _thread: usize) -> Self {
        Self
    }

    fn consuming(&self, _run: &Run, _thread: usize) -> Self {
        Self
    }
}

impl Producing for Simple {
    #[inline(always)]
    fn make(&mut self, number: u64) -> Item {
        item(number)
    }
}

impl Consuming for Simple {
    #[inline(always)]
    fn take(&mut self, item: Item) -> u64 {
        item.get()
    }
}

/// [`Workload::Fairness`](super::workload::Workload::Fairness).
pub(super) struct Fairness;

/// A producer that stops as soon as one has pushed all its items.
pub(super) struct UntilOver<'r>(&'r Run);

impl Work for Fairness {
    type Producing<'r> = UntilOver<'r>;
    type Consuming<'r> = Simple;

    fn producing<'r>(&'r self, run: &'r Run, _thread: usize) -> UntilOver<'r> {
        UntilOver(run)
    }

    fn consuming(&self, _run: &Run, _thread: usize) -> Simple {
        Simple
    }
}

impl Producing for UntilOver<'_> {
    #[inline(always)]
    fn continues(&mut self) -> bool {
        !self.0.is_over()
    }

    #[inline(always)]
    fn make(&mut self, number: u64) -> Item {
        item(number)
    }

    fn complete(&mut self) {
        self.0.end();
    }
}
