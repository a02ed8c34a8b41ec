//! Rounds of measurements, A B C, then again A B C, for workloads that are more than a queue and a number: whoever has such
//! workloads lists them as [`Cell`]s.

mod cell;
mod table;

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use cell::{Cell, Figure, Measured, Place};
pub use table::render;

use crate::mpmc::{Fault, Findings};
use crate::record::{Payload, Record};
use crate::spsc::Observer;
use crate::statistics;

/// How often and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// How often everything is measured.
    pub rounds: usize,
    /// How long one measurement takes.
    pub slice: Duration,
}

/// Operations of a cell's first run, from which it is found out how many fill a slice.
const FIRST: u64 = 10_000;

/// Measures all cells in turn, as often as the pace says, after a round that finds out how much fills a slice.
///
/// Set `stop` from another thread to end after the measurement that runs; the findings hold what was measured until then.
///
/// # Errors
/// A sentence that says what is wrong: no cells, a slice of no time.
pub fn measure(
    cells: Vec<Cell>,
    pace: Pace,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Findings, String> {
    if cells.is_empty() {
        return Err("nothing is left to measure".to_owned());
    }
    if pace.slice.is_zero() {
        return Err("a slice of no time measures nothing; 1 ms is the least that makes sense".to_owned());
    }
    let rounds = pace.rounds.max(1);
    let mut rows: Vec<Row> = cells.into_iter().map(Row::new).collect();
    observer.begin(rows.len() as u64 * (rounds as u64 + 1));
    let mut done = 0;
    'rounds: for round in 0..=rounds {
        for row in rows.iter_mut().filter(|row| row.fault.is_none()) {
            // Ordering: relaxed; a flag that carries no data.
            if stop.load(Ordering::Relaxed) {
                break 'rounds;
            }
            observer.measuring(&row.cell.words(), &row.cell.queue);
            // A queue's memory lies elsewhere in each round: how fast a queue is may depend on where.
            let placement = vec![0_u8; 64 + round * 4160];
            black_box(&placement);
            row.fault = (if round == 0 { row.calibrate(pace.slice) } else { row.measure(pace.slice) }).err();
            observer.measured();
        }
        done = round;
    }
    observer.end();
    let mut findings = Findings { rounds: done, ..Findings::default() };
    for row in rows {
        match row.fault {
            Some(fault) => findings.faults.push((row.cell.words(), row.cell.queue.into_owned(), fault)),
            None => findings.records.extend(row.records()),
        }
    }
    Ok(findings)
}

/// A cell, and what was measured of it.
struct Row {
    cell: Cell,
    /// The figures of each run.
    runs: Vec<Vec<Figure>>,
    /// Operations per second, as the last run saw it.
    rate: f64,
    fault: Option<Fault>,
}

impl Row {
    fn new(cell: Cell) -> Self {
        Self { cell, runs: Vec::new(), rate: 0.0, fault: None }
    }

    fn calibrate(&mut self, slice: Duration) -> Result<(), Fault> {
        let mut amount = FIRST;
        loop {
            let measured = (self.cell.run)(amount)?;
            self.rate = measured.rate();
            if measured.elapsed >= slice / 8 {
                return Ok(());
            }
            amount = amount.saturating_mul(4);
        }
    }

    fn measure(&mut self, slice: Duration) -> Result<(), Fault> {
        let amount = (self.rate * slice.as_secs_f64()) as u64;
        let measured = (self.cell.run)(amount.max(1))?;
        self.rate = measured.rate();
        self.runs.push(measured.figures);
        Ok(())
    }

    /// A record for each figure.
    fn records(&self) -> impl Iterator<Item = Record> {
        let figures = self.runs.first().map_or(&[][..], Vec::as_slice);
        figures.iter().enumerate().map(|(at, figure)| {
            let runs: Vec<f64> = self.runs.iter().map(|run| run[at].value).collect();
            let (min, max) = statistics::extremes(&runs);
            let Place { producers, consumers, capacity, batch } = self.cell.place;
            Record {
                bench: figure.bench.to_owned(),
                queue: self.cell.queue.clone().into_owned(),
                peer: self.cell.peer,
                producers,
                consumers: figure.consumers.unwrap_or(consumers),
                capacity,
                batch,
                payload: Payload::Embedded,
                producer_load_ns: 0,
                consumer_load_ns: 0,
                unit: figure.unit.to_owned(),
                median: statistics::median(&runs),
                min,
                max,
                runs,
            }
        })
    }
}
