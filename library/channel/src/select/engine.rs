//! Waiting of a thread or a task for several operations.

use std::time::Instant;

use super::{Operation, Progress, Ticket};
use crate::spin::{spin, spin_and_park};
use crate::sync::{Arc, Dice, has_passed, park};
use crate::wake::Caller;

/// Several operations, one of which is to be completed.
///
/// Waiting goes in rounds, from wake-up to wake-up. Each round first tries the operations that need
/// no partner, while the ticket is busy. Then the ticket waits, and the round searches each
/// rendezvous for a partner. A thread that has skipped this select because its ticket was busy is
/// listed in the rendezvous itself.
#[derive(Debug)]
pub(super) struct Engine<C> {
    pub(super) cases: Vec<C>,
    /// True if cases keep their order, so that the first one that can be completed is chosen.
    is_biased: bool,
    /// Ticket for cases that meet other threads, if there are several cases.
    ticket: Option<Arc<Ticket>>,
    /// Case that has been chosen and is not completed yet.
    bound: Option<usize>,
    /// True if the attempts that come before all waiting have been made.
    has_begun: bool,
}

impl<C> Engine<C> {
    pub(super) const fn new(is_biased: bool) -> Self {
        Self { cases: Vec::new(), is_biased, ticket: None, bound: None, has_begun: false }
    }

    /// Makes an engine for cases in which an attempt has been made.
    pub(super) const fn begun(is_biased: bool, cases: Vec<C>) -> Self {
        Self { cases, is_biased, ticket: None, bound: None, has_begun: true }
    }
}

/// Shuffles cases: of any two, each comes first with the same probability.
///
/// A random first case is not enough: the case after several that are not ready would be chosen too
/// often.
pub(super) fn shuffle<C>(cases: &mut [C]) {
    let mut dice = Dice::new();
    (0..cases.len()).for_each(|at| bring_forward(cases, at, &mut dice));
}

/// Moves a random one of the cases from `at` on to the place `at`.
#[inline]
pub(super) fn bring_forward<C>(cases: &mut [C], at: usize, dice: &mut Dice) {
    let left = cases.len() - at;
    if left > 1 {
        cases.swap(at, at + dice.pick(left));
    }
}

impl<C: Operation> Engine<C> {
    /// Binds the select to the chosen case: no other one may be chosen.
    fn bind(&mut self, chosen: usize) {
        self.bound = Some(chosen);
        for (at, case) in self.cases.iter_mut().enumerate() {
            if at != chosen {
                case.leave();
            }
        }
    }

    /// Releases the select from the chosen case, which was not completed.
    fn unbind(&mut self) {
        self.bound = None;
        if let Some(ticket) = &self.ticket {
            // The ticket may still hold the choice, if the case was polled before the ticket was
            // checked.
            let _ = ticket.begin();
        }
    }

    /// Stops the waiting of all cases.
    pub(super) fn leave(&mut self) {
        self.cases.iter_mut().for_each(Operation::leave);
        (self.ticket, self.bound, self.has_begun) = (None, None, false);
    }

    /// Makes one attempt in each case.
    fn first(&mut self) -> Option<C::Output> {
        self.shuffle();
        self.attempt_all(C::attempt)
    }

    fn shuffle(&mut self) {
        if !self.is_biased {
            shuffle(&mut self.cases);
        }
    }

    fn attempt_all(&mut self, attempt: impl Fn(&mut C) -> Progress<C::Output>) -> Option<C::Output> {
        self.has_begun = true;
        self.cases.iter_mut().find_map(|case| attempt(case).done())
    }

    /// Returns the ticket, if one is needed.
    fn ticket(&mut self) -> Option<Arc<Ticket>> {
        if self.ticket.is_none() && self.cases.len() > 1 && self.cases.iter().any(Operation::meets) {
            self.ticket = Some(Ticket::new());
        }
        self.ticket.clone()
    }

    /// Makes attempts. If it returns `None`, the caller will be woken.
    pub(super) fn poll(&mut self, caller: Caller<'_>) -> Option<C::Output> {
        if !self.has_begun
            && let Some(result) = self.first()
        {
            return Some(result);
        }
        loop {
            if let Some(at) = self.bound {
                match self.cases[at].poll_by(caller, None) {
                    Progress::Done(result) => return Some(result),
                    Progress::Missed | Progress::Bound => return None,
                    Progress::Broken => self.unbind(),
                }
            }
            let ticket = self.ticket();
            if let Some(Err(chosen)) = ticket.as_ref().map(|ticket| ticket.begin()) {
                self.bind(chosen);
                continue;
            }
            match self.round(caller, ticket.as_ref()) {
                Progress::Done(result) => return Some(result),
                Progress::Missed | Progress::Bound => return None,
                Progress::Broken => self.unbind(),
            }
        }
    }

    /// Makes an attempt in each case. Returns `Broken` if the chosen case failed, and all cases are
    /// to be tried again.
    fn round(&mut self, caller: Caller<'_>, ticket: Option<&Arc<Ticket>>) -> Progress<C::Output> {
        for is_meeting in [false, true] {
            if is_meeting && let Some(ticket) = ticket {
                ticket.wait();
            }
            for at in 0..self.cases.len() {
                if self.cases[at].meets() != is_meeting {
                    continue;
                }
                let case = if is_meeting { ticket.map(|ticket| (ticket, at)) } else { None };
                match self.cases[at].poll_by(caller, case) {
                    Progress::Missed => {}
                    Progress::Bound => {
                        self.bind(at);
                        return Progress::Bound;
                    }
                    progress => return progress,
                }
            }
        }
        Progress::Missed
    }

    /// Completes an operation for which another thread has woken this one, after the time is over.
    /// Does not wait for a partner that has promised a message and not sent it yet.
    fn give_up(&mut self) -> Option<C::Output> {
        if self.bound.is_none()
            && let Some(Err(chosen)) = self.ticket.as_ref().map(|ticket| ticket.begin())
        {
            self.bind(chosen);
        }
        let chosen = self.bound.take();
        let mut is_broken = false;
        for at in chosen.map_or(0..self.cases.len(), |at| at..at + 1) {
            match self.cases[at].give_up() {
                Progress::Done(result) => return Some(result),
                Progress::Broken => is_broken = true,
                Progress::Missed | Progress::Bound => {}
            }
        }
        // No other thread has notified this one of changes in the meantime.
        if is_broken { self.attempt_all(C::attempt_now) } else { None }
    }

    /// Completes an operation if one can be completed at once.
    ///
    /// It makes two passes. In one pass, another thread may send to a channel that has been tried
    /// already, and take the message of one that has not, so that there was a message at each
    /// moment.
    pub(super) fn try_now(&mut self) -> Option<C::Output> {
        self.shuffle();
        let passes = self.cases.len().min(2);
        let result = (0..passes).find_map(|_| self.attempt_all(C::attempt_now));
        self.leave();
        result
    }

    /// Completes an operation, waiting until `deadline` at most.
    pub(super) fn wait_until(&mut self, deadline: Option<Instant>) -> Option<C::Output> {
        let result = match self.first() {
            Some(result) => Some(result),
            None if has_passed(deadline) => return self.try_now(),
            None => self.spin(deadline).or_else(|| self.sleep_until(deadline)),
        };
        self.leave();
        result
    }

    /// Repeats the attempts for a while, unless all cases meet other threads: those find a case
    /// that is listed.
    fn spin(&mut self, deadline: Option<Instant>) -> Option<C::Output> {
        if self.cases.iter().all(Operation::meets) {
            return None;
        }
        spin(deadline, || self.first())
    }

    /// Works as [`Self::wait_until`], after attempts that have failed.
    pub(super) fn sleep_until(&mut self, deadline: Option<Instant>) -> Option<C::Output> {
        loop {
            if let Some(result) = self.poll(Caller::Thread) {
                return Some(result);
            }
            let timer = self.cases.iter().filter_map(Operation::deadline).min();
            let until = timer.into_iter().chain(deadline).min();
            // With cases that meet no other thread, the attempts have been repeated before.
            let meets = self.cases.iter().any(Operation::meets);
            let is_over = if meets { spin_and_park(until) } else { park(until) };
            if is_over && (timer.is_none() || has_passed(deadline)) {
                return self.give_up();
            }
            // A timer's deadline has passed. The select does not wait for a promised message then,
            // either.
            if is_over
                && self.bound.is_some()
                && let Some(result) = self.give_up()
            {
                return Some(result);
            }
        }
    }
}

/// Completes one operation that meets another thread, waiting until `deadline` at most.
pub(crate) fn wait_until<O: Operation>(operation: &mut O, deadline: Option<Instant>) -> Option<O::Output> {
    if let Progress::Done(result) = operation.attempt() {
        return Some(result);
    }
    if has_passed(deadline) {
        return operation.attempt_now().done();
    }
    loop {
        match operation.poll_by(Caller::Thread, None) {
            Progress::Done(result) => return Some(result),
            Progress::Broken => {}
            Progress::Missed | Progress::Bound if spin_and_park(deadline) => {
                return match operation.give_up() {
                    // No other thread has notified this one of changes in the meantime.
                    Progress::Broken => operation.attempt_now().done(),
                    progress => progress.done(),
                };
            }
            Progress::Missed | Progress::Bound => {}
        }
    }
}
