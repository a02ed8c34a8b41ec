//! What the two sides of a channel without room have in their lists, and how they are matched.

use std::collections::VecDeque;
use std::mem;

use super::{Case, Met};
use crate::error::{RecvError, SendError};
use crate::list::List;
use crate::select::{Progress, Ticket};
use crate::sync::Arc;
use crate::wake::{Caller, Wake, Woken};

/// What a side does in its lists.
#[derive(Debug)]
pub(super) struct Entry<S> {
    pub(super) wake: Option<Wake>,
    ticket: Option<(Arc<Ticket>, usize)>,
    pub(super) state: S,
}

impl<S> Entry<S> {
    fn new(caller: Option<Caller<'_>>, case: Case<'_>, state: S) -> Self {
        let ticket = case.map(|(ticket, case)| (Arc::clone(ticket), case));
        Self { wake: caller.map(Caller::wake), ticket, state }
    }

    /// Makes the entry wake the caller. Returns what is to be dropped when the lock is open.
    fn replace(&mut self, caller: Option<Caller<'_>>) -> Option<Wake> {
        match (&mut self.wake, caller) {
            (Some(wake), Some(caller)) => wake.replace(caller),
            (None, Some(caller)) => {
                self.wake = Some(caller.wake());
                None
            }
            (_, None) => None,
        }
    }

    /// Chooses the entry as a partner for `own`, unless its select or the caller's has chosen already.
    #[inline(always)]
    fn is_chosen_with(&self, own: Case<'_>) -> bool {
        match (&self.ticket, own) {
            (None, None) => true,
            (None, Some((own, _))) => own.take(),
            (Some((ticket, case)), None) => ticket.choose(*case),
            (Some((ticket, _)), Some((own, _))) if Arc::ptr_eq(ticket, own) => false,
            (Some((ticket, case)), Some((own, _))) => ticket.choose_with(*case, own),
        }
    }
}

/// What a sender that waits has.
#[derive(Debug)]
pub(super) enum Offer<T> {
    Message(T),
    /// A message that will be made when there is a receiver.
    Later,
    /// A receiver has taken the message.
    Taken,
    /// The receiver with this key has been promised a message.
    Owes(usize),
}

/// What a receiver that waits has.
#[derive(Debug)]
pub(super) enum Got<T> {
    Nothing,
    /// A sender has chosen it, and the message will come.
    Promise,
    Message(T),
    /// The sender has changed its mind.
    Broken,
    /// The receiver has gone and has left its entry to the sender.
    Gone,
}

#[derive(Debug)]
pub(super) struct State<T> {
    pub(super) senders: List<Entry<Offer<T>>>,
    pub(super) receivers: List<Entry<Got<T>>>,
    /// Messages that were received by futures which have been dropped.
    pub(super) left: VecDeque<T>,
    /// Those that wait for a partner to come, and do not want to meet it.
    pub(super) watchers: List<Option<Wake>>,
    pub(super) sender_handles: usize,
    pub(super) receiver_handles: usize,
    pub(super) is_closed: bool,
}

/// The end of the channel, unless the select of `own` has chosen another case.
fn closed<R, E>(own: Case<'_>, error: E) -> Progress<Result<R, E>> {
    if own.is_none_or(|(own, _)| own.take()) { Progress::Done(Err(error)) } else { Progress::Missed }
}

impl<T> State<T> {
    /// A partner for watchers has come.
    #[inline]
    fn wake_watchers(&mut self) -> Woken {
        match self.watchers.first() {
            None => Woken::default(),
            Some(_) => Woken::all(self.take_watchers()),
        }
    }

    pub(super) fn take_watchers(&mut self) -> Vec<Wake> {
        let mut all = Vec::new();
        while let Some(key) = self.watchers.first() {
            self.watchers.unlink(key);
            all.extend(self.watchers.get(key).take());
        }
        all
    }

    /// Nobody is chosen any more.
    pub(super) fn wake_all(&mut self) -> Woken {
        let mut all = self.take_watchers();
        while let Some(key) = self.senders.first() {
            self.senders.unlink(key);
            all.extend(self.senders.get(key).wake.take());
        }
        while let Some(key) = self.receivers.first() {
            self.receivers.unlink(key);
            all.extend(self.receivers.get(key).wake.take());
        }
        Woken::all(all)
    }

    /// Chooses a receiver that waits.
    #[inline(always)]
    fn choose_receiver(&mut self, own: Case<'_>) -> Option<usize> {
        let key = self.receivers.find(|entry| entry.is_chosen_with(own))?;
        self.receivers.unlink(key);
        Some(key)
    }

    /// Gives a receiver that has been chosen its message.
    #[inline(always)]
    fn give(&mut self, key: usize, message: T) -> Woken {
        let entry = self.receivers.get(key);
        entry.state = Got::Message(message);
        Woken::one(entry.wake.take())
    }

    /// Leaves a message to the next receiver.
    pub(super) fn leave(&mut self, message: T) -> Woken {
        match self.choose_receiver(None) {
            Some(key) => self.give(key, message),
            None => {
                self.left.push_back(message);
                self.wake_watchers()
            }
        }
    }

    /// Sends, as far as that is possible now. `message` is the message if it is there already, and not in the entry.
    #[inline(always)]
    pub(super) fn send(
        &mut self,
        place: &mut Option<usize>,
        message: &mut Option<T>,
        caller: Option<Caller<'_>>,
        case: Case<'_>,
    ) -> (Progress<Result<Met, SendError<()>>>, Woken) {
        if let Some(key) = *place {
            if !self.senders.is_linked(key) {
                *place = None;
                let progress = match self.senders.remove(key).state {
                    Offer::Taken => Progress::Done(Ok(None)),
                    Offer::Owes(receiver) => Progress::Done(Ok(Some(receiver))),
                    Offer::Message(own) => {
                        *message = Some(own);
                        closed(case, SendError(()))
                    }
                    Offer::Later => closed(case, SendError(())),
                };
                return (progress, Woken::default());
            }
            let old = self.senders.get(key).replace(caller);
            if case.is_none() {
                return (Progress::Missed, Woken::none(old));
            }
        } else if self.is_closed {
            return (closed(case, SendError(())), Woken::default());
        }
        if let Some(receiver) = self.choose_receiver(case) {
            if let Some(key) = place.take()
                && let Offer::Message(own) = self.senders.remove(key).state
            {
                *message = Some(own);
            }
            return match message.take() {
                Some(message) => (Progress::Done(Ok(None)), self.give(receiver, message)),
                None => {
                    self.receivers.get(receiver).state = Got::Promise;
                    (Progress::Done(Ok(Some(receiver))), Woken::default())
                }
            };
        }
        if place.is_none() && caller.is_some() {
            let offer = message.take().map_or(Offer::Later, Offer::Message);
            *place = Some(self.senders.insert(Entry::new(caller, case, offer), false));
            return (Progress::Missed, self.wake_watchers());
        }
        (Progress::Missed, Woken::default())
    }

    /// Receives, as far as that is possible now.
    #[inline(always)]
    pub(super) fn recv(
        &mut self,
        place: &mut Option<usize>,
        caller: Option<Caller<'_>>,
        case: Case<'_>,
    ) -> (Progress<Result<T, RecvError>>, Woken) {
        if let Some(key) = *place {
            if !self.receivers.is_linked(key) {
                let entry = self.receivers.get(key);
                if matches!(entry.state, Got::Promise) {
                    let old = entry.replace(caller);
                    return (Progress::Bound, Woken::none(old));
                }
                *place = None;
                let progress = match self.receivers.remove(key).state {
                    Got::Message(message) => Progress::Done(Ok(message)),
                    Got::Nothing => closed(case, RecvError),
                    Got::Broken | Got::Promise | Got::Gone => Progress::Broken,
                };
                return (progress, Woken::default());
            }
            let old = self.receivers.get(key).replace(caller);
            if case.is_none() {
                return (Progress::Missed, Woken::none(old));
            }
        }
        if !self.left.is_empty() && case.is_none_or(|(own, _)| own.take()) {
            if let Some(key) = place.take() {
                self.receivers.remove(key);
            }
            if let Some(message) = self.left.pop_front() {
                return (Progress::Done(Ok(message)), Woken::default());
            }
        }
        if self.is_closed {
            return (closed(case, RecvError), Woken::default());
        }
        if let Some(sender) = self.senders.find(|entry| entry.is_chosen_with(case)) {
            self.senders.unlink(sender);
            return self.take_from(sender, place, caller);
        }
        if place.is_none() && caller.is_some() {
            *place = Some(self.receivers.insert(Entry::new(caller, case, Got::Nothing), false));
            return (Progress::Missed, self.wake_watchers());
        }
        (Progress::Missed, Woken::default())
    }

    /// Takes the message of a sender that has been chosen, or its promise.
    fn take_from(
        &mut self,
        sender: usize,
        place: &mut Option<usize>,
        caller: Option<Caller<'_>>,
    ) -> (Progress<Result<T, RecvError>>, Woken) {
        let own = place.take();
        let entry = self.senders.get(sender);
        let woken = Woken::one(entry.wake.take());
        match mem::replace(&mut entry.state, Offer::Taken) {
            Offer::Message(message) => {
                if let Some(own) = own {
                    self.receivers.remove(own);
                }
                (Progress::Done(Ok(message)), woken)
            }
            Offer::Later | Offer::Taken | Offer::Owes(_) => {
                let own = own.unwrap_or_else(|| self.receivers.insert_unlinked(Entry::new(caller, None, Got::Nothing)));
                self.receivers.unlink(own);
                self.receivers.get(own).state = Got::Promise;
                self.senders.get(sender).state = Offer::Owes(own);
                *place = Some(own);
                (Progress::Bound, woken)
            }
        }
    }

    /// Keeps the promise. The message comes back if the channel has no receivers.
    pub(super) fn keep(&mut self, receiver: usize, message: T) -> (Result<(), T>, Woken) {
        if matches!(self.receivers.get(receiver).state, Got::Promise) {
            return (Ok(()), self.give(receiver, message));
        }
        self.receivers.remove(receiver);
        if self.receiver_handles == 0 {
            return (Err(message), Woken::default());
        }
        (Ok(()), self.leave(message))
    }

    /// Breaks the promise.
    pub(super) fn break_promise(&mut self, receiver: usize) -> Woken {
        let entry = self.receivers.get(receiver);
        if matches!(entry.state, Got::Promise) {
            entry.state = Got::Broken;
            return Woken::one(entry.wake.take());
        }
        self.receivers.remove(receiver);
        Woken::default()
    }
}
