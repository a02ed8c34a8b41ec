//! One comparison as bars: a line per queue, the bounds as dashed lines across all of them.

use maud::{Markup, html};

use crate::record::{Record, Role};
use crate::report::sheet::{Panel, Row};
use crate::report::text;
use crate::statistics;
use crate::unit::{Better, Unit};

const WIDTH: f64 = 960.0;
const PLOT_LEFT: f64 = 290.0;
const PLOT_RIGHT: f64 = 740.0;
const VALUE_RIGHT: f64 = 800.0;
const RATIO_RIGHT: f64 = 862.0;
const ROW: f64 = 24.0;
const BAR: f64 = 14.0;
const GROUP_GAP: f64 = 22.0;

/// The scale of a plot.
struct Scale {
    /// The figure at the left end: 0, or the least one of figures below it.
    start: f64,
    /// The figure at the right end.
    end: f64,
    /// The figures of the grid lines.
    ticks: Vec<f64>,
    /// True if the scale grows by powers of ten from 1, false if it grows evenly from 0.
    logarithmic: bool,
}

impl Scale {
    fn of(panel: &Panel<'_>) -> Self {
        let start = panel.rows.iter().map(|row| row.record.min).fold(0.0, f64::min);
        let all = panel.rows.iter().map(|row| row.record.max).fold(0.0, f64::max);
        let end = match panel.setting.better() {
            Better::More => all,
            Better::Less => all.min(slow_rivals_cut(panel)),
        };
        let end = if end > start { end } else { 1.0 };
        if panel.setting.unit == Unit::Items {
            // Perceived batches have from 1 item to all items.
            let end = end.max(10.0);
            return Self { start: 1.0, end, ticks: powers_of_ten(end), logarithmic: true };
        }
        Self { start, end, ticks: ticks(start, end), logarithmic: false }
    }

    fn x(&self, figure: f64) -> f64 {
        let part = if self.logarithmic {
            figure.max(1.0).ln() / self.end.ln()
        } else {
            (figure - self.start) / (self.end - self.start)
        };
        PLOT_LEFT + part.clamp(0.0, 1.0) * (PLOT_RIGHT - PLOT_LEFT)
    }

    fn is_cut(&self, figure: f64) -> bool {
        figure > self.end
    }
}

/// Returns the greatest end of a plot of times: one very slow peer must not squeeze all other bars,
/// so its bar is cut there, with a mark.
fn slow_rivals_cut(panel: &Panel<'_>) -> f64 {
    let medians = |role: Role| panel.of_role(role).map(|row| row.record.median);
    let of_interest = medians(Role::Ours).chain(medians(Role::Bound)).chain(medians(Role::Peer).take(3));
    2.0 * of_interest.fold(0.0, f64::max)
}

/// Returns some round figures from `start`, which is 0 or less, to `end`.
fn ticks(start: f64, end: f64) -> Vec<f64> {
    let rough = (end - start) / 6.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= rough)
        .unwrap_or(10.0 * power);
    let first = (start / step).ceil();
    (0..).map(|count| (first + f64::from(count)) * step).take_while(|tick| *tick <= end).collect()
}

fn powers_of_ten(end: f64) -> Vec<f64> {
    (0..).map(|power| 10_f64.powi(power)).take_while(|tick| *tick <= end).collect()
}

/// Returns the drawing of one panel.
pub(super) fn svg(panel: &Panel<'_>) -> Markup {
    let scale = Scale::of(panel);
    let top = 24.0 + 14.0 * panel.bounds.len() as f64;
    let mut y = top;
    let mut groups = Vec::new();
    for role in Role::ALL {
        let rows: Vec<(f64, &Row<'_>)> =
            panel.of_role(role).enumerate().map(|(at, row)| (y + GROUP_GAP + ROW * at as f64, row)).collect();
        if !rows.is_empty() {
            groups.push((role, y, rows.clone()));
            y += GROUP_GAP + ROW * rows.len() as f64 + 4.0;
        }
    }
    let bottom = y;
    let height = bottom + 24.0;
    let left = super::excess(panel.rows.iter().map(|row| row.record.queue_words()), PLOT_LEFT - 10.0);
    let right = super::excess(panel.rows.iter().filter_map(|row| speeds(row.record)), WIDTH - RATIO_RIGHT - 10.0);
    html! {
        svg.wide viewBox={ (-left) " 0 " (left + WIDTH + right) " " (height) } role="img" aria-label={ (panel.setting.bench) ", " (panel.setting.words()) } {
            (grid(&scale, top, bottom))
            text.soft x=(VALUE_RIGHT) y=(top) text-anchor="end" { "median" }
            @if panel.best_peer.is_some() {
                text.soft x=(RATIO_RIGHT) y=(top) text-anchor="end" { "× peer" }
            }
            @for (role, y, rows) in &groups {
                text.group x=(-left) y=(y + 15.0) { (role.heading()) }
                @for (y, row) in rows { (bar(row, *y, &scale)) }
            }
            @if !panel.bounds.is_empty() { (limits(panel, &scale, bottom)) }
        }
    }
}

fn grid(scale: &Scale, top: f64, bottom: f64) -> Markup {
    html! {
        @for tick in &scale.ticks {
            @let x = scale.x(*tick);
            line.grid x1=(x) x2=(x) y1=(top) y2=(bottom) {}
            text.soft x=(x) y=(bottom + 16.0) text-anchor="middle" { (tick_label(*tick, scale.end - scale.start)) }
        }
    }
}

/// Returns the text of a tick of a plot of this span.
fn tick_label(tick: f64, span: f64) -> String {
    if span < 10.0 && tick != 0.0 { format!("{tick:.1}") } else { format!("{tick:.0}") }
}

/// Returns the two speeds of a queue that has them.
fn speeds(record: &Record) -> Option<String> {
    text::two_speeds(record)?;
    let humps = statistics::humps(&record.runs)?;
    Some(format!("{} or {}", text::figure(humps.low), text::figure(humps.high)))
}

fn bar(row: &Row<'_>, y: f64, scale: &Scale) -> Markup {
    let record = row.record;
    let middle = y + ROW / 2.0;
    let (zero, end) = (scale.x(0.0), scale.x(record.median));
    let name_class = if row.role == Role::Ours { "strong" } else { "" };
    html! {
        g {
            title {
                (record.queue_words()) ": median " (text::figure(record.median)) " " (record.unit) ", "
                (text::figure(record.min)) " to " (text::figure(record.max)) ", " (record.runs.len()) " runs"
            }
            text class=(name_class) x=(PLOT_LEFT - 10.0) y=(middle + 4.0) text-anchor="end" { (record.queue_words()) }
            rect class=(row.role.text()) x=(zero.min(end)) y=(middle - BAR / 2.0) width=((end - zero).abs()) height=(BAR) rx="2" {}
            @if scale.is_cut(record.median) {
                text.strong x=(PLOT_RIGHT - 6.0) y=(middle + 4.0) text-anchor="end" { "»" }
            } @else {
                (runs(row, middle, scale))
            }
            text.strong x=(VALUE_RIGHT) y=(middle + 4.0) text-anchor="end" { (text::figure(record.median)) }
            @if let Some(ratio) = row.to_best_peer {
                text.soft x=(RATIO_RIGHT) y=(middle + 4.0) text-anchor="end" { (text::ratio(Some(ratio))) }
            }
            @if let (Some(note), Some(speeds)) = (text::two_speeds(record), speeds(record)) {
                text.warn x=(RATIO_RIGHT + 10.0) y=(middle + 4.0) { (speeds) title { (note) } }
            }
        }
    }
}

/// Returns the spread as a line, and each run as a dot. Dots of equal runs are set apart a little.
fn runs(row: &Row<'_>, middle: f64, scale: &Scale) -> Markup {
    let record = row.record;
    html! {
        @if record.runs.len() > 1 {
            line.span x1=(scale.x(record.min)) x2=(scale.x(record.max)) y1=(middle) y2=(middle) {}
            @for (at, run) in record.runs.iter().enumerate().filter(|(_, run)| !scale.is_cut(**run)) {
                circle.run cx=(scale.x(*run)) cy=(middle + 3.0 * (at % 3) as f64 - 3.0) r="1.9" {}
            }
        }
    }
}

fn limits(panel: &Panel<'_>, scale: &Scale, bottom: f64) -> Markup {
    html! {
        @for (at, row) in panel.of_role(Role::Bound).enumerate() {
            @let x = scale.x(row.record.median);
            @let y = 12.0 + 14.0 * at as f64;
            @let anchor = if x > (PLOT_LEFT + PLOT_RIGHT) / 2.0 { "end" } else { "start" };
            @let shift = if anchor == "end" { -6.0 } else { 6.0 };
            line.limit x1=(x) x2=(x) y1=(y - 8.0) y2=(bottom) {}
            text.limit-name x=(x + shift) y=(y) text-anchor=(anchor) { (text::bound(&row.record.queue)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;
    use crate::report::sheet::Sheet;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(0.0, 914.0), [0.0, 200.0, 400.0, 600.0, 800.0]);
        assert_eq!(ticks(0.0, 1.3).len(), 3);
        assert_eq!(ticks(-62.0, 12.0), [-60.0, -40.0, -20.0, 0.0]);
        for end in [0.02, 1.0, 7.3, 99.0, 12_345.0] {
            for start in [0.0, -end] {
                assert!((2..=8).contains(&ticks(start, end).len()), "{end}: {:?}", ticks(start, end));
            }
        }
    }

    #[test]
    fn figures_below_zero_have_a_bar_to_the_left_of_zero() {
        let record = |queue: &str, runs: &[f64]| fixture::record("drop-old.slowdown", queue, Unit::Percent, runs);
        let records = [record("aqueduct/a", &[-40.0, -20.0]), record("peer/b", &[-10.0])];
        let sheet = Sheet::of(&records);
        let scale = Scale::of(&sheet.panels[0]);
        assert_eq!((scale.x(-40.0), scale.x(0.0)), (PLOT_LEFT, PLOT_RIGHT));
        let drawn = svg(&sheet.panels[0]).into_string();
        assert!(drawn.contains(&format!("x=\"{}\" y", scale.x(-30.0))), "{drawn}");
        assert!(!drawn.contains("width=\"0\""), "{drawn}");
    }
}
