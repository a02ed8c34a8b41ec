//! A picture that stands alone: throughput over the number of threads on each side.

use maud::{Markup, PreEscaped, html};

use super::text;
use crate::names::{Bench, Queue};
use crate::record::{Record, Role};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 520.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 284.0;
/// The least distance of two names.
const NAME: f64 = 17.0;

/// Readable on a light and on a dark page.
const STYLE: &str = "text{font:13px sans-serif;fill:#444}.title{font-size:15px}.ours{font-weight:bold}\
    .grid{stroke:#8886;stroke-width:1}@media(prefers-color-scheme:dark){text{fill:#ccc}}";

/// What the picture shows.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The measured quantity.
    pub bench: Bench,
    /// Items per call.
    pub batch: usize,
    /// Queues, with the names that they have in the picture.
    pub queues: Vec<(Queue, String)>,
    /// The heading.
    pub title: String,
}

/// A queue's medians, by threads on each side, in rising order.
struct Curve<'a> {
    name: &'a str,
    role: Role,
    points: Vec<(usize, f64)>,
}

/// Draws the records with as many producers as consumers.
///
/// # Errors
/// If there are none of one of the queues, or fewer than two numbers of threads.
pub fn by_threads(records: &[Record], picture: &Picture) -> Result<String, String> {
    let Picture { bench, batch, queues, title } = picture;
    let mut curves = Vec::new();
    for (queue, name) in queues {
        let of_queue = |it: &&Record| {
            it.bench == *bench && it.batch == *batch && it.queue == *queue && it.producers == it.consumers
        };
        let found: Vec<&Record> = records.iter().filter(of_queue).collect();
        let mut points: Vec<(usize, f64)> = found.iter().map(|it| (it.producers, it.median)).collect();
        points.sort_by_key(|point| point.0);
        let Some(first) = found.first() else {
            return Err(format!("no record of {queue} in {bench} by {batch} with as many producers as consumers"));
        };
        curves.push(Curve { name, role: first.role, points });
    }
    let mut threads: Vec<usize> = curves.iter().flat_map(|curve| &curve.points).map(|point| point.0).collect();
    threads.sort_unstable();
    threads.dedup();
    if threads.len() < 2 {
        return Err(format!("{bench} by {batch} has fewer than two numbers of threads, which make no curve"));
    }
    let unit = records.iter().find(|it| it.bench == *bench).map_or("", |it| it.unit.text());
    Ok(draw(&curves, &threads, title, unit).into_string())
}

fn draw(curves: &[Curve<'_>], threads: &[usize], title: &str, unit: &str) -> Markup {
    let most = round_up(curves.iter().flat_map(|curve| &curve.points).map(|point| point.1).fold(1.0, f64::max));
    let (low, high) = ((threads[0] as f64).ln(), (threads[threads.len() - 1] as f64).ln());
    let x = |count: usize| LEFT + ((count as f64).ln() - low) / (high - low) * (RIGHT - LEFT);
    let y = |value: f64| BOTTOM - value / most * (BOTTOM - TOP);
    html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } width=(WIDTH) height=(HEIGHT) role="img" aria-label=(title) {
            style { (PreEscaped(STYLE)) }
            text.title x=(LEFT) y="20" { (title) }
            @for part in [0.0, 0.25, 0.5, 0.75, 1.0] {
                line.grid x1=(LEFT) x2=(RIGHT) y1=(y(part * most)) y2=(y(part * most)) {}
                text x=(LEFT - 8.0) y=(y(part * most) + 4.0) text-anchor="end" { (text::figure(part * most)) }
            }
            @for &count in threads {
                line.grid x1=(x(count)) x2=(x(count)) y1=(TOP) y2=(BOTTOM) {}
                text x=(x(count)) y=(BOTTOM + 18.0) text-anchor="middle" { (count) "x" (count) }
            }
            text x=((LEFT + RIGHT) / 2.0) y=(BOTTOM + 40.0) text-anchor="middle" { (unit) " over producers x consumers" }
            @for ((at, curve), place) in curves.iter().enumerate().zip(places(curves, y)) {
                polyline points=(curve.points.iter().map(|&(count, value)| format!("{:.1},{:.1}", x(count), y(value))).collect::<Vec<_>>().join(" ")) style=(style(at, curve.role)) {}
                text class=(if curve.role == Role::Ours { "ours" } else { "" }) x=(RIGHT + 12.0) y=(place + 4.0) style={ "fill:" (colour(at)) } {
                    (curve.name) " " (curve.points.last().map_or(String::new(), |point| text::figure(point.1)))
                }
            }
        }
    }
}

/// Returns where the curves' names stand: beside their ends, and not on each other.
fn places(curves: &[Curve<'_>], y: impl Fn(f64) -> f64) -> Vec<f64> {
    let ends: Vec<f64> = curves.iter().map(|curve| curve.points.last().map_or(BOTTOM, |point| y(point.1))).collect();
    let mut order: Vec<usize> = (0..ends.len()).collect();
    order.sort_by(|&a, &b| ends[b].total_cmp(&ends[a]));
    let mut places = ends.clone();
    let mut lowest = f64::INFINITY;
    for at in order {
        places[at] = ends[at].min(lowest - NAME);
        lowest = places[at];
    }
    places
}

/// Returns the next 1, 2, 4, 6, 8 or 10 of its power of ten.
fn round_up(most: f64) -> f64 {
    let power = 10_f64.powf(most.log10().floor());
    [1.0, 2.0, 4.0, 6.0, 8.0, 10.0].map(|step| step * power).into_iter().find(|&end| most <= end).unwrap_or(most)
}

/// Hues as far apart as they can be.
fn colour(at: usize) -> String {
    format!("hsl({:.0} 60% 48%)", (at as f64 * 137.5 + 210.0) % 360.0)
}

fn style(at: usize, role: Role) -> String {
    format!("fill:none;stroke:{};stroke-width:{}", colour(at), if role == Role::Ours { 3.0 } else { 1.5 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;
    use crate::unit::Unit;

    fn records() -> Vec<Record> {
        let of = |queue: &str, threads, median| Record {
            producers: threads,
            consumers: threads,
            ..fixture::record("bbq.throughput", queue, Unit::Mitems, &[median])
        };
        vec![
            of("aqueduct/bbq_mpmc", 8, 50.0),
            of("aqueduct/bbq_mpmc", 1, 52.0),
            of("peer/queue", 1, 30.0),
            of("peer/queue", 8, 3.0),
        ]
    }

    fn picture(queue: &str) -> Picture {
        let queues = ["aqueduct/bbq_mpmc", queue].map(|queue| (queue.into(), format!("name of {queue}"))).to_vec();
        Picture { bench: "bbq.throughput".into(), batch: 1, queues, title: "Many".to_owned() }
    }

    #[test]
    fn each_queue_is_a_line_from_the_fewest_threads_to_the_most() {
        let drawn = by_threads(&records(), &picture("peer/queue")).expect("both are there");
        assert!(drawn.contains("points=\"56.0,76.0 520.0,84.0\""), "{drawn}");
        assert!(drawn.contains("name of peer/queue 3.00"), "{drawn}");
        assert_eq!(drawn.matches("<polyline").count(), 2);
    }

    #[test]
    fn a_queue_without_records_and_a_single_point_are_said() {
        let error = by_threads(&records(), &picture("peer/other")).expect_err("there are none");
        assert!(error.contains("no record of peer/other"), "{error}");
        let error = by_threads(&records()[..1], &Picture { queues: picture("").queues[..1].to_vec(), ..picture("") });
        assert!(error.expect_err("one point").contains("fewer than two"), "it makes no curve");
    }

    #[test]
    fn names_do_not_lie_on_each_other() {
        let curve = |end| Curve { name: "", role: Role::Peer, points: vec![(1, end)] };
        let places = places(&[curve(3.0), curve(50.0), curve(4.0), curve(2.0)], |value| 300.0 - value);
        assert_eq!(places, [281.0, 247.0, 264.0, 298.0]);
    }
}
