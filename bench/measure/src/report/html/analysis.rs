//! A table of an analysis' predictions, beside the measurement.

use maud::{Markup, html};

use crate::report::analysis::{Analysis, CASES, Cell, Line};
use crate::report::text;

/// Returns the table.
pub(super) fn section(analysis: &Analysis) -> Markup {
    html! {
        section id="analysis" {
            h2 { "Cache misses per item: analysis and measurement" }
            p {
                "The left half is what the algorithms must pay by analysis, per item and side; the right half \
                 is what this machine showed in the two regimes. " (analysis.parameters) "."
            }
            @if !analysis.has_misses() {
                p { "Measured misses are not available here: this machine lends no counter for L1 misses." }
            }
            div.card { (table(analysis)) }
        }
    }
}

fn table(analysis: &Analysis) -> Markup {
    let misses = analysis.has_misses();
    html! {
        table {
            thead { tr {
                th { "queue" } th.left { "side" }
                @for case in CASES { th { (case) } }
                @if misses { th { "measured misses, fast consumer" } th { "measured misses, fast producer" } }
                th { "Mitems/s, fast consumer" } th { "Mitems/s, fast producer" }
            } }
            tbody { @for line in &analysis.lines { (row(line, misses)) } }
        }
    }
}

fn row(line: &Line, misses: bool) -> Markup {
    let shown = |figure: Option<f64>| figure.map_or_else(|| "-".to_owned(), text::figure);
    html! {
        tr {
            td { (line.queue) }
            td.left { (line.side) }
            @for cell in &line.analysis { td { (formula(cell)) } }
            @if misses {
                td { (shown(line.fast_consumer.misses)) }
                td { (shown(line.fast_producer.misses)) }
            }
            td { (shown(line.fast_consumer.rate)) }
            td { (shown(line.fast_producer.rate)) }
        }
    }
}

/// Returns the value, with its formula below unless the formula is the value itself.
fn formula(cell: &Cell) -> Markup {
    html! {
        (format!("{:.3}", cell.value))
        @if cell.formula.len() > 1 { small { (cell.formula) } }
    }
}
