//! Distributions of single observations: a box and whiskers for each queue on a logarithmic scale.

use maud::{Markup, html};

use crate::record::Role;
use crate::report::sheet::{Panel, Row};
use crate::report::text;
use crate::statistics::quantile;

const WIDTH: f64 = 960.0;
const PLOT_LEFT: f64 = 290.0;
const PLOT_RIGHT: f64 = 760.0;
const COLUMNS: [(f64, f64, &str); 3] = [(0.5, 820.0, "50 %"), (0.95, 885.0, "95 %"), (0.99, 950.0, "99 %")];
const ROW: f64 = 24.0;
const TOP: f64 = 26.0;

/// A logarithmic scale.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn of(panel: &Panel<'_>) -> Self {
        let ends = |fraction: f64| panel.rows.iter().map(move |row| quantile(&row.record.runs, fraction));
        let low = ends(0.05).fold(f64::INFINITY, f64::min).max(1e-3);
        let high = ends(0.99).fold(0.0, f64::max).max(low * 1.5);
        Self { low: low / 1.1, high: high * 1.1 }
    }

    fn x(&self, figure: f64) -> f64 {
        let part = (figure.max(self.low) / self.low).ln() / (self.high / self.low).ln();
        PLOT_LEFT + part.clamp(0.0, 1.0) * (PLOT_RIGHT - PLOT_LEFT)
    }

    /// Returns 1, 2 and 5 times the powers of ten that the scale spans, or the powers alone where
    /// it spans many.
    fn ticks(&self) -> Vec<f64> {
        /// The number of ticks that have room.
        const MOST: usize = 10;
        let powers = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        let of = |factors: &[f64]| -> Vec<f64> {
            let all = powers.clone().flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)));
            all.filter(|tick| (self.low..=self.high).contains(tick)).collect()
        };
        Some(of(&[1.0, 2.0, 5.0])).filter(|ticks| ticks.len() <= MOST).unwrap_or_else(|| of(&[1.0]))
    }
}

/// Returns the drawing of one panel.
pub(super) fn svg(panel: &Panel<'_>) -> Markup {
    let scale = Scale::of(panel);
    let bottom = TOP + ROW * panel.rows.len() as f64;
    let left = super::excess(panel.rows.iter().map(|row| row.record.queue.to_string()), PLOT_LEFT - 10.0);
    html! {
        svg.wide viewBox={ (-left) " 0 " (left + WIDTH) " " (bottom + 24.0) } role="img" aria-label={ (panel.setting.bench) ", " (panel.setting.words()) } {
            @for tick in scale.ticks() {
                @let x = scale.x(tick);
                line.grid x1=(x) x2=(x) y1=(TOP) y2=(bottom) {}
                text.soft x=(x) y=(bottom + 16.0) text-anchor="middle" { (text::figure(tick)) }
            }
            @for (_, right, name) in COLUMNS {
                text.soft x=(right) y=(TOP - 8.0) text-anchor="end" { (name) }
            }
            @for (at, row) in panel.rows.iter().enumerate() {
                (whiskers(row, TOP + ROW * (at as f64 + 0.5), &scale))
            }
        }
    }
}

fn whiskers(row: &Row<'_>, middle: f64, scale: &Scale) -> Markup {
    let record = row.record;
    let at = |fraction: f64| scale.x(quantile(&record.runs, fraction));
    let name_class = if row.role == Role::Ours { "strong" } else { "" };
    html! {
        text class=(name_class) x=(PLOT_LEFT - 10.0) y=(middle + 4.0) text-anchor="end" { (record.queue) }
        line.span x1=(at(0.05)) x2=(at(0.95)) y1=(middle) y2=(middle) {}
        rect class=(row.role.text()) x=(at(0.25)) y=(middle - 7.0) width=((at(0.75) - at(0.25)).max(2.0)) height="14" rx="2" {}
        line.mark x1=(at(0.5)) x2=(at(0.5)) y1=(middle - 7.0) y2=(middle + 7.0) {}
        circle class=(row.role.text()) cx=(at(0.99)) cy=(middle) r="3" {}
        @for (fraction, right, _) in COLUMNS {
            text.soft x=(right) y=(middle + 4.0) text-anchor="end" { (text::figure(quantile(&record.runs, fraction))) }
        }
    }
}
