//! What all ends of a channel share besides its queue: waiters, and whether it is closed.
//!
//! A channel closes in three steps, which only go forward:
//!
//! 1. **Closed** (`is_closed`): no send that begins now succeeds. Set when all handles of a side are gone, and by
//!    `close`.
//! 2. **Sealed** (`phase`): after a heavy fence. A send that was under way before the first step and does not know of
//!    it has pushed its message by now, so a receiver that has seen the seal finds that message. A send that comes
//!    later learns of the first step after its push ([`Core::sent_late`]).
//! 3. **Drained** (`phase`): a receiver has found the queue empty after the seal, under the lock `end`. No receiver
//!    pops any more. A send that has pushed its message later takes a message back: the oldest one, which may be that
//!    of another such send, since queues do not tell messages apart. Each of these sends takes one, so none is lost.
//!
//! Without senders, no send is under way, so the second step needs no fence. Without receivers, the messages that are
//! left are dropped, by the last receiver and by sends that come late.

use std::mem;
use std::time::Instant;

use aqueduct::error::PopError;
use aqueduct::fences;

use super::ends::{RecvEnd, SendEnd};
use crate::error::{RecvError, RecvTimeoutError, SendError, SendTimeoutError, TryRecvError, TrySendError};
use crate::event::{Attempt, Event, Miss};
use crate::sync::{AtomicBool, AtomicUsize, Mutex, Ordering, snooze};

/// Receivers pop.
const OPEN: usize = 0;
/// Receivers pop, and no message comes after they have found the queue empty under the lock.
const SEALED: usize = 1;
/// Receivers do not pop.
const DRAINED: usize = 2;

/// Which side is responsible for messages of sends that come late.
#[derive(Debug)]
enum End<L> {
    /// The receivers.
    Receivers,
    /// The senders: each takes one back, with what the receiver that found the end has left.
    Senders(Option<L>),
    /// Nobody: they are dropped.
    Nobody(L),
}

/// What all ends share. `L` is what a receiver leaves to senders.
#[derive(Debug)]
pub(crate) struct Core<L> {
    is_closed: AtomicBool,
    phase: AtomicUsize,
    /// Where receivers wait for messages.
    messages: Event,
    /// Where senders wait for room.
    room: Event,
    senders: AtomicUsize,
    receivers: AtomicUsize,
    end: Mutex<End<L>>,
}

impl<L> Core<L> {
    /// For a sender and a receiver.
    pub(crate) fn new() -> Self {
        Self::with_events(Event::new(), Event::new())
    }

    /// For a sender and a receiver of a queue whose pushes and pops begin with exchanges.
    pub(crate) fn of_exchanges() -> Self {
        Self::with_events(Event::of_exchanges(), Event::of_exchanges())
    }

    fn with_events(messages: Event, room: Event) -> Self {
        fences::prepare();
        Self {
            is_closed: AtomicBool::new(false),
            phase: AtomicUsize::new(OPEN),
            messages,
            room,
            senders: AtomicUsize::new(1),
            receivers: AtomicUsize::new(1),
            end: Mutex::new(End::Receivers),
        }
    }

    pub(crate) fn room(&self) -> &Event {
        &self.room
    }

    pub(crate) fn messages(&self) -> &Event {
        &self.messages
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// Whether receivers will find the end of the channel.
    pub(crate) fn is_closing(&self) -> bool {
        self.phase.load(Ordering::Relaxed) != OPEN
    }

    pub(crate) fn add_sender(&self) {
        // Ordering: Relaxed. The caller has a sender, so the count does not fall to 0 meanwhile.
        self.senders.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds a sender, unless all senders are gone. Returns whether it has done so.
    pub(crate) fn revive_sender(&self) -> bool {
        // Ordering: Relaxed. The new sender releases what it pushes when it goes, as each sender does.
        let add = |senders| (senders > 0).then_some(senders + 1);
        self.senders.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_ok()
    }

    /// Whether there are several senders and one receiver, which would have to run in turn with each of them.
    fn is_funnel(&self) -> bool {
        // Ordering: Relaxed. The numbers may change at once; only the cost of a wait depends on them.
        self.senders.load(Ordering::Relaxed) > 1 && self.receivers.load(Ordering::Relaxed) == 1
    }

    /// Whether there are several receivers and one sender, which would have to run in turn with each of them.
    fn is_fan(&self) -> bool {
        // Ordering: Relaxed, as in `is_funnel`.
        self.receivers.load(Ordering::Relaxed) > 1 && self.senders.load(Ordering::Relaxed) == 1
    }

    pub(crate) fn add_receiver(&self) {
        // Ordering: Relaxed, as in `add_sender`.
        self.receivers.fetch_add(1, Ordering::Relaxed);
    }

    /// Closes the channel if the sender was the last one.
    pub(crate) fn sender_goes(&self) {
        // Ordering: Release pairs with the Acquire of the last one, which seals: what each sender has pushed is there.
        if self.senders.fetch_sub(1, Ordering::AcqRel) == 1 {
            // Ordering: Release only keeps the store behind earlier loads (load buffering): `seal` publishes the end.
            self.is_closed.store(true, Ordering::Release);
            self.seal();
        }
    }

    /// Closes the channel if the receiver was the last one, and drops the messages that are left. `rest` is what the
    /// receiver leaves, with which `pop` takes a message; nothing if it has been left before.
    pub(crate) fn receiver_goes<T>(&self, mut rest: Option<L>, mut pop: impl FnMut(&mut L) -> Result<T, PopError>) {
        // Ordering: Relaxed. What the others have popped, the last one finds in the queue's own words.
        if self.receivers.fetch_sub(1, Ordering::Relaxed) != 1 {
            return;
        }
        // Ordering: Acquire pairs with the Release in `sender_goes`: without it, messages of senders that are gone
        // would stay in a channel that a weak sender keeps.
        if self.senders.load(Ordering::Acquire) == 0 {
            if let Some(mut rest) = rest {
                drop_all(|| pop(&mut rest));
            }
            return;
        }
        // Ordering: Release only keeps the store behind earlier loads (load buffering).
        self.is_closed.store(true, Ordering::Release);
        // A send that does not know of that has pushed its message, and it is dropped here.
        fences::heavy();
        {
            let mut end = self.end.lock();
            if matches!(*end, End::Receivers)
                && let Some(rest) = rest.take()
            {
                *end = End::Nobody(rest);
            }
        }
        self.room.notify_all();
        self.drop_messages(&mut pop);
    }

    /// Drops messages one by one, with the lock open: dropping one may drop handles of this channel. A message behind
    /// one that is still being pushed is left to the send that pushes it.
    fn drop_messages<T>(&self, pop: &mut impl FnMut(&mut L) -> Result<T, PopError>) {
        loop {
            let message = match &mut *self.end.lock() {
                End::Nobody(rest) => pop(rest),
                End::Receivers | End::Senders(_) => return,
            };
            if message.is_err() {
                return;
            }
        }
    }

    /// What `read` says of what a receiver has left.
    pub(crate) fn left<R>(&self, read: impl FnOnce(&L) -> R) -> Option<R> {
        match &*self.end.lock() {
            End::Receivers => None,
            End::Senders(left) => left.as_ref().map(read),
            End::Nobody(left) => Some(read(left)),
        }
    }

    /// Closes the channel for sends. Returns whether this call has done so.
    pub(crate) fn close(&self) -> bool {
        // Ordering: Relaxed. Of several calls, one seals; senders read the word between fences.
        if self.is_closed.swap(true, Ordering::Relaxed) {
            return false;
        }
        // Pairs with the light fence of each send, between its push and its look at `is_closed`.
        fences::heavy();
        self.seal();
        self.room.notify_all();
        true
    }

    fn seal(&self) {
        // Ordering: Release pairs with the Acquire in `recv`: a receiver that sees it finds all messages. A channel can
        // be closed and its last sender go at the same time: the phase does not go back. Acquire only keeps later
        // stores behind (load buffering).
        let _ = self.phase.compare_exchange(OPEN, SEALED, Ordering::Release, Ordering::Acquire);
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

    /// A message has been pushed: what becomes of it.
    #[inline(always)]
    pub(crate) fn pushed<E: SendEnd<Left = L>>(&self, end: &mut E) -> Sent<E> {
        self.messages.notify_exchanged();
        // After the light fence of `notify_exchanged`.
        if self.is_closed() { self.sent_late(end) } else { Ok(()) }
    }

    /// A message has been pushed, and the channel was closed meanwhile.
    #[cold]
    fn sent_late<E: SendEnd<Left = L>>(&self, end: &mut E) -> Sent<E> {
        for round in 0.. {
            match &mut *self.end.lock() {
                End::Receivers => return Ok(()),
                End::Senders(left) => match end.pop_left(left.as_mut()) {
                    Ok(message) => return Err(SendError(message)),
                    // A receiver has taken it before the end.
                    Err(PopError::Empty) => return Ok(()),
                    Err(PopError::Busy) => {}
                },
                End::Nobody(_) => break,
            }
            snooze(round);
        }
        self.drop_messages(&mut |rest| end.pop_left(Some(rest)));
        Ok(())
    }

    /// Tries to receive, once.
    #[inline(always)]
    pub(crate) fn recv<E: RecvEnd<Left = L>>(&self, end: &mut E) -> Result<Received<E>, Miss> {
        // Before the pop: a sender can push and go between the two.
        // Ordering: Acquire pairs with the Release in `seal`.
        let phase = self.phase.load(Ordering::Acquire);
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
                    PopError::Empty if phase == SEALED => self.drain(end),
                    PopError::Empty => Err(Miss::Exact),
                    PopError::Busy => Err(Miss::Inexact),
                }
            }
        }
    }

    /// Tries to receive, and repeats that as long as other threads are in the way for a moment.
    #[inline]
    pub(crate) fn recv_now<E: RecvEnd<Left = L>>(&self, end: &mut E) -> Option<Received<E>> {
        if E::IS_IN_PLACE { self.recv(end).ok() } else { attempt_now(|| self.recv(end)) }
    }

    /// The channel is sealed, and the queue was empty.
    #[cold]
    fn drain<E: RecvEnd<Left = L>>(&self, end: &mut E) -> Result<Received<E>, Miss> {
        let mut owner = self.end.lock();
        if !matches!(*owner, End::Receivers) {
            return Ok(Err(RecvError));
        }
        match end.pop() {
            Ok(message) => Ok(Ok(message)),
            Err(PopError::Busy) => Err(Miss::Inexact),
            Err(PopError::Empty) => {
                *owner = End::Senders(end.leave());
                // Ordering: Release only keeps the store behind earlier loads (load buffering).
                self.phase.store(DRAINED, Ordering::Release);
                drop(owner);
                self.messages.notify_all();
                Ok(Err(RecvError))
            }
        }
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
        let offers = end.has_few_places() && self.is_funnel();
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
            Err(miss) if receiving.end.has_one_place() && self.is_fan() => {
                self.messages.park_offering(deadline, miss, &mut receiving)
            }
            Err(miss) => self.messages.park_until(deadline, miss, &mut receiving),
        };
        result.map_or(Err(RecvTimeoutError::Timeout), |result| result.map_err(RecvTimeoutError::from))
    }
}

/// Repeats an attempt until it succeeds or is known to fail: not for longer than another thread's operation takes.
#[inline]
pub(crate) fn attempt_now<R>(mut attempt: impl FnMut() -> Result<R, Miss>) -> Option<R> {
    let mut round = 0;
    loop {
        match attempt() {
            Ok(result) => return Some(result),
            Err(Miss::Exact) => return None,
            Err(Miss::Inexact) => snooze(round),
        }
        round += 1;
    }
}

pub(crate) type Sent<E> = Result<(), SendError<<E as SendEnd>::Message>>;
type Received<E> = Result<<E as RecvEnd>::Message, RecvError>;

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
        // In blocks, what one receiver takes may make no room, and what another one takes, room for several messages.
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

/// Drops all messages. If the drop of one panics, those after it are leaked: a second panic would abort the process.
fn drop_all<T>(pop: impl FnMut() -> Result<T, PopError>) {
    struct Left<P: FnMut() -> Result<T, PopError>, T>(P);

    impl<P: FnMut() -> Result<T, PopError>, T> Drop for Left<P, T> {
        fn drop(&mut self) {
            while let Ok(message) = (self.0)() {
                mem::forget(message);
            }
        }
    }

    let mut left = Left(pop);
    while (left.0)().is_ok() {}
    // No message is left.
    mem::forget(left);
}
