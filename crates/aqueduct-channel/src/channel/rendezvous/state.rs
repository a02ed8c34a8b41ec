//! What the two sides of a channel without room have in their lists, and how they are matched.

use std::collections::VecDeque;
use std::mem;

use super::visit::{Stay, Visit, Visited};
use super::{Case, Met};
use crate::error::{RecvError, SendError};
use crate::list::List;
use crate::select::{Progress, Ticket};
use crate::sync::Arc;
use crate::wake::{Wake, Woken};

/// What a side does in its lists.
#[derive(Debug)]
pub(super) struct Entry<S> {
    pub(super) wake: Option<Wake>,
    /// Whether a future waits, which may be dropped.
    is_task: bool,
    ticket: Option<(Arc<Ticket>, usize)>,
    pub(super) state: S,
}

impl<S> Entry<S> {
    fn new(visit: &mut Visit<'_>, state: S) -> Self {
        let ticket = visit.case.map(|(ticket, case)| (Arc::clone(ticket), case));
        Self { wake: visit.fresh.take(), is_task: visit.stay.is_task(), ticket, state }
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

impl<T> Entry<Offer<T>> {
    /// Whether a receiver would have to wait for the message.
    fn is_reservation(&self) -> bool {
        matches!(self.state, Offer::Later)
    }
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

impl<T> Entry<Got<T>> {
    /// Whether a task has been given a message that it has not come for.
    fn is_untaken(&self) -> bool {
        self.is_task && matches!(self.state, Got::Message(_))
    }
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

    /// Nobody is chosen any more: all are to be woken.
    pub(super) fn take_all(&mut self) -> Vec<Wake> {
        let mut all = self.take_watchers();
        while let Some(key) = self.senders.first() {
            self.senders.unlink(key);
            all.extend(self.senders.get(key).wake.take());
        }
        while let Some(key) = self.receivers.first() {
            self.receivers.unlink(key);
            all.extend(self.receivers.get(key).wake.take());
        }
        // Permits send no more: their receivers leave.
        let promised = self.receivers.values_mut().filter(|entry| matches!(entry.state, Got::Promise));
        all.extend(promised.filter_map(|entry| entry.wake.take()));
        all
    }

    /// Takes a message that is left by a dropped future, unless the select of `case` has chosen another case.
    ///
    /// In a closed channel, a task's message is one: if its future were dropped after all other receivers have found
    /// the end, the message would be lost.
    fn take_left(&mut self, case: Case<'_>) -> Option<T> {
        let untaken = match self.left.is_empty() && self.is_closed {
            true => self.receivers.values_mut().find(|entry| entry.is_untaken()),
            false => None,
        };
        if self.left.is_empty() && untaken.is_none() || !case.is_none_or(|(own, _)| own.take()) {
            return None;
        }
        match untaken.map(|entry| mem::replace(&mut entry.state, Got::Nothing)) {
            Some(Got::Message(message)) => Some(message),
            _ => self.left.pop_front(),
        }
    }

    /// Whether there is the end, or a message: that of a sender that waits, too, if it has one or will have it at once.
    pub(super) fn has_message(&self, are_prompt: bool) -> bool {
        let is_there = |entry: &Entry<Offer<T>>| are_prompt || !entry.is_reservation();
        self.is_closed || !self.left.is_empty() || self.senders.find(is_there).is_some()
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
    /// Returns nothing if the caller's waker has to be cloned before.
    #[inline(always)]
    pub(super) fn send(
        &mut self,
        place: &mut Option<usize>,
        message: &mut Option<T>,
        visit: &mut Visit<'_>,
    ) -> Visited<Progress<Result<Met, SendError<()>>>> {
        if let Some(key) = *place {
            if !self.senders.is_linked(key) {
                *place = None;
                let progress = match self.senders.remove(key).state {
                    Offer::Taken => Progress::Done(Ok(None)),
                    Offer::Owes(receiver) => Progress::Done(Ok(Some(receiver))),
                    Offer::Message(own) => {
                        *message = Some(own);
                        closed(visit.case, SendError(()))
                    }
                    Offer::Later => closed(visit.case, SendError(())),
                };
                return Some((progress, Woken::default()));
            }
            visit.moves_to(&mut self.senders.get(key).wake)?;
            if visit.case.is_none() {
                return Some((Progress::Missed, Woken::default()));
            }
        } else if self.is_closed {
            return Some((closed(visit.case, SendError(())), Woken::default()));
        }
        if let Some(receiver) = self.choose_receiver(visit.case) {
            if let Some(key) = place.take() {
                let entry = self.senders.remove(key);
                visit.fresh = entry.wake;
                if let Offer::Message(own) = entry.state {
                    *message = Some(own);
                }
            }
            return Some(match message.take() {
                Some(message) => (Progress::Done(Ok(None)), self.give(receiver, message)),
                None => {
                    self.receivers.get(receiver).state = Got::Promise;
                    (Progress::Done(Ok(Some(receiver))), Woken::default())
                }
            });
        }
        if place.is_none() && visit.stay.is_listed() {
            let offer = message.take().map_or(Offer::Later, Offer::Message);
            *place = Some(self.senders.insert(Entry::new(visit, offer), false));
            return Some((Progress::Missed, self.wake_watchers()));
        }
        Some((Progress::Missed, Woken::default()))
    }

    /// Receives, as far as that is possible now. Returns nothing if the caller's waker has to be cloned before.
    #[inline(always)]
    pub(super) fn recv(
        &mut self,
        place: &mut Option<usize>,
        visit: &mut Visit<'_>,
    ) -> Visited<Progress<Result<T, RecvError>>> {
        if let Some(key) = *place {
            if !self.receivers.is_linked(key) {
                let entry = self.receivers.get(key);
                if matches!(entry.state, Got::Promise) {
                    if self.is_closed {
                        (entry.state, *place) = (Got::Gone, None);
                        return Some((Progress::Broken, Woken::none(entry.wake.take())));
                    }
                    visit.moves_to(&mut entry.wake)?;
                    return Some((Progress::Bound, Woken::default()));
                }
                *place = None;
                return Some((self.outcome(key, visit.case), Woken::default()));
            }
            visit.moves_to(&mut self.receivers.get(key).wake)?;
            if visit.case.is_none() {
                return Some((Progress::Missed, Woken::default()));
            }
        }
        if let Some(message) = self.take_left(visit.case) {
            if let Some(key) = place.take() {
                visit.fresh = self.receivers.remove(key).wake;
            }
            return Some((Progress::Done(Ok(message)), Woken::default()));
        }
        if self.is_closed {
            return Some((closed(visit.case, RecvError), Woken::default()));
        }
        if let Some(sender) = self.choose_sender(visit) {
            self.senders.unlink(sender);
            return Some(self.take_from(sender, place, visit));
        }
        if place.is_none() && visit.stay.is_listed() {
            *place = Some(self.receivers.insert(Entry::new(visit, Got::Nothing), false));
            return Some((Progress::Missed, self.wake_watchers()));
        }
        Some((Progress::Missed, Woken::default()))
    }

    /// Chooses a sender that waits. One that has reserved is for a receiver that waits for its message.
    #[inline(always)]
    fn choose_sender(&mut self, visit: &Visit<'_>) -> Option<usize> {
        let case = visit.case;
        match visit.stay {
            Stay::Listed(_) | Stay::Briefly => self.senders.find(|entry| entry.is_chosen_with(case)),
            // The order of the senders is kept: the caller comes back.
            Stay::Soon => {
                let key = self.senders.find(|entry| entry.is_reservation() || entry.is_chosen_with(case))?;
                (!self.senders.get(key).is_reservation()).then_some(key)
            }
            Stay::Never => self.senders.find(|entry| !entry.is_reservation() && entry.is_chosen_with(case)),
        }
    }

    /// Takes the message of a sender that has been chosen, or its promise.
    fn take_from(
        &mut self,
        sender: usize,
        place: &mut Option<usize>,
        visit: &mut Visit<'_>,
    ) -> (Progress<Result<T, RecvError>>, Woken) {
        let own = place.take();
        let entry = self.senders.get(sender);
        let woken = Woken::one(entry.wake.take());
        match mem::replace(&mut entry.state, Offer::Taken) {
            Offer::Message(message) => {
                if let Some(own) = own {
                    visit.fresh = self.receivers.remove(own).wake;
                }
                (Progress::Done(Ok(message)), woken)
            }
            Offer::Later | Offer::Taken | Offer::Owes(_) => {
                let own = own.unwrap_or_else(|| {
                    let (wake, is_task) = (visit.fresh.take(), visit.stay.is_task());
                    self.receivers.insert_unlinked(Entry { wake, is_task, ticket: None, state: Got::Nothing })
                });
                self.receivers.unlink(own);
                self.receivers.get(own).state = Got::Promise;
                self.senders.get(sender).state = Offer::Owes(own);
                *place = Some(own);
                (Progress::Bound, woken)
            }
        }
    }

    /// What has come of a receiver that is not linked any more, and has no promise.
    fn outcome(&mut self, key: usize, case: Case<'_>) -> Progress<Result<T, RecvError>> {
        match self.receivers.remove(key).state {
            Got::Message(message) => Progress::Done(Ok(message)),
            // The end has come. A message may have been left since.
            Got::Nothing => match self.take_left(case) {
                Some(message) => Progress::Done(Ok(message)),
                None => closed(case, RecvError),
            },
            Got::Broken | Got::Promise | Got::Gone => Progress::Broken,
        }
    }

    /// Ends the wait of a receiver whose time is over. One that has been promised a message leaves its entry to the
    /// sender: that promise is broken for it. If the message comes at once, it stays bound.
    pub(super) fn give_up(
        &mut self,
        place: &mut Option<usize>,
        are_prompt: bool,
    ) -> (Progress<Result<T, RecvError>>, Woken) {
        let Some(key) = place.take() else { return (Progress::Missed, Woken::default()) };
        if are_prompt && matches!(self.receivers.get(key).state, Got::Promise) {
            *place = Some(key);
            return (Progress::Bound, Woken::default());
        }
        if self.receivers.is_linked(key) {
            return (Progress::Missed, Woken::none(self.receivers.remove(key).wake));
        }
        match self.abandon(key) {
            Some(wake) => (Progress::Broken, Woken::none(wake)),
            None => (self.outcome(key, None), Woken::default()),
        }
    }

    /// Leaves the entry of a receiver that has been promised a message to the sender. Returns its waker.
    pub(super) fn abandon(&mut self, key: usize) -> Option<Option<Wake>> {
        let entry = self.receivers.get(key);
        matches!(entry.state, Got::Promise).then(|| {
            entry.state = Got::Gone;
            entry.wake.take()
        })
    }

    /// Keeps the promise. The message comes back if the channel is closed, or has no receivers.
    pub(super) fn keep(&mut self, receiver: usize, message: T) -> (Result<(), T>, Woken) {
        if self.is_closed || self.receiver_handles == 0 {
            return (Err(message), self.break_promise(receiver));
        }
        if matches!(self.receivers.get(receiver).state, Got::Promise) {
            return (Ok(()), self.give(receiver, message));
        }
        self.receivers.remove(receiver);
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
