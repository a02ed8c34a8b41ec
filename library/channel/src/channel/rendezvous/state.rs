//! The entries of both sides of a rendezvous in their lists, and the matching of entries.

use std::collections::VecDeque;
use std::mem;

use super::Met;
use super::visit::{Visit, Visited};
use crate::error::{RecvError, SendError};
use crate::list::List;
use crate::select::{Case, Progress, Stay, Ticket};
use crate::sync::Arc;
use crate::wake::{Wake, Woken};

/// An entry of a waiting sender or receiver in its side's list.
#[derive(Debug)]
pub(super) struct Entry<S> {
    pub(super) wake: Option<Wake>,
    /// True if a task waits: it is called, and takes its message itself.
    is_task: bool,
    ticket: Option<(Arc<Ticket>, usize)>,
    pub(super) state: S,
}

impl<S> Entry<S> {
    fn new(visit: &mut Visit<'_>, state: S) -> Self {
        let ticket = visit.case.map(|(ticket, case)| (Arc::clone(ticket), case));
        Self { wake: visit.fresh.take(), is_task: visit.stay.is_task(), ticket, state }
    }

    /// Chooses the entry as a partner for `own`, unless its select or the caller's has chosen
    /// already.
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

/// State of a sender that waits.
#[derive(Debug)]
pub(super) enum Offer<T> {
    Message(T),
    /// A message that will be made when there is a receiver.
    Later,
    /// A receiver has taken the message.
    Taken,
    /// The receiver with this key has been promised a message.
    Promised(usize),
}

impl<T> Entry<Offer<T>> {
    /// Whether a receiver would have to wait for the message.
    fn is_reservation(&self) -> bool {
        matches!(self.state, Offer::Later)
    }
}

/// State of a receiver that waits.
#[derive(Debug)]
pub(super) enum Got<T> {
    Nothing,
    /// A sender has chosen the receiver, and the message will come.
    Promise,
    /// The message. Only a thread gets it here, because a thread always takes it.
    Message(T),
    /// A task has been called: there is a message among those that are left, unless another
    /// receiver takes it first.
    Called,
    /// The sender has withdrawn its promise.
    Broken,
    /// The receiver has left, and its entry belongs to the sender.
    Gone,
}

#[derive(Debug)]
pub(super) struct State<T> {
    pub(super) senders: List<Entry<Offer<T>>>,
    pub(super) receivers: List<Entry<Got<T>>>,
    /// Messages for the tasks that have been called, in the order in which they were sent.
    pub(super) left: VecDeque<T>,
    /// Callers that wait for a partner without meeting it.
    pub(super) watchers: List<Option<Wake>>,
    pub(super) sender_handles: usize,
    pub(super) receiver_handles: usize,
    pub(super) is_closed: bool,
}

/// Returns the end of the channel, unless the select of `own` has chosen another case.
fn closed<R, E>(own: Case<'_>, error: E) -> Progress<Result<R, E>> {
    if own.is_none_or(|(own, _)| own.take()) { Progress::Done(Err(error)) } else { Progress::Missed }
}

impl<T> State<T> {
    /// Wakes the watchers: a partner has come.
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

    /// Unlinks all entries, and returns their wakers. No entry is chosen any more.
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
        // Permits send nothing any more: their receivers leave.
        let promised = self.receivers.values_mut().filter(|entry| matches!(entry.state, Got::Promise));
        all.extend(promised.filter_map(|entry| entry.wake.take()));
        all
    }

    /// Takes the first message that is left, unless the select of `case` has chosen another case.
    #[inline(always)]
    fn take_left(&mut self, case: Case<'_>) -> Option<T> {
        if self.left.is_empty() || !case.is_none_or(|(own, _)| own.take()) {
            return None;
        }
        self.left.pop_front()
    }

    /// Whether there is the end or a message. The message of a waiting sender counts if it exists
    /// or will be made at once.
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

    /// Gives a receiver that has been chosen a message.
    #[inline(always)]
    fn give(&mut self, key: usize, message: T) -> Woken {
        let entry = self.receivers.get(key);
        if entry.is_task || !self.left.is_empty() {
            self.left.push_back(message);
            return self.call(key);
        }
        entry.state = Got::Message(message);
        Woken::one(entry.wake.take())
    }

    /// Gives a chosen thread the first of the messages that are left (there is one), or calls a
    /// task.
    fn call(&mut self, key: usize) -> Woken {
        let entry = self.receivers.get(key);
        entry.state = match entry.is_task {
            true => Got::Called,
            false => self.left.pop_front().map_or(Got::Broken, Got::Message),
        };
        Woken::one(entry.wake.take())
    }

    /// Leaves a message to the next receiver.
    fn leave(&mut self, message: T) -> Woken {
        self.left.push_back(message);
        self.call_next()
    }

    /// Notifies the next receiver of a message that is left, if there is one.
    fn call_next(&mut self) -> Woken {
        if self.left.is_empty() {
            return Woken::default();
        }
        match self.choose_receiver(None) {
            Some(key) => self.call(key),
            None => self.wake_watchers(),
        }
    }

    /// Removes a receiver's entry. A message that it has got or was called for is left to the next
    /// receiver. Returns the receiver's waker.
    pub(super) fn leave_recv(&mut self, key: usize) -> (Option<Wake>, Woken) {
        if let Some(wake) = self.abandon(key) {
            return (wake, Woken::default());
        }
        let entry = self.receivers.remove(key);
        let woken = match entry.state {
            // It is older than those that are left.
            Got::Message(message) => {
                self.left.push_front(message);
                self.call_next()
            }
            Got::Called => self.call_next(),
            Got::Nothing | Got::Promise | Got::Broken | Got::Gone => Woken::default(),
        };
        (entry.wake, woken)
    }

    /// Sends, as far as that is possible now. `message` is the message if it exists and is not in
    /// the entry. Returns `None` if the caller's waker has to be cloned before.
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
                    Offer::Promised(receiver) => Progress::Done(Ok(Some(receiver))),
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

    /// Receives, as far as that is possible now. Returns `None` if the caller's waker has to be
    /// cloned before.
    #[inline(always)]
    pub(super) fn recv(
        &mut self,
        place: &mut Option<usize>,
        visit: &mut Visit<'_>,
    ) -> Visited<Progress<Result<T, RecvError>>> {
        let mut is_new = false;
        if let Some(key) = *place {
            if self.receivers.is_linked(key) {
                visit.moves_to(&mut self.receivers.get(key).wake)?;
                if visit.case.is_none() {
                    return Some((Progress::Missed, Woken::default()));
                }
            } else if self.waits_again(key, visit)? {
                is_new = true;
            } else {
                return self.chosen(key, place, visit);
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
            is_new = true;
        }
        Some((Progress::Missed, if is_new { self.wake_watchers() } else { Woken::default() }))
    }

    /// Chooses a sender that waits. Only a receiver that waits for the message chooses a sender
    /// that has reserved.
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
            Offer::Later | Offer::Taken | Offer::Promised(_) => {
                let own = own.unwrap_or_else(|| self.receivers.insert_unlinked(Entry::new(visit, Got::Nothing)));
                self.receivers.unlink(own);
                self.receivers.get(own).state = Got::Promise;
                self.senders.get(sender).state = Offer::Promised(own);
                *place = Some(own);
                (Progress::Bound, woken)
            }
        }
    }

    /// Visits a receiver that has been chosen.
    fn chosen(
        &mut self,
        key: usize,
        place: &mut Option<usize>,
        visit: &mut Visit<'_>,
    ) -> Visited<Progress<Result<T, RecvError>>> {
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
        Some((self.outcome(key, visit.case), Woken::default()))
    }

    /// Makes a called task that found no message the first one that waits, unless a select has to
    /// go through all of its cases. Returns whether it does so, or `None` if the caller's waker has
    /// to be cloned before.
    fn waits_again(&mut self, key: usize, visit: &mut Visit<'_>) -> Option<bool> {
        let entry = self.receivers.get(key);
        let is_in_vain = matches!(entry.state, Got::Called) && self.left.is_empty() && !self.is_closed;
        if !is_in_vain || entry.ticket.is_some() || !visit.stay.is_listed() {
            return Some(false);
        }
        visit.moves_to(&mut entry.wake)?;
        entry.state = Got::Nothing;
        self.receivers.link(key, true);
        Some(true)
    }

    /// Returns the result of a receiver that is unlinked and has no promise.
    fn outcome(&mut self, key: usize, case: Case<'_>) -> Progress<Result<T, RecvError>> {
        match self.receivers.remove(key).state {
            Got::Message(message) => Progress::Done(Ok(message)),
            // A select has taken its ticket when it was chosen.
            Got::Called => self.left.pop_front().map_or(Progress::Broken, |message| Progress::Done(Ok(message))),
            // The channel has ended. A message may have been left since.
            Got::Nothing => match self.take_left(case) {
                Some(message) => Progress::Done(Ok(message)),
                None => closed(case, RecvError),
            },
            Got::Broken | Got::Promise | Got::Gone => Progress::Broken,
        }
    }

    /// Ends the wait of a receiver whose time is over. A receiver that was promised a message
    /// leaves its entry to the sender, and the promise is broken for it. If the message comes at
    /// once, the receiver stays bound.
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

    /// Leaves the entry of a receiver that was promised a message to the sender. Returns the
    /// receiver's waker.
    pub(super) fn abandon(&mut self, key: usize) -> Option<Option<Wake>> {
        let entry = self.receivers.get(key);
        matches!(entry.state, Got::Promise).then(|| {
            entry.state = Got::Gone;
            entry.wake.take()
        })
    }

    /// Keeps the promise. Gives the message back if the channel is closed, or has no receivers.
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
