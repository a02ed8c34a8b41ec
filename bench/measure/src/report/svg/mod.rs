//! Pictures that stand alone: curves and bars, and throughput over the number of threads on each
//! side.

mod chart;
mod maps;

pub use chart::{Chart, Column, Series};
pub use maps::maps;

use crate::names::{Bench, Queue};
use crate::record::Record;

/// Readable on a light and on a dark page.
const STYLE: &str = "text{font:13px sans-serif;fill:#444}.title{font-size:15px}.ours{font-weight:bold}\
    .grid{stroke:#8886;stroke-width:1}@media(prefers-color-scheme:dark){text{fill:#ccc}}";

/// The contents of a picture.
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

/// Draws the records with as many producers as consumers.
///
/// # Errors
/// If a queue has no records, or fewer than two numbers of threads.
pub fn by_threads(records: &[Record], picture: &Picture) -> Result<String, String> {
    let Picture { bench, batch, queues, title } = picture;
    let is_shown = |it: &&Record| it.bench == *bench && it.batch == *batch && it.producers == it.consumers;
    let mut found = Vec::new();
    for (queue, _) in queues {
        let of_queue: Vec<&Record> = records.iter().filter(is_shown).filter(|it| it.queue == *queue).collect();
        if of_queue.is_empty() {
            return Err(format!("no record of {queue} in {bench} by {batch} with as many producers as consumers"));
        }
        found.push(of_queue);
    }
    let mut threads: Vec<usize> = found.iter().flatten().map(|it| it.producers).collect();
    threads.sort_unstable();
    threads.dedup();
    if threads.len() < 2 {
        return Err(format!("{bench} by {batch} has fewer than two numbers of threads, which make no curve"));
    }
    let column = |&count: &usize| Column { label: format!("{count}x{count}"), place: (count as f64).ln() };
    let series = |(of_queue, (_, name)): (&Vec<&Record>, &(Queue, String))| Series {
        name: name.clone(),
        role: of_queue[0].role,
        values: (threads.iter())
            .map(|&count| of_queue.iter().find(|it| it.producers == count).map(|it| it.median))
            .collect(),
    };
    let chart = Chart {
        title: title.clone(),
        unit: found[0][0].unit.text().to_owned(),
        axis: "producers x consumers".to_owned(),
        columns: threads.iter().map(column).collect(),
        series: found.iter().zip(queues).map(series).collect(),
    };
    Ok(chart.draw())
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
            ..fixture::record("mpmc.throughput", queue, Unit::Mitems, &[median])
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
        Picture { bench: "mpmc.throughput".into(), batch: 1, queues, title: "Many".to_owned() }
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
}
