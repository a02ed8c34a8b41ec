//! Times of many single calls: the clock, and a histogram.

use hdrhistogram::Histogram;
use quanta::Clock;

/// Times, each rounded up by at most 1 %. The reading of the clock is part of each: see
/// [`clock_cost_ns`].
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    /// The times, in the clock's ticks.
    ticks: Histogram<u32>,
    ns_per_tick: f64,
}

impl Times {
    /// The longest time that is kept exactly, in ticks: some minutes.
    const LONGEST: u64 = 1 << 40;
    /// The number of decimal digits that are kept.
    const DIGITS: u8 = 2;

    /// Makes a histogram without any time.
    pub fn new(clock: &Clock) -> Self {
        let ticks = Histogram::new_with_bounds(1, Self::LONGEST, Self::DIGITS).expect("the bounds are sound");
        Self { ticks, ns_per_tick: ns_per_tick(clock) }
    }

    /// Adds a time. A longer time than the longest one counts as the longest one.
    #[inline]
    pub fn add(&mut self, ticks: u64) {
        self.ticks.saturating_record(ticks);
    }

    /// Adds the times of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.ticks.add(&other.ticks).expect("both have the same bounds");
    }

    /// Returns the number of times.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.ticks.len()
    }

    /// Returns the time in nanoseconds below which the share `fraction` (0 to 1) of them lies; 0
    /// without any.
    #[must_use]
    pub fn quantile_ns(&self, fraction: f64) -> f64 {
        self.ticks.value_at_quantile(fraction) as f64 * self.ns_per_tick
    }
}

/// The times of the threads of a run. A workload that does not time an operation has `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timed {
    /// Each successful push.
    pub push: Option<Times>,
    /// Each successful pop.
    pub pop: Option<Times>,
    /// Each item's stay in the queue: from the call that pushed it to the return of the one that
    /// popped it.
    pub in_queue: Option<Times>,
    /// Each item's time from when it was due to the return of the call that popped it.
    pub since_due: Option<Times>,
}

impl Timed {
    /// Adds the times of another thread.
    pub fn merge(&mut self, other: Self) {
        let pairs = [
            (&mut self.push, other.push),
            (&mut self.pop, other.pop),
            (&mut self.in_queue, other.in_queue),
            (&mut self.since_due, other.since_due),
        ];
        for (mine, theirs) in pairs {
            match (mine.as_mut(), theirs) {
                (Some(mine), Some(theirs)) => mine.merge(&theirs),
                (None, Some(theirs)) => *mine = Some(theirs),
                (_, None) => {}
            }
        }
    }
}

/// Nanoseconds of a tick of the clock: the processor's time-stamp counter where it is steady, else
/// nanoseconds of the system.
fn ns_per_tick(clock: &Clock) -> f64 {
    const MANY: u64 = 1 << 40;
    clock.delta_as_nanos(0, MANY) as f64 / MANY as f64
}

/// The number of ticks in `nanoseconds`.
pub fn ticks(clock: &Clock, nanoseconds: u64) -> u64 {
    (nanoseconds as f64 / ns_per_tick(clock)) as u64
}

/// Returns the cost of reading the clock in nanoseconds: the fastest of several series of readings.
#[must_use]
pub fn clock_cost_ns() -> f64 {
    const READINGS: u32 = 1000;
    let clock = Clock::new();
    let row = || {
        let begin = clock.raw();
        let end = (0..READINGS).fold(begin, |_, _| clock.raw());
        end.saturating_sub(begin)
    };
    let fastest = std::iter::repeat_with(row).take(20).min().unwrap_or(0);
    fastest as f64 * ns_per_tick(&clock) / f64::from(READINGS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_right_to_one_per_cent_and_parts_add_up() {
        let clock = Clock::new();
        let all = |range: std::ops::RangeInclusive<u64>| {
            let mut times = Times::new(&clock);
            range.for_each(|ns| times.add(ticks(&clock, 1000 * ns)));
            times
        };
        let mut timed = Timed { push: Some(all(1..=500)), ..Timed::default() };
        timed.merge(Timed { push: Some(all(501..=1000)), pop: Some(all(1..=1)), ..Timed::default() });
        let push = timed.push.expect("two threads timed it");
        assert_eq!((push.count(), timed.pop.map(|pop| pop.count()), timed.in_queue), (1000, Some(1), None));
        for (fraction, ns) in [(0.5, 500_000.0), (0.99, 990_000.0), (1.0, 1_000_000.0)] {
            let found = push.quantile_ns(fraction);
            assert!((found / ns - 1.0).abs() < 0.011, "{fraction}: {found} ns, not {ns}");
        }
    }

    #[test]
    fn the_longest_time_is_kept_and_the_clock_costs_something() {
        let mut times = Times::new(&Clock::new());
        times.add(u64::MAX);
        assert_eq!(times.count(), 1);
        assert!(clock_cost_ns() > 0.0);
    }
}
