//! Queues that all threads share, as kinds under test.

use std::marker::PhantomData;

use crate::mpmc::{Ends, Item, Kind, Receiver, Sender, Threads};

/// A queue, or a pointer to it: cheap to clone, for any number of threads on both sides.
pub(crate) trait Concurrent: Clone + Send + 'static {
    /// `CRATE/QUEUE`.
    const NAME: &'static str;
    /// Whether it is a peer, not one of aqueduct's queues.
    const PEER: bool = true;

    /// Returns an empty queue with room for `capacity` items, or the next number it can do.
    fn open(capacity: usize) -> Result<Self, String>;
    /// Adds an item. Returns false if the queue refused it.
    fn push(&self, item: Item) -> bool;
    /// Takes the oldest item, if there is one.
    fn pop(&self) -> Option<Item>;
}

/// The queue as a kind.
pub(crate) struct Of<C>(PhantomData<fn() -> C>);

/// A thread's handle of it.
#[derive(Clone)]
pub(crate) struct End<C>(C);

impl<C: Concurrent> Kind for Of<C> {
    const NAME: &'static str = C::NAME;
    const PEER: bool = C::PEER;
    type Sender = End<C>;
    type Receiver = End<C>;

    fn open(capacity: usize, threads: Threads) -> Result<Ends<Self>, String> {
        let end = End(C::open(capacity)?);
        Ok((vec![end.clone(); threads.producers], vec![end; threads.consumers]))
    }
}

impl<C: Concurrent> Sender for End<C> {
    #[inline(always)]
    fn push(&mut self, item: Item) -> bool {
        self.0.push(item)
    }
}

impl<C: Concurrent> Receiver for End<C> {
    #[inline(always)]
    fn pop(&mut self) -> Option<Item> {
        self.0.pop()
    }
}
