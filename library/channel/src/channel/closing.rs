//! The three steps in which a channel closes, and the messages of sends that come late.
//!
//! A channel closes in three steps, which only go forward:
//!
//! 1. **Closed** (`is_closed`): no send that begins now succeeds. Set when all handles of a side
//!    are gone, and by `close`.
//! 2. **Sealed** (`phase`): after a heavy fence. A send that was under way before the first step
//!    and does not know of it has pushed its message by now, so a receiver that has seen the seal
//!    finds that message. A send that comes later observes the first step after its push
//!    ([`Closing::sent_after_close`]).
//! 3. **Drained** (`phase`): a receiver has found the queue empty after the seal, under the lock
//!    `end`. No receiver pops any more. A send that has pushed its message later takes a message
//!    back: the oldest one, which may be that of another such send, since queues do not tell
//!    messages apart. Each of these sends takes one, so none is lost.
//!
//! Without senders, no send is under way, so the second step needs no fence. Without receivers, the
//! messages that are left are dropped, by the last receiver and by sends that come late.

use std::mem;

use aqueduct::error::PopError;
use aqueduct::fences;

use super::queues::{RecvEnd, SendEnd};
use crate::error::{RecvError, SendError};
use crate::event::{Event, Miss};
use crate::sync::{AtomicBool, AtomicUsize, Mutex, Ordering, snooze};

/// A phase: receivers pop.
const OPEN: usize = 0;
/// Receivers pop, and no message comes after they have found the queue empty under the lock.
pub(super) const SEALED: usize = 1;
/// Receivers do not pop.
pub(super) const DRAINED: usize = 2;

/// The side that is responsible for the messages of sends that come late.
#[derive(Debug)]
enum End<L> {
    /// The receivers.
    Receivers,
    /// The senders: each takes one back, with what the receiver that found the end has left.
    Senders(Option<L>),
    /// No side: the messages are dropped.
    NoSide(L),
}

/// The state of a channel's closing. `L` is the consumer that a receiver leaves to senders, or
/// `()`.
#[derive(Debug)]
pub(super) struct Closing<L> {
    is_closed: AtomicBool,
    phase: AtomicUsize,
    end: Mutex<End<L>>,
}

impl<L> Closing<L> {
    pub(super) fn new() -> Self {
        Self { is_closed: AtomicBool::new(false), phase: AtomicUsize::new(OPEN), end: Mutex::new(End::Receivers) }
    }

    /// Whether the first step has been made.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// Whether receivers will find the end of the channel.
    pub(super) fn has_begun(&self) -> bool {
        self.phase.load(Ordering::Relaxed) != OPEN
    }

    /// Returns the phase, before a pop.
    #[inline(always)]
    pub(super) fn phase(&self) -> usize {
        // Ordering: Acquire pairs with the Release in `seal`.
        self.phase.load(Ordering::Acquire)
    }

    /// The first step where no send is under way.
    pub(super) fn set_closed(&self) {
        // Ordering: Release only keeps the store behind earlier loads (load buffering): `seal`
        // publishes the end.
        self.is_closed.store(true, Ordering::Release);
    }

    /// The first step while sends may be under way. Returns whether this call has made it.
    pub(super) fn close(&self) -> bool {
        // Ordering: Relaxed. Of several calls, one seals; senders read the word between fences.
        if self.is_closed.swap(true, Ordering::Relaxed) {
            return false;
        }
        // Pairs with the light fence of each send, between its push and its look at `is_closed`.
        fences::heavy();
        true
    }

    /// The second step.
    pub(super) fn seal(&self) {
        // Ordering: Release pairs with the Acquire in `phase`: a receiver that sees it finds all
        // messages. A channel can be closed and its last sender go at the same time: the phase does
        // not go back. Acquire only keeps later stores behind (load buffering).
        let _ = self.phase.compare_exchange(OPEN, SEALED, Ordering::Release, Ordering::Acquire);
    }

    /// The first step, by the last receiver: messages that are left are dropped. `rest` is what the
    /// receiver leaves.
    pub(super) fn leave_to_no_side(&self, rest: &mut Option<L>) {
        // A send that does not know of that has pushed its message, and it is dropped by the
        // caller.
        self.set_closed();
        fences::heavy();
        let mut end = self.end.lock();
        if matches!(*end, End::Receivers)
            && let Some(rest) = rest.take()
        {
            *end = End::NoSide(rest);
        }
    }

    /// Drops messages one by one, with the lock open: dropping one may drop handles of this
    /// channel. A message behind one that is still being pushed is left to the send that pushes it.
    pub(super) fn drop_messages<T>(&self, pop: &mut impl FnMut(&mut L) -> Result<T, PopError>) {
        loop {
            let message = match &mut *self.end.lock() {
                End::NoSide(rest) => pop(rest),
                End::Receivers | End::Senders(_) => return,
            };
            if message.is_err() {
                return;
            }
        }
    }

    /// Applies `read` to the consumer that the last receiver has left behind, if any.
    pub(super) fn left<R>(&self, read: impl FnOnce(&L) -> R) -> Option<R> {
        match &*self.end.lock() {
            End::Receivers => None,
            End::Senders(left) => left.as_ref().map(read),
            End::NoSide(left) => Some(read(left)),
        }
    }

    /// A message has been pushed, and the channel was closed meanwhile.
    #[cold]
    pub(super) fn sent_after_close<E: SendEnd<Left = L>>(&self, end: &mut E) -> Sent<E> {
        for round in 0.. {
            match &mut *self.end.lock() {
                End::Receivers => return Ok(()),
                End::Senders(left) => match end.pop_left(left.as_mut()) {
                    Ok(message) => return Err(SendError(message)),
                    // A receiver has taken it before the end.
                    Err(PopError::Empty) => return Ok(()),
                    Err(PopError::Busy) => {}
                },
                End::NoSide(_) => break,
            }
            snooze(round);
        }
        self.drop_messages(&mut |rest| end.pop_left(Some(rest)));
        Ok(())
    }

    /// The channel is sealed, and the queue was empty.
    #[cold]
    pub(super) fn drain<E: RecvEnd<Left = L>>(&self, end: &mut E, messages: &Event) -> Result<Received<E>, Miss> {
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
                messages.notify_all();
                Ok(Err(RecvError))
            }
        }
    }
}

pub(super) type Sent<E> = Result<(), SendError<<E as SendEnd>::Message>>;
pub(super) type Received<E> = Result<<E as RecvEnd>::Message, RecvError>;

/// Drops all messages. If the drop of one panics, those after it are leaked: a second panic would
/// abort the process.
pub(super) fn drop_all<T>(pop: impl FnMut() -> Result<T, PopError>) {
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
