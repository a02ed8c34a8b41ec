//! Links that carry messages in both directions, and the waiting of their sides.

use std::hint;
use std::time::Instant;

use aqueduct_measure::rounds::Fault;
use aqueduct_measure::run::YIELD;

use crate::control::PATIENCE;

/// The result of a receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Came {
    Nothing,
    /// The message that was expected.
    Right,
    /// Another message, or one with other bytes.
    Wrong,
}

impl Came {
    /// Whether the message that came is the expected one.
    #[inline(always)]
    pub(crate) fn is_right(is_right: bool) -> Self {
        if is_right { Self::Right } else { Self::Wrong }
    }
}

/// A side's ends of two queues: it sends to one, and receives from the other.
///
/// Messages are counted from 0.
pub(crate) trait Link<M> {
    /// Sends the message with this number. Returns whether there was room for it.
    fn try_send(&mut self, number: u64) -> Result<bool, Fault>;

    /// Receives a message, which should have this number.
    fn try_receive(&mut self, number: u64) -> Result<Came, Fault>;

    /// Sends the message with this number; sleeps while there is no room.
    fn send(&mut self, number: u64) -> Result<(), Fault> {
        spin(|| self.try_send(number))
    }

    /// Receives a message, which should have this number; sleeps while there is none.
    fn receive(&mut self, number: u64) -> Result<Came, Fault> {
        receive_by_spinning(|| self.try_receive(number))
    }
}

/// Tries until the attempt succeeds.
#[inline(always)]
pub(crate) fn spin(mut attempt: impl FnMut() -> Result<bool, Fault>) -> Result<(), Fault> {
    let mut failures = Failures::default();
    while !attempt()? {
        failures.pause()?;
    }
    Ok(())
}

/// Tries until a message has come.
#[inline(always)]
pub(crate) fn receive_by_spinning(mut attempt: impl FnMut() -> Result<Came, Fault>) -> Result<Came, Fault> {
    let mut failures = Failures::default();
    loop {
        match attempt()? {
            Came::Nothing => failures.pause()?,
            came => return Ok(came),
        }
    }
}

/// Failures in a row.
#[derive(Default)]
struct Failures {
    count: u32,
    since: Option<Instant>,
}

impl Failures {
    #[inline(always)]
    fn pause(&mut self) -> Result<(), Fault> {
        self.count += 1;
        hint::spin_loop();
        if self.count == YIELD { self.yield_core() } else { Ok(()) }
    }

    /// Yields the core, and checks the time limit.
    #[cold]
    fn yield_core(&mut self) -> Result<(), Fault> {
        self.count = 0;
        std::thread::yield_now();
        let since = self.since.get_or_insert_with(Instant::now);
        if since.elapsed() > PATIENCE {
            return Err(Fault::Refused("the other side did nothing in time".to_owned()));
        }
        Ok(())
    }
}
