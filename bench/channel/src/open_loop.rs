//! The open loop: messages are due at fixed times. A message's lateness counts from its due time,
//! also if its sender was late.

use std::time::Duration;

use aqueduct_measure::record::Placement;
use aqueduct_measure::rounds::{Cell, Fault, Figure, Measured, Threads};
use aqueduct_measure::times::{Times, ticks};
use aqueduct_measure::unit::Unit;
use quanta::Clock;

use crate::kind::{About, place};

/// Time between two messages.
pub(crate) const INTERVALS: [Duration; 2] = [Duration::from_micros(20), Duration::from_micros(2)];
pub(crate) const CAPACITY: usize = 100;
/// Messages of the first run.
const FIRST: u64 = 1_000;

/// The due times of messages, in the clock's ticks.
#[derive(Clone)]
pub(crate) struct Schedule {
    clock: Clock,
    interval: u64,
}

impl Schedule {
    pub(crate) fn new(interval: Duration) -> Self {
        let clock = Clock::new();
        let interval = ticks(&clock, interval.as_nanos() as u64);
        Self { clock, interval }
    }

    /// Returns the due times of `count` messages, the first one an interval from now.
    pub(crate) fn due(&self, count: u64) -> impl Iterator<Item = u64> + Send + use<> {
        let (start, interval) = (self.clock.raw(), self.interval);
        (1..=count).map(move |number| start + number * interval)
    }

    pub(crate) fn is_before(&self, due: u64) -> bool {
        self.clock.raw() < due
    }

    pub(crate) fn times(&self) -> Times {
        Times::new(&self.clock)
    }

    /// Returns the lateness of a message that was due at `due`.
    pub(crate) fn lateness(&self, due: u64) -> u64 {
        self.clock.raw().saturating_sub(due)
    }
}

/// Returns the cell of a channel. `run` sends messages by a schedule and returns their lateness.
pub(crate) fn cell(
    about: About,
    of: &str,
    interval: Duration,
    placement: Placement,
    run: impl Fn(Schedule, u64) -> Result<(Times, Duration), Fault> + 'static,
) -> Cell<'static> {
    let bench = format!("channel.open_loop.{of}.every_{}_us", interval.as_micros());
    let place = place(Threads::PAIR, CAPACITY);
    let words = place.words(&bench);
    let run = move |amount: u64| {
        let (times, elapsed) = run(Schedule::new(interval), amount)?;
        if times.count() != amount {
            return Err(Fault::Stuck { popped: times.count(), wanted: amount });
        }
        let of = |(name, fraction)| Figure::new(format!("{bench}.{name}"), Unit::Ns, times.quantile_ns(fraction));
        let figures = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)].map(of).into();
        Ok(Measured { figures, done: amount, elapsed })
    };
    Cell { first: FIRST, ..Cell::new(words, about.name, about.role, place, run).on(placement) }
}
