//! A rendezvous, a channel of capacity 0: each send meets a receive.
//!
//! Both sides wait in lists under one lock. The side that comes later chooses a partner from the
//! other side's list: the first one that waits for this channel only, or that has a [`Ticket`] of a
//! select that has not chosen yet. The message goes from the sender's entry to the receiver's,
//! under the lock. Entries that have been chosen are unlinked. Their owners find the result in them
//! and remove them.
//!
//! A sender that reserves has no message yet ([`Offer::Later`]). When it is chosen, it promises
//! one, and its receiver is bound until the message comes, the promise is broken, or the receiver's
//! time is over. So only receivers that wait choose such a sender. Attempts that do not wait skip
//! it: it may take any time, and its task may need the calling thread.
//!
//! If all senders that reserve are threads that send at once, attempts choose them, too, and wait
//! for the message. A receiver that is bound there waits for it even after its time is over
//! ([`Stay::Briefly`]).
//!
//! A thread that has been chosen always takes its message, so the message goes to its entry. A task
//! may never do so: its future may be dropped, or not polled. So the task is called, and its
//! message is queued behind those that are left for tasks, from which each receiver takes the first
//! one. So messages stay in order, and come before the end of the channel, even if futures are
//! dropped. A task that is called and finds no message becomes the first one that waits. A promise
//! that has not been kept by the end of the channel is broken.

mod meeting;
mod state;
mod visit;

use std::collections::VecDeque;
use std::mem;

use crate::error::{RecvError, SendError};
use crate::list::List;
use crate::select::{Case, Progress, Stay};
use crate::spin::spin_and_park;
use crate::sync::Mutex;
use crate::wake::{Caller, Woken};

use state::{Offer, State};
use visit::{Visit, Visited};

pub(super) use meeting::{RecvMeeting, SendMeeting, poll};

/// A rendezvous channel.
#[derive(Debug)]
pub(crate) struct Rendezvous<T> {
    /// True if senders that reserve are threads that send at once.
    are_prompt: bool,
    state: Mutex<State<T>>,
}

/// Result of a send: complete, or the key of the receiver that is to get the message.
pub(crate) type Met = Option<usize>;

impl<T> Rendezvous<T> {
    /// Makes a channel for a sender and a receiver. `are_prompt` is true if senders that reserve
    /// are threads that send at once.
    pub(crate) fn new(are_prompt: bool) -> Self {
        let state = State {
            senders: List::new(),
            receivers: List::new(),
            left: VecDeque::new(),
            watchers: List::new(),
            sender_handles: 1,
            receiver_handles: 1,
            is_closed: false,
        };
        Self { are_prompt, state: Mutex::new(state) }
    }

    /// Runs `body` under the lock. The waiters and values that it returns are woken and dropped
    /// after the lock is released.
    #[inline(always)]
    fn locked<R>(&self, body: impl FnOnce(&mut State<T>) -> (R, Woken)) -> R {
        let (result, woken) = body(&mut self.state.lock());
        woken.wake_now();
        result
    }

    /// Runs `body` under the lock. `body` returns `None` if the caller's waker has to be cloned
    /// before.
    #[inline(always)]
    fn visited<R>(&self, mut visit: Visit<'_>, mut body: impl FnMut(&mut State<T>, &mut Visit<'_>) -> Visited<R>) -> R {
        loop {
            let outcome = body(&mut self.state.lock(), &mut visit);
            match outcome {
                Some((result, woken)) => {
                    woken.wake_now();
                    return result;
                }
                None => visit.clone_waker(),
            }
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.state.lock().is_closed
    }

    /// Returns the number of messages that are left for tasks.
    pub(crate) fn len(&self) -> usize {
        self.state.lock().left.len()
    }

    pub(crate) fn add_sender(&self) {
        self.state.lock().sender_handles += 1;
    }

    /// Adds a sender, unless all senders are gone. Returns whether it has done so.
    pub(crate) fn revive_sender(&self) -> bool {
        let mut state = self.state.lock();
        let is_alive = state.sender_handles > 0;
        state.sender_handles += usize::from(is_alive);
        is_alive
    }

    pub(crate) fn add_receiver(&self) {
        self.state.lock().receiver_handles += 1;
    }

    /// Closes the channel if the sender was the last one.
    pub(crate) fn drop_sender(&self) {
        let is_last = {
            let mut state = self.state.lock();
            state.sender_handles -= 1;
            state.sender_handles == 0
        };
        if is_last {
            self.close();
        }
    }

    /// Closes the channel if the receiver was the last one, and drops the messages that are left.
    pub(crate) fn drop_receiver(&self) {
        let left = {
            let mut state = self.state.lock();
            state.receiver_handles -= 1;
            if state.receiver_handles > 0 {
                return;
            }
            mem::take(&mut state.left)
        };
        self.close();
        drop(left);
    }

    /// Closes the channel. Returns whether this call has done so.
    pub(crate) fn close(&self) -> bool {
        self.locked(|state| match mem::replace(&mut state.is_closed, true) {
            true => (false, Woken::default()),
            false => (true, Woken::all(state.take_all())),
        })
    }

    /// Sends, as far as that is possible now. Lists the caller otherwise, if it stays.
    pub(crate) fn send(
        &self,
        place: &mut Option<usize>,
        message: &mut Option<T>,
        stay: Stay<'_>,
        case: Case<'_>,
    ) -> Progress<Result<Met, SendError<()>>> {
        self.visited(Visit::new(stay, case, place.is_none()), |state, visit| state.send(place, message, visit))
    }

    /// Receives, as far as that is possible now. Lists the caller otherwise, if it stays.
    pub(crate) fn recv(
        &self,
        place: &mut Option<usize>,
        stay: Stay<'_>,
        case: Case<'_>,
    ) -> Progress<Result<T, RecvError>> {
        if self.are_prompt && matches!(stay, Stay::Never) {
            return self.recv_briefly(place);
        }
        self.visited(Visit::new(stay, case, place.is_none()), |state, visit| state.recv(place, visit))
    }

    /// Receives, and waits for the message of a sender that has reserved.
    fn recv_briefly(&self, place: &mut Option<usize>) -> Progress<Result<T, RecvError>> {
        loop {
            // A receiver with a place has been promised a message, and will be woken.
            let stay = if place.is_some() { Stay::Listed(Caller::Thread) } else { Stay::Briefly };
            match (self.recv(place, stay, None), stay) {
                (Progress::Bound, Stay::Listed(_)) => _ = spin_and_park(None),
                (Progress::Bound | Progress::Broken, _) => {}
                (progress, _) => return progress,
            }
        }
    }

    /// Ends the wait of a sender whose time is over. The last attempt of a chosen sender succeeds.
    pub(crate) fn give_up_send(
        &self,
        place: &mut Option<usize>,
        message: &mut Option<T>,
    ) -> Progress<Result<Met, SendError<()>>> {
        match self.withdraw_send(place, message) {
            true => Progress::Missed,
            false => self.send(place, message, Stay::Never, None),
        }
    }

    /// Ends the wait of a receiver whose time is over: with its message, or without a promised one.
    /// A message that a thread sends at once is waited for.
    pub(crate) fn give_up_recv(&self, place: &mut Option<usize>) -> Progress<Result<T, RecvError>> {
        match self.locked(|state| state.give_up(place, self.are_prompt)) {
            Progress::Bound => self.recv_briefly(place),
            progress => progress,
        }
    }

    /// Takes a sender that has not been chosen out of the list, with its message. Returns whether
    /// it was taken out.
    pub(crate) fn withdraw_send(&self, place: &mut Option<usize>, message: &mut Option<T>) -> bool {
        let Some(key) = *place else { return true };
        let entry = {
            let mut state = self.state.lock();
            if !state.senders.is_linked(key) {
                return false;
            }
            state.senders.remove(key)
        };
        *place = None;
        if let Offer::Message(own) = entry.state {
            *message = Some(own);
        }
        true
    }

    /// Removes a sender's entry. Its message is dropped, if no receiver has taken it.
    #[cold]
    pub(crate) fn leave_send(&self, place: &mut Option<usize>) {
        let Some(key) = place.take() else { return };
        let entry = self.locked(|state| {
            let entry = state.senders.remove(key);
            let woken = match entry.state {
                Offer::Promised(receiver) => state.break_promise(receiver),
                _ => Woken::default(),
            };
            (entry, woken)
        });
        drop(entry);
    }

    /// Removes a receiver's entry. A message that it has got or was called for is left to the next
    /// receiver.
    #[cold]
    pub(crate) fn leave_recv(&self, place: &mut Option<usize>) {
        let Some(key) = place.take() else { return };
        drop(self.locked(|state| state.leave_recv(key)));
    }

    /// Gives a promised message to its receiver.
    pub(crate) fn keep(&self, receiver: usize, message: T) -> Result<(), SendError<T>> {
        self.locked(|state| state.keep(receiver, message)).map_err(SendError)
    }

    /// Makes the receiver that has been promised a message wait for another one.
    pub(crate) fn break_promise(&self, receiver: usize) {
        self.locked(|state| ((), state.break_promise(receiver)));
    }

    /// Whether a send would not wait. Otherwise the caller will be woken when that may have
    /// changed.
    pub(crate) fn watch_send(&self, place: &mut Option<usize>, caller: Option<Caller<'_>>) -> bool {
        self.watch(place, caller, |state| state.is_closed || state.receivers.first().is_some())
    }

    /// Whether there is a message, the end, or a thread that sends at once. Otherwise the caller
    /// will be woken when that may have changed.
    pub(crate) fn watch_recv(&self, place: &mut Option<usize>, caller: Option<Caller<'_>>) -> bool {
        self.watch(place, caller, |state| state.has_message(self.are_prompt))
    }

    fn watch(
        &self,
        place: &mut Option<usize>,
        caller: Option<Caller<'_>>,
        is_ready: impl FnOnce(&State<T>) -> bool,
    ) -> bool {
        // Cloned before the lock is taken, and dropped after it is released.
        let mut wake = caller.map(Caller::wake);
        let mut state = self.state.lock();
        let old = place.take().and_then(|key| state.watchers.remove(key));
        let is_ready = is_ready(&state);
        if !is_ready && wake.is_some() {
            *place = Some(state.watchers.insert(wake.take(), false));
        }
        drop(state);
        drop((old, wake));
        is_ready
    }

    /// Stops watching.
    pub(crate) fn unwatch(&self, place: &mut Option<usize>) {
        let Some(key) = place.take() else { return };
        let wake = self.state.lock().watchers.remove(key);
        drop(wake);
    }
}
