//! A handle as a case of a select by index.

use std::time::Instant;

use super::index::SelectedOperation;
use super::token::Token;
use super::{Case, Stay};
use super::{Operation, Progress, sealed};
use crate::event::{Attempt, Event, Miss, Waiter, attempt_now};
use crate::wake::Caller;

/// A sender or a receiver in a select by index.
///
/// It waits at an event, meets other threads, or needs no wake-up because its deadline is known.
///
/// # Safety
/// Each method can be called in any thread, even if messages may not go there: no message is
/// accessed or dropped.
pub unsafe trait Selectable {
    /// Event to wait at, if there is one.
    fn event(&self) -> Option<&Event>;

    /// Gets a message, room, or the end of the channel.
    fn attempt(&self) -> Result<Token, Miss>;

    /// Makes an attempt, and repeats it as long as another thread's operation is in the way.
    fn attempt_now(&self) -> Option<Token> {
        attempt_now(|| self.attempt())
    }

    /// Whether another waiter's attempt may succeed, too.
    fn is_more(&self) -> bool;

    /// Whether an attempt would succeed.
    fn is_ready(&self) -> bool;

    /// Undoes an attempt that has succeeded. A message is forgotten.
    fn abandon(&self, token: Token);

    /// Time at which the attempt will succeed, if that is known.
    fn deadline(&self) -> Option<Instant>;

    /// The part that meets other threads, if there is one.
    fn meeting(&self) -> Option<&dyn Meeting>;
}

/// The end of a rendezvous.
pub trait Meeting {
    /// Gets a message, a receiver, or the end of the channel. Otherwise lists the caller, if it
    /// stays.
    fn meet(&self, place: &mut Option<usize>, stay: Stay<'_>, case: Case<'_>) -> Progress<Token>;

    /// Stops waiting after the time is over. Gets the partner that the caller has been given, or
    /// leaves.
    fn give_up(&self, place: &mut Option<usize>) -> Progress<Token>;

    /// Leaves the rendezvous, whether the case was chosen or not.
    fn leave(&self, place: &mut Option<usize>);

    /// Whether there is a partner. If not, the caller, if there is one, will be woken.
    fn watch(&self, place: &mut Option<usize>, caller: Option<Caller<'_>>) -> bool;

    /// Stops watching.
    fn unwatch(&self, place: &mut Option<usize>);
}

/// A handle that has been added and does not wait yet.
#[derive(Clone, Copy)]
pub(super) struct Added<'a> {
    handle: &'a dyn Selectable,
    pub(super) index: usize,
    /// True if it meets other threads.
    pub(super) meets: bool,
}

impl<'a> Added<'a> {
    pub(super) fn new(handle: &'a dyn Selectable, index: usize) -> Self {
        Self { handle, index, meets: handle.meeting().is_some() }
    }

    /// Completes the operation if that is possible at once. `stay` tells whether the caller waits
    /// otherwise.
    #[inline(always)]
    pub(super) fn attempt(self, stay: Stay<'_>) -> Option<SelectedOperation<'a>> {
        // No `Case` is made: it would look up where to wait, and leave that place afterwards.
        let token = match self.meets {
            true => self.handle.meeting()?.meet(&mut None, stay, None).done()?,
            false => self.handle.attempt_now()?,
        };
        Some(SelectedOperation::new(self.handle, self.index, token))
    }

    pub(super) fn case(self) -> IndexCase<'a> {
        IndexCase::new(self.handle, self.index)
    }

    pub(super) fn deadline(self) -> Option<Instant> {
        self.handle.deadline()
    }
}

/// The way in which a case waits.
enum Waits<'a> {
    Event(Waiter<'a>),
    Meeting(&'a dyn Meeting, Option<usize>),
    Timer,
}

pub(super) struct IndexCase<'a> {
    handle: &'a dyn Selectable,
    pub(super) index: usize,
    waits: Waits<'a>,
}

/// Attempts of a case at its event.
struct Claiming<'a>(&'a dyn Selectable);

impl Attempt for Claiming<'_> {
    type Output = Token;

    fn attempt(&mut self) -> Result<Token, Miss> {
        self.0.attempt()
    }

    fn is_more(&mut self) -> bool {
        self.0.is_more()
    }
}

/// Checks whether an attempt would succeed. It takes nothing, so each waiter that observes success
/// wakes the next one.
struct Watching<'a>(&'a dyn Selectable);

impl Attempt for Watching<'_> {
    type Output = ();

    fn attempt(&mut self) -> Result<(), Miss> {
        if self.0.is_ready() { Ok(()) } else { Err(Miss::Inexact) }
    }

    fn is_more(&mut self) -> bool {
        true
    }
}

impl<'a> IndexCase<'a> {
    pub(super) fn new(handle: &'a dyn Selectable, index: usize) -> Self {
        let waits = match (handle.event(), handle.meeting()) {
            (Some(event), _) => Waits::Event(Waiter::new(event)),
            (None, Some(meeting)) => Waits::Meeting(meeting, None),
            (None, None) => Waits::Timer,
        };
        Self { handle, index, waits }
    }

    fn selected(&self, progress: Progress<Token>) -> Progress<SelectedOperation<'a>> {
        progress.map(|token| SelectedOperation::new(self.handle, self.index, token))
    }

    pub(super) fn is_ready(&self) -> bool {
        match &self.waits {
            Waits::Event(_) | Waits::Timer => self.handle.is_ready(),
            Waits::Meeting(meeting, _) => meeting.watch(&mut None, None),
        }
    }

    /// Whether the operation could be completed. If not, the caller will be woken.
    pub(super) fn watch(&mut self, caller: Caller<'_>) -> bool {
        match &mut self.waits {
            Waits::Event(waiter) => waiter.poll(caller, &mut Watching(self.handle)).is_some(),
            Waits::Meeting(meeting, place) => meeting.watch(place, Some(caller)),
            Waits::Timer => self.handle.is_ready(),
        }
    }

    pub(super) fn unwatch(&mut self) {
        match &mut self.waits {
            Waits::Event(waiter) => waiter.leave(),
            Waits::Meeting(meeting, place) => meeting.unwatch(place),
            Waits::Timer => {}
        }
    }
}

impl sealed::Sealed for IndexCase<'_> {}

impl<'a> Operation for IndexCase<'a> {
    type Output = SelectedOperation<'a>;

    fn attempt(&mut self) -> Progress<SelectedOperation<'a>> {
        let progress = match &mut self.waits {
            Waits::Event(_) | Waits::Timer => self.handle.attempt_now().into(),
            Waits::Meeting(meeting, place) => meeting.meet(place, Stay::Soon, None),
        };
        self.selected(progress)
    }

    fn attempt_now(&mut self) -> Progress<SelectedOperation<'a>> {
        match &mut self.waits {
            Waits::Event(_) | Waits::Timer => self.attempt(),
            Waits::Meeting(meeting, place) => {
                let progress = meeting.meet(place, Stay::Never, None);
                self.selected(progress)
            }
        }
    }

    fn poll_by(&mut self, caller: Caller<'_>, case: Case<'_>) -> Progress<SelectedOperation<'a>> {
        let progress = match &mut self.waits {
            Waits::Event(waiter) => waiter.poll(caller, &mut Claiming(self.handle)).into(),
            Waits::Meeting(meeting, place) => meeting.meet(place, Stay::Listed(caller), case),
            Waits::Timer => self.handle.attempt().ok().into(),
        };
        self.selected(progress)
    }

    fn give_up(&mut self) -> Progress<SelectedOperation<'a>> {
        let progress = match &mut self.waits {
            Waits::Event(waiter) => waiter.give_up(&mut Claiming(self.handle)).into(),
            Waits::Meeting(meeting, place) => meeting.give_up(place),
            Waits::Timer => self.handle.attempt().ok().into(),
        };
        self.selected(progress)
    }

    fn leave(&mut self) {
        match &mut self.waits {
            Waits::Event(waiter) => waiter.leave(),
            Waits::Meeting(meeting, place) => meeting.leave(place),
            Waits::Timer => {}
        }
    }

    fn meets(&self) -> bool {
        matches!(self.waits, Waits::Meeting(..))
    }

    fn deadline(&self) -> Option<Instant> {
        self.handle.deadline()
    }
}

impl Drop for IndexCase<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}
