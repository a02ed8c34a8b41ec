//! Curves on a logarithmic axis: throughput over `k`, and the cumulative share of a distribution.

use std::borrow::Cow;
use std::fmt::Write;

use maud::{Markup, html};

use crate::record::Role;
use crate::report::sheet::Panel;
use crate::report::text;
use crate::unit::Unit;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 320.0;
const PLOT_LEFT: f64 = 60.0;
const PLOT_RIGHT: f64 = 640.0;
const NAMES: f64 = 690.0;
const NAME: f64 = 15.0;
const TOP: f64 = 16.0;

/// A queue's curve.
struct Curve<'a> {
    name: Cow<'a, str>,
    role: Role,
    /// Pairs of the horizontal and the vertical value, in rising order of the first.
    points: Vec<(f64, f64)>,
}

/// Returns curves over `k`, if the panel has them: each of its queues has a `k`, and one of them
/// has several.
pub(super) fn by_order(panel: &Panel<'_>) -> Option<Markup> {
    /// The least number of points of a curve.
    const FEW: usize = 3;
    let mut curves: Vec<Curve<'_>> = Vec::new();
    for row in &panel.rows {
        let name = &row.record.queue.name;
        let point = (row.record.queue.order()? as f64, row.record.median);
        match curves.iter_mut().find(|curve| curve.name == *name) {
            Some(curve) => curve.points.push(point),
            None => curves.push(Curve { name: name.into(), role: row.role, points: vec![point] }),
        }
    }
    curves.iter_mut().for_each(|curve| curve.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    let most = curves.iter().flat_map(|curve| &curve.points).map(|point| point.1).fold(0.0, f64::max);
    (curves.iter().any(|curve| curve.points.len() >= FEW) && most > 0.0).then(|| draw(panel, &curves, Unit::K, most))
}

/// Draws, for each value of a distribution, the share of the values up to it.
pub(super) fn shares(panel: &Panel<'_>) -> Markup {
    /// The number of points above which points cannot be distinguished.
    const MANY: usize = 200;
    let curve = |row: &super::super::sheet::Row<'_>| {
        let mut values: Vec<f64> = row.record.runs.iter().copied().filter(|value| *value > 0.0).collect();
        values.sort_by(f64::total_cmp);
        let (step, count) = (values.len().div_ceil(MANY).max(1), values.len() as f64);
        values.into_iter().enumerate().step_by(step).map(|(at, value)| (value, (at as f64 + 0.5) / count)).collect()
    };
    let curves: Vec<Curve<'_>> = panel
        .rows
        .iter()
        .map(|row| Curve { name: row.record.queue.to_string().into(), role: row.role, points: curve(row) })
        .collect();
    draw(panel, &curves, panel.setting.unit, 1.0)
}

/// Draws the curves; the upper end of the plot is at `most`.
fn draw(panel: &Panel<'_>, curves: &[Curve<'_>], unit: Unit, most: f64) -> Markup {
    let all = || curves.iter().flat_map(|curve| &curve.points).map(|point| point.0);
    let low = all().fold(f64::INFINITY, f64::min);
    let high = all().fold(0.0, f64::max).max(1.5 * low);
    let height = HEIGHT.max(TOP + NAME * curves.len() as f64 + 24.0);
    let bottom = height - 34.0;
    let x = |value: f64| PLOT_LEFT + (value / low).ln() / (high / low).ln() * (PLOT_RIGHT - PLOT_LEFT);
    let y = |value: f64| bottom - value / most * (bottom - TOP);
    let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let ticks = powers.map(|power| 10_f64.powi(power)).filter(|tick| (low..=high).contains(tick));
    let right = super::excess(curves.iter().map(|curve| curve.name.to_string()), WIDTH - NAMES);
    html! {
        svg.wide viewBox={ "0 0 " (WIDTH + right) " " (height) } role="img" aria-label={ (panel.setting.bench) ", " (panel.setting.words()) } {
            @for tick in ticks {
                line.grid x1=(x(tick)) x2=(x(tick)) y1=(TOP) y2=(bottom) {}
                text.soft x=(x(tick)) y=(bottom + 16.0) text-anchor="middle" { (text::figure(tick)) }
            }
            text.soft x=((PLOT_LEFT + PLOT_RIGHT) / 2.0) y=(bottom + 30.0) text-anchor="middle" { (unit) }
            @for part in [0.0, 0.25, 0.5, 0.75, 1.0] {
                line.grid x1=(PLOT_LEFT) x2=(PLOT_RIGHT) y1=(y(part * most)) y2=(y(part * most)) {}
                text.soft x=(PLOT_LEFT - 8.0) y=(y(part * most) + 4.0) text-anchor="end" { (text::figure(part * most)) }
            }
            @for (at, curve) in curves.iter().enumerate() {
                @let line = TOP + NAME * (at as f64 + 0.5);
                path style=(style(at, curve.role)) d=(path(curve.points.iter().map(|&(right, up)| (x(right), y(up))))) {
                    title { (curve.name) }
                }
                path style=(style(at, curve.role)) d=(path([(NAMES - 26.0, line), (NAMES - 8.0, line)].into_iter())) {}
                text class=(if curve.role == Role::Ours { "strong" } else { "" }) x=(NAMES) y=(line + 4.0) { (curve.name) }
            }
        }
    }
}

/// Returns the style of the curve of this index: hues at the greatest distance, our queues thicker.
fn style(at: usize, role: Role) -> String {
    let hue = (at as f64 * 137.5) % 360.0;
    let width = if role == Role::Ours { 2.5 } else { 1.3 };
    format!("fill:none;stroke:hsl({hue:.0} 65% 50%);stroke-width:{width}")
}

fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    points.enumerate().fold(String::new(), |mut out, (at, (x, y))| {
        let _ = write!(out, "{}{x:.1} {y:.1}", if at == 0 { "M" } else { "L" });
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::{Bench, Queue};
    use crate::record::Record;
    use crate::report::fixture;
    use crate::report::sheet::Sheet;

    fn drawn(records: &[Record], draw: impl Fn(&Panel<'_>) -> Option<Markup>) -> Option<String> {
        draw(&Sheet::of(records).panels[0]).map(Markup::into_string)
    }

    #[test]
    fn a_sweep_is_a_curve_for_each_queue_and_other_panels_are_none() {
        let record =
            |name: &str, k, median| fixture::record("cnq.sweep", Queue::with_order(name, k), Unit::Mitems, &[median]);
        let mut records: Vec<Record> = [10, 100, 1000].map(|k| record("aqueduct/cnq_bbq", k, k as f64)).to_vec();
        assert_eq!(drawn(&records[..2], by_order), None, "two points");
        records.push(record("aqueduct/cnq_faaq", 1000, 500.0));
        let page = drawn(&records, by_order).expect("curves");
        assert!(page.contains("M60.0 283.3L350.0 259.0L640.0 16.0"), "{page}");
        assert_eq!(page.matches("<title>").count(), 2);
        records.push(fixture::record("cnq.sweep", "aqueduct/bbq_mpmc", Unit::Mitems, &[1.0]));
        assert_eq!(drawn(&records, by_order), None, "one without k");
    }

    #[test]
    fn a_distribution_rises_from_the_least_to_the_greatest() {
        let values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let records = [fixture::record(Bench::distribution("cnq.in_queue"), "aqueduct/bbq_mpmc", Unit::Us, &values)];
        let page = drawn(&records, |panel| Some(shares(panel))).expect("always");
        let curve = page.split("d=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a path");
        let rises: Vec<(f64, f64)> = curve[1..]
            .split('L')
            .map(|point| point.split_once(' ').map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap())).unwrap())
            .collect();
        assert_eq!((rises.len(), rises[0].0, rises[99].0), (100, 60.0, 640.0));
        assert!(rises.is_sorted_by(|a, b| a.0 < b.0 && a.1 > b.1), "{rises:?}");
    }
}
