//! Handles of broadcast channels.

/// Declares `Sender`, `WeakSender`, `Receiver` and `RecvFuture`, which are the handles of a feed.
macro_rules! ends {
    ($(#[$sender:meta])* Sender; $(#[$receiver:meta])* Receiver;) => {
        $(#[$sender])*
        pub struct Sender<T>(Arc<Feed<T>>);

        $(#[$receiver])*
        pub struct Receiver<T> {
            feed: Arc<Feed<T>>,
            progress: Progress,
        }

        impl<T> Sender<T> {
            /// Sends a message to all receivers; never waits for one.
            ///
            /// # Errors
            /// [`SendError`] gives the message back if there is no receiver.
            pub fn send(&self, message: T) -> Result<(), SendError<T>> {
                self.0.send(message)
            }

            /// Makes a receiver of the messages that are sent from now on.
            #[must_use]
            pub fn subscribe(&self) -> Receiver<T> {
                self.0.add_receiver();
                Receiver { feed: Arc::clone(&self.0), progress: self.0.now() }
            }

            /// Whether both are senders of the same channel.
            #[must_use]
            pub fn same_channel(&self, other: &Self) -> bool {
                Arc::ptr_eq(&self.0, &other.0)
            }

            /// Whether there is no receiver.
            #[must_use]
            pub fn is_closed(&self) -> bool {
                !self.0.has_receivers()
            }

            /// Returns a sender that does not keep the channel open.
            #[must_use]
            pub fn downgrade(&self) -> WeakSender<T> {
                WeakSender(Arc::clone(&self.0))
            }
        }

        /// A sender that does not keep its channel open; made by [`Sender::downgrade`].
        ///
        /// The channel is closed when the last [`Sender`] is dropped, however many weak senders
        /// there are.
        pub struct WeakSender<T>(Arc<Feed<T>>);

        impl<T> WeakSender<T> {
            /// Returns a sender, unless all senders are gone.
            #[must_use]
            pub fn upgrade(&self) -> Option<Sender<T>> {
                self.0.revive_sender().then(|| Sender(Arc::clone(&self.0)))
            }

            /// Whether both are weak senders of one channel.
            #[must_use]
            pub fn same_channel(&self, other: &Self) -> bool {
                Arc::ptr_eq(&self.0, &other.0)
            }
        }

        impl<T> Clone for WeakSender<T> {
            fn clone(&self) -> Self {
                Self(Arc::clone(&self.0))
            }
        }

        impl<T> Receiver<T> {
            /// Whether both are receivers of the same channel.
            #[must_use]
            pub fn same_channel(&self, other: &Self) -> bool {
                Arc::ptr_eq(&self.feed, &other.feed)
            }
        }

        impl<T: Clone> Receiver<T> {
            fn recv_now(&mut self) -> Result<T, TryRecvError> {
                let mut following = Following { feed: &self.feed, progress: &mut self.progress };
                match following.attempt() {
                    Ok(result) => result.map_err(TryRecvError::from),
                    Err(_) => Err(TryRecvError::Empty),
                }
            }

            fn recv_until(&mut self, deadline: Option<Instant>) -> Result<T, RecvTimeoutError> {
                let mut following = Following { feed: &self.feed, progress: &mut self.progress };
                match self.feed.sent().wait_for(deadline, &mut following) {
                    Some(result) => result.map_err(RecvTimeoutError::from),
                    None => Err(RecvTimeoutError::Timeout),
                }
            }

            fn receiving(&mut self) -> RecvFuture<'_, T> {
                let following = Following { feed: &self.feed, progress: &mut self.progress };
                RecvFuture(Waiting::new(self.feed.sent(), following))
            }

            fn has_ended(&self) -> bool {
                self.feed.is_closed()
            }

            /// Returns a receive for an [`IndexSelect`](crate::IndexSelect).
            pub fn recv_case(&mut self) -> SelectCase<'_, Result<T, RecvError>>
            where
                T: Send + Sync,
            {
                SelectCase::new(self.feed.sent(), Following { feed: &self.feed, progress: &mut self.progress })
            }

            receiver_methods! { [mut] T, RecvFuture<'_, T> }
        }

        /// An iterator that waits for messages and owns its receiver; made by the receiver's
        /// `into_iter`.
        #[derive(Debug)]
        pub struct IntoIter<T>(Receiver<T>);

        impl<T: Clone> Iterator for IntoIter<T> {
            type Item = T;

            fn next(&mut self) -> Option<T> {
                self.0.recv().ok()
            }
        }

        impl<T: Clone> IntoIterator for Receiver<T> {
            type Item = T;
            type IntoIter = IntoIter<T>;

            fn into_iter(self) -> IntoIter<T> {
                IntoIter(self)
            }
        }

        impl<T> Clone for Sender<T> {
            fn clone(&self) -> Self {
                self.0.add_sender();
                Self(Arc::clone(&self.0))
            }
        }

        impl<T> Clone for Receiver<T> {
            /// Makes a receiver at this one's position.
            fn clone(&self) -> Self {
                self.feed.add_receiver();
                Self { feed: Arc::clone(&self.feed), progress: self.progress }
            }
        }

        impl<T> Drop for Sender<T> {
            fn drop(&mut self) {
                self.0.drop_sender();
            }
        }

        impl<T> Drop for Receiver<T> {
            fn drop(&mut self) {
                self.feed.drop_receiver();
            }
        }

        /// A future that receives a message; made by [`Receiver::recv_async`].
        ///
        /// Dropping it before it is ready leaves the message to the receiver. No other receiver's
        /// wake-up is lost.
        #[must_use = "a future does nothing unless it is awaited"]
        pub struct RecvFuture<'a, T: Clone>(pub(crate) Waiting<'a, Following<'a, T>>);

        // No message is pinned.
        impl<T: Clone> Unpin for RecvFuture<'_, T> {}

        impl<T: Clone> Future for RecvFuture<'_, T> {
            type Output = Result<T, RecvError>;

            fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
                self.get_mut().0.poll(context)
            }
        }

        impl<T> fmt::Debug for Sender<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct("Sender").finish_non_exhaustive()
            }
        }

        impl<T> fmt::Debug for WeakSender<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct("WeakSender").finish_non_exhaustive()
            }
        }

        impl<T> fmt::Debug for Receiver<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct("Receiver").finish_non_exhaustive()
            }
        }

        impl<T: Clone> fmt::Debug for RecvFuture<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct("RecvFuture").finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use ends;
