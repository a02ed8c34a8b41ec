//! Queues that move one item per call.

use std::sync::Arc;

use super::super::kind::{Ends, Kind, Receiver, Sender, Thing, Word};
use super::peer;

peer! {
    /// `crossbeam-queue`'s bounded queue, made for many producers and consumers.
    ArrayQueue = "crossbeam-queue/array_queue";
    handles: ArrayQueueSender(Arc<crossbeam_queue::ArrayQueue<T>>), ArrayQueueReceiver(Arc<crossbeam_queue::ArrayQueue<T>>);
    open: |capacity| {
        let queue = Arc::new(crossbeam_queue::ArrayQueue::new(capacity));
        (Arc::clone(&queue), queue)
    };
    push: |queue, item| queue.push(item).is_ok();
    pop: |queue| queue.pop();
}
