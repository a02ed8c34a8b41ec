//! Broadcast channels: every receiver gets each message.
//!
//! Senders never wait for receivers. A receiver that is too slow loses the oldest messages and
//! counts them ([`Receiver::lost`]).
//!
//! ```
//! use aqueduct_channel::broadcast;
//!
//! let (sender, mut fast) = broadcast::channel(4)?;
//! let mut slow = fast.clone();
//! for number in 0..10 {
//!     sender.send(number)?;
//!     assert_eq!(fast.recv(), Ok(number));
//! }
//! assert_eq!(slow.try_iter().collect::<Vec<_>>(), [6, 7, 8, 9]);
//! assert_eq!((fast.lost(), slow.lost()), (0, 6));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each receiver gets a clone of the message, and the messages of a sender in their order. Put
//! messages that are expensive to clone into an [`Arc`]. The channel keeps a message until a later
//! one takes its place.
//!
//! A message of at most 64 bytes that needs no drop is cloned while its place is locked, so its
//! `clone` must not use the channel that it came from. No other message is.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use aqueduct::error::CapacityError;

use crate::SelectCase;
use crate::channel::receiver_methods;
use crate::error::{RecvError, RecvTimeoutError, SendError, TryRecvError};
use crate::event::{Attempt, Waiting};
use crate::feed::{Feed, Following, Progress, ends};
use crate::sync::Arc;

/// Makes a channel that keeps at least the last `capacity` messages; their number is rounded up to
/// a power of two.
///
/// # Errors
/// [`CapacityError`] if `capacity` is 0 or too large, or there is no memory.
pub fn channel<T>(capacity: usize) -> Result<(Sender<T>, Receiver<T>), CapacityError> {
    let feed = Arc::new(Feed::new(capacity)?);
    let progress = feed.now();
    Ok((Sender(Arc::clone(&feed)), Receiver { feed, progress }))
}

ends! {
    /// Sends messages to all receivers. The channel is closed when the last sender is dropped.
    Sender;
    /// Receives each message. A receiver that is too slow continues with the oldest message that is
    /// left.
    ///
    /// Receiving from a closed channel fails when the receiver has got all messages sent before.
    Receiver;
}

impl<T> Sender<T> {
    /// Returns the number of messages that the channel keeps.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

impl<T> Receiver<T> {
    /// Returns the number of messages that the channel keeps.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.feed.capacity()
    }

    /// Returns the exact number of messages that were overwritten before this receiver got them.
    ///
    /// A clone starts with the count of the receiver that it was cloned from.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.progress.lost
    }

    /// Returns the number of messages to be received. Some of them may be overwritten before they
    /// are received.
    #[must_use]
    pub fn len(&self) -> usize {
        self.feed.len(&self.progress)
    }

    /// Whether there is no message to be received.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

crate::select::operations! {
    [T: Clone] RecvFuture<'_, T> => Result<T, RecvError>;
}
