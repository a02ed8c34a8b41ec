//! Cases of a select by index for handles that belong to one thread.

use std::fmt;
use std::time::Instant;

use super::handle::{Meeting, Selectable};
use super::signal::Signal;
use super::token::Token;
use crate::error::RecvError;
use crate::event::{Attempt, Event, Miss};
use crate::sync::Mutex;

type End<'a, R> = Box<dyn Attempt<Output = R> + Send + 'a>;

/// A handle that belongs to one thread, as a case of an [`IndexSelect`](crate::IndexSelect); made
/// by a receiver's `recv_case` and by the `reserve_case` of a sender that is alone.
///
/// It borrows the handle, and can be chosen repeatedly. A result that borrows the handle itself is
/// returned once: a permit, or a record of [`records`](crate::records).
///
/// # Examples
/// ```
/// use aqueduct_channel::{IndexSelect, bounded, broadcast, spsc};
///
/// let (mut jobs, mut job) = spsc::bounded(10)?;
/// let (news, mut new) = broadcast::channel(10)?;
/// let (_stop, stopped) = bounded::<()>(1)?;
/// jobs.send(7)?;
///
/// let (job, new) = (job.recv_case(), new.recv_case());
/// for expected in 0..2 {
///     let mut select = IndexSelect::new();
///     let cases = [select.case(&job), select.case(&new), select.recv(&stopped)];
///     let chosen = select.select();
///     assert_eq!(chosen.index(), cases[expected]);
///     match expected {
///         0 => assert_eq!(chosen.complete(&job), Ok(7)),
///         _ => assert_eq!(chosen.complete(&new), Ok("rain")),
///     }
///     news.send("rain")?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a case does nothing unless it is selected"]
pub struct SelectCase<'a, R> {
    place: WaitsAt<'a>,
    end: Mutex<Place<'a, R>>,
}

/// The event on which threads wait for the end.
enum WaitsAt<'a> {
    Event(&'a Event),
    /// For an end without an event: a waker that the end keeps notifies this signal.
    Signal(Signal),
}

struct Place<'a, R> {
    /// `None` while a thread makes an attempt: user code does not run under the lock.
    end: Option<End<'a, R>>,
    /// True if another thread has found the end in use.
    is_missed: bool,
}

impl<'a, R> SelectCase<'a, R> {
    pub(crate) fn new(event: &'a Event, end: impl Attempt<Output = R> + Send + 'a) -> Self {
        Self::at(WaitsAt::Event(event), Box::new(end))
    }

    /// Makes a case for an end without an event, which wakes the signal's waker after a change.
    pub(crate) fn with_signal(signal: Signal, end: impl Attempt<Output = R> + Send + 'a) -> Self {
        Self::at(WaitsAt::Signal(signal), Box::new(end))
    }

    fn at(place: WaitsAt<'a>, end: End<'a, R>) -> Self {
        Self { place, end: Mutex::new(Place { end: Some(end), is_missed: false }) }
    }

    fn waits_at(&self) -> &Event {
        match &self.place {
            WaitsAt::Event(event) => event,
            WaitsAt::Signal(signal) => signal.event(),
        }
    }

    /// Calls `body` with the end. Returns `None` if another thread uses the end, through a copy of
    /// the select.
    fn with<X>(&self, body: impl FnOnce(&mut End<'a, R>) -> X) -> Option<X> {
        let end = {
            let mut place = self.end.lock();
            place.is_missed = place.end.is_none();
            place.end.take()?
        };
        let mut in_use = InUse { case: self, end: Some(end) };
        in_use.end.as_mut().map(body)
    }
}

/// An end that is in use. Dropping this gives the end back, even after a panic of user code.
struct InUse<'c, 'a, R> {
    case: &'c SelectCase<'a, R>,
    end: Option<End<'a, R>>,
}

impl<R> Drop for InUse<'_, '_, R> {
    fn drop(&mut self) {
        let is_missed = {
            let mut place = self.case.end.lock();
            place.end = self.end.take();
            place.is_missed
        };
        if is_missed {
            self.case.waits_at().notify_all();
        }
    }
}

fn token<R>(result: R) -> Token {
    Token::received(Ok::<R, RecvError>(result))
}

// SAFETY: a result can go to any thread, and so can the end.
unsafe impl<R: Send> Selectable for SelectCase<'_, R> {
    fn event(&self) -> Option<&Event> {
        Some(self.waits_at())
    }

    fn attempt(&self) -> Result<Token, Miss> {
        self.with(|end| end.attempt()).unwrap_or(Err(Miss::Inexact)).map(token)
    }

    fn attempt_now(&self) -> Option<Token> {
        self.with(|end| end.attempt_now()).flatten().map(token)
    }

    fn is_more(&self) -> bool {
        self.with(|end| end.is_more()).unwrap_or(true)
    }

    fn is_ready(&self) -> bool {
        self.with(|end| end.is_ready()).unwrap_or(true)
    }

    fn abandon(&self, token: Token) {
        // SAFETY: this case's tokens are made of an `R`.
        drop(unsafe { token.into_message::<R>() });
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn meeting(&self) -> Option<&dyn Meeting> {
        None
    }
}

impl<R> fmt::Debug for SelectCase<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SelectCase").finish_non_exhaustive()
    }
}
