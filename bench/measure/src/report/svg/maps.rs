//! Matrices as heat maps beside each other.

use maud::{PreEscaped, html};

use super::STYLE;
use crate::report::html::heat;
use crate::report::matrix::Matrices;
use crate::report::text;

/// Maps in a row.
const ACROSS: usize = 2;
const MARGIN: f64 = 16.0;
const HEADING: f64 = 28.0;

/// Draws the maps of one setting as SVG.
#[must_use]
pub fn maps(matrices: &Matrices<'_>, title: &str) -> String {
    let (width, height) = heat::size(matrices);
    let (across, down) = (width + MARGIN, height + HEADING + MARGIN);
    let rows = matrices.queues.len().div_ceil(ACROSS);
    let (all_across, all_down) = (across * ACROSS as f64 + MARGIN, down * rows as f64 + 64.0);
    let (worst, best) = matrices.ends();
    html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (all_across) " " (all_down) } width=(all_across) height=(all_down) role="img" aria-label=(title) {
            style { (PreEscaped(STYLE)) ".value{font-size:11px}" }
            text.title x=(MARGIN) y="20" { (title) }
            text x=(MARGIN) y="40" {
                (matrices.setting.unit_words()) "; one logarithmic scale, from " (text::figure(worst)) " (dark) to " (text::figure(best)) " (bright)"
            }
            @for (at, matrix) in matrices.queues.iter().enumerate() {
                g transform={ "translate(" (MARGIN + across * (at % ACROSS) as f64) " " (64.0 + down * (at / ACROSS) as f64) ")" } {
                    text x=(MARGIN) y="14" { (matrix.queue) }
                    g transform={ "translate(0 " (HEADING) ")" } { (heat::drawing(matrices, matrix)) }
                }
            }
        }
    }
    .into_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;
    use crate::report::sheet::Sheet;

    #[test]
    fn each_queue_has_a_map_with_all_cells() {
        let records: Vec<_> = fixture::grid();
        let sheet = Sheet::of(&records);
        let drawn = maps(&sheet.matrices[0], "Two queues");
        assert_eq!(drawn.matches("<rect").count(), 200, "{drawn}");
        assert!(drawn.contains("aqueduct/ring") && drawn.contains("rtrb/ring"), "{drawn}");
    }
}
