//! Threads send, and a task receives: a queue, and a bell that wakes the task.

use core::future::poll_fn;
use core::task::{Context, Poll, Waker};
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, fence};
use std::sync::{Arc, Mutex};

use aqueduct::error::{CapacityError, PopError, PushError};
use aqueduct::mpsc;

/// A bell that wakes one task.
struct Bell {
    waits: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

impl Bell {
    /// Wakes the task. Call it after a change of the queue.
    fn ring(&self) {
        // Ordering: SeqCst pairs with the fence in `listen`. Either this thread sees that the task
        // waits, or the task's next attempt sees the change.
        fence(SeqCst);
        if self.waits.load(Relaxed) {
            let mut waker = self.waker.lock().unwrap();
            self.waits.store(false, Relaxed);
            waker.take().into_iter().for_each(Waker::wake);
        }
    }

    /// Registers the task. Call it before a last attempt.
    fn listen(&self, context: &Context<'_>) {
        let mut waker = self.waker.lock().unwrap();
        *waker = Some(context.waker().clone());
        self.waits.store(true, Relaxed);
        drop(waker);
        // Ordering: SeqCst pairs with the fence in `ring`.
        fence(SeqCst);
    }
}

/// A field that rings the bell when the handle before it is gone.
#[derive(Clone)]
struct Rope(Arc<Bell>);

impl Drop for Rope {
    fn drop(&mut self) {
        self.0.ring();
    }
}

/// Fields are dropped in the order in which they are declared: the bell rings after the producer is
/// gone.
#[derive(Clone)]
pub(crate) struct Sender<T> {
    producer: mpsc::Producer<T>,
    rope: Rope,
}

pub(crate) struct Receiver<T> {
    consumer: mpsc::Consumer<T>,
    bell: Arc<Bell>,
}

/// Makes a channel for at least `capacity` items.
pub(crate) fn channel<T: Send>(capacity: usize) -> Result<(Sender<T>, Receiver<T>), CapacityError> {
    let (producer, consumer) = mpsc::new(capacity)?;
    let bell = Arc::new(Bell { waits: AtomicBool::new(false), waker: Mutex::new(None) });
    Ok((Sender { producer, rope: Rope(Arc::clone(&bell)) }, Receiver { consumer, bell }))
}

impl<T> Sender<T> {
    pub(crate) fn try_send(&mut self, item: T) -> Result<(), PushError<T>> {
        self.producer.push(item)?;
        self.rope.0.ring();
        Ok(())
    }
}

impl<T> Receiver<T> {
    /// Waits for an item. Returns `None` when all senders are gone and all items have been
    /// received.
    pub(crate) async fn recv(&mut self) -> Option<T> {
        poll_fn(|context| {
            self.attempt().map_or_else(
                || {
                    self.bell.listen(context);
                    self.attempt().map_or(Poll::Pending, Poll::Ready)
                },
                Poll::Ready,
            )
        })
        .await
    }

    fn attempt(&mut self) -> Option<Option<T>> {
        // `is_closed` comes before the pop: a sender can push and go between the two.
        let is_closed = self.consumer.is_closed();
        match self.consumer.pop() {
            Ok(item) => Some(Some(item)),
            Err(PopError::Empty) if is_closed => Some(None),
            Err(_) => None,
        }
    }
}
