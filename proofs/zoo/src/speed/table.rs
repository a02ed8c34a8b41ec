//! The terminal's table: a line per program and checker.

use std::fmt::Write;

use super::{Checker, Findings, Row};
use aqueduct_measure::report::text;
use aqueduct_measure::statistics;

/// Renders every row, with the speed relative to ours on one thread.
pub fn render(findings: &Findings) -> String {
    let mut out = String::new();
    for rows in findings.rows.chunk_by(|a, b| a.program.name == b.program.name) {
        let program = rows[0].program;
        let _ = writeln!(out, "{}: {}", program.name, program.about);
        let _ = writeln!(
            out,
            "  {:<28} {:>12} {:>8} {:>12} {:>23} {:>10} {:>12}",
            "", "executions", "events", "seconds", "[min .. max]", "ours is", "executions/s"
        );
        let ours = rows.iter().find(|row| row.checker == Checker::Aqueduct { jobs: 1 });
        for row in rows {
            let _ = writeln!(out, "{}", line(row, ours));
        }
        out.push('\n');
    }
    out.push_str(
        "events: per execution of ours. ours is: how many times faster ours exhausts the program on one thread. Executions are \
         RC11's in ours, interleavings in the others.\n",
    );
    out
}

fn line(row: &Row, ours: Option<&Row>) -> String {
    let name = row.checker.name();
    if let Some(fault) = row.fault() {
        return format!("  {name:<28} FAILED: {}", fault.lines().next().unwrap_or_default());
    }
    let last = &row.rounds[row.rounds.len() - 1];
    let events = last.events.map_or_else(String::new, |events| (events / last.executions.max(1)).to_string());
    let seconds = row.seconds();
    let (median, (min, max)) = (statistics::median(&seconds), statistics::extremes(&seconds));
    let (time, spread) = match (row.checker.exhausts(), row.exhausted()) {
        (true, true) => (seconds_text(median), format!("[{} .. {}]", seconds_text(min), seconds_text(max))),
        (true, false) => (format!("> {}", seconds_text(median)), "not exhausted".to_owned()),
        (false, _) => ("-".to_owned(), "never ends".to_owned()),
    };
    let ratio = match ours {
        Some(ours) if row.checker.exhausts() && row.checker != ours.checker && ours.exhausted() => {
            let more = if row.exhausted() { "" } else { "> " };
            format!("{more}{} x", text::figure(median / statistics::median(&ours.seconds()).max(1e-9)))
        }
        _ => String::new(),
    };
    let rate = statistics::median(&row.rates());
    format!("  {name:<28} {:>12} {events:>8} {time:>12} {spread:>23} {ratio:>10} {rate:>12.0}", last.executions)
}

/// Formats seconds with a suitable unit.
fn seconds_text(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{} s", text::figure(s)),
        s if s >= 1e-3 => format!("{} ms", text::figure(s * 1e3)),
        s => format!("{} us", text::figure(s * 1e6)),
    }
}
