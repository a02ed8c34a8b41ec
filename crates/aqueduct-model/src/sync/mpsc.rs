//! An unbounded channel with many senders and one receiver, as in `std::sync::mpsc`.

use std::collections::VecDeque;
use std::fmt;
pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError};
use std::sync::{Arc, LockResult};
use std::time::Duration;

use crate::runtime::driver::is_unwinding;

use super::{Condvar, Mutex, MutexGuard};

struct State<T> {
    values: VecDeque<T>,
    senders: usize,
    received: bool,
}

struct Channel<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

impl<T> Channel<T> {
    #[track_caller]
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        unpoisoned(self.state.lock())
    }
}

fn unpoisoned<G>(result: LockResult<G>) -> G {
    match result {
        Ok(guard) => guard,
        Err(_) => unreachable!("nothing is ever poisoned"),
    }
}

/// Sends into a channel; clones are further senders.
pub struct Sender<T>(Arc<Channel<T>>);

/// Receives from a channel.
pub struct Receiver<T>(Arc<Channel<T>>);

/// A channel for values of one type.
#[must_use]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let state = Mutex::new(State { values: VecDeque::new(), senders: 1, received: true });
    let channel = Arc::new(Channel { state, changed: Condvar::new() });
    (Sender(Arc::clone(&channel)), Receiver(channel))
}

impl<T> Sender<T> {
    /// Sends a value.
    ///
    /// # Errors
    /// The value, if the receiver is gone.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        let mut state = self.0.lock();
        if !state.received {
            return Err(SendError(value));
        }
        state.values.push_back(value);
        drop(state);
        self.0.changed.notify_one();
        Ok(())
    }
}

impl<T> Clone for Sender<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        self.0.lock().senders += 1;
        Self(Arc::clone(&self.0))
    }
}

impl<T> Drop for Sender<T> {
    #[track_caller]
    fn drop(&mut self) {
        if !is_unwinding() {
            self.0.lock().senders -= 1;
            self.0.changed.notify_one();
        }
    }
}

impl<T> Receiver<T> {
    /// Waits for a value.
    ///
    /// # Errors
    /// If there is none, and there are no senders any more.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        let mut state = self.0.lock();
        loop {
            if let Some(value) = state.values.pop_front() {
                return Ok(value);
            }
            if state.senders == 0 {
                return Err(RecvError);
            }
            state = unpoisoned(self.0.changed.wait(state));
        }
    }

    /// Waits for a value, or not that long: the model explores both, whatever the time is.
    ///
    /// # Errors
    /// If there is none.
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        let mut state = self.0.lock();
        loop {
            if let Some(value) = state.values.pop_front() {
                return Ok(value);
            }
            if state.senders == 0 {
                return Err(RecvTimeoutError::Disconnected);
            }
            let (again, result) = unpoisoned(self.0.changed.wait_timeout(state, timeout));
            if result.timed_out() {
                return Err(RecvTimeoutError::Timeout);
            }
            state = again;
        }
    }

    /// Takes a value that has been sent.
    ///
    /// # Errors
    /// If there is none.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        let mut state = self.0.lock();
        match state.values.pop_front() {
            Some(value) => Ok(value),
            None if state.senders == 0 => Err(TryRecvError::Disconnected),
            None => Err(TryRecvError::Empty),
        }
    }
}

impl<T> Drop for Receiver<T> {
    #[track_caller]
    fn drop(&mut self) {
        if is_unwinding() {
            return;
        }
        let mut state = self.0.lock();
        state.received = false;
        // They are dropped outside of the lock, as their destructors may do anything.
        let left = std::mem::take(&mut state.values);
        drop(state);
        drop(left);
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}
