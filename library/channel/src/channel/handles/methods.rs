//! The methods of senders and receivers of all channels.
//!
//! They are made of a handle's own `send_now`, `send_until` and `sending`, or `recv_now`,
//! `recv_until` and `receiving`.

/// Methods of a sender: by shared reference, or with `mut` by exclusive reference.
macro_rules! sender_methods {
    ([$($mut:tt)?] $message:ty, $future:ty) => {
        /// Sends a message; waits for room.
        ///
        /// # Errors
        /// [`SendError`](crate::error::SendError) gives the message back if the channel is closed, or all receivers are
        /// gone.
        #[doc(alias = "blocking_send")]
        #[doc(alias = "send_blocking")]
        #[inline]
        pub fn send(&$($mut)? self, message: $message) -> Result<(), crate::error::SendError<$message>> {
            self.send_until(None, message).map_err(|error| crate::error::SendError(error.into_inner()))
        }

        /// Sends a message if there is room.
        ///
        /// # Errors
        /// [`TrySendError`](crate::error::TrySendError) gives the message back.
        #[inline]
        pub fn try_send(&$($mut)? self, message: $message) -> Result<(), crate::error::TrySendError<$message>> {
            self.send_now(message)
        }

        /// Sends a message; waits for room at most for that long.
        ///
        /// # Errors
        /// [`SendTimeoutError`](crate::error::SendTimeoutError) gives the message back.
        #[inline]
        pub fn send_timeout(
            &$($mut)? self,
            message: $message,
            timeout: std::time::Duration,
        ) -> Result<(), crate::error::SendTimeoutError<$message>> {
            self.send_until(std::time::Instant::now().checked_add(timeout), message)
        }

        /// Sends a message; waits for room at most until then. If the deadline has passed, it tries
        /// once.
        ///
        /// # Errors
        /// [`SendTimeoutError`](crate::error::SendTimeoutError) gives the message back.
        #[inline]
        pub fn send_deadline(
            &$($mut)? self,
            message: $message,
            deadline: std::time::Instant,
        ) -> Result<(), crate::error::SendTimeoutError<$message>> {
            self.send_until(Some(deadline), message)
        }

        /// Sends a message; the task waits for room.
        ///
        /// The future can be dropped at any time: see its type.
        ///
        /// # Errors
        /// [`SendError`](crate::error::SendError) gives the message back if the channel is closed, or all receivers are
        /// gone.
        #[doc(alias = "to_async")]
        #[doc(alias = "into_blocking")]
        pub fn send_async(&$($mut)? self, message: $message) -> $future {
            self.sending(message)
        }

        /// Whether the channel is closed: no send succeeds.
        #[must_use]
        pub fn is_closed(&self) -> bool {
            self.has_ended()
        }
    };
}

/// Methods of a receiver: by shared reference, or with `mut` by exclusive reference.
macro_rules! receiver_methods {
    ([$($mut:tt)?] $message:ty, $future:ty) => {
        /// Receives the oldest message; waits for one.
        ///
        /// # Errors
        /// [`RecvError`](crate::error::RecvError) if the channel is closed, or all senders are gone, and there is no
        /// message.
        #[doc(alias = "blocking_recv")]
        #[doc(alias = "recv_blocking")]
        #[inline]
        pub fn recv(&$($mut)? self) -> Result<$message, crate::error::RecvError> {
            self.recv_until(None).map_err(|_| crate::error::RecvError)
        }

        /// Receives the oldest message if there is one.
        ///
        /// # Errors
        /// [`TryRecvError`](crate::error::TryRecvError) is the reason why there is none.
        #[inline]
        pub fn try_recv(&$($mut)? self) -> Result<$message, crate::error::TryRecvError> {
            self.recv_now()
        }

        /// Receives the oldest message; waits for one at most for that long.
        ///
        /// # Errors
        /// [`RecvTimeoutError`](crate::error::RecvTimeoutError) if none came, or none will come.
        #[inline]
        pub fn recv_timeout(
            &$($mut)? self,
            timeout: std::time::Duration,
        ) -> Result<$message, crate::error::RecvTimeoutError> {
            self.recv_until(std::time::Instant::now().checked_add(timeout))
        }

        /// Receives the oldest message; waits for one at most until then. If the deadline has
        /// passed, it tries once.
        ///
        /// # Errors
        /// [`RecvTimeoutError`](crate::error::RecvTimeoutError) if none came, or none will come.
        #[inline]
        pub fn recv_deadline(
            &$($mut)? self,
            deadline: std::time::Instant,
        ) -> Result<$message, crate::error::RecvTimeoutError> {
            self.recv_until(Some(deadline))
        }

        /// Receives the oldest message; the task waits for one.
        ///
        /// The future can be dropped at any time: see its type.
        ///
        /// # Errors
        /// [`RecvError`](crate::error::RecvError) if the channel is closed, or all senders are gone, and there is no
        /// message.
        #[doc(alias = "to_async")]
        #[doc(alias = "into_blocking")]
        pub fn recv_async(&$($mut)? self) -> $future {
            self.receiving()
        }

        /// Returns an iterator that waits for messages, and ends when the channel is closed and
        /// empty.
        pub fn iter(&$($mut)? self) -> impl Iterator<Item = $message> {
            std::iter::from_fn(move || self.recv().ok())
        }

        /// Returns an iterator over the messages that are there; it does not wait.
        pub fn try_iter(&$($mut)? self) -> impl Iterator<Item = $message> {
            std::iter::from_fn(move || self.try_recv().ok())
        }

        /// Receives up to `limit` messages; waits for the first one, and takes of the others those
        /// that are there.
        ///
        /// Adds them to `messages`, and returns their number. It is 0 only if `limit` is.
        ///
        /// # Errors
        /// [`RecvError`](crate::error::RecvError) if the channel is closed, or all senders are gone, and there is no
        /// message.
        pub fn recv_many(
            &$($mut)? self,
            messages: &mut Vec<$message>,
            limit: usize,
        ) -> Result<usize, crate::error::RecvError> {
            if limit == 0 {
                return Ok(0);
            }
            let first = self.recv()?;
            Ok(crate::channel::handles::add_many(first, self.try_iter(), messages, limit))
        }

        /// Receives up to `limit` messages, as [`recv_many`](Self::recv_many) does; the task waits
        /// for the first one.
        ///
        /// The future can be dropped at any time: messages leave the channel at its end, and not
        /// before.
        ///
        /// # Errors
        /// [`RecvError`](crate::error::RecvError) if the channel is closed, or all senders are gone, and there is no
        /// message.
        pub async fn recv_many_async(
            &$($mut)? self,
            messages: &mut Vec<$message>,
            limit: usize,
        ) -> Result<usize, crate::error::RecvError> {
            if limit == 0 {
                return Ok(0);
            }
            let first = self.recv_async().await?;
            Ok(crate::channel::handles::add_many(first, self.try_iter(), messages, limit))
        }

        /// Whether the channel is closed: no send succeeds. There may be messages.
        #[must_use]
        pub fn is_closed(&self) -> bool {
            self.has_ended()
        }
    };
}

pub(crate) use receiver_methods;
pub(super) use sender_methods;
