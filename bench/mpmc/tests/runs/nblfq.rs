//! NBLFQ's measurements: a plan yields its records, wrong queues are detected, wrong plans are
//! refused.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use aqueduct_bench_mpmc::mpmc::{Fault, Findings};
use aqueduct_bench_mpmc::nblfq::{
    Contestant, Experiment, Messages, Plan, Progress, RANGE, contestant, contestants, measure, run,
};
use aqueduct_measure::rounds::Pace;
use aqueduct_measure::rounds::Quiet;
use aqueduct_measure::unit::{Better, Unit};

use crate::common::{Broken, DOUBLES, LOSES, PANICS, SOUND, patience};

fn tiny() -> Plan {
    Plan {
        experiments: Experiment::ALL.to_vec(),
        queues: Vec::new(),
        peers: true,
        threads: vec![1, 2],
        workers: 1,
        capacity: 16,
        cores: Vec::new(),
        pace: Pace::new(2, Duration::from_micros(200)),
    }
}

fn run_quietly(plan: &Plan) -> Findings {
    run(plan, &AtomicBool::new(false), &mut Quiet).expect("the plan is sound")
}

#[test]
fn every_queue_yields_its_records() {
    let findings = run_quietly(&tiny());
    assert_eq!(findings.faults, []);
    assert_eq!(findings.rounds, 2);
    for one in contestants(16).expect("16 is in the range") {
        let places = |bench: &str| {
            let of = |record: &&aqueduct_measure::record::Record| record.queue == one.name && record.bench == bench;
            let place = |record: &aqueduct_measure::record::Record| (record.producers, record.consumers);
            findings.records.iter().filter(of).map(place).collect::<Vec<_>>()
        };
        let queue = one.progress != Progress::Alone;
        let of_queue = |all: &[(usize, usize)]| if queue { all.to_vec() } else { Vec::new() };
        assert_eq!(places("nblfq.alone"), [(1, 1)], "{}", one.name);
        assert_eq!(places("nblfq.pairs"), of_queue(&[(1, 1), (2, 2)]), "{}", one.name);
        for facet in ["p50", "p99"] {
            for bench in ["single", "processes"] {
                assert_eq!(places(&format!("nblfq.{bench}.{facet}")), [(1, 0)], "{bench} {}", one.name);
            }
            assert_eq!(places(&format!("nblfq.threads.{facet}")), of_queue(&[(1, 1), (2, 1)]), "{}", one.name);
        }
    }
    for record in &findings.records {
        assert_eq!(record.runs.len(), 2);
        assert!(record.min >= 0.0 && record.min <= record.median && record.median <= record.max, "{record:?}");
        assert_eq!(record.unit.better() == Better::More, record.unit == Unit::Mitems, "{}", record.unit);
    }
    let notes = findings.notes.join("\n");
    assert!(notes.contains("lock-free: aqueduct/nblfq, aqueduct/nblfq_wide, aqueduct/nblfq_dynamic, aqueduct/nblfq_wide_dynamic, published/scqp"), "{notes}");
    for line in notes.lines().filter(|line| line.contains("times as fast as the best lock-free peer, ")) {
        let without_memory = ["published/scqp", "published/scqd", "published/ncq", "published/wcq"];
        assert!(without_memory.iter().any(|name| line.ends_with(name)), "these need no memory: {line}");
    }
    assert!(notes.contains("nblfq.pairs 1x1: aqueduct/nblfq is "), "{notes}");
}

/// Any capacity can be asked for. Queues that cannot have it are left out, or have the next one
/// that they can.
#[test]
fn every_queue_with_any_capacity_yields_its_records() {
    for capacity in [*RANGE.start(), 7, 100, 40_000] {
        let experiments = vec![Experiment::Pairs, Experiment::Single];
        let findings = run_quietly(&Plan { experiments, capacity, threads: vec![2], ..tiny() });
        assert_eq!(findings.faults, [], "{capacity}");
        for one in contestants(capacity).expect("it is in the range") {
            assert!(findings.records.iter().any(|record| record.queue == one.name), "{} {capacity}", one.name);
        }
    }
}

fn messages(threads: usize, workers: usize, each: u64) -> Messages<'static> {
    Messages { threads, workers, apart: false, capacity: 16, each, cores: &[], patience: Duration::from_secs(10) }
}

fn named(name: &str) -> Contestant {
    let all = contestants(16).expect("16 is in the range");
    all.into_iter().find(|one| one.name == name).expect("it is there")
}

#[test]
fn every_message_is_answered_and_timed() {
    for one in contestants(16).expect("16 is in the range") {
        let answered = (one.messages)(&messages(1, 0, 100)).unwrap_or_else(|fault| panic!("{}: {fault}", one.name));
        assert_eq!((answered.messages, answered.times.count()), (100, 100), "{}", one.name);
        if one.progress != Progress::Alone {
            let answered = (one.messages)(&messages(3, 2, 50)).unwrap_or_else(|fault| panic!("{}: {fault}", one.name));
            assert_eq!((answered.messages, answered.times.count()), (150, 150), "{}", one.name);
        }
    }
    let refused = (named("aqueduct/nblfq").messages)(&messages(2, 0, 1));
    assert_eq!(refused, Err(Fault::Refused("without workers a node is one thread".to_owned())));
}

#[test]
fn a_queue_that_loses_or_doubles_a_message_or_panics_is_caught() {
    fn answered<const WRONG: u8>(threads: usize, workers: usize) -> Result<u64, Fault> {
        let spec = Messages { patience: patience(WRONG), ..messages(threads, workers, 200) };
        (contestant::<Broken<WRONG>>(Progress::Waits).messages)(&spec).map(|answered| answered.messages)
    }
    for (threads, workers) in [(1, 0), (1, 1), (2, 1)] {
        assert_eq!(answered::<SOUND>(threads, workers), Ok(200 * threads as u64));
        assert!(matches!(answered::<LOSES>(threads, workers), Err(Fault::Stuck { .. })), "{threads} {workers}");
        let doubled = answered::<DOUBLES>(threads, workers);
        assert!(matches!(doubled, Err(Fault::WrongAnswer(what)) if what.contains("twice")), "{doubled:?}");
        assert_eq!(answered::<PANICS>(threads, workers), Err(Fault::Panicked("the hundredth".to_owned())));
    }
}

#[test]
fn a_fault_takes_the_figure_s_place() {
    let plan = Plan { experiments: vec![Experiment::Pairs], threads: vec![1], ..tiny() };
    let broken = [contestant::<Broken<DOUBLES>>(Progress::Waits)];
    let findings = measure(&plan, &broken, &AtomicBool::new(false), &mut Quiet).expect("the plan is sound");
    let [(bench, queue, Fault::WrongItems { .. })] = &findings.faults[..] else { panic!("{:?}", findings.faults) };
    assert_eq!((bench.as_str(), queue.as_str()), ("nblfq.pairs 1x1 by 1, capacity 16", "test/broken"));
    assert_eq!(findings.records, []);
}

#[test]
fn a_plan_that_cannot_be_followed_is_refused_in_words() {
    let refusal = |plan: Plan| run(&plan, &AtomicBool::new(false), &mut Quiet).expect_err("the plan is unsound");
    for capacity in [RANGE.start() - 1, RANGE.end() + 1] {
        let words = refusal(Plan { capacity, ..tiny() });
        assert!(words.contains(&format!("{capacity} items: between 2 and 16777216 are possible")), "{words}");
    }
    let in_the_type = refusal(Plan { capacity: 100, queues: vec!["aqueduct/nblfq".to_owned()], ..tiny() });
    assert!(in_the_type.contains("no queue `aqueduct/nblfq`; there are: aqueduct/nblfq_dynamic, "), "{in_the_type}");
    assert!(refusal(Plan { threads: vec![1, 0], ..tiny() }).contains("0 threads: between 1 and 64"));
    assert!(refusal(Plan { workers: 65, ..tiny() }).contains("65 threads: between 1 and 64"));
    let unknown = refusal(Plan { queues: vec!["nblfk".to_owned()], ..tiny() });
    assert!(unknown.contains("no queue `nblfk`; there are: aqueduct/nblfq, "), "{unknown}");
    let nobody = refusal(Plan { queues: vec!["scqp".to_owned()], peers: false, ..tiny() });
    assert!(nobody.contains("no queue is left"), "{nobody}");
    let only_bound = Plan { queues: vec!["one_slot".to_owned()], experiments: vec![Experiment::Pairs], ..tiny() };
    assert!(refusal(only_bound).contains("nothing is left"));
}
