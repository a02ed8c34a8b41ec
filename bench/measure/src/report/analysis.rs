//! Table 1 of the SPSC paper, misses per item by analysis, beside the measurement on this machine.

use std::fmt::Write;

use anstyle::Style;

use super::text;
use crate::record::{Payload, Record};

/// Slots of eight bytes in a cache line of 64.
const SLOTS_PER_LINE: usize = 8;
/// The lookahead of the improved FastForward producer, in slots (4 K as the paper's).
const LOOK_AHEAD: usize = 4 * SLOTS_PER_LINE;

/// The parameters of the table's formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Slots in a cache line.
    pub k: usize,
    /// Slots of the queue.
    pub n: usize,
    /// Items in a batch.
    pub b: usize,
    /// Slots that the improved FastForward producer looks ahead.
    pub h: usize,
}

/// One formula and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// As the paper prints it.
    pub formula: &'static str,
    /// Its value, in misses per item.
    pub value: f64,
}

/// The measurement of one queue in one regime.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// L1 misses per item on this side, where the machine counts them.
    pub misses: Option<f64>,
    /// Throughput, in million items per second.
    pub rate: Option<f64>,
}

/// One line of the table: one queue, or one side of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// `aqueduct/NAME`.
    pub queue: &'static str,
    /// `P`, `C`, or `P, C` if the analysis gives both sides one formula.
    pub side: &'static str,
    /// Worst case, worst case with a fast consumer, worst case with a fast producer, best case.
    pub analysis: [Cell; 4],
    /// Measured with a fast consumer.
    pub fast_consumer: Measured,
    /// Measured with a fast producer.
    pub fast_producer: Measured,
}

/// The whole table.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The parameters of the formulas.
    pub parameters: Parameters,
    /// Lamport's family, then FastForward's.
    pub lines: Vec<Line>,
}

/// Headings of the analytical columns.
pub const CASES: [&str; 4] = ["worst case", "fast consumer", "fast producer", "best case"];

impl Analysis {
    /// Returns the table for the six queues, with their figures in `records`. `None` if the records hold no
    /// measurement in a named regime, so that the table would hold the analysis alone.
    pub fn of(records: &[Record]) -> Option<Self> {
        let in_regime = |r: &&Record| r.bench == "spsc.regime" || r.bench.name.starts_with("spsc.l1_misses");
        let first = records.iter().find(in_regime)?;
        let batch = records.iter().filter(in_regime).map(|r| r.batch).max().unwrap_or(1);
        let parameters = Parameters {
            k: SLOTS_PER_LINE,
            n: first.capacity.max(1),
            b: if batch > 1 { batch } else { 32 },
            h: LOOK_AHEAD,
        };
        let mut lines = formulas(parameters);
        for line in &mut lines {
            line.fast_consumer = measured(records, line, (20, 10));
            line.fast_producer = measured(records, line, (0, 10));
        }
        Some(Self { parameters, lines })
    }

    /// Whether any line has measured misses.
    pub fn has_misses(&self) -> bool {
        let has = |measured: &Measured| measured.misses.is_some();
        self.lines.iter().any(|line| has(&line.fast_consumer) || has(&line.fast_producer))
    }

    /// Returns the parameters, in one line.
    pub fn words(&self) -> String {
        let Parameters { k, n, b, h } = self.parameters;
        format!(
            "K = {k} slots in a line, H = {h} slots looked ahead, N = {n} slots, batches of B = {b}; \
             measured with loads of 20 and 10 ns (fast consumer) and 0 and 10 ns (fast producer)"
        )
    }
}

fn measured(records: &[Record], line: &Line, loads: (u32, u32)) -> Measured {
    let greatest_batch = |bench: &str| {
        let fits = |r: &&Record| {
            r.bench == bench
                && r.queue == line.queue
                && r.payload == Payload::Embedded
                && (r.producer_load_ns, r.consumer_load_ns) == loads
        };
        records.iter().filter(fits).max_by_key(|r| r.batch).map(|r| r.median)
    };
    let side = if line.side == "C" { "consumer" } else { "producer" };
    Measured { misses: greatest_batch(&format!("spsc.l1_misses.{side}")), rate: greatest_batch("spsc.regime") }
}

/// Returns table 1 of the SPSC paper.
fn formulas(parameters: Parameters) -> Vec<Line> {
    let Parameters { k, n, b, h } = parameters;
    let per = |count: usize| 1.0 / count as f64;
    let cell = |formula, value| Cell { formula, value };
    let lazy_worst = || cell("2 + 1/N", 2.0 + per(n));
    let lamport_best = || cell("1/K + 2/N", per(k) + 2.0 * per(n));
    let burst = (2 + (b - 1).div_ceil(k)) as f64 / b as f64;
    let line = |queue, side, analysis| Line {
        queue,
        side,
        analysis,
        fast_consumer: Measured::default(),
        fast_producer: Measured::default(),
    };
    let improved_producer = || {
        let worst = || cell("1 + 1/H", 1.0 + per(h));
        let steady = || cell("1/K + 1/H", per(k) + per(h));
        [worst(), worst(), steady(), steady()]
    };
    let improved_consumer = || {
        let worst = || cell("1 + 1/K", 1.0 + per(k));
        let fast_producer = cell("2/K + 1/H", 2.0 * per(k) + per(h));
        [worst(), worst(), fast_producer, cell("2/K", 2.0 * per(k))]
    };
    vec![
        line("aqueduct/lamport", "P, C", [cell("3", 3.0), cell("3", 3.0), cell("3", 3.0), lamport_best()]),
        line(
            "aqueduct/lazy_lamport",
            "P, C",
            [lazy_worst(), lazy_worst(), cell("1 + 1/K + 1/N", 1.0 + per(k) + per(n)), lamport_best()],
        ),
        line(
            "aqueduct/batched_lamport",
            "P, C",
            [
                lazy_worst(),
                cell("(2 + ⌈(B-1)/K⌉)/B + 1/N", burst + per(n)),
                cell("1/K + 1/B + 1/N", per(k) + per(b) + per(n)),
                lamport_best(),
            ],
        ),
        line(
            "aqueduct/fast_forward",
            "P, C",
            [cell("2", 2.0), cell("2", 2.0), cell("2", 2.0), cell("2/K", 2.0 * per(k))],
        ),
        line("aqueduct/improved_fast_forward", "P", improved_producer()),
        line("aqueduct/improved_fast_forward", "C", improved_consumer()),
        line("aqueduct/batched_improved_fast_forward", "P", improved_producer()),
        line("aqueduct/batched_improved_fast_forward", "C", improved_consumer()),
    ]
}

/// Returns the table for a terminal.
pub fn render(analysis: &Analysis) -> String {
    let heading = Style::new().bold();
    let faint = Style::new().dimmed();
    let mut out =
        format!("{heading}Cache misses per item and side: analysis and measurement{heading:#}\n{}\n", analysis.words());
    let _ = writeln!(
        out,
        "{faint}  {:38}  {:4}  {:>8} {:>8} {:>8} {:>8}   {:>8} {:>8}   {:>8} {:>8}{faint:#}",
        "", "side", "worst", "FC", "FP", "best", "FC miss", "FP miss", "FC Mi/s", "FP Mi/s"
    );
    for line in &analysis.lines {
        let shown = |figure: Option<f64>| figure.map_or_else(|| "-".to_owned(), text::figure);
        let _ = write!(out, "  {:38}  {:4} ", line.queue, line.side);
        for cell in &line.analysis {
            let _ = write!(out, " {:>8}", format!("{:.3}", cell.value));
        }
        let _ = writeln!(
            out,
            "   {:>8} {:>8}   {:>8} {:>8}",
            shown(line.fast_consumer.misses),
            shown(line.fast_producer.misses),
            shown(line.fast_consumer.rate),
            shown(line.fast_producer.rate),
        );
    }
    if !analysis.has_misses() {
        let _ = writeln!(out, "{faint}Measured misses: not available here.{faint:#}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;
    use crate::unit::Unit;

    fn in_regime(bench: &str, queue: &str, batch: usize, loads: (u32, u32), figure: f64) -> Record {
        Record {
            batch,
            producer_load_ns: loads.0,
            consumer_load_ns: loads.1,
            ..fixture::record(bench, queue, Unit::Mitems, &[figure])
        }
    }

    #[test]
    fn the_formulas_give_the_figures_that_the_seed_quotes() {
        // Section 5.2.1: a batched Lamport queue of 256 slots, K = 8, batches of 32, misses between
        // 0.13 and 0.19; the improved FastForward queue at most 1.13 and with a fast producer 0.16
        // and 0.28.
        let lines = formulas(Parameters { k: 8, n: 256, b: 32, h: 32 });
        let value = |line: usize, case: usize| (lines[line].analysis[case].value * 100.0).round();
        assert_eq!((value(2, 3), value(2, 1)), (13.0, 19.0));
        assert_eq!((value(5, 0), value(4, 2), value(5, 2)), (113.0, 16.0, 28.0));
    }

    #[test]
    fn what_was_measured_stands_beside_its_queue_and_side() {
        let queue = "aqueduct/improved_fast_forward";
        let records = [
            in_regime("spsc.regime", queue, 1, (0, 10), 50.0),
            in_regime("spsc.l1_misses.consumer", queue, 1, (20, 10), 1.1),
        ];
        let analysis = Analysis::of(&records).expect("a table");
        assert_eq!(analysis.lines[4].fast_producer, Measured { misses: None, rate: Some(50.0) });
        assert_eq!(analysis.lines[4].fast_consumer.misses, None);
        assert_eq!(analysis.lines[5].fast_consumer, Measured { misses: Some(1.1), rate: None });
        assert!(!render(&analysis).contains("not available"));
    }

    #[test]
    fn batched_queues_are_quoted_at_their_batch_and_absent_counters_are_named() {
        let queue = "aqueduct/batched_lamport";
        let records =
            [in_regime("spsc.regime", queue, 16, (0, 10), 70.0), in_regime("spsc.regime", queue, 1, (0, 10), 20.0)];
        let analysis = Analysis::of(&records).expect("a table");
        assert_eq!(analysis.parameters.b, 16);
        assert_eq!(analysis.lines[2].fast_producer.rate, Some(70.0));
        assert!(render(&analysis).contains("not available here"));
        assert_eq!(Analysis::of(&fixture::records()), None);
    }
}
