//! Benches that look at one measurement from several sides: a line for each queue with a dot for
//! each facet, and the figures.

use maud::{Markup, html};

use crate::names::{Bench, Facet};
use crate::record::Role;
use crate::report::family::{Family, FamilyRow};
use crate::report::sheet::Sheet;
use crate::report::text;

const WIDTH: f64 = 960.0;
const PLOT_LEFT: f64 = 290.0;
const PLOT_RIGHT: f64 = 600.0;
const COLUMN: f64 = 88.0;
const ROW: f64 = 24.0;
const TOP: f64 = 26.0;

/// Returns the section of the family of that name, with this title and description: a card for each
/// setting.
pub(super) fn section(bench: &Bench, title: &str, words: &str, sheet: &Sheet<'_>) -> Markup {
    let families = || sheet.families.iter().filter(|family| family.setting.bench == *bench);
    html! {
        section id=(bench) {
            h2 { (title) }
            p { (words) }
            div.legend {
                @for role in Role::ALL { span { i class=(role.text()) {} (role.heading()) } }
                span { "Dots: the facets in the order of the columns, each the median of the rounds." }
            }
            @for family in families() {
                div.card {
                    h3 { (family.setting.words_without_threads()) ", " (family.threads()) ": " (family.setting.unit_words()) }
                    (svg(family))
                }
            }
        }
    }
}

/// Times on a logarithmic scale, shares on an even one from 0 to 1.
struct Scale {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Scale {
    fn of(family: &Family<'_>) -> Self {
        if family.facets.iter().all(|facet| facet.fraction().is_none()) {
            return Self { low: 0.0, high: 1.0, logarithmic: false };
        }
        let all = || family.rows.iter().flat_map(|row| row.cells.iter().flatten()).map(|record| record.median);
        let low = all().fold(f64::INFINITY, f64::min).max(1e-3);
        let high = all().fold(0.0, f64::max).max(1.5 * low);
        Self { low: low / 1.1, high: high * 1.1, logarithmic: true }
    }

    fn x(&self, figure: f64) -> f64 {
        let part = if self.logarithmic {
            (figure.max(self.low) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (figure - self.low) / (self.high - self.low)
        };
        PLOT_LEFT + part.clamp(0.0, 1.0) * (PLOT_RIGHT - PLOT_LEFT)
    }

    /// Powers of ten, or quarters.
    fn ticks(&self) -> Vec<f64> {
        if !self.logarithmic {
            return vec![0.0, 0.25, 0.5, 0.75, 1.0];
        }
        let powers = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        powers.map(|power| 10_f64.powi(power)).filter(|tick| (self.low..=self.high).contains(tick)).collect()
    }
}

fn svg(family: &Family<'_>) -> Markup {
    let scale = Scale::of(family);
    let bottom = TOP + ROW * family.rows.len() as f64;
    let left = super::excess(family.rows.iter().map(|row| row.queue.to_string()), PLOT_LEFT - 10.0);
    html! {
        svg.wide viewBox={ (-left) " 0 " (left + WIDTH) " " (bottom + 24.0) } role="img" aria-label={ (family.setting.bench) ", " (family.setting.words()) } {
            @for tick in scale.ticks() {
                @let x = scale.x(tick);
                line.grid x1=(x) x2=(x) y1=(TOP) y2=(bottom) {}
                text.soft x=(x) y=(bottom + 16.0) text-anchor="middle" { (text::figure(tick)) }
            }
            @for (at, facet) in family.facets.iter().enumerate() {
                text.soft x=(column_right(at)) y=(TOP - 8.0) text-anchor="end" { (facet.heading()) }
            }
            @for (at, row) in family.rows.iter().enumerate() {
                (line(row, &family.facets, TOP + ROW * (at as f64 + 0.5), &scale))
            }
        }
    }
}

fn column_right(at: usize) -> f64 {
    PLOT_RIGHT + COLUMN * (at as f64 + 1.0)
}

fn line(row: &FamilyRow<'_>, facets: &[Facet], middle: f64, scale: &Scale) -> Markup {
    let places = || row.cells.iter().flatten().map(|record| scale.x(record.median));
    let (left, right) = (places().fold(PLOT_RIGHT, f64::min), places().fold(PLOT_LEFT, f64::max));
    let name_class = if row.role == Role::Ours { "strong" } else { "" };
    html! {
        text class=(name_class) x=(PLOT_LEFT - 10.0) y=(middle + 4.0) text-anchor="end" { (row.queue) }
        @if left <= right {
            line.span x1=(left) x2=(right) y1=(middle) y2=(middle) {}
        }
        @for (at, (record, facet)) in row.cells.iter().zip(facets).enumerate() {
            @if let Some(record) = record {
                circle class=(row.role.text()) cx=(scale.x(record.median)) cy=(middle) r="4" {
                    title { (facet.heading()) ": " (text::figure(record.median)) ", " (text::spread(record)) }
                }
                text.soft x=(column_right(at)) y=(middle + 4.0) text-anchor="end" { (text::figure(record.median)) }
            }
        }
    }
}
