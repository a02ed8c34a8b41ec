//! Several messages at a time.

use std::collections::VecDeque;
use std::future::poll_fn;

use super::shared::Sender;
use super::sided;
use crate::channel::core::Core;
use crate::channel::queues::SendEnd;
use crate::error::{SendError, TrySendError};
use crate::event::{Attempt, Miss, Waiting};

impl<T> Sender<T> {
    /// Sends all of `messages`, from the front; waits for room.
    ///
    /// # Errors
    /// [`SendError`] if the channel is closed, or all receivers are gone. Messages that were not sent are left.
    ///
    /// # Examples
    /// ```
    /// use std::collections::VecDeque;
    ///
    /// let (sender, receiver) = aqueduct_channel::bounded(2)?;
    /// let thread = std::thread::spawn(move || receiver.iter().sum::<u32>());
    /// sender.send_all(&mut VecDeque::from_iter(1..=100))?;
    /// drop(sender);
    /// assert_eq!(thread.join().expect("it ends"), 5050);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn send_all(&self, messages: &mut VecDeque<T>) -> Result<(), SendError<()>> {
        while let Some(message) = messages.pop_front() {
            if let Err(SendError(message)) = self.send(message) {
                messages.push_front(message);
                return Err(SendError(()));
            }
        }
        Ok(())
    }

    /// Sends all of `messages`, from the front; the task waits for room.
    ///
    /// The future can be dropped at any time: a message leaves `messages` when there is room for
    /// it, and not before.
    ///
    /// # Errors
    /// [`SendError`] if the channel is closed, or all receivers are gone. Messages that were not sent are left.
    pub async fn send_all_async(&self, messages: &mut VecDeque<T>) -> Result<(), SendError<()>> {
        while !messages.is_empty() {
            let permit = self.reserve_async().await?;
            if let Some(message) = messages.pop_front()
                && let Err(SendError(message)) = permit.send(message)
            {
                messages.push_front(message);
                return Err(SendError(()));
            }
        }
        Ok(())
    }
}

impl<P: SendEnd> sided::Sender<P> {
    /// Sends all of `messages`, from the front; waits for room.
    ///
    /// # Errors
    /// [`SendError`] if the channel is closed, or all receivers are gone. Messages that were not sent are left.
    pub fn send_all(&mut self, messages: &mut VecDeque<P::Message>) -> Result<(), SendError<()>> {
        let mut sending = SendingAll { core: &self.core, producer: &mut self.producer, messages };
        self.core.room().wait_for(None, &mut sending).unwrap_or(Ok(()))
    }

    /// Sends all of `messages`, from the front; the task waits for room.
    ///
    /// The future can be dropped at any time: a message leaves `messages` when it is sent, and not
    /// before.
    ///
    /// # Errors
    /// [`SendError`] if the channel is closed, or all receivers are gone. Messages that were not sent are left.
    ///
    /// # Examples
    /// ```
    /// use aqueduct_channel::mpsc;
    /// use std::collections::VecDeque;
    ///
    /// async fn task(mut sender: mpsc::Sender<u32>) {
    ///     let mut numbers = VecDeque::from([1, 2, 3]);
    ///     sender.send_all_async(&mut numbers).await.expect("there is a receiver");
    /// }
    ///
    /// # use futures_util::FutureExt;
    /// let (sender, mut receiver) = mpsc::bounded(10)?;
    /// task(sender).now_or_never();
    /// assert_eq!(receiver.iter().collect::<Vec<_>>(), [1, 2, 3]);
    /// # Ok::<(), aqueduct::error::CapacityError>(())
    /// ```
    pub async fn send_all_async(&mut self, messages: &mut VecDeque<P::Message>) -> Result<(), SendError<()>> {
        let sending = SendingAll { core: &self.core, producer: &mut self.producer, messages };
        let mut waiting = Waiting::new(self.core.room(), sending);
        poll_fn(|context| waiting.poll(context)).await
    }
}

/// Attempts to send all messages.
struct SendingAll<'a, P: SendEnd> {
    core: &'a Core<P::Left>,
    producer: &'a mut P,
    messages: &'a mut VecDeque<P::Message>,
}

impl<P: SendEnd> Attempt for SendingAll<'_, P> {
    type Output = Result<(), SendError<()>>;

    fn attempt(&mut self) -> Result<Self::Output, Miss> {
        while let Some(message) = self.messages.pop_front() {
            match self.core.try_send(&mut *self.producer, message) {
                Ok(()) => {}
                Err(TrySendError::Full(message)) => {
                    self.messages.push_front(message);
                    // Another sender's message may have taken the room that this one was woken for.
                    return Err(Miss::Inexact);
                }
                Err(TrySendError::Disconnected(message)) => {
                    self.messages.push_front(message);
                    return Ok(Err(SendError(())));
                }
            }
        }
        Ok(Ok(()))
    }

    fn is_more(&mut self) -> bool {
        !self.producer.is_full()
    }
}

/// Adds the first message and those that follow, up to `limit`, to `messages`. Returns how many it
/// has added.
pub(crate) fn add_many<T>(first: T, others: impl Iterator<Item = T>, messages: &mut Vec<T>, limit: usize) -> usize {
    let before = messages.len();
    messages.push(first);
    messages.extend(others.take(limit - 1));
    messages.len() - before
}
