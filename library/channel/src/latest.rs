//! Channels for the newest value: a setting, a price, or a state that other threads watch.
//!
//! Senders never wait for receivers. A receiver is notified of a value that it has not seen, and
//! gets the newest one. It does not see values that were replaced in the meantime. A small value is
//! cloned under a lock, as in [`broadcast`](crate::broadcast).
//!
//! ```
//! use aqueduct_channel::latest;
//!
//! let (sender, mut receiver) = latest::channel(0);
//! assert_eq!(receiver.newest(), 0);
//! for number in 1..=10 {
//!     sender.send(number)?;
//! }
//! assert_eq!(receiver.recv(), Ok(10));
//! assert!(receiver.try_recv().is_err());
//! assert_eq!(receiver.newest(), 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use crate::SelectCase;
use crate::channel::receiver_methods;
use crate::error::{RecvError, RecvTimeoutError, SendError, TryRecvError};
use crate::event::{Attempt, Waiting};
use crate::feed::{Feed, Following, Progress, ends};
use crate::sync::Arc;

/// Makes a channel with its first value, which the receiver has seen.
///
/// # Panics
/// If there is no memory.
#[must_use]
pub fn channel<T>(first: T) -> (Sender<T>, Receiver<T>) {
    let feed = match Feed::new(1) {
        Ok(feed) => Arc::new(feed),
        Err(error) => panic!("there is no memory for a value: {error}"),
    };
    feed.put(first);
    let progress = feed.now();
    (Sender(Arc::clone(&feed)), Receiver { feed, progress })
}

ends! {
    /// Sends values to all receivers. The channel is closed when the last sender is dropped.
    Sender;
    /// Receives the newest value that it has not seen yet.
    ///
    /// Receiving from a closed channel fails when the receiver has seen the newest value.
    Receiver;
}

impl<T: Clone> Sender<T> {
    /// Returns the newest value.
    #[must_use]
    pub fn newest(&self) -> T {
        newest(&self.0)
    }
}

impl<T: Clone> Receiver<T> {
    /// Returns the newest value, whether it has been seen or not. It does not count as received.
    #[must_use]
    pub fn newest(&self) -> T {
        newest(&self.feed)
    }
}

impl<T> Receiver<T> {
    /// Whether there is a value that this receiver has not seen.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        self.feed.len(&self.progress) > 0
    }
}

fn newest<T: Clone>(feed: &Feed<T>) -> T {
    match feed.newest() {
        Some(value) => value,
        None => unreachable!("the channel was made with a value"),
    }
}

crate::select::operations! {
    [T: Clone] RecvFuture<'_, T> => Result<T, RecvError>;
}
