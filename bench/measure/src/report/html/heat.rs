//! Matrices as heat maps on one scale: by emulated load, drawn as the SPSC paper draws them, or by
//! blocks and their size.

use maud::{Markup, html};

use crate::report::guide::{self, Guide};
use crate::report::matrix::{Grid, Matrices, Matrix};
use crate::report::text;

const CELL_WIDTH: f64 = 42.0;
const CELL_HEIGHT: f64 = 26.0;
const LEFT: f64 = 52.0;

/// From worst to best: dark blue over green to yellow, so that brighter is better as in the paper.
const RAMP: [(f64, f64, f64); 5] =
    [(52.0, 38.0, 97.0), (44.0, 86.0, 138.0), (32.0, 144.0, 140.0), (103.0, 196.0, 98.0), (248.0, 228.0, 64.0)];

/// Returns the matrices over `grid`, in a section of that name.
pub(super) fn section(id: &str, grid: Grid, all: &[Matrices<'_>], guides: &[Guide]) -> Markup {
    let of_grid = || all.iter().filter(|matrices| matrices.grid == grid);
    html! {
        @if let Some(first) = of_grid().next() {
            section id=(id) {
                h2 { (guide::title(guides, &first.setting.bench)) }
                p { (explanation(grid)) " All maps of a group share one logarithmic scale; brighter is better." }
                @for matrices in of_grid() { (group(matrices)) }
            }
        }
    }
}

fn explanation(grid: Grid) -> &'static str {
    match grid {
        Grid::Loads => {
            "Each cell has its own pair of emulated loads: the producer's grows to the right, the consumer's upwards. A fast \
             producer is at the top left, a fast consumer at the bottom right."
        }
        Grid::Blocks => {
            "Each cell is a queue that is divided otherwise: the number of blocks grows to the right, the entries of each block \
             upwards."
        }
    }
}

fn group(matrices: &Matrices<'_>) -> Markup {
    let setting = &matrices.setting;
    html! {
        h3 { (setting.words()) ": " (setting.unit_words()) }
        (scale_bar(matrices))
        div.maps {
            @for matrix in &matrices.queues {
                div.card {
                    h3 { (matrix.queue) }
                    (map(matrices, matrix))
                }
            }
        }
    }
}

fn scale_bar(matrices: &Matrices<'_>) -> Markup {
    let (worst, best) = matrices.ends();
    html! {
        div.legend {
            span { (text::figure(worst)) }
            svg width="240" height="14" role="img" aria-label="scale from worst to best" {
                @for step in 0..24_u32 {
                    rect x=(step * 10) y="0" width="10.5" height="14" fill=(colour(f64::from(step) / 23.0)) {}
                }
            }
            span { (text::figure(best)) }
        }
    }
}

/// Returns the width and the height of a map.
pub(in crate::report) fn size(matrices: &Matrices<'_>) -> (f64, f64) {
    (LEFT + matrices.across.len() as f64 * CELL_WIDTH, matrices.up.len() as f64 * CELL_HEIGHT + 40.0)
}

fn map(matrices: &Matrices<'_>, matrix: &Matrix<'_>) -> Markup {
    let (width, height) = size(matrices);
    html! {
        svg viewBox={ "0 0 " (width) " " (height) } role="img" aria-label={ (matrix.queue) ", " (matrices.grid.words()) } {
            (drawing(matrices, matrix))
        }
    }
}

/// Returns a map without its frame.
pub(in crate::report) fn drawing(matrices: &Matrices<'_>, matrix: &Matrix<'_>) -> Markup {
    let columns = matrices.across.len() as f64;
    let rows = matrices.up.len();
    let bottom = rows as f64 * CELL_HEIGHT;
    html! {
        @for (row, up) in matrices.up.iter().enumerate() {
            @let y = (rows - 1 - row) as f64 * CELL_HEIGHT;
            text.soft x=(LEFT - 6.0) y=(y + CELL_HEIGHT / 2.0 + 4.0) text-anchor="end" { (up) }
            @for (column, cells) in matrix.cells.iter().enumerate() {
                (cell(matrices, cells[row], LEFT + column as f64 * CELL_WIDTH, y))
            }
        }
        @for (column, across) in matrices.across.iter().enumerate() {
            text.soft x=(LEFT + (column as f64 + 0.5) * CELL_WIDTH) y=(bottom + 15.0) text-anchor="middle" { (across) }
        }
        text.soft x=(LEFT + columns * CELL_WIDTH / 2.0) y=(bottom + 33.0) text-anchor="middle" { (matrices.grid.across()) }
        text.soft x="0" y="0" text-anchor="middle" transform={ "translate(12 " (bottom / 2.0) ") rotate(-90)" } { (matrices.grid.up()) }
    }
}

fn cell(matrices: &Matrices<'_>, figure: Option<f64>, x: f64, y: f64) -> Markup {
    html! {
        @if let Some(figure) = figure {
            @let goodness = matrices.goodness(figure);
            rect x=(x) y=(y) width=(CELL_WIDTH) height=(CELL_HEIGHT) fill=(colour(goodness)) {}
            text.value x=(x + CELL_WIDTH / 2.0) y=(y + CELL_HEIGHT / 2.0 + 4.0) text-anchor="middle" style={ "fill:" (ink(goodness)) } {
                (text::figure(figure))
            }
        }
    }
}

/// Returns the ramp's colour at `goodness`, 0 to 1.
fn rgb(goodness: f64) -> (f64, f64, f64) {
    let place = goodness.clamp(0.0, 1.0) * (RAMP.len() - 1) as f64;
    let below = (place.floor() as usize).min(RAMP.len() - 2);
    let part = place - below as f64;
    let (from, to) = (RAMP[below], RAMP[below + 1]);
    let mix = |from: f64, to: f64| from + (to - from) * part;
    (mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}

fn colour(goodness: f64) -> String {
    let (red, green, blue) = rgb(goodness);
    format!("#{:02x}{:02x}{:02x}", red as u8, green as u8, blue as u8)
}

/// Returns white for the dark cells, near-black for the bright ones.
fn ink(goodness: f64) -> &'static str {
    let (red, green, blue) = rgb(goodness);
    let brightness = 0.299 * red + 0.587 * green + 0.114 * blue;
    if brightness > 125.0 { "#101418" } else { "#ffffff" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ramp_runs_from_its_first_to_its_last_colour() {
        assert_eq!(colour(0.0), "#342661");
        assert_eq!(colour(1.0), "#f8e440");
        assert_eq!(colour(0.5), "#20908c");
        assert_eq!((ink(0.0), ink(1.0)), ("#ffffff", "#101418"));
    }
}
