//! Batches of events with gaps: the cost of an event for the recording thread.

use std::hint;

use aqueduct_measure::rounds::{Cell, Fault, Figure, Measured};
use aqueduct_measure::times::Times;
use aqueduct_measure::unit::Unit;
use quanta::Clock;

use crate::kinds::{Handle, Kind};
use crate::plan::Plan;
use crate::threads::{all, place, placement};

/// Events of a batch, as in the benchmark of Quill.
const BATCH: u64 = 20;
/// Nanoseconds from one batch to the next. A log's own thread can write during the gap.
const GAP: u64 = 20_000;
/// Events of a thread before the first counted one: then memory is touched, and places have their
/// numbers.
const WARM: u64 = 30_000;
/// Batches of the first run.
const FIRST: u64 = 200;

/// The contents of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    None,
    One,
    Four,
    Span,
}

impl What {
    /// Returns the event with this number of fields.
    pub(crate) fn of_fields(fields: usize) -> Self {
        match fields {
            0 => Self::None,
            1 => Self::One,
            _ => Self::Four,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "fields_0",
            Self::One => "fields_1",
            Self::Four => "fields_4",
            Self::Span => "spans",
        }
    }

    /// Returns the number of records of each.
    fn records<K: Kind>(self) -> u64 {
        if self == Self::Span { K::SPAN_RECORDS } else { 1 }
    }

    /// Records `count` of them, with numbers that count up from `first`.
    #[inline(always)]
    pub(crate) fn record(self, handle: &mut impl Handle, first: u64, count: u64) {
        let numbers = first..first + count;
        match self {
            Self::None => numbers.for_each(|_| handle.none()),
            Self::One => numbers.for_each(|number| handle.one(number)),
            Self::Four => numbers.for_each(|number| handle.four([number, number + 1, number + 2, number + 3])),
            Self::Span => numbers.for_each(|number| handle.span(number)),
        }
    }
}

pub(crate) fn add<K: Kind>(cells: &mut Vec<Cell<'static>>, plan: &Plan, cores: &[usize]) {
    for &threads in plan.threads.iter().filter(|&&threads| threads <= K::MOST_THREADS) {
        for &fields in &plan.fields {
            add_cell::<K>(cells, "recorder.latency", What::of_fields(fields), threads, cores);
        }
    }
}

pub(crate) fn add_spans<K: Kind>(cells: &mut Vec<Cell<'static>>, plan: &Plan, cores: &[usize]) {
    for &threads in plan.threads.iter().filter(|&&threads| K::HAS_SPANS && threads <= K::MOST_THREADS) {
        add_cell::<K>(cells, "recorder", What::Span, threads, cores);
    }
}

fn add_cell<K: Kind>(cells: &mut Vec<Cell<'static>>, experiment: &str, what: What, threads: usize, cores: &[usize]) {
    let bench = format!("{experiment}.{}", what.name());
    let (at, placed) = (place(threads, BATCH as usize), cores.to_vec());
    let cell = Cell::new(at.words(&bench), K::NAME, K::ROLE, at, move |batches| {
        run::<K>(&bench, what, threads, &placed, batches)
    });
    cells.push(Cell { first: FIRST, ..cell.on(placement(threads, cores)) });
}

/// Times `batches` batches in all threads together.
fn run<K: Kind>(bench: &str, what: What, threads: usize, cores: &[usize], batches: u64) -> Result<Measured, Fault> {
    let each = batches.div_ceil(threads as u64);
    let shared = K::open()?;
    let clock = Clock::new();
    let (found, elapsed) = all(threads, cores, |_| {
        let mut times = Times::new(&clock);
        let mut handle = K::enter(&shared);
        what.record(&mut handle, 0, WARM);
        for batch in 0..each {
            let start = clock.raw();
            what.record(&mut handle, batch, BATCH);
            let end = clock.raw();
            times.add(end.saturating_sub(start));
            while clock.delta_as_nanos(end, clock.raw()) < GAP {
                hint::spin_loop();
            }
        }
        times
    });
    let records = threads as u64 * (WARM + each * BATCH) * what.records::<K>();
    K::close(shared, records)?;
    let mut times = Times::new(&clock);
    found.iter().for_each(|found| times.merge(found));
    let quantile = |name: &str, fraction| {
        Figure::new(format!("{bench}.{name}"), Unit::Ns, times.quantile_ns(fraction) / BATCH as f64)
    };
    let figures = vec![quantile("p50", 0.5), quantile("p90", 0.9), quantile("p99", 0.99), quantile("p999", 0.999)];
    Ok(Measured { figures, done: each * threads as u64, elapsed })
}
