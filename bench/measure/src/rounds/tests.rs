use std::cell::RefCell;
use std::sync::atomic::Ordering;

use super::*;
use crate::record::Role;
use crate::unit::Unit;

const PLACE: Place = Place { producers: 1, consumers: 2, capacity: 8, batch: 4 };
const PACE: Pace = Pace::new(3, Duration::from_millis(8));

/// Returns the result of a million operations per second, without taking any time.
fn done(amount: u64, figures: Vec<Figure>) -> Result<Measured, Fault> {
    Ok(Measured { figures, done: amount, elapsed: Duration::from_micros(amount) })
}

fn all(cells: Vec<Cell<'_>>) -> Findings {
    measure(cells, PACE, &AtomicBool::new(false), &mut Quiet).expect("there is something to measure")
}

#[test]
fn cells_take_turns_and_their_runs_fill_a_slice() {
    let amounts = RefCell::new(Vec::new());
    let cell = |queue: &'static str, first| {
        let amounts = &amounts;
        let run = move |amount| {
            amounts.borrow_mut().push((queue, amount));
            done(amount, vec![Figure::new("tides.flow", Unit::Us, amount as f64)])
        };
        Cell { first, ..Cell::new(PLACE.words("tides.flow"), queue, Role::Ours, PLACE, run) }
    };
    let findings = all(vec![cell("a", 10_000), cell("b", 100)]);
    assert_eq!(findings.rounds, 3);
    assert_eq!(findings.records.iter().map(|record| record.runs.len()).collect::<Vec<_>>(), [3, 3]);
    let round = [("a", 8_000), ("b", 8_000)];
    // An eighth of a slice is a thousand.
    let expected = [&[("a", 10_000), ("b", 100), ("b", 400), ("b", 1_600)][..], &round, &round, &round].concat();
    assert_eq!(*amounts.borrow(), expected);
}

#[test]
fn figures_are_told_by_their_bench_and_their_consumers() {
    let runs = RefCell::new(0);
    let run = |amount| {
        *runs.borrow_mut() += 1;
        let mut figures = vec![
            Figure { consumers: Some(0), ..Figure::new("tides.ebb", Unit::Us, 1.0) },
            Figure::new("tides.ebb", Unit::Us, f64::from(*runs.borrow())),
        ];
        // A figure that comes in every other run.
        figures.extend((*runs.borrow() % 2 == 0).then(|| Figure::new("tides.spring", Unit::Percent, 7.0)));
        done(amount, figures)
    };
    let findings = all(vec![Cell {
        recorded_as: Some("moon/pull:by_night".into()),
        ..Cell::new(PLACE.words("tides.ebb"), "moon/pull", Role::Peer, PLACE, run)
    }]);
    let found: Vec<_> = (findings.records.iter())
        .map(|record| {
            assert_eq!((&*record.queue.name, record.is_peer(), record.producers), ("moon/pull:by_night", true, 1));
            assert_eq!((record.capacity, record.batch), (8, 4));
            (&*record.bench.name, record.consumers, record.unit, record.median, record.runs.len())
        })
        .collect();
    // The first run was not counted.
    let expected = [
        ("tides.ebb", 0, Unit::Us, 1.0, 3),
        ("tides.ebb", 2, Unit::Us, 3.0, 3),
        ("tides.spring", 2, Unit::Percent, 7.0, 2),
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_fails_is_not_measured_again_and_leaves_no_figure() {
    let runs = RefCell::new(0);
    let broken = |_| {
        *runs.borrow_mut() += 1;
        if *runs.borrow() < 3 { done(10_000, Vec::new()) } else { Err(Fault::WrongAnswer("it is dry")) }
    };
    let sound = |amount| done(amount, vec![Figure::new("tides.flow", Unit::Us, 1.0)]);
    let words = PLACE.words("tides.flow");
    assert_eq!(words, "tides.flow 1x2 by 4, capacity 8");
    let findings = all(vec![
        Cell::new(words.clone(), "a", Role::Ours, PLACE, broken),
        Cell::new(words.clone(), "b", Role::Ours, PLACE, sound),
    ]);
    assert_eq!(findings.faults, [(words, "a".to_owned(), Fault::WrongAnswer("it is dry"))]);
    assert_eq!(findings.records.iter().map(|record| &*record.queue.name).collect::<Vec<_>>(), ["b"]);
    assert_eq!(*runs.borrow(), 3);
}

#[test]
fn a_run_can_be_stopped_and_nothing_is_refused() {
    let stop = AtomicBool::new(false);
    let run = |amount| {
        stop.store(amount == 8_000, Ordering::Relaxed);
        done(amount, vec![Figure::new("tides.flow", Unit::Us, 1.0)])
    };
    let cells = ["a", "b"].map(|queue| Cell::new(PLACE.words("tides.flow"), queue, Role::Ours, PLACE, run));
    let findings = measure(cells.into(), PACE, &stop, &mut Quiet).expect("there is something to measure");
    assert_eq!((findings.rounds, findings.records.len()), (0, 1), "the first of the first round");
    let none = measure(Vec::new(), PACE, &stop, &mut Quiet);
    assert_eq!(none, Err("nothing is left to measure".to_owned()));
}

/// A row with a number, which measures by a clock that it moves itself.
struct Numbered(usize, Vec<f64>);

impl Row for Numbered {
    fn words(&self) -> &str {
        "tides.flow"
    }

    fn queue(&self) -> &str {
        if self.0 < 5 { "early" } else { "late" }
    }

    fn records(&self) -> Vec<crate::record::Record> {
        let of = |runs: &Vec<f64>| {
            crate::record::Record::of(self.0.to_string(), "moon".to_owned(), Role::Ours, PLACE, Unit::Us, runs.clone())
        };
        (!self.1.is_empty()).then(|| of(&self.1)).into_iter().collect()
    }
}

/// Measures ten rows, each of which takes `prepares` seconds in round 0 and `measures` seconds in
/// the others, within 45 s. Returns the total time, the number of measured rows, the least number
/// of their runs, and the notes on the others.
fn quickly(prepares: u64, measures: u64) -> (u64, usize, usize, Vec<String>) {
    let now = std::cell::Cell::new(Duration::ZERO);
    let course = Course { rounds: 3, limit: Some(Limit::QUICK) };
    let measure = |row: &mut Numbered, round| {
        now.set(now.get() + Duration::from_secs(if round == 0 { prepares } else { measures }));
        row.1.extend((round > 0).then_some(1.0));
        if row.0 == 7 { Err(Fault::WrongAnswer("it is dry")) } else { Ok(()) }
    };
    let rows = (0..10).map(|number| Numbered(number, Vec::new()));
    let findings = follow::follow_by(&|| now.get(), rows, course, &AtomicBool::new(false), &mut Quiet, measure);
    assert_eq!(findings.faults.len(), usize::from(7 * prepares < 23), "one fails, and if it was reached this is said");
    let least = findings.records.iter().map(|record| record.runs.len()).min().unwrap_or(0);
    (now.get().as_secs(), findings.records.len(), least, findings.notes)
}

#[test]
fn a_quick_run_ends_in_time_and_says_what_it_left_out() {
    let left_out = |count: usize, queue: &str| {
        vec![format!(
            "{count} of 10 measurements did not fit into the time and were left out, from tides.flow of {queue} on: ask for fewer at \
             a time"
        )]
    };
    assert_eq!(quickly(1, 1), (37, 9, 3, Vec::new()), "all fits");
    assert_eq!(quickly(2, 1), (38, 9, 2, Vec::new()), "a round less fits");
    assert_eq!(quickly(3, 2), (38, 7, 1, left_out(2, "late")), "not all can be prepared in half of the time");
    assert_eq!(quickly(2, 10), (50, 3, 1, left_out(6, "early")), "not all that was prepared can be measured");
    assert_eq!(quickly(60, 1), (60, 0, 0, left_out(10, "early")), "what has begun ends");
}

/// A slow row.
struct Slow;

impl Row for Slow {
    fn words(&self) -> &str {
        "tides.flow"
    }

    fn queue(&self) -> &str {
        "slow"
    }

    fn records(&self) -> Vec<crate::record::Record> {
        Vec::new()
    }
}

#[test]
fn no_round_begins_that_would_end_after_the_limit() {
    let rounds_in = |limit| {
        let course = Course { rounds: 3, limit };
        let wait = |_: &mut Slow, _| -> Result<(), Fault> {
            std::thread::sleep(Duration::from_millis(5));
            Ok(())
        };
        follow([Slow], course, &AtomicBool::new(false), &mut Quiet, wait).rounds
    };
    assert_eq!(rounds_in(None), 3);
    assert_eq!(rounds_in(Some(Duration::from_secs(60).into())), 3);
    assert_eq!(rounds_in(Some(Duration::from_millis(1).into())), 1, "the first always ends");
    let two = Limit { time: Duration::from_millis(1), least_rounds: 2 };
    assert_eq!(rounds_in(Some(two)), 2, "the first two always begin");
}
