//! Queues that all threads share, as kinds under test: plain, and with their exchanges counted.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aqueduct_counted::Tally;

use crate::mpmc::{Ends, Item, Kind, Receiver, Sender, Threads};

/// A queue, or a pointer to it: cheap to clone, for any number of threads on both sides.
pub(crate) trait Concurrent: Clone + Send + 'static {
    /// `CRATE/QUEUE`.
    const NAME: &'static str;
    /// Whether it is a peer, not one of aqueduct's queues.
    const PEER: bool = true;

    /// Returns an empty queue with room for `capacity` items, or the next number it can do.
    fn open(capacity: usize) -> Result<Self, String>;
    /// Adds an item, or says that it was refused.
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

/// The counts of the threads of a run. Each thread adds its own when it drops its end of the queue.
#[derive(Debug, Default)]
pub(super) struct Totals {
    exchanges: AtomicU64,
    failed: AtomicU64,
}

impl Totals {
    /// Returns the tally. The threads have been joined.
    pub(super) fn tally(&self) -> Tally {
        // Ordering: relaxed; what the threads counted came here when they were joined.
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Tally { exchanges: read(&self.exchanges), failed: read(&self.failed) }
    }
}

/// A thread's handle of a queue whose exchanges are counted.
pub(super) struct CountedEnd<C> {
    queue: C,
    totals: Arc<Totals>,
}

impl<C: Concurrent> CountedEnd<C> {
    /// Returns that many ends for either side of a new queue.
    pub(super) fn open(
        capacity: usize,
        threads: Threads,
        totals: &Arc<Totals>,
    ) -> Result<(Vec<Self>, Vec<Self>), String> {
        let queue = C::open(capacity)?;
        let ends = |count| (0..count).map(|_| Self { queue: queue.clone(), totals: Arc::clone(totals) }).collect();
        let ends = (ends(threads.producers), ends(threads.consumers));
        // Some queues are filled with free slots when they are made.
        let _ = aqueduct_counted::take();
        Ok(ends)
    }
}

impl<C: Concurrent> Sender for CountedEnd<C> {
    #[inline(always)]
    fn push(&mut self, item: Item) -> bool {
        self.queue.push(item)
    }
}

impl<C: Concurrent> Receiver for CountedEnd<C> {
    #[inline(always)]
    fn pop(&mut self) -> Option<Item> {
        self.queue.pop()
    }
}

impl<C> Drop for CountedEnd<C> {
    fn drop(&mut self) {
        let Tally { exchanges, failed } = aqueduct_counted::take();
        // Ordering: relaxed; counts only.
        self.totals.exchanges.fetch_add(exchanges, Ordering::Relaxed);
        self.totals.failed.fetch_add(failed, Ordering::Relaxed);
    }
}
