//! Operations at a fixed rate.

use quanta::Clock;

use crate::run::Run;
use crate::times::ticks;

/// A fixed rate of one thread's operations, until the run is over.
#[derive(Debug)]
pub struct Rate<'r> {
    run: &'r Run,
    clock: Clock,
    /// Ticks of the clock from one operation to the next.
    interval: u64,
    /// The time at which the next operation is due, relative to now.
    due: u64,
}

impl<'r> Rate<'r> {
    /// Makes a rate of `per_second` operations; the first operation is due at once.
    pub fn new(run: &'r Run, clock: &Clock, per_second: u64) -> Self {
        let interval = ticks(clock, 1_000_000_000 / per_second.max(1));
        Self { run, clock: clock.clone(), interval, due: 0 }
    }

    /// Returns the clock.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Returns the run whose end ends the waiting.
    #[must_use]
    pub fn run(&self) -> &'r Run {
        self.run
    }

    /// Waits until the next operation is due, and yields its core meanwhile. A thread that is late
    /// catches up.
    pub fn wait(&mut self) {
        if self.due == 0 {
            self.due = self.clock.raw();
        }
        while self.clock.raw() < self.due && !self.run.is_over() {
            std::thread::yield_now();
        }
        self.due += self.interval;
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn operations_are_apart_until_the_run_is_over() {
        let run = Run::new(1, 0, Duration::from_secs(60));
        let mut rate = Rate::new(&run, &Clock::new(), 1_000);
        let begin = Instant::now();
        (0..11).for_each(|_| rate.wait());
        let took = begin.elapsed();
        assert!(took >= Duration::from_millis(9), "ten intervals: {took:?}");
        // An operation that is due in a minute does not keep a run from ending.
        let mut slow = Rate::new(&run, &Clock::new(), 1);
        slow.wait();
        slow.interval *= 60;
        slow.due += slow.interval;
        run.end();
        slow.wait();
    }
}
