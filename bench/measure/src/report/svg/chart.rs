//! Curves over several columns, or bars for a single column.

use maud::{Markup, PreEscaped, html};

use super::STYLE;
use crate::record::Role;
use crate::report::html::excess;
use crate::report::text;

const WIDTH: f64 = 760.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 520.0;
const TOP: f64 = 44.0;
/// The height of the plot of curves.
const PLOT: f64 = 240.0;
/// The least distance of two names.
const NAME: f64 = 17.0;
/// The ratio of the greatest figure to the least from which the scale is logarithmic.
const WIDE: f64 = 40.0;
/// The left end of bars, and the right end of the longest bar.
const BARS: (f64, f64) = (300.0, 660.0);

/// A place on the horizontal axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The text below it.
    pub label: String,
    /// Its place, in any unit.
    pub place: f64,
}

impl Column {
    /// Makes columns of those labels, at equal distances.
    pub fn even(labels: impl IntoIterator<Item = String>) -> Vec<Self> {
        labels.into_iter().enumerate().map(|(at, label)| Self { label, place: at as f64 }).collect()
    }
}

/// The figures of one queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the picture.
    pub name: String,
    /// The origin of the queue.
    pub role: Role,
    /// A figure for each column, if there is one.
    pub values: Vec<Option<f64>>,
}

/// A picture of figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The heading.
    pub title: String,
    /// The figures' unit.
    pub unit: String,
    /// The meaning of the columns.
    pub axis: String,
    /// The columns, from left to right.
    pub columns: Vec<Column>,
    /// The queues.
    pub series: Vec<Series>,
}

/// The scale of the plot's height.
struct Scale {
    least: f64,
    most: f64,
    logarithmic: bool,
}

impl Scale {
    fn of(series: &[Series]) -> Self {
        let values = || series.iter().flat_map(|one| one.values.iter().flatten().copied());
        let most = values().fold(0.0, f64::max);
        let least = values().filter(|&value| value > 0.0).fold(f64::INFINITY, f64::min);
        if most > WIDE * least {
            let power = |value: f64, round: fn(f64) -> f64| 10_f64.powf(round(value.log10()));
            return Self { least: power(least, f64::floor), most: power(most, f64::ceil), logarithmic: true };
        }
        Self { least: 0.0, most: round_up(if most > 0.0 { most } else { 1.0 }), logarithmic: false }
    }

    /// Returns the share of the way from the bottom to the top.
    fn share(&self, value: f64) -> f64 {
        if self.logarithmic {
            return (value.max(self.least) / self.least).ln() / (self.most / self.least).ln();
        }
        value / self.most
    }

    /// Returns the figures at grid lines.
    fn ticks(&self) -> Vec<f64> {
        if !self.logarithmic {
            return [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| part * self.most).to_vec();
        }
        let powers = (self.most / self.least).log10().round() as i32;
        (0..=powers).map(|power| self.least * 10_f64.powi(power)).collect()
    }
}

impl Chart {
    /// Whether the chart has a figure.
    #[must_use]
    pub fn has_figures(&self) -> bool {
        self.series.iter().any(|one| one.values.iter().any(Option::is_some))
    }

    /// Returns the picture as SVG. If the figures are far apart, the scale is logarithmic, and
    /// labelled so.
    #[must_use]
    pub fn draw(&self) -> String {
        let drawn = if self.columns.len() == 1 { self.bars() } else { self.curves() };
        drawn.into_string()
    }

    /// Returns the picture around its content, with more room at the left and at the right.
    fn frame(&self, [left, right]: [f64; 2], height: f64, content: &Markup) -> Markup {
        let width = left + WIDTH + right;
        html! {
            svg xmlns="http://www.w3.org/2000/svg" viewBox={ (-left) " 0 " (width) " " (height) } width=(width) height=(height) role="img" aria-label=(self.title) {
                style { (PreEscaped(STYLE)) }
                text.title x=(LEFT) y="20" { (self.title) }
                (content)
            }
        }
    }

    fn curves(&self) -> Markup {
        let scale = Scale::of(&self.series);
        let (low, high) = ends(&self.columns);
        let x = |place: f64| LEFT + (place - low) / (high - low) * (RIGHT - LEFT);
        let y = |value: f64| TOP + PLOT - scale.share(value) * PLOT;
        let names = (self.series.len() as f64) * NAME;
        let bottom = (TOP + PLOT).max(TOP + names);
        let note = if scale.logarithmic { ", logarithmic" } else { "" };
        let places = places(&self.series, y, bottom);
        let content = html! {
            @for tick in scale.ticks() {
                line.grid x1=(LEFT) x2=(RIGHT) y1=(y(tick)) y2=(y(tick)) {}
                text x=(LEFT - 8.0) y=(y(tick) + 4.0) text-anchor="end" { (text::figure(tick)) }
            }
            @for Column { label, place } in &self.columns {
                line.grid x1=(x(*place)) x2=(x(*place)) y1=(TOP) y2=(TOP + PLOT) {}
                text x=(x(*place)) y=(TOP + PLOT + 18.0) text-anchor="middle" { (label) }
            }
            text x=((LEFT + RIGHT) / 2.0) y=(TOP + PLOT + 40.0) text-anchor="middle" { (self.unit) (note) " over " (self.axis) }
            @for ((at, one), place) in self.series.iter().enumerate().zip(places) {
                @let points = points(&self.columns, one);
                polyline points=(points.iter().map(|&(place, value)| format!("{:.1},{:.1}", x(place), y(value))).collect::<Vec<_>>().join(" ")) style=(style(at, one.role)) {}
                @if let [(place, value)] = points[..] {
                    circle cx=(x(place)) cy=(y(value)) r="4" fill=(colour(at)) {}
                }
                @if let (Some(place), Some(last)) = (place, points.last()) {
                    text class=(class(one.role)) x=(RIGHT + 12.0) y=(place + 4.0) style={ "fill:" (colour(at)) } {
                        (one.name) " " (text::figure(last.1))
                    }
                }
            }
        };
        let named = |one: &Series| {
            let last = one.values.iter().rev().flatten().next();
            last.map(|last| format!("{} {}", one.name, text::figure(*last)))
        };
        let right = excess(self.series.iter().filter_map(named), WIDTH - RIGHT - 12.0);
        self.frame([0.0, right], bottom + 56.0, &content)
    }

    fn bars(&self) -> Markup {
        const ROW: f64 = 22.0;
        let shown: Vec<(&Series, f64)> =
            self.series.iter().filter_map(|one| Some((one, one.values.first().copied().flatten()?))).collect();
        let scale = Scale::of(&self.series);
        let note = if scale.logarithmic { ", logarithmic" } else { "" };
        let content = html! {
            text x=(BARS.0) y="38" { (self.unit) (note) }
            @for (at, (one, value)) in shown.iter().enumerate() {
                @let y = TOP + at as f64 * ROW;
                @let width = scale.share(*value).clamp(0.0, 1.0) * (BARS.1 - BARS.0);
                text class=(class(one.role)) x=(BARS.0 - 8.0) y=(y + 15.0) text-anchor="end" { (one.name) }
                rect x=(BARS.0) y=(y + 3.0) width=(format!("{width:.1}")) height="15" rx="2" fill=(colour(if one.role == Role::Ours { 0 } else { 3 })) {}
                text x=(format!("{:.1}", BARS.0 + width + 6.0)) y=(y + 15.0) { (text::figure(*value)) }
            }
        };
        let left = excess(shown.iter().map(|(one, _)| one.name.clone()), BARS.0 - 8.0);
        self.frame([left, 0.0], TOP + shown.len() as f64 * ROW + 12.0, &content)
    }
}

/// Returns the first place and the last one, which differ.
fn ends(columns: &[Column]) -> (f64, f64) {
    let places = || columns.iter().map(|column| column.place);
    let (low, high) = (places().fold(f64::INFINITY, f64::min), places().fold(f64::NEG_INFINITY, f64::max));
    if high > low { (low, high) } else { (low, low + 1.0) }
}

/// Returns place and figure of each column that has one.
fn points(columns: &[Column], series: &Series) -> Vec<(f64, f64)> {
    columns.iter().zip(&series.values).filter_map(|(column, value)| Some((column.place, (*value)?))).collect()
}

/// Returns the places of the curves' names: beside the curves' ends, and not on each other. A curve
/// without a figure has none.
fn places(series: &[Series], y: impl Fn(f64) -> f64, bottom: f64) -> Vec<Option<f64>> {
    let ends: Vec<Option<f64>> =
        series.iter().map(|one| one.values.iter().rev().flatten().next().map(|&value| y(value))).collect();
    let mut order: Vec<usize> = (0..ends.len()).filter(|&at| ends[at].is_some()).collect();
    order.sort_by(|&a, &b| ends[b].unwrap_or(bottom).total_cmp(&ends[a].unwrap_or(bottom)));
    let mut places = ends.clone();
    let mut lowest = f64::INFINITY;
    for (rank, at) in order.iter().copied().enumerate() {
        // The names above need room, too.
        let room = (order.len() - 1 - rank) as f64 * NAME;
        let place = ends[at].unwrap_or(bottom).max(TOP + room).min(lowest - NAME);
        places[at] = Some(place);
        lowest = place;
    }
    places
}

/// Returns the next 1, 2, 4, 6, 8 or 10 of its power of ten.
fn round_up(most: f64) -> f64 {
    let power = 10_f64.powf(most.log10().floor());
    [1.0, 2.0, 4.0, 6.0, 8.0, 10.0].map(|step| step * power).into_iter().find(|&end| most <= end).unwrap_or(most)
}

fn class(role: Role) -> &'static str {
    if role == Role::Ours { "ours" } else { "" }
}

/// Returns hues at the greatest distance from each other.
fn colour(at: usize) -> String {
    format!("hsl({:.0} 60% 48%)", (at as f64 * 137.5 + 210.0) % 360.0)
}

fn style(at: usize, role: Role) -> String {
    format!("fill:none;stroke:{};stroke-width:{}", colour(at), if role == Role::Ours { 3.0 } else { 1.5 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, values: &[Option<f64>]) -> Series {
        Series { name: name.to_owned(), role: Role::Peer, values: values.to_vec() }
    }

    fn chart(columns: &[&str], series: Vec<Series>) -> Chart {
        let columns = Column::even(columns.iter().map(|&label| label.to_owned()));
        let [title, unit, axis] = ["A title", "ns", "threads"].map(str::to_owned);
        Chart { title, unit, axis, columns, series }
    }

    #[test]
    fn names_do_not_lie_on_each_other_and_stay_in_the_picture() {
        let of = |ends: &[f64]| {
            let all: Vec<Series> = ends.iter().map(|&end| series("", &[Some(end)])).collect();
            places(&all, |value| 300.0 - value, 300.0)
        };
        assert_eq!(of(&[3.0, 50.0, 4.0, 2.0]), [281.0, 247.0, 264.0, 298.0].map(Some));
        assert_eq!(of(&[256.0, 256.0, 256.0]), [TOP + 2.0 * NAME, TOP + NAME, TOP].map(Some), "room above");
    }

    #[test]
    fn figures_far_apart_have_a_logarithmic_scale() {
        let near = chart(&["1", "2"], vec![series("a", &[Some(1.0), Some(30.0)])]).draw();
        let far = chart(&["1", "2"], vec![series("a", &[Some(1.0), Some(300.0)])]).draw();
        assert!(!near.contains("logarithmic") && far.contains("ns, logarithmic over threads"), "{far}");
        assert!(far.contains(">1.00<") && far.contains(">1000<"), "{far}");
    }

    #[test]
    fn one_column_is_bars_and_a_queue_without_figures_has_none() {
        let drawn =
            chart(&["1"], vec![series("a", &[Some(2.0)]), series("b", &[None]), series("c", &[Some(1.0)])]).draw();
        assert_eq!((drawn.matches("<rect").count(), drawn.matches("<polyline").count()), (2, 0), "{drawn}");
        assert!(drawn.contains("width=\"360.0\"") && drawn.contains("width=\"180.0\""), "{drawn}");
    }
}
