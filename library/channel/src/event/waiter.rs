//! The states of one waiter of an event, alike for threads and tasks.

use std::mem;
use std::ops::ControlFlow;
use std::time::Instant;

use aqueduct::fences;

use super::Event;
use super::attempt::{Attempt, Miss};
use super::offer::Request;
use super::waiters::Key;
use crate::spin::{spin, spin_briefly};
use crate::sync::{Ordering, fence, park, snooze};
use crate::wake::{Caller, Wake};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Has neither an entry nor a notification, and has made no attempt.
    New,
    /// Has neither, and an attempt has failed.
    Missed(Miss),
    /// Has been put into the event's list. A notification takes it out.
    Listed(Key),
    /// Has a notification that it has not used.
    Notified,
}

/// A thread or task that waits. Dropping it passes on an unused notification.
#[derive(Debug)]
pub(crate) struct Waiter<'a> {
    event: &'a Event,
    state: State,
}

impl<'a> Waiter<'a> {
    pub(crate) fn new(event: &'a Event) -> Self {
        Self { event, state: State::New }
    }

    /// Makes a waiter whose first attempt has failed.
    pub(super) fn after(event: &'a Event, miss: Miss) -> Self {
        Self { event, state: State::Missed(miss) }
    }

    /// Whether the waiter has made no attempt since it began, or last succeeded.
    #[inline(always)]
    pub(super) fn is_new(&self) -> bool {
        self.state == State::New
    }

    /// Records that a new waiter's attempt has failed.
    #[inline(always)]
    pub(super) fn missed(&mut self, miss: Miss) {
        self.state = State::Missed(miss);
    }

    /// Makes an attempt. If that fails, lists the waiter, unless it is listed and has not been
    /// notified, and makes another one. The caller sleeps after `None`, until it is woken.
    #[inline]
    pub(crate) fn poll<A: Attempt>(&mut self, caller: Caller<'_>, attempt: &mut A) -> Option<A::Output> {
        if let State::Missed(miss) = self.state {
            return self.sleep(caller, attempt, miss);
        }
        match attempt.attempt() {
            Ok(result) => {
                if self.state != State::New {
                    self.succeeded(attempt);
                }
                Some(result)
            }
            Err(miss) => self.sleep(caller, attempt, miss),
        }
    }

    /// Continues [`poll`](Self::poll) after an attempt that has failed.
    fn sleep<A: Attempt>(&mut self, caller: Caller<'_>, attempt: &mut A, miss: Miss) -> Option<A::Output> {
        let event = self.event;
        let was_listed = matches!(self.state, State::Listed(_));
        let wake = match self.state {
            State::Listed(key) => self.move_to(key, caller)?,
            _ => caller.wake(),
        };
        self.list(wake, was_listed, miss);
        let mut last = attempt.attempt();
        if event.is_of_exchanges && matches!(last, Err(Miss::Inexact)) {
            last = look_again(attempt);
        }
        match last {
            Ok(result) => {
                let (was_notified, is_owed) = self.unlist();
                // The notification was for another waiter.
                if was_notified || is_owed && attempt.is_more() {
                    event.wake_first();
                }
                Some(result)
            }
            Err(again) => {
                if again == Miss::Inexact && miss == Miss::Exact {
                    event.busy.list.lock().note_inexact_miss();
                }
                None
            }
        }
    }

    /// Makes the entry wake the caller. Returns the caller's waker if the waiter has been notified
    /// and has no entry.
    fn move_to(&self, key: Key, caller: Caller<'_>) -> Option<Wake> {
        let list = &self.event.busy.list;
        // Each guard ends with its statement: cloning and dropping a waker runs user code.
        let is_same = list.lock().is_of(key, caller);
        match is_same {
            None => Some(caller.wake()),
            Some(true) => None,
            Some(false) => {
                let wake = caller.wake();
                let replaced = list.lock().replace(key, wake);
                replaced.err()
            }
        }
    }

    /// Makes a last attempt after the time is over, if the waiter has been notified.
    pub(crate) fn give_up<A: Attempt>(&mut self, attempt: &mut A) -> Option<A::Output> {
        if !self.unlist().0 {
            return None;
        }
        self.state = State::Notified;
        match attempt.attempt() {
            Ok(result) => {
                self.succeeded(attempt);
                Some(result)
            }
            Err(miss) => {
                if miss == Miss::Inexact {
                    self.event.busy.list.lock().note_inexact_miss();
                }
                self.state = State::New;
                None
            }
        }
    }

    /// Offers the attempt to the notifier, and sleeps until the notifier has made it or the time is
    /// over.
    ///
    /// Breaks with the result, or with `None` if the time is over. Otherwise the waiter has been
    /// notified, and has to make the attempt itself.
    pub(super) fn offer<A: Attempt>(
        &mut self,
        deadline: Option<Instant>,
        attempt: &mut A,
    ) -> ControlFlow<Option<A::Output>> {
        let State::Listed(key) = self.state else { return ControlFlow::Continue(()) };
        let request = Request::new(attempt);
        // SAFETY: the request stays in this frame. It is settled, or the entry is taken out, before
        // the frame ends: nothing in between panics.
        let offer = unsafe { request.offer() };
        if !self.event.busy.list.lock().offer(key, offer) {
            return ControlFlow::Continue(());
        }
        let is_over = loop {
            if request.is_settled() || spin(deadline, || request.is_settled().then_some(())).is_some() {
                break false;
            }
            if park(deadline) && !request.is_settled() {
                if !self.unlist().0 {
                    break true;
                }
                // A notifier owns the attempt.
                self.state = State::Notified;
                (0..).take_while(|_| !request.is_settled()).for_each(snooze);
            }
        };
        // SAFETY: it is settled, or the entry has been taken out.
        match unsafe { request.close() } {
            Some(result) => {
                // The notifier has woken the waiters that this one would have to wake.
                self.state = State::New;
                ControlFlow::Break(Some(result))
            }
            None if is_over => ControlFlow::Break(None),
            None => ControlFlow::Continue(()),
        }
    }

    /// Adds the waiter to the list, after an attempt that has failed; at its front if it was there
    /// before.
    fn list(&mut self, wake: Wake, was_listed: bool, miss: Miss) {
        let event = self.event;
        let mut list = event.busy.list.lock();
        if miss == Miss::Inexact {
            list.note_inexact_miss();
        }
        self.state = State::Listed(list.insert(wake, was_listed));
        event.busy.count(&list);
        if event.is_armed.load(Ordering::Relaxed) {
            drop(list);
            // Ordering: SeqCst pairs with the fence in `notify_armed`. Either the notifier sees the
            // waiter, or the attempt after this sees the change.
            fence(Ordering::SeqCst);
        } else {
            fences::prepare();
            // Ordering: Release only keeps the store behind earlier loads (load buffering).
            event.is_armed.store(true, Ordering::Release);
            // Pairs with the light fence in `notify_many`. Under the lock: the next waiter finds
            // the event armed, and relies on all notifiers observing that.
            fences::heavy();
        }
    }

    /// Takes the waiter out of the list. Returns whether it was notified, and whether
    /// [`Self::succeeded`] would have to wake the next one.
    fn unlist(&mut self) -> (bool, bool) {
        let State::Listed(key) = self.state else { return (false, false) };
        let (wake, is_owed) = {
            let mut list = self.event.busy.list.lock();
            let wake = list.remove(key);
            self.event.busy.count(&list);
            (wake, list.is_owed())
        };
        self.state = State::New;
        (wake.is_none(), is_owed)
    }

    /// Ends the wait after an attempt has succeeded, which uses up a notification. Wakes the next
    /// waiter if an attempt that has failed before may succeed now.
    fn succeeded(&mut self, attempt: &mut impl Attempt) {
        let state = mem::replace(&mut self.state, State::New);
        if matches!(state, State::New | State::Missed(_)) {
            return;
        }
        // The list has been empty since this waiter left it: it has been notified, and no other
        // waiter has a claim.
        // Ordering: Acquire only keeps later stores behind (load buffering).
        if self.event.busy.waiting.load(Ordering::Acquire) == 0 {
            return;
        }
        let (is_owed, entry) = {
            let mut list = self.event.busy.list.lock();
            let entry = if let State::Listed(key) = state { list.remove(key) } else { None };
            self.event.busy.count(&list);
            (list.is_owed(), entry)
        };
        drop(entry);
        if is_owed && attempt.is_more() {
            self.event.wake_first();
        }
    }

    /// Stops waiting, and passes on an unused notification.
    #[cold]
    pub(crate) fn leave(&mut self) {
        // Listed: the wait ends early. Notified: the attempt has panicked.
        let is_unused = self.unlist().0 || self.state == State::Notified;
        self.state = State::New;
        if is_unused {
            self.event.wake_first();
        }
    }
}

/// Makes more attempts, the last one after a heavy fence. Called if another thread's change was in
/// progress.
#[cold]
fn look_again<A: Attempt>(attempt: &mut A) -> Result<A::Output, Miss> {
    if let Some(result) = spin_briefly(|| attempt.attempt().ok()) {
        return Ok(result);
    }
    // Pairs with the light fence in `notify_exchanged`: that thread sees the waiter, or this
    // attempt sees the change.
    fences::heavy();
    attempt.attempt()
}

impl Drop for Waiter<'_> {
    #[inline]
    fn drop(&mut self) {
        if matches!(self.state, State::Listed(_) | State::Notified) {
            self.leave();
        }
    }
}
