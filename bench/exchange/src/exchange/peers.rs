//! Common queues of today: `crossbeam-queue`, `crossbeam-channel` and `rtrb`.

use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender};
use crossbeam_queue::ArrayQueue;

use super::flow::{Rx, Tx};

/// A queue without slices: a slice goes item by item.
macro_rules! item_by_item {
    ($sender:ty: |$to:ident, $item:ident| $push:expr; $receiver:ty: |$from:ident| $pop:expr;) => {
        impl<T: Copy + Send> Tx<T> for $sender {
            #[inline(always)]
            fn push(&mut self, $item: T) -> bool {
                let $to = self;
                $push
            }

            #[inline(always)]
            fn push_slice(&mut self, items: &[T]) -> usize {
                items.iter().take_while(|item| Tx::push(self, **item)).count()
            }
        }

        impl<T: Copy + Send> Rx<T> for $receiver {
            #[inline(always)]
            fn pop(&mut self) -> Option<T> {
                let $from = self;
                $pop
            }

            #[inline(always)]
            fn pop_slice(&mut self, items: &mut [T]) -> usize {
                let popped = std::iter::from_fn(|| Rx::pop(self));
                items.iter_mut().zip(popped).map(|(place, item)| *place = item).count()
            }
        }
    };
}

item_by_item! {
    Arc<ArrayQueue<T>>: |queue, item| ArrayQueue::push(queue, item).is_ok();
    Arc<ArrayQueue<T>>: |queue| ArrayQueue::pop(queue);
}

item_by_item! {
    Sender<T>: |channel, item| channel.try_send(item).is_ok();
    Receiver<T>: |channel| channel.try_recv().ok();
}

impl<T: Copy + Send> Tx<T> for rtrb::Producer<T> {
    #[inline(always)]
    fn push(&mut self, item: T) -> bool {
        rtrb::Producer::push(self, item).is_ok()
    }

    #[inline(always)]
    fn push_slice(&mut self, items: &[T]) -> usize {
        self.push_partial_slice(items).0.len()
    }
}

impl<T: Copy + Send> Rx<T> for rtrb::Consumer<T> {
    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        rtrb::Consumer::pop(self).ok()
    }

    #[inline(always)]
    fn pop_slice(&mut self, items: &mut [T]) -> usize {
        self.pop_partial_slice(items).0.len()
    }
}

/// Returns both ends of an `ArrayQueue`.
pub(super) fn array_queue<T>(capacity: usize) -> (Arc<ArrayQueue<T>>, Arc<ArrayQueue<T>>) {
    let queue = Arc::new(ArrayQueue::new(capacity));
    (Arc::clone(&queue), queue)
}
