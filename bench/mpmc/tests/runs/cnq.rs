//! CNQ's measurements: a plan yields its records, wrong queues are detected, wrong plans are
//! refused.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use aqueduct_bench_mpmc::cnq::{Contestant, Experiment, Plan, Promise, contestant, contestants, least_k, measure, run};
use aqueduct_bench_mpmc::mpmc::{Fault, Findings, Threads};
use aqueduct_measure::names::{Bench, Queue};
use aqueduct_measure::record::Record;
use aqueduct_measure::rounds::Pace;
use aqueduct_measure::rounds::Quiet;
use aqueduct_measure::unit::{Better, Unit};

use crate::common::{Broken, DOUBLES, PANICS, REVERSES, SOUND};

fn tiny() -> Plan {
    Plan {
        experiments: Experiment::ALL.to_vec(),
        queues: Vec::new(),
        peers: true,
        threads: vec![Threads::new(2, 1), Threads::new(1, 2), Threads::new(2, 2)],
        batches: vec![1, 8],
        capacity: 64,
        orders: vec![2, 10],
        sweep: vec![2, 16],
        p99: None,
        cores: Vec::new(),
        pace: Pace::new(2, Duration::from_micros(200)),
    }
}

fn run_quietly(plan: &Plan) -> Findings {
    run(plan, &AtomicBool::new(false), &mut Quiet).expect("the plan is sound")
}

fn places(findings: &Findings, bench: &str, queue: &str) -> Vec<(usize, usize, usize)> {
    let (Ok(bench), Ok(queue)) = (bench.parse::<Bench>(), queue.parse::<Queue>());
    let of = |record: &&Record| record.queue == queue && record.bench == bench;
    let place = |record: &Record| (record.producers, record.consumers, record.batch);
    findings.records.iter().filter(of).map(place).collect()
}

#[test]
fn every_queue_yields_its_records() {
    let findings = run_quietly(&tiny());
    assert_eq!(findings.faults, []);
    assert_eq!(findings.rounds, 2);
    for one in contestants(&[2, 10]) {
        let name = &*one.queue.to_string();
        let (ours, bound) = (name.starts_with("aqueduct/cnq"), one.promise == Promise::Pairs);
        let all = if bound {
            vec![(2, 2, 1)]
        } else if ours && one.promise == Promise::Order(2) {
            // Two producers and two consumers cannot keep that order.
            vec![(2, 1, 1), (1, 2, 1)]
        } else {
            vec![(2, 1, 1), (1, 2, 1), (2, 2, 1)]
        };
        let in_batches = all.iter().map(|&(producers, consumers, _)| (producers, consumers, 8));
        let mut throughput: Vec<_> = all.iter().copied().chain(in_batches).collect();
        throughput.sort_unstable();
        let mut found = places(&findings, "cnq.throughput", name);
        found.sort_unstable();
        assert_eq!(found, throughput, "{name}");
        let is_marked = |record: &Record| record.item_by_item == (record.batch > 1 && !one.batches);
        assert!(findings.records.iter().filter(|record| record.queue == name).all(is_marked), "{name}");
        let of_queue = if bound { Vec::new() } else { all.clone() };
        for bench in ["order.p50", "order.max", "in_queue.p50", "in_queue.p999", "in_queue_distribution"] {
            assert_eq!(places(&findings, &format!("cnq.{bench}"), name), of_queue, "{bench} {name}");
        }
        if cfg!(target_os = "linux") {
            assert_eq!(places(&findings, "cnq.memory", name), all, "{name}");
        }
    }
    assert_eq!(places(&findings, "cnq.sweep", "aqueduct/cnq_faaq[k=16]").len(), 3);
    assert_eq!(places(&findings, "cnq.sweep", "aqueduct/cnq_bbq[k=2]").len(), 2);
    let of_peers = findings.records.iter().filter(|record| record.bench == "cnq.sweep" && record.is_peer()).count();
    assert_eq!(of_peers, if cfg!(feature = "cpp-peers") { 2 * 3 } else { 0 });
}

#[test]
fn records_and_notes_say_what_they_should() {
    let plan = Plan {
        queues: ["cnq_bbq", "bbq_mpmc", "round_robin", "ring_per_pair"].map(str::to_owned).to_vec(),
        threads: vec![Threads::new(2, 2)],
        ..tiny()
    };
    let findings = run_quietly(&plan);
    assert_eq!(findings.faults, []);
    for record in &findings.records {
        assert!(record.min >= 0.0 && record.min <= record.median && record.median <= record.max, "{record:?}");
        assert_eq!(record.unit.better() == Better::More, record.unit == Unit::Mitems, "{}", record.unit);
        match record.bench.to_string().as_str() {
            "cnq.in_queue_distribution" => assert!(record.runs.is_sorted() && record.runs.len() == 200, "{record:?}"),
            "cnq.order.max" => assert!(record.min >= 1.0, "a pop takes one of the oldest 1: {record:?}"),
            _ => {}
        }
        if !record.bench.is_distribution() {
            assert_eq!(record.runs.len(), 2, "{}", record.bench);
        }
    }
    let notes = findings.notes.join("\n");
    for wanted in [
        "one of the k oldest: aqueduct/cnq_bbq\n",
        "no order is promised: relaxed/round_robin\n",
        "throughput 2x2 by 1: aqueduct/cnq_bbq[k=10] is ",
        " of the best strict queue, aqueduct/bbq_mpmc; ",
        " of the best peer with less order, relaxed/round_robin; ",
        " of a ring for each pair, bound/ring_per_pair",
        "order 2x2: aqueduct/cnq_bbq[k=10] promises 10, ",
    ] {
        assert!(notes.contains(wanted), "{wanted}: {notes}");
    }
    assert!(!notes.contains("throughput 2x2 by 1: relaxed"), "{notes}");
}

fn faults(of: Contestant, experiments: &[Experiment]) -> Findings {
    let plan =
        Plan { experiments: experiments.to_vec(), threads: vec![Threads::new(2, 2)], batches: vec![1], ..tiny() };
    measure(&plan, &[of], &AtomicBool::new(false), &mut Quiet).expect("the plan is sound")
}

#[test]
fn a_queue_that_doubles_an_item_or_panics_is_caught_in_each_experiment() {
    for experiment in [Experiment::Throughput, Experiment::Order] {
        let doubled = faults(contestant::<Broken<DOUBLES>>(Promise::Attempt), &[experiment]);
        let [(bench, queue, Fault::WrongItems { .. })] = &doubled.faults[..] else { panic!("{:?}", doubled.faults) };
        assert!(bench.starts_with(&format!("cnq.{} 2x2 by 1", experiment.name())), "{bench}");
        assert_eq!((queue.as_str(), &doubled.records[..]), ("test/broken", &[][..]));
        let panicked = faults(contestant::<Broken<PANICS>>(Promise::Attempt), &[experiment]);
        assert_eq!(panicked.faults[0].2, Fault::Panicked("the hundredth".to_owned()));
        assert_eq!(faults(contestant::<Broken<SOUND>>(Promise::Order(1)), &[experiment]).faults, []);
    }
}

#[test]
fn a_queue_that_breaks_its_promise_is_caught() {
    let honest = faults(contestant::<Broken<REVERSES>>(Promise::Attempt), &[Experiment::Order]);
    assert_eq!(honest.faults, []);
    // It is full again and again, so its oldest item is overtaken by nearly all that are there.
    let broken = faults(contestant::<Broken<REVERSES>>(Promise::Order(4)), &[Experiment::Order]);
    let [(_, _, Fault::WrongAnswer(what))] = &broken.faults[..] else { panic!("{:?}", broken.faults) };
    assert!(what.contains("overtook more than the k"), "{what}");
}

#[test]
fn the_observed_order_is_exact() {
    assert_eq!(least_k(&[1, 2, 3, 4], &[3, 1, 4, 2]), [3, 1, 2, 1]);
}

#[test]
fn a_plan_that_cannot_be_followed_is_refused_in_words() {
    let refusal = |plan: Plan| run(&plan, &AtomicBool::new(false), &mut Quiet).expect_err("the plan is unsound");
    assert!(refusal(Plan { capacity: 0, ..tiny() }).contains("capacity is 0"));
    assert!(
        refusal(Plan { batches: vec![65], ..tiny() }).contains("a batch of 65 is not between 1 and the capacity, 64")
    );
    assert!(refusal(Plan { orders: vec![0], ..tiny() }).contains("k is 0"));
    assert!(refusal(Plan { threads: vec![Threads::new(0, 1)], ..tiny() }).contains("0x1 threads: between 1 and"));
    let unknown = refusal(Plan { queues: vec!["cnk".to_owned()], ..tiny() });
    assert!(unknown.contains("no queue `cnk`; there are: aqueduct/cnq_sequenced[k=2], "), "{unknown}");
    let nobody = refusal(Plan { queues: vec!["round_robin".to_owned()], peers: false, ..tiny() });
    assert!(nobody.contains("no queue is left"), "{nobody}");
    let too_strict =
        Plan { queues: vec!["cnq_bbq".to_owned()], orders: vec![2], threads: vec![Threads::new(2, 2)], ..tiny() };
    assert!(refusal(Plan { experiments: vec![Experiment::Order], ..too_strict }).contains("nothing is left"));
}

#[cfg(feature = "cpp-peers")]
#[test]
fn a_k_fifo_queue_is_refused_more_places_than_it_has_and_left_out_for_greater_orders() {
    let (name, huge) = ("xenium/kirsch_bounded_kfifo_queue", 32_769);
    let plan = Plan {
        experiments: vec![Experiment::Throughput],
        queues: vec![name.to_owned()],
        threads: vec![Threads::new(1, 1)],
        batches: vec![1],
        orders: vec![2, huge],
        ..tiny()
    };
    assert_eq!(places(&run_quietly(&plan), "cnq.throughput", &format!("{name}[k=2]")), [(1, 1, 1)]);
    assert!(contestants(&[huge]).iter().all(|one| !one.queue.name.starts_with(name)));
    let large = Plan { capacity: 65_536, orders: vec![100], ..plan.clone() };
    assert_eq!(places(&run_quietly(&large), "cnq.throughput", &format!("{name}[k=100]")), [(1, 1, 1)]);
    let findings = run_quietly(&Plan { capacity: 65_537, ..plan });
    let [(_, _, Fault::Refused(why))] = &findings.faults[..] else { panic!("{:?}", findings.faults) };
    assert_eq!(*why, format!("{name} cannot hold 65537 items"));
}
