//! A table of an analysis' predictions for each queue, beside the measurement.

use std::fmt::Write;

use anstyle::Style;

use super::text;

/// One formula and its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The formula, as its source prints it.
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
    /// The queue's name in records.
    pub queue: &'static str,
    /// `P`, `C`, or `P, C` if the analysis gives both sides one formula.
    pub side: &'static str,
    /// The values in the order of [`CASES`].
    pub analysis: [Cell; 4],
    /// Measured with a fast consumer.
    pub fast_consumer: Measured,
    /// Measured with a fast producer.
    pub fast_producer: Measured,
}

/// The whole table.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The parameters of the formulas and of the measurement, in one line.
    pub parameters: String,
    /// The lines, in their order.
    pub lines: Vec<Line>,
}

/// Headings of the analytical columns.
pub const CASES: [&str; 4] = ["worst case", "fast consumer", "fast producer", "best case"];

impl Analysis {
    /// Whether any line has measured misses.
    pub fn has_misses(&self) -> bool {
        let has = |measured: &Measured| measured.misses.is_some();
        self.lines.iter().any(|line| has(&line.fast_consumer) || has(&line.fast_producer))
    }
}

/// Returns the table for a terminal.
pub fn render(analysis: &Analysis) -> String {
    let heading = Style::new().bold();
    let faint = Style::new().dimmed();
    let mut out = format!(
        "{heading}Cache misses per item and side: analysis and measurement{heading:#}\n{}\n",
        analysis.parameters
    );
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
