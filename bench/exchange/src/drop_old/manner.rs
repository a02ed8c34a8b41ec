//! The pace of threads between their calls: greedy, or at a rate and with a look at the clock.

use std::hint::black_box;
use std::time::Duration;

use aqueduct_measure::chance::Idler;
use aqueduct_measure::rate::Rate;
use aqueduct_measure::run::Run;
use aqueduct_measure::times::Times;
use quanta::Clock;

/// The pace of the threads of a run.
pub(super) trait Manner: Sync {
    /// Returns the pace of that producer.
    fn writes(&self, run: &Run, producer: usize) -> impl AroundWrites;
    /// Returns the reader's pace.
    fn reads(&self, run: &Run) -> impl AroundReads;
}

/// A producer's actions around each write.
pub(super) trait AroundWrites {
    /// Calls `write` when it is due.
    fn write<R>(&mut self, write: impl FnOnce() -> R) -> R;
    /// Returns the times of the writes, if they were taken.
    fn times(self) -> Option<Times>;
}

/// A reader's actions before each read.
pub(super) trait AroundReads {
    /// Waits until a read is due.
    fn wait(&mut self);
}

/// A greedy pace: all threads go on as fast as they can.
pub(super) struct Greedy;

impl Manner for Greedy {
    fn writes(&self, _run: &Run, _producer: usize) -> impl AroundWrites {
        Self
    }

    fn reads(&self, _run: &Run) -> impl AroundReads {
        Self
    }
}

impl AroundWrites for Greedy {
    #[inline(always)]
    fn write<R>(&mut self, write: impl FnOnce() -> R) -> R {
        write()
    }

    fn times(self) -> Option<Times> {
        None
    }
}

impl AroundReads for Greedy {
    #[inline(always)]
    fn wait(&mut self) {}
}

/// The profiling workload of the BBQ paper (section 6.2): a program that notes its actions now and
/// then, and must not be delayed by that.
pub(super) struct Profiling(pub(super) Clock);

impl Profiling {
    /// Writes of a producer per second.
    const WRITES_PER_SECOND: u64 = 10_000;
    /// Reads of the reader per second, while there are producers.
    const READS_PER_SECOND: u64 = 1_000;

    /// Returns the number of writes of the first run, before any rate is known.
    pub(super) fn first(producers: usize, slice: Duration) -> u64 {
        (Self::WRITES_PER_SECOND as f64 * producers as f64 * slice.as_secs_f64() / 8.0) as u64 + 1
    }
}

/// A greedy pace with allocations and pauses around each operation.
pub(super) struct Complex;

impl Manner for Complex {
    fn writes(&self, _run: &Run, producer: usize) -> impl AroundWrites {
        Idler::of_thread(producer + 1)
    }

    fn reads(&self, _run: &Run) -> impl AroundReads {
        Idler::of_thread(0)
    }
}

impl AroundWrites for Idler {
    #[inline]
    fn write<R>(&mut self, write: impl FnOnce() -> R) -> R {
        self.idle();
        let parcel = black_box(Box::new([0_u64; 2]));
        let written = write();
        drop(parcel);
        written
    }

    fn times(self) -> Option<Times> {
        None
    }
}

impl AroundReads for Idler {
    #[inline]
    fn wait(&mut self) {
        self.idle();
    }
}

impl Manner for Profiling {
    fn writes(&self, run: &Run, _producer: usize) -> impl AroundWrites {
        Timed { rate: Rate::new(run, &self.0, Self::WRITES_PER_SECOND), times: Times::new(&self.0) }
    }

    fn reads(&self, run: &Run) -> impl AroundReads {
        Rate::new(run, &self.0, Self::READS_PER_SECOND)
    }
}

/// Writes at a rate, with their times.
struct Timed<'r> {
    rate: Rate<'r>,
    times: Times,
}

impl AroundWrites for Timed<'_> {
    fn write<R>(&mut self, write: impl FnOnce() -> R) -> R {
        self.rate.wait();
        let begin = self.rate.clock().raw();
        let written = write();
        let end = self.rate.clock().raw();
        self.times.add(end.saturating_sub(begin));
        written
    }

    fn times(self) -> Option<Times> {
        Some(self.times)
    }
}

impl AroundReads for Rate<'_> {
    fn wait(&mut self) {
        Rate::wait(self);
    }
}
