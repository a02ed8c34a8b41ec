//! State that all ends of a channel share besides its queue: waiters, the numbers of handles, and
//! the channel's end.

use std::time::Instant;

use aqueduct::error::PopError;
use aqueduct::fences;

use super::closing::{Closing, DRAINED, Received, SEALED, Sent, drop_all};
use super::queues::{RecvEnd, SendEnd};
use crate::error::{RecvError, RecvTimeoutError, SendError, SendTimeoutError, TryRecvError, TrySendError};
use crate::event::{Attempt, Event, Miss, attempt_now};
use crate::sync::{AtomicUsize, Ordering};

/// State that all ends share. `L` is the consumer that a receiver leaves to senders, or `()`.
#[derive(Debug)]
pub(crate) struct Core<L> {
    closing: Closing<L>,
    /// Event on which receivers wait for messages.
    messages: Event,
    /// Event on which senders wait for room.
    room: Event,
    senders: AtomicUsize,
    receivers: AtomicUsize,
}

impl<L> Core<L> {
    /// Makes the state for a sender and a receiver.
    pub(crate) fn new() -> Self {
        Self::with_events(Event::new(), Event::new())
    }

    /// Makes the state for a sender and a receiver of a queue whose pushes and pops begin with
    /// exchanges.
    pub(crate) fn of_exchanges() -> Self {
        Self::with_events(Event::of_exchanges(), Event::of_exchanges())
    }

    fn with_events(messages: Event, room: Event) -> Self {
        fences::prepare();
        Self { closing: Closing::new(), messages, room, senders: AtomicUsize::new(1), receivers: AtomicUsize::new(1) }
    }

    pub(crate) fn room(&self) -> &Event {
        &self.room
    }

    pub(crate) fn messages(&self) -> &Event {
        &self.messages
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closing.is_closed()
    }

    /// Whether receivers will find the end of the channel.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.has_begun()
    }

    pub(crate) fn add_sender(&self) {
        // Ordering: Relaxed. The caller has a sender, so the count does not fall to 0 meanwhile.
        self.senders.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds a sender, unless all senders are gone. Returns whether it has done so.
    pub(crate) fn revive_sender(&self) -> bool {
        // Ordering: Relaxed. The new sender releases what it pushes when it goes, as each sender
        // does.
        let add = |senders| (senders > 0).then_some(senders + 1);
        self.senders.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_ok()
    }

    /// Whether there are several senders and one receiver, which would have to run in turn with
    /// each of them.
    fn has_one_receiver(&self) -> bool {
        // Ordering: Relaxed. The numbers may change at once; only the cost of a wait depends on
        // them.
        self.senders.load(Ordering::Relaxed) > 1 && self.receivers.load(Ordering::Relaxed) == 1
    }

    /// Whether there are several receivers and one sender, which would have to run in turn with
    /// each of them.
    fn has_one_sender(&self) -> bool {
        // Ordering: Relaxed, as in `has_one_receiver`.
        self.receivers.load(Ordering::Relaxed) > 1 && self.senders.load(Ordering::Relaxed) == 1
    }

    pub(crate) fn add_receiver(&self) {
        // Ordering: Relaxed, as in `add_sender`.
        self.receivers.fetch_add(1, Ordering::Relaxed);
    }

    /// Closes the channel if the sender was the last one.
    pub(crate) fn drop_sender(&self) {
        // Ordering: Release pairs with the Acquire of the last one, which seals: what each sender
        // has pushed is there.
        if self.senders.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.closing.set_closed();
            self.seal();
        }
    }

    /// Closes the channel if the receiver was the last one, and drops the messages that are left.
    /// `rest` is what the receiver leaves, with which `pop` takes a message; nothing if it has been
    /// left before.
    pub(crate) fn drop_receiver<T>(&self, mut rest: Option<L>, mut pop: impl FnMut(&mut L) -> Result<T, PopError>) {
        // Ordering: Relaxed. What the others have popped, the last one finds in the queue's own
        // words.
        if self.receivers.fetch_sub(1, Ordering::Relaxed) != 1 {
            return;
        }
        // Ordering: Acquire pairs with the Release in `drop_sender`: without it, messages of
        // senders that are gone would stay in a channel that a weak sender keeps.
        if self.senders.load(Ordering::Acquire) == 0 {
            if let Some(mut rest) = rest {
                drop_all(|| pop(&mut rest));
            }
            return;
        }
        self.closing.leave_to_no_side(&mut rest);
        self.room.notify_all();
        self.closing.drop_messages(&mut pop);
    }

    /// Applies `read` to the consumer that the last receiver has left behind, if any.
    pub(crate) fn left<R>(&self, read: impl FnOnce(&L) -> R) -> Option<R> {
        self.closing.left(read)
    }

    /// Closes the channel for sends. Returns whether this call has done so.
    pub(crate) fn close(&self) -> bool {
        if !self.closing.close() {
            return false;
        }
        self.seal();
        self.room.notify_all();
        true
    }

    fn seal(&self) {
        self.closing.seal();
        // One receiver is enough to drain the channel. It wakes the others.
        self.messages.notify();
    }

    /// Tries to send, once. Returns the message if the channel is closed.
    #[inline(always)]
    fn send<E: SendEnd<Left = L>>(&self, end: &mut E, message: &mut Option<E::Message>) -> Result<Sent<E>, Miss> {
        let Some(next) = message.take() else { return Ok(Ok(())) };
        if self.is_closed() {
            return Ok(Err(SendError(next)));
        }
        match end.push(next) {
            Ok(()) => Ok(self.pushed(end)),
            Err(error) => {
                let miss = if error.is_full() { Miss::Exact } else { Miss::Inexact };
                *message = Some(error.into_inner());
                Err(miss)
            }
        }
    }

    /// Completes a push: returns the result of the send.
    #[inline(always)]
    pub(crate) fn pushed<E: SendEnd<Left = L>>(&self, end: &mut E) -> Sent<E> {
        self.messages.notify_exchanged();
        // After the light fence of `notify_exchanged`.
        if self.is_closed() { self.closing.sent_after_close(end) } else { Ok(()) }
    }

    /// Tries to receive, once.
    #[inline(always)]
    pub(crate) fn recv<E: RecvEnd<Left = L>>(&self, end: &mut E) -> Result<Received<E>, Miss> {
        // Loaded before the pop: a sender can push and be dropped between the two.
        let phase = self.closing.phase();
        if phase == DRAINED {
            return Ok(Err(RecvError));
        }
        match end.pop() {
            Ok(message) => {
                if end.may_have_made_room() {
                    self.room.notify_exchanged();
                }
                Ok(Ok(message))
            }
            Err(error) => {
                if E::FREES_LATE {
                    self.room.notify();
                }
                match error {
                    PopError::Empty if phase == SEALED => self.closing.drain(end, &self.messages),
                    PopError::Empty => Err(Miss::Exact),
                    PopError::Busy => Err(Miss::Inexact),
                }
            }
        }
    }

    /// Tries to receive, and repeats that briefly while operations of other threads are in the way.
    #[inline]
    pub(crate) fn recv_now<E: RecvEnd<Left = L>>(&self, end: &mut E) -> Option<Received<E>> {
        if E::IS_IN_PLACE { self.recv(end).ok() } else { attempt_now(|| self.recv(end)) }
    }

    #[inline]
    pub(crate) fn try_send<E: SendEnd<Left = L>>(
        &self,
        mut end: E,
        message: E::Message,
    ) -> Result<(), TrySendError<E::Message>> {
        let mut message = Some(message);
        match attempt_now(|| self.send(&mut end, &mut message)) {
            Some(result) => result.map_err(TrySendError::from),
            None => message.map_or(Ok(()), |message| Err(TrySendError::Full(message))),
        }
    }

    #[inline]
    pub(crate) fn send_until<E: SendEnd<Left = L>>(
        &self,
        mut end: E,
        deadline: Option<Instant>,
        message: E::Message,
    ) -> Result<(), SendTimeoutError<E::Message>> {
        if self.is_closed() {
            return Err(SendTimeoutError::Disconnected(message));
        }
        match end.push(message) {
            Ok(()) => self.pushed(&mut end).map_err(SendTimeoutError::from),
            Err(error) => self.send_later(end, deadline, error.into_inner()),
        }
    }

    /// Sends, after an attempt that has failed.
    #[cold]
    fn send_later<E: SendEnd<Left = L>>(
        &self,
        end: E,
        deadline: Option<Instant>,
        message: E::Message,
    ) -> Result<(), SendTimeoutError<E::Message>> {
        let offers = end.has_few_places() && self.has_one_receiver();
        let mut sending = Sending { core: self, end, message: Some(message) };
        let sent = if offers {
            self.room.park_offering(deadline, Miss::Inexact, &mut sending)
        } else {
            self.room.park_until(deadline, Miss::Inexact, &mut sending)
        };
        match sent {
            Some(result) => result.map_err(SendTimeoutError::from),
            None => sending.message.map_or(Ok(()), |message| Err(SendTimeoutError::Timeout(message))),
        }
    }

    #[inline]
    pub(crate) fn try_recv<E: RecvEnd<Left = L>>(&self, mut end: E) -> Result<E::Message, TryRecvError> {
        match self.recv_now(&mut end) {
            Some(result) => result.map_err(TryRecvError::from),
            None => Err(TryRecvError::Empty),
        }
    }

    #[inline]
    pub(crate) fn recv_until<E: RecvEnd<Left = L>>(
        &self,
        end: E,
        deadline: Option<Instant>,
    ) -> Result<E::Message, RecvTimeoutError> {
        let mut receiving = Receiving { core: self, end };
        let result = match receiving.attempt() {
            Ok(result) => Some(result),
            Err(miss) if receiving.end.has_one_place() && self.has_one_sender() => {
                self.messages.park_offering(deadline, miss, &mut receiving)
            }
            Err(miss) => self.messages.park_until(deadline, miss, &mut receiving),
        };
        result.map_or(Err(RecvTimeoutError::Timeout), |result| result.map_err(RecvTimeoutError::from))
    }
}

/// Attempts to send a message.
#[derive(Debug)]
pub(crate) struct Sending<'a, E: SendEnd> {
    pub(crate) core: &'a Core<E::Left>,
    pub(crate) end: E,
    /// Taken when the end of the attempts is known.
    pub(crate) message: Option<E::Message>,
}

impl<E: SendEnd> Attempt for Sending<'_, E> {
    type Output = Sent<E>;

    #[inline(always)]
    fn attempt(&mut self) -> Result<Sent<E>, Miss> {
        // In blocks, what one receiver takes may make no room, and what another one takes, room for
        // several messages.
        let missed = |miss| if E::FREES_ONE { miss } else { Miss::Inexact };
        self.core.send(&mut self.end, &mut self.message).map_err(missed)
    }

    fn attempt_now(&mut self) -> Option<Sent<E>> {
        attempt_now(|| self.core.send(&mut self.end, &mut self.message))
    }

    fn is_worth_it(&mut self) -> bool {
        self.end.has_much_room() || self.core.is_closed()
    }

    fn is_more(&mut self) -> bool {
        !self.end.is_full()
    }
}

/// Attempts to receive a message.
#[derive(Debug)]
pub(crate) struct Receiving<'a, E, L> {
    pub(crate) core: &'a Core<L>,
    pub(crate) end: E,
}

impl<E: RecvEnd<Left = L>, L> Attempt for Receiving<'_, E, L> {
    type Output = Received<E>;

    #[inline(always)]
    fn attempt(&mut self) -> Result<Received<E>, Miss> {
        self.core.recv(&mut self.end)
    }

    fn attempt_now(&mut self) -> Option<Received<E>> {
        self.core.recv_now(&mut self.end)
    }

    fn is_worth_it(&mut self) -> bool {
        self.end.may_pop() || self.core.is_closing()
    }

    fn is_more(&mut self) -> bool {
        // The end of a channel concerns all receivers.
        !self.end.is_empty() || self.core.is_closing()
    }
}
