//! A channel that waits: a queue, and a bell for each of its sides.

use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicUsize, fence};
use std::sync::{Arc, Condvar, Mutex};

use aqueduct::error::{CapacityError, PopError};
use aqueduct::mpsc;

/// Threads sleep here until another thread has changed the queue.
pub(crate) struct Bell {
    waiting: AtomicUsize,
    lock: Mutex<()>,
    rung: Condvar,
}

impl Bell {
    pub(crate) const fn new() -> Self {
        Self { waiting: AtomicUsize::new(0), lock: Mutex::new(()), rung: Condvar::new() }
    }

    /// Wakes all threads that wait. Call it after the change.
    pub(crate) fn ring(&self) {
        // Ordering: SeqCst pairs with the fence in `wait`. Either this thread sees that the other
        // one waits, or the other one's next attempt sees the change.
        fence(SeqCst);
        if self.waiting.load(Relaxed) > 0 {
            // A thread that holds the lock has made its last attempt and does not sleep yet.
            drop(self.lock.lock().unwrap());
            self.rung.notify_all();
        }
    }

    /// Repeats `attempt` until it returns something, and sleeps in between. `attempt` must not ring
    /// this bell.
    pub(crate) fn wait<R>(&self, mut attempt: impl FnMut() -> Option<R>) -> R {
        if let Some(result) = attempt() {
            return result;
        }
        let mut guard = self.lock.lock().unwrap();
        self.waiting.fetch_add(1, Relaxed);
        // Ordering: SeqCst pairs with the fence in `ring`.
        fence(SeqCst);
        let result = loop {
            match attempt() {
                Some(result) => break result,
                None => guard = self.rung.wait(guard).unwrap(),
            }
        };
        self.waiting.fetch_sub(1, Relaxed);
        result
    }
}

/// A hold on both bells that rings them when it is dropped.
#[derive(Clone)]
struct Bells(Arc<(Bell, Bell)>);

impl Bells {
    fn items(&self) -> &Bell {
        &self.0.0
    }

    fn room(&self) -> &Bell {
        &self.0.1
    }
}

impl Drop for Bells {
    fn drop(&mut self) {
        self.items().ring();
        self.room().ring();
    }
}

/// Fields are dropped in the order in which they are declared: the bells ring after the handle is
/// gone.
pub(crate) struct Sender<T> {
    producer: mpsc::Producer<T>,
    bells: Bells,
}

/// The handle is the first field, so that the bells ring after it is gone.
pub(crate) struct Receiver<T> {
    consumer: mpsc::Consumer<T>,
    bells: Bells,
}

/// Makes a channel for at least `capacity` items.
pub(crate) fn channel<T: Send>(capacity: usize) -> Result<(Sender<T>, Receiver<T>), CapacityError> {
    let (producer, consumer) = mpsc::new(capacity)?;
    let bells = Bells(Arc::new((Bell::new(), Bell::new())));
    Ok((Sender { producer, bells: bells.clone() }, Receiver { consumer, bells }))
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Self { producer: self.producer.clone(), bells: self.bells.clone() }
    }
}

impl<T> Sender<T> {
    /// Waits for room. Gives the item back if the receiver is gone.
    pub(crate) fn send(&mut self, item: T) -> Result<(), T> {
        let mut next = Some(item);
        let sent = self.bells.room().wait(|| {
            let item = next.take()?;
            if self.producer.is_closed() {
                return Some(Err(item));
            }
            match self.producer.push(item) {
                Ok(()) => Some(Ok(())),
                Err(error) => {
                    next = Some(error.into_inner());
                    None
                }
            }
        });
        self.bells.items().ring();
        sent
    }
}

impl<T> Receiver<T> {
    /// Waits for an item. Returns `None` when all senders are gone and all items have been
    /// received.
    pub(crate) fn recv(&mut self) -> Option<T> {
        let item = self.bells.items().wait(|| {
            // Before the pop: a sender can push and go between the two.
            let is_closed = self.consumer.is_closed();
            match self.consumer.pop() {
                Ok(item) => Some(Some(item)),
                Err(PopError::Empty) if is_closed => Some(None),
                Err(_) => None,
            }
        });
        self.bells.room().ring();
        item
    }
}
