//! Channels whose messages come at times that are known beforehand.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use aqueduct_channel::Event;
use aqueduct_channel::internal::{Meeting, Miss, Selectable, Token};

use crate::error::RecvTimeoutError;

/// A channel with a message at one time, or at regular times.
#[derive(Debug)]
pub(crate) struct Timer {
    /// The time of the next message, or `None` if none will come.
    next: Mutex<Option<Instant>>,
    period: Option<Duration>,
}

/// Sleeps until `deadline`, or forever.
pub(crate) fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => thread::sleep(deadline.saturating_duration_since(Instant::now())),
        None => loop {
            thread::sleep(Duration::from_secs(1 << 20));
        },
    }
}

impl Timer {
    pub(crate) fn new(first: Instant, period: Option<Duration>) -> Self {
        Self { next: Mutex::new(Some(first)), period }
    }

    fn next(&self) -> MutexGuard<'_, Option<Instant>> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a message whose time has come. A receiver that has waited since `called` is not late
    /// for the next one.
    fn take(&self, called: Instant) -> Option<Instant> {
        let mut next = self.next();
        let message = (*next).filter(|&time| time <= Instant::now())?;
        *next = self.period.and_then(|period| message.max(called).checked_add(period));
        Some(message)
    }

    pub(crate) fn try_recv(&self) -> Option<Instant> {
        self.take(Instant::now())
    }

    pub(crate) fn recv_until(&self, deadline: Option<Instant>) -> Result<Instant, RecvTimeoutError> {
        let called = Instant::now();
        loop {
            if let Some(message) = self.take(called) {
                return Ok(message);
            }
            let next = *self.next();
            sleep_until(next.into_iter().chain(deadline).min());
            if deadline.is_some_and(|deadline| deadline <= Instant::now() && next.is_none_or(|next| deadline < next)) {
                return Err(RecvTimeoutError::Timeout);
            }
        }
    }

    pub(crate) fn has_message(&self) -> bool {
        self.next().is_some_and(|next| next <= Instant::now())
    }
}

// SAFETY: a timer is `Sync`.
unsafe impl Selectable for Timer {
    fn event(&self) -> Option<&Event> {
        None
    }

    fn attempt(&self) -> Result<Token, Miss> {
        self.try_recv().map(|message| Token::received(Ok::<_, ()>(message))).ok_or(Miss::Exact)
    }

    fn is_more(&self) -> bool {
        false
    }

    fn is_ready(&self) -> bool {
        self.has_message()
    }

    fn abandon(&self, _token: Token) {}

    fn deadline(&self) -> Option<Instant> {
        *self.next()
    }

    fn meeting(&self) -> Option<&dyn Meeting> {
        None
    }
}

/// A channel that never has a message.
#[derive(Debug)]
pub(crate) struct Never;

// SAFETY: the channel has no state.
unsafe impl Selectable for Never {
    fn event(&self) -> Option<&Event> {
        None
    }

    fn attempt(&self) -> Result<Token, Miss> {
        Err(Miss::Exact)
    }

    fn is_more(&self) -> bool {
        false
    }

    fn is_ready(&self) -> bool {
        false
    }

    fn abandon(&self, _token: Token) {}

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn meeting(&self) -> Option<&dyn Meeting> {
        None
    }
}
