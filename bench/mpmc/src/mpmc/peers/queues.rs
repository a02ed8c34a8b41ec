//! Queues that never block.

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::super::kind::{Item, kind, receiver, sender};

kind! {
    /// `crossbeam-queue`'s bounded queue.
    ArrayQueue = "crossbeam-queue/array_queue", many to many;
    Arc<crossbeam_queue::ArrayQueue<Item>>, Arc<crossbeam_queue::ArrayQueue<Item>>;
    |capacity| {
        let queue = Arc::new(crossbeam_queue::ArrayQueue::new(capacity));
        (Arc::clone(&queue), queue)
    }
}
sender!(Arc<crossbeam_queue::ArrayQueue<Item>>, |queue, item| crossbeam_queue::ArrayQueue::push(queue, item).is_ok());
receiver!(Arc<crossbeam_queue::ArrayQueue<Item>>, |queue| crossbeam_queue::ArrayQueue::pop(queue));

kind! {
    /// `concurrent-queue`'s bounded queue.
    ConcurrentQueue = "concurrent-queue/bounded", many to many;
    Arc<concurrent_queue::ConcurrentQueue<Item>>, Arc<concurrent_queue::ConcurrentQueue<Item>>;
    |capacity| {
        let queue = Arc::new(concurrent_queue::ConcurrentQueue::bounded(capacity));
        (Arc::clone(&queue), queue)
    }
}
sender!(Arc<concurrent_queue::ConcurrentQueue<Item>>, |queue, item| {
    concurrent_queue::ConcurrentQueue::push(queue, item).is_ok()
});
receiver!(Arc<concurrent_queue::ConcurrentQueue<Item>>, |queue| concurrent_queue::ConcurrentQueue::pop(queue).ok());

/// Returns the capacity as `gil` wants it.
fn gil_capacity(capacity: usize) -> Result<NonZeroUsize, String> {
    NonZeroUsize::new(capacity).ok_or_else(|| "gil's capacity is at least 1".to_owned())
}

kind! {
    /// `gil`'s queue whose handles remember their place.
    GilMpmc = "gil/mpmc", many to many;
    gil::mpmc::Sender<Item>, gil::mpmc::Receiver<Item>;
    |capacity| gil::mpmc::channel(gil_capacity(capacity)?)
}
sender!(gil::mpmc::Sender<Item>, |queue, item| queue.try_send(item).is_ok());
receiver!(gil::mpmc::Receiver<Item>, |queue| queue.try_recv());

kind! {
    /// `gil`'s queue for a single consumer.
    GilMpsc = "gil/mpsc", many to one;
    gil::mpsc::Sender<Item>, gil::mpsc::Receiver<Item>;
    |capacity| gil::mpsc::channel(gil_capacity(capacity)?)
}
sender!(gil::mpsc::Sender<Item>, |queue, item| queue.try_send(item).is_ok());
receiver!(gil::mpsc::Receiver<Item>, |queue| queue.try_recv());

kind! {
    /// `gil`'s queue for a single producer.
    GilSpmc = "gil/spmc", one to many;
    gil::spmc::Sender<Item>, gil::spmc::Receiver<Item>;
    |capacity| gil::spmc::channel(gil_capacity(capacity)?)
}
sender!(gil::spmc::Sender<Item>, |queue, item| queue.try_send(item).is_ok());
receiver!(gil::spmc::Receiver<Item>, |queue| queue.try_recv());
