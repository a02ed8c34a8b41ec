//! The methods of handles, the same for all channels.

/// Methods of a sender that has `parts`: by shared reference, or with `mut` by exclusive reference.
macro_rules! sender_methods {
    ([$($mut:tt)?] $message:ty, $future:ty) => {
        /// Sends a message; waits for room.
        ///
        /// # Errors
        /// [`SendError`](crate::error::SendError) gives the message back if the channel is closed, or all receivers are
        /// gone.
        #[inline]
        pub fn send(&$($mut)? self, message: $message) -> Result<(), crate::error::SendError<$message>> {
            let (core, end) = self.parts();
            core.send_until(end, None, message).map_err(|error| crate::error::SendError(error.into_inner()))
        }

        /// Sends a message if there is room.
        ///
        /// # Errors
        /// [`TrySendError`](crate::error::TrySendError) gives the message back.
        #[inline]
        pub fn try_send(&$($mut)? self, message: $message) -> Result<(), crate::error::TrySendError<$message>> {
            let (core, end) = self.parts();
            core.try_send(end, message)
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
            let (core, end) = self.parts();
            core.send_until(end, std::time::Instant::now().checked_add(timeout), message)
        }

        /// Sends a message; waits for room at most until then. If the deadline has passed, it tries once.
        ///
        /// # Errors
        /// [`SendTimeoutError`](crate::error::SendTimeoutError) gives the message back.
        #[inline]
        pub fn send_deadline(
            &$($mut)? self,
            message: $message,
            deadline: std::time::Instant,
        ) -> Result<(), crate::error::SendTimeoutError<$message>> {
            let (core, end) = self.parts();
            core.send_until(end, Some(deadline), message)
        }

        /// Sends a message; the task waits for room.
        ///
        /// The future can be dropped at any time: see [`SendFuture`](crate::SendFuture).
        ///
        /// # Errors
        /// [`SendError`](crate::error::SendError) gives the message back if the channel is closed, or all receivers are
        /// gone.
        pub fn send_async(&$($mut)? self, message: $message) -> $future {
            let (core, end) = self.parts();
            crate::SendFuture::new(core, end, message)
        }

        /// Whether the channel is closed: no send succeeds.
        #[must_use]
        pub fn is_closed(&self) -> bool {
            self.core().is_closed()
        }
    };
}

/// Methods of a receiver that has `parts`: by shared reference, or with `mut` by exclusive reference.
macro_rules! receiver_methods {
    ([$($mut:tt)?] $message:ty, $future:ty) => {
        /// Receives the oldest message; waits for one.
        ///
        /// # Errors
        /// [`RecvError`](crate::error::RecvError) if the channel is closed, or all senders are gone, and there is no
        /// message.
        #[inline]
        pub fn recv(&$($mut)? self) -> Result<$message, crate::error::RecvError> {
            let (core, end) = self.parts();
            core.recv_until(end, None).map_err(|_| crate::error::RecvError)
        }

        /// Receives the oldest message if there is one.
        ///
        /// # Errors
        /// [`TryRecvError`](crate::error::TryRecvError) says why there is none.
        #[inline]
        pub fn try_recv(&$($mut)? self) -> Result<$message, crate::error::TryRecvError> {
            let (core, end) = self.parts();
            core.try_recv(end)
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
            let (core, end) = self.parts();
            core.recv_until(end, std::time::Instant::now().checked_add(timeout))
        }

        /// Receives the oldest message; waits for one at most until then. If the deadline has passed, it tries once.
        ///
        /// # Errors
        /// [`RecvTimeoutError`](crate::error::RecvTimeoutError) if none came, or none will come.
        #[inline]
        pub fn recv_deadline(
            &$($mut)? self,
            deadline: std::time::Instant,
        ) -> Result<$message, crate::error::RecvTimeoutError> {
            let (core, end) = self.parts();
            core.recv_until(end, Some(deadline))
        }

        /// Receives the oldest message; the task waits for one.
        ///
        /// The future can be dropped at any time: see [`RecvFuture`](crate::RecvFuture).
        ///
        /// # Errors
        /// [`RecvError`](crate::error::RecvError) if the channel is closed, or all senders are gone, and there is no
        /// message.
        pub fn recv_async(&$($mut)? self) -> $future {
            let (core, end) = self.parts();
            crate::RecvFuture::new(core, end)
        }

        /// Returns an iterator that waits for messages, and ends when the channel is closed and empty.
        pub fn iter(&$($mut)? self) -> impl Iterator<Item = $message> {
            std::iter::from_fn(move || self.recv().ok())
        }

        /// Returns an iterator over the messages that are there; it does not wait.
        pub fn try_iter(&$($mut)? self) -> impl Iterator<Item = $message> {
            std::iter::from_fn(move || self.try_recv().ok())
        }

        /// Whether the channel is closed: no send succeeds. There may be messages.
        #[must_use]
        pub fn is_closed(&self) -> bool {
            self.core().is_closed()
        }
    };
}

pub(super) use {receiver_methods, sender_methods};
