//! Senders that do not keep a channel open.

use std::fmt;

use super::channel::Channel;
use super::shared::Sender;
use super::sided;
use crate::channel::core::Core;
use crate::channel::queues::SendEnd;
use crate::sync::Arc;

/// A sender that does not keep its channel open; made by [`Sender::downgrade`].
///
/// The channel is closed when the last [`Sender`] is dropped, however many weak senders there are.
/// A weak sender keeps the channel's memory. It keeps no messages: those of a channel without
/// receivers are dropped.
///
/// # Examples
/// A timer sends as long as others do:
/// ```
/// use aqueduct_channel::unbounded;
///
/// let (sender, receiver) = unbounded();
/// let timer = sender.downgrade();
/// timer.upgrade().expect("there is a sender").send("tick")?;
/// drop(sender);
/// assert!(timer.upgrade().is_none());
/// assert_eq!(receiver.iter().collect::<Vec<_>>(), ["tick"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct WeakSender<T>(Arc<Channel<T>>);

impl<T> Sender<T> {
    /// Returns a sender that does not keep the channel open.
    #[must_use]
    pub fn downgrade(&self) -> WeakSender<T> {
        WeakSender(Arc::clone(&self.0))
    }
}

impl<T> WeakSender<T> {
    /// Returns a sender, unless all senders are gone.
    ///
    /// The channel can be closed nevertheless, by `close` or because all receivers are gone.
    #[must_use]
    pub fn upgrade(&self) -> Option<Sender<T>> {
        let is_alive = match &*self.0 {
            Channel::Buffered(core, _) => core.revive_sender(),
            Channel::Rendezvous(rendezvous) => rendezvous.revive_sender(),
        };
        is_alive.then(|| Sender(Arc::clone(&self.0)))
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

impl<T> fmt::Debug for WeakSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WeakSender").finish_non_exhaustive()
    }
}

/// A sender that does not keep its channel open; made by
/// [`handles::Sender::downgrade`](sided::Sender::downgrade).
///
/// The channel is closed when the last [`Sender`](sided::Sender) is dropped, however many weak
/// senders there are.
pub struct WeakHandle<P: SendEnd> {
    producer: P,
    core: Arc<Core<P::Left>>,
}

impl<P: SendEnd + Clone> sided::Sender<P> {
    /// Returns a sender that does not keep the channel open.
    ///
    /// # Examples
    /// ```
    /// let (mut sender, mut receiver) = aqueduct_channel::mpsc::bounded(100)?;
    /// let weak = sender.downgrade();
    /// sender.send(1)?;
    /// weak.upgrade().expect("there is a sender").send(2)?;
    /// drop(sender);
    /// assert!(weak.upgrade().is_none());
    /// assert_eq!(receiver.iter().collect::<Vec<_>>(), [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn downgrade(&self) -> WeakHandle<P> {
        WeakHandle { producer: self.producer.clone(), core: Arc::clone(&self.core) }
    }
}

impl<P: SendEnd + Clone> WeakHandle<P> {
    /// Returns a sender, unless all senders are gone.
    ///
    /// The channel can be closed nevertheless, by `close` or because all receivers are gone.
    #[must_use]
    pub fn upgrade(&self) -> Option<sided::Sender<P>> {
        // Before the count: a clone that panics leaves it alone.
        let producer = self.producer.clone();
        self.core.revive_sender().then(|| sided::Sender { producer, core: Arc::clone(&self.core) })
    }
}

impl<P: SendEnd> WeakHandle<P> {
    /// Whether both are weak senders of one channel.
    #[must_use]
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.core, &other.core)
    }
}

impl<P: SendEnd + Clone> Clone for WeakHandle<P> {
    fn clone(&self) -> Self {
        Self { producer: self.producer.clone(), core: Arc::clone(&self.core) }
    }
}

impl<P: SendEnd> fmt::Debug for WeakHandle<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WeakSender").finish_non_exhaustive()
    }
}
