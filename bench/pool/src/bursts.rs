//! Bursts of short jobs with gaps between them, as in a program that draws frames: the time of a
//! burst, and the processor time of all threads for it.
//!
//! A tick is a dozen bursts of two dozen jobs, each after a stretch of the caller's own work, and
//! then a gap in which no thread has work.

use std::hint::black_box;
use std::time::{Duration, Instant};

use aqueduct_measure::machine;
use aqueduct_measure::rounds::{Cell, Fault, Figure, Measured};
use aqueduct_measure::times::Times;
use aqueduct_measure::unit::Unit;
use quanta::Clock;

use crate::crew::Seats;
use crate::fork::{self, Pool};

const BURSTS: u64 = 12;
const JOBS: u64 = 24;
/// Steps of a job: some microseconds.
const STEPS: u64 = 3_000;
/// The caller's own work before a burst.
const STRETCH: Duration = Duration::from_micros(200);
const GAP: Duration = Duration::from_millis(3);

/// Runs a job, which a compiler cannot shorten.
fn job(number: u64) -> u64 {
    (0..STEPS).fold(number, |value, _| black_box(value.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1)))
}

fn jobs<P: Pool>(context: &mut P::Context<'_>, first: u64, count: u64) -> u64 {
    if count == 1 {
        return job(first);
    }
    let left = count / 2;
    let (a, b) = P::join(
        context,
        |context| jobs::<P>(context, first, left),
        |context| jobs::<P>(context, first + left, count - left),
    );
    a.wrapping_add(b)
}

/// Runs `amount` ticks.
fn measure<P: Pool>(threads: usize, amount: u64) -> Result<Measured, Fault> {
    let pool = P::open(threads);
    let clock = Clock::new();
    let mut times = Times::new(&clock);
    let expected = (0..JOBS).map(job).fold(0, u64::wrapping_add);
    let (began, ran_before) = (Instant::now(), machine::time_on_cores());
    let mut own = Duration::ZERO;
    for _ in 0..amount {
        for _ in 0..BURSTS {
            own += stretch();
            let before = clock.raw();
            let sum = pool.enter(|context| jobs::<P>(context, 0, JOBS));
            times.add(clock.raw().saturating_sub(before));
            if sum != expected {
                return Err(Fault::WrongAnswer("a burst's sum is wrong"));
            }
        }
        std::thread::sleep(GAP);
    }
    let elapsed = began.elapsed();
    let of = |(bench, fraction): (&'static str, f64)| Figure::new(bench, Unit::Ns, times.quantile_ns(fraction));
    let mut figures: Vec<Figure> = [("pool.bursts.p50", 0.5), ("pool.bursts.p99", 0.99)].map(of).into();
    if let Some((ran, before)) = machine::time_on_cores().zip(ran_before) {
        let ran = (ran - before).saturating_sub(own).as_secs_f64() * 1e6 / (amount * BURSTS) as f64;
        figures.push(Figure::new("pool.bursts.processor", Unit::Us, ran));
    }
    Ok(Measured { figures, done: amount, elapsed })
}

/// Does the caller's own work. Returns its processor time.
fn stretch() -> Duration {
    let (began, ran_before) = (Instant::now(), machine::time_on_core());
    while began.elapsed() < STRETCH {
        black_box(job(1));
    }
    machine::time_on_core().zip(ran_before).map_or(Duration::ZERO, |(ran, before)| ran.saturating_sub(before))
}

pub(crate) fn add(cells: &mut Vec<Cell<'static>>, seats: &Seats) {
    struct Adding<'a>(&'a mut Vec<Cell<'static>>, &'a Seats);

    impl fork::Visit for Adding<'_> {
        fn visit<P: Pool>(&mut self) {
            let Self(cells, seats) = self;
            let threads = seats.threads;
            let run = move |amount| measure::<P>(threads, amount);
            cells.push(seats.cell("pool.bursts", (P::NAME, P::ROLE), 2, run));
        }
    }

    fork::visit(&mut Adding(cells, seats));
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Checking;

    impl fork::Visit for Checking {
        fn visit<P: Pool>(&mut self) {
            let measured = measure::<P>(2, 2).unwrap_or_else(|fault| panic!("{}: {fault}", P::NAME));
            assert!(measured.figures.len() >= 2, "{}", P::NAME);
        }
    }

    #[test]
    fn every_pool_has_bursts() {
        fork::visit(&mut Checking);
    }

    #[test]
    fn a_pool_that_skips_an_arm_is_noticed() {
        let fault = measure::<fork::Skipping>(1, 1);
        assert_eq!(fault, Err(Fault::WrongAnswer("a burst's sum is wrong")));
    }
}
