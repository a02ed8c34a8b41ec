//! Senders and receivers in a select by index.

use std::ptr;
use std::time::Instant;

use super::channel::Channel;
use super::shared::{Receiver, Sender};
use crate::channel::permits::{Permit, Reserving};
use crate::channel::rendezvous::{Met, Rendezvous};
use crate::error::{RecvError, SendError};
use crate::event::{Attempt, Event, Miss};
use crate::select::{Case, Grant, IndexSelect, Meeting, Progress, Selectable, SelectedOperation, Stay, Token};
use crate::wake::Caller;

impl<'a> IndexSelect<'a> {
    /// Adds a send, and returns its index.
    pub fn send<T>(&mut self, sender: &'a Sender<T>) -> usize {
        self.add(sender)
    }

    /// Adds a receive, and returns its index.
    pub fn recv<T>(&mut self, receiver: &'a Receiver<T>) -> usize {
        self.add(receiver)
    }
}

impl SelectedOperation<'_> {
    /// Sends the message.
    ///
    /// # Errors
    /// [`SendError`] gives the message back if the channel is closed, or all receivers are gone.
    ///
    /// # Panics
    /// If the operation is not that of this sender.
    pub fn send<T>(self, sender: &Sender<T>, message: T) -> Result<(), SendError<T>> {
        assert!(self.is_of(ptr::from_ref(sender).cast()), "passed a sender that wasn't selected");
        sender.send_granted(self.into_token().into_grant(), message)
    }

    /// Returns the message.
    ///
    /// # Errors
    /// [`RecvError`] if the channel is closed, or all senders are gone, and there is no message.
    ///
    /// # Panics
    /// If the operation is not that of this receiver.
    pub fn recv<T>(self, receiver: &Receiver<T>) -> Result<T, RecvError> {
        assert!(self.is_of(ptr::from_ref(receiver).cast()), "passed a receiver that wasn't selected");
        // SAFETY: the receiver has been borrowed since it was added, so nothing else lies there,
        // and the message is its.
        unsafe { self.into_token().into_message() }.ok_or(RecvError)
    }
}

impl<T> Sender<T> {
    /// Sends a message by the token that a select has got.
    fn send_granted(&self, grant: Grant, message: T) -> Result<(), SendError<T>> {
        match self.permit(grant) {
            Some(permit) => permit.send(message),
            None => Err(SendError(message)),
        }
    }

    fn permit(&self, grant: Grant) -> Option<Permit<'_, T>> {
        match (grant, self.channel()) {
            (Grant::Room, Channel::Buffered(core, buffer)) => {
                // SAFETY: `attempt` has forgotten this room's permit, and a token is used once.
                let room = unsafe { buffer.recall() };
                Some(Permit::room(core, buffer, room))
            }
            (Grant::Promise(receiver), Channel::Rendezvous(rendezvous)) => Some(Permit::promise(rendezvous, receiver)),
            _ => None,
        }
    }
}

// SAFETY: a sender that is selected has no message.
unsafe impl<T> Selectable for Sender<T> {
    fn event(&self) -> Option<&Event> {
        match self.channel() {
            Channel::Buffered(core, _) => Some(core.room()),
            Channel::Rendezvous(_) => None,
        }
    }

    fn attempt(&self) -> Result<Token, Miss> {
        match self.channel() {
            Channel::Buffered(core, buffer) => {
                let grant = Reserving { core, buffer }.attempt()?.map_or(Grant::End, |permit| {
                    std::mem::forget(permit);
                    Grant::Room
                });
                Ok(Token::granted(grant))
            }
            Channel::Rendezvous(_) => Err(Miss::Exact),
        }
    }

    fn is_more(&self) -> bool {
        matches!(self.channel(), Channel::Buffered(_, buffer) if !buffer.is_full())
    }

    fn is_ready(&self) -> bool {
        matches!(self.channel(), Channel::Buffered(core, buffer) if !buffer.is_full() || core.is_closed())
    }

    fn abandon(&self, token: Token) {
        drop(self.permit(token.into_grant()));
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn meeting(&self) -> Option<&dyn Meeting> {
        match self.channel() {
            Channel::Buffered(..) => None,
            Channel::Rendezvous(_) => Some(self),
        }
    }
}

// SAFETY: a message is moved, and neither accessed nor dropped. If it may not go to other threads,
// all handles are in one thread, and a receiver is there as long as the select: no attempt that is
// made for a waiter drops messages.
unsafe impl<T> Selectable for Receiver<T> {
    fn event(&self) -> Option<&Event> {
        match self.channel() {
            Channel::Buffered(core, _) => Some(core.messages()),
            Channel::Rendezvous(_) => None,
        }
    }

    fn attempt(&self) -> Result<Token, Miss> {
        match self.channel() {
            Channel::Buffered(core, buffer) => core.recv(&mut { buffer }).map(Token::received),
            Channel::Rendezvous(_) => Err(Miss::Exact),
        }
    }

    fn attempt_now(&self) -> Option<Token> {
        match self.channel() {
            Channel::Buffered(core, buffer) => core.recv_now(&mut { buffer }).map(Token::received),
            Channel::Rendezvous(_) => None,
        }
    }

    fn is_more(&self) -> bool {
        matches!(self.channel(), Channel::Buffered(core, buffer) if !buffer.is_empty() || core.is_closing())
    }

    fn is_ready(&self) -> bool {
        matches!(self.channel(), Channel::Buffered(core, buffer) if !buffer.is_empty() || core.is_closed())
    }

    fn abandon(&self, _token: Token) {}

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn meeting(&self) -> Option<&dyn Meeting> {
        match self.channel() {
            Channel::Buffered(..) => None,
            Channel::Rendezvous(_) => Some(self),
        }
    }
}

/// The channel of a handle that is [`Meeting`].
fn rendezvous<T>(channel: &Channel<T>) -> &Rendezvous<T> {
    match channel {
        Channel::Rendezvous(rendezvous) => rendezvous,
        Channel::Buffered(..) => unreachable!("no rendezvous is in a channel with a queue"),
    }
}

/// Result of a sender's attempt without a message.
fn promised(met: Result<Met, SendError<()>>) -> Token {
    Token::granted(met.ok().flatten().map_or(Grant::End, Grant::Promise))
}

impl<T> Meeting for Sender<T> {
    fn meet(&self, place: &mut Option<usize>, stay: Stay<'_>, case: Case<'_>) -> Progress<Token> {
        rendezvous(self.channel()).send(place, &mut None, stay, case).map(promised)
    }

    fn give_up(&self, place: &mut Option<usize>) -> Progress<Token> {
        rendezvous(self.channel()).give_up_send(place, &mut None).map(promised)
    }

    fn leave(&self, place: &mut Option<usize>) {
        rendezvous(self.channel()).leave_send(place);
    }

    fn watch(&self, place: &mut Option<usize>, caller: Option<Caller<'_>>) -> bool {
        rendezvous(self.channel()).watch_send(place, caller)
    }

    fn unwatch(&self, place: &mut Option<usize>) {
        rendezvous(self.channel()).unwatch(place);
    }
}

impl<T> Meeting for Receiver<T> {
    fn meet(&self, place: &mut Option<usize>, stay: Stay<'_>, case: Case<'_>) -> Progress<Token> {
        rendezvous(self.channel()).recv(place, stay, case).map(Token::received)
    }

    fn give_up(&self, place: &mut Option<usize>) -> Progress<Token> {
        rendezvous(self.channel()).give_up_recv(place).map(Token::received)
    }

    fn leave(&self, place: &mut Option<usize>) {
        rendezvous(self.channel()).leave_recv(place);
    }

    fn watch(&self, place: &mut Option<usize>, caller: Option<Caller<'_>>) -> bool {
        rendezvous(self.channel()).watch_recv(place, caller)
    }

    fn unwatch(&self, place: &mut Option<usize>) {
        rendezvous(self.channel()).unwatch(place);
    }
}
