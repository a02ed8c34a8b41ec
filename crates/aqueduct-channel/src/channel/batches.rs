//! Several messages at a time.

use std::collections::VecDeque;

use super::shared::{Receiver, Sender};
use crate::error::{RecvError, SendError};

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
    /// The future can be dropped at any time: a message leaves `messages` when there is room for it, and not before.
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

impl<T> Receiver<T> {
    /// Receives up to `limit` messages; waits for the first one, and takes of the others those that are there.
    ///
    /// Adds them to `messages`, and returns their number. It is 0 only if `limit` is.
    ///
    /// # Errors
    /// [`RecvError`] if the channel is closed, or all senders are gone, and there is no message.
    ///
    /// # Examples
    /// ```
    /// let (sender, receiver) = aqueduct_channel::unbounded();
    /// (0..5).try_for_each(|number| sender.send(number))?;
    /// let mut numbers = Vec::new();
    /// assert_eq!(receiver.recv_many(&mut numbers, 3), Ok(3));
    /// assert_eq!(receiver.recv_many(&mut numbers, 3), Ok(2));
    /// assert_eq!(numbers, [0, 1, 2, 3, 4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn recv_many(&self, messages: &mut Vec<T>, limit: usize) -> Result<usize, RecvError> {
        if limit == 0 {
            return Ok(0);
        }
        let first = self.recv()?;
        Ok(self.add_many(first, messages, limit))
    }

    /// Receives up to `limit` messages, as [`recv_many`](Self::recv_many) does; the task waits for the first one.
    ///
    /// The future can be dropped at any time: messages leave the channel at its end, and not before.
    ///
    /// # Errors
    /// [`RecvError`] if the channel is closed, or all senders are gone, and there is no message.
    pub async fn recv_many_async(&self, messages: &mut Vec<T>, limit: usize) -> Result<usize, RecvError> {
        if limit == 0 {
            return Ok(0);
        }
        let first = self.recv_async().await?;
        Ok(self.add_many(first, messages, limit))
    }

    fn add_many(&self, first: T, messages: &mut Vec<T>, limit: usize) -> usize {
        let before = messages.len();
        messages.push(first);
        messages.extend(self.try_iter().take(limit - 1));
        messages.len() - before
    }
}
