//! A plan yields its records, and its errors are named.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use aqueduct_bench_spsc::{Experiment, Findings, Plan, Quiet, run};
use aqueduct_measure::names::Bench;
use aqueduct_measure::record::{Payload, Record};

#[path = "../../measure/tests/faulty/mod.rs"]
mod faulty;
use faulty::StopAfter;

fn tiny() -> Plan {
    Plan {
        queues: vec!["aqueduct/ring".into(), "aqueduct/batched_lamport".into()],
        peers: false,
        capacity: 64,
        rounds: 2,
        slice: Duration::from_micros(200),
        matrix_slice: Duration::from_micros(100),
        loads: vec![0, 40],
        ..Plan::full()
    }
}

fn run_quietly(plan: &Plan) -> Findings {
    run(plan, &AtomicBool::new(false), &mut Quiet).expect("the plan is sound")
}

fn find<'a>(findings: &'a Findings, bench: &str, queue: &str) -> Vec<&'a Record> {
    let Ok(bench) = bench.parse::<Bench>();
    findings.records.iter().filter(|record| record.bench == bench && record.queue == queue).collect()
}

#[test]
fn every_experiment_yields_its_records() {
    let findings = run_quietly(&tiny());
    assert_eq!(findings.faults, []);
    assert_eq!(findings.rounds, 2);
    let ring = "aqueduct/ring";
    let count = |bench: &str| find(&findings, bench, ring).len();
    assert_eq!(count("spsc.throughput"), 4, "two payloads, two batch sizes");
    assert_eq!(count("spsc.regime"), 12, "three regimes of each");
    assert_eq!(count("spsc.load"), 16, "four cells of each");
    assert_eq!(count("spsc.perceived_batch.producer"), 12);
    assert_eq!(count("spsc.perceived_batch.consumer"), 12);
    assert_eq!(count("spsc.pingpong"), 2);
    assert_eq!(count("spsc.pingpong_distribution"), 2);
    assert_eq!(count("spsc.uncontended"), 1);
    assert_eq!(find(&findings, "spsc.pingpong", "bound/two_lines").len(), 1);
    assert_eq!(find(&findings, "spsc.uncontended", "bound/plain_ring").len(), 1);
    assert_eq!(find(&findings, "spsc.uncontended", "bound/no_queue").len(), 1);
    assert_eq!(find(&findings, "spsc.l1_misses_predicted.worst.producer", "aqueduct/lamport").len(), 2);
    for record in find(&findings, "spsc.throughput", ring) {
        assert_eq!(record.runs.len(), 2);
        assert!(record.min <= record.median && record.median <= record.max && record.min > 0.0, "{record:?}");
    }
}

#[test]
fn queues_without_batches_move_the_items_of_a_batch_one_by_one() {
    let queues = vec!["aqueduct/ring".into(), "aqueduct/lamport".into()];
    let experiments = vec![Experiment::Throughput, Experiment::Regimes];
    let plan = Plan { queues, experiments, payloads: vec![Payload::Embedded], bounds: false, ..tiny() };
    for batches in [vec![1, 16], vec![16]] {
        let findings = run_quietly(&Plan { batches: batches.clone(), ..plan.clone() });
        assert_eq!(findings.faults, []);
        for queue in ["aqueduct/ring", "aqueduct/lamport"] {
            assert_eq!(find(&findings, "spsc.throughput", queue).len(), batches.len(), "{queue}");
            for record in find(&findings, "spsc.regime", queue) {
                let marked = queue == "aqueduct/lamport" && record.batch == 16;
                assert_eq!(record.item_by_item, marked, "{record:?}");
            }
        }
    }
}

#[test]
fn wide_items_come_whole_and_in_order() {
    for item_bytes in [16, 64, 256] {
        let plan = Plan { item_bytes, queues: Vec::new(), peers: true, batches: vec![1, 16], ..tiny() };
        let findings = run_quietly(&plan);
        assert_eq!(findings.faults, []);
        assert_eq!(find(&findings, "spsc.throughput", "aqueduct/ring").len(), 2);
        assert_eq!(find(&findings, "spsc.throughput", "aqueduct/lamport").len(), 2, "the batches item by item");
        for record in &findings.records {
            assert_eq!(
                (record.bench.to_string().as_str(), record.item_bytes),
                ("spsc.throughput", item_bytes),
                "{record:?}"
            );
        }
    }
}

#[test]
fn misses_are_counted_or_their_absence_is_explained() {
    let experiments = vec![Experiment::L1Misses, Experiment::Load, Experiment::PingPong];
    let plan = Plan { experiments, payloads: vec![Payload::Embedded], ..tiny() };
    let findings = run_quietly(&plan);
    let counted = |bench: &str| {
        ["producer", "consumer"].map(|side| find(&findings, &format!("{bench}.{side}"), "aqueduct/ring").len())
    };
    let all = ["spsc.l1_misses", "spsc.load.l1_misses", "spsc.pingpong.l1_misses"].map(counted);
    assert_eq!(find(&findings, "spsc.load", "aqueduct/ring").len(), 8);
    match aqueduct_measure::counters::l1_misses_available() {
        Ok(()) => assert_eq!(all, [[6; 2], [8; 2], [1; 2]]),
        Err(why) => {
            assert_eq!(all, [[0; 2]; 3]);
            assert!(findings.notes.iter().any(|note| note.contains("not available here") && note.contains(&why)));
        }
    }
}

#[test]
fn a_run_that_is_stopped_yields_what_it_has() {
    let plan = Plan { experiments: vec![Experiment::Uncontended], rounds: 3, ..tiny() };
    let stop = AtomicBool::new(false);
    // Two of our queues and two bounds: the warm-up round, the first, and two of the second.
    let mut observer = StopAfter::new(10, &stop);
    let findings = run(&plan, &stop, &mut observer).expect("the plan is sound");
    assert_eq!((observer.planned, observer.measured, observer.ended), (16, 10, true));
    assert_eq!(findings.rounds, 1);
    let runs: Vec<usize> = findings.records.iter().map(|record| record.runs.len()).collect();
    assert_eq!(runs, [2, 2, 1, 1]);
}

#[test]
fn a_plan_that_cannot_be_followed_is_refused_in_words() {
    let refusal = |plan: Plan| run(&plan, &AtomicBool::new(false), &mut Quiet).expect_err("the plan is unsound");
    assert!(refusal(Plan { capacity: 0, ..tiny() }).contains("at least one item"));
    assert!(refusal(Plan { batches: vec![1, 65], ..tiny() }).contains("batch of 65"));
    assert!(refusal(Plan { slice: Duration::ZERO, ..tiny() }).contains("slice"));
    assert!(refusal(Plan { cores: vec![0, 12_345], ..tiny() }).contains("core 12345"));
    let nobody = Plan { queues: vec!["no such queue".into()], bounds: false, ..tiny() };
    assert!(refusal(nobody).contains("no queue"));
}
