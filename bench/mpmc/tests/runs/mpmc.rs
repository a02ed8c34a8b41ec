//! Many producers and many consumers: a plan yields its records, wrong queues are detected, wrong
//! plans are refused.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use aqueduct_bench_mpmc::mpmc::{
    Act, Alone, Crowd, Experiment, Fault, Findings, Plan, Stream, Streamed, Threads, Workload, measure, render, run,
    selected, subject_of, subjects,
};
use aqueduct_measure::items::ITEM_BYTES;
use aqueduct_measure::machine;
use aqueduct_measure::names::{Bench, Queue};
use aqueduct_measure::record::{Payload, Placement, Record, Role, WORD};
use aqueduct_measure::rounds::Quiet;
use aqueduct_measure::unit::Unit;

use crate::common::{Broken, CHANGES, DOUBLES, GROWS, LOSES, PANICS, SOUND, STICKS, StopAfter, patience};

fn tiny() -> Plan {
    Plan {
        threads: vec![Threads::PAIR, Threads::new(2, 1), Threads::new(1, 2), Threads::new(2, 2)],
        experiments: vec![Experiment::Throughput, Experiment::Uncontended, Experiment::Full, Experiment::Empty],
        batches: vec![1, 8],
        capacity: 64,
        rounds: 2,
        slice: Duration::from_micros(200),
        ..Plan::full()
    }
}

fn run_quietly(plan: &Plan) -> Findings {
    run(plan, &AtomicBool::new(false), &mut Quiet).expect("the plan is sound")
}

fn count(findings: &Findings, bench: &str, queue: &str) -> usize {
    let (Ok(bench), Ok(queue)) = (bench.parse::<Bench>(), queue.parse::<Queue>());
    findings.records.iter().filter(|record| record.bench == bench && record.queue == queue).count()
}

#[test]
fn every_queue_yields_its_records() {
    let findings = run_quietly(&tiny());
    assert_eq!(findings.faults, []);
    assert_eq!(findings.rounds, 2);
    let throughput = |queue: &str| count(&findings, "mpmc.throughput", queue);
    for (queue, thread_counts) in [("bbq_spsc", 1), ("bbq_mpsc", 2), ("bbq_spmc", 2), ("bbq_mpmc", 4), ("bbq_queue", 4)]
    {
        assert_eq!(throughput(&format!("aqueduct/{queue}")), 2 * thread_counts, "{queue}: two batch sizes");
    }
    for subject in subjects() {
        let able = |is: fn(&Threads) -> bool| {
            tiny().threads.iter().filter(|threads| is(threads) && subject.can(**threads, 1)).count()
        };
        assert_eq!(count(&findings, "mpmc.uncontended", subject.name()), 1, "{}", subject.name());
        let full = able(|threads| threads.consumers == 1);
        assert_eq!(count(&findings, "mpmc.full", subject.name()), full, "{}", subject.name());
        let empty = able(|threads| threads.producers == 1);
        assert_eq!(count(&findings, "mpmc.empty", subject.name()), empty, "{}", subject.name());
        if subject.is_peer() {
            let can = tiny().threads.into_iter().filter(|&threads| subject.can(threads, 1)).count();
            assert_eq!(throughput(subject.name()), 2 * can, "{}: two batch sizes, or item by item", subject.name());
            assert!(can >= 1, "{}", subject.name());
            let has_batches = subject.can(Threads::PAIR, 8);
            let of_queue = |record: &&Record| record.queue == subject.name();
            let is_marked = |record: &Record| record.item_by_item == (record.batch > 1 && !has_batches);
            assert!(findings.records.iter().filter(of_queue).all(is_marked), "{}", subject.name());
        }
    }
    for record in &findings.records {
        assert_eq!((record.runs.len(), record.capacity), (2, 64));
        assert!(record.min > 0.0 && record.min <= record.median && record.median <= record.max, "{record:?}");
    }
}

#[test]
fn queues_without_batches_move_the_items_of_a_batch_one_by_one() {
    let queues = vec!["aqueduct/bbq_mpmc".to_owned(), "aqueduct/bbq_records".to_owned()];
    let plan = Plan { queues, batches: vec![8], experiments: vec![Experiment::Throughput], ..tiny() };
    let findings = run_quietly(&plan);
    assert_eq!(findings.faults, []);
    let throughput = |record: &&Record| record.bench == "mpmc.throughput";
    for record in findings.records.iter().filter(throughput) {
        assert_eq!((record.batch, record.item_by_item), (8, record.queue == "aqueduct/bbq_records"), "{record:?}");
    }
    assert!(count(&findings, "mpmc.throughput", "aqueduct/bbq_records") > 0);
}

#[test]
fn wide_items_come_whole_with_all_threads_and_batches() {
    for item_bytes in ITEM_BYTES {
        let plan = Plan { item_bytes, experiments: vec![Experiment::Throughput], ..tiny() };
        let findings = run_quietly(&plan);
        assert_eq!(findings.faults, []);
        assert!(count(&findings, "mpmc.throughput", "aqueduct/bbq_mpmc") == 8, "four of threads, two of batches");
        assert!(findings.records.iter().all(|record| record.item_bytes == item_bytes));
    }
    let refused = run(&Plan { item_bytes: 24, ..tiny() }, &AtomicBool::new(false), &mut Quiet);
    assert!(refused.is_err_and(|why| why.starts_with("--item-bytes: 24 bytes are not built in")));
}

#[test]
fn every_record_tells_the_cores_of_its_threads() {
    let cores = machine::usable_cores().into_iter().rev().collect::<Vec<_>>();
    for record in run_quietly(&Plan { cores: cores.clone(), ..tiny() }).records {
        let one_sided = ["mpmc.uncontended", "mpmc.full", "mpmc.empty"].contains(&record.bench.name.as_str());
        let most = record.producers.max(record.consumers);
        let threads = if one_sided { Threads::new(most, 0) } else { Threads::new(record.producers, record.consumers) };
        let mut placement = threads.placement(&cores);
        if one_sided && record.consumers > 1 {
            std::mem::swap(&mut placement.producers, &mut placement.consumers);
        }
        assert_eq!(record.placement, placement, "{record:?}");
    }
}

/// Returns a record as a run would yield it.
fn record(bench: &str, queue: &str, (producers, consumers): (usize, usize), median: f64) -> Record {
    Record {
        bench: bench.into(),
        queue: queue.into(),
        role: Role::of_queue(!queue.starts_with("aqueduct/")),
        producers,
        consumers,
        capacity: 64,
        batch: 1,
        item_by_item: false,
        item_bytes: WORD,
        payload: Payload::Embedded,
        producer_load_ns: 0,
        consumer_load_ns: 0,
        placement: Placement::default(),
        unit: if bench == "mpmc.throughput" { Unit::Mitems } else { Unit::Ns },
        median,
        min: median - 1.0,
        max: median + 1.0,
        runs: vec![median - 1.0, median, median + 1.0],
    }
}

/// Returns the text without colours.
fn plain(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| out + part.split_once('m').map_or("", |(_, rest)| rest))
}

#[test]
fn a_table_compares_with_the_best_peer_and_with_the_array_queue() {
    let mut records = Vec::new();
    for threads in [(1, 1), (2, 2)] {
        for (queue, median) in [("aqueduct/bbq_mpmc", 60.0), ("crossbeam-queue/array_queue", 20.0), ("gil/mpmc", 40.0)]
        {
            records.push(record("mpmc.throughput", queue, threads, median));
        }
    }
    let expected = "\
mpmc.throughput in Mitems/s, more is better
single items, capacity 64
                                        1x1           2x2
  aqueduct/bbq_mpmc                    60.0          60.0
                               59.0 .. 61.0  59.0 .. 61.0
                                1.50 / 3.00   1.50 / 3.00
  crossbeam-queue/array_queue          20.0          20.0
                               19.0 .. 21.0  19.0 .. 21.0
                                0.50 / 1.00   0.50 / 1.00
  gil/mpmc                             40.0          40.0
                               39.0 .. 41.0  39.0 .. 41.0
                                1.00 / 2.00   1.00 / 2.00

";
    let text = plain(&render(&records));
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn a_table_of_one_column_has_a_line_for_each_queue() {
    let ours = record("mpmc.full", "aqueduct/bbq_mpmc", (1, 1), 5.0);
    let peer = record("mpmc.full", "crossbeam-queue/array_queue", (1, 1), 20.0);
    let expected = "\
mpmc.full in ns, less is better
single items, capacity 64, one thread
                                     median        spread      speed to
  aqueduct/bbq_mpmc                    5.00  4.00 .. 6.00   4.00 / 4.00
  crossbeam-queue/array_queue          20.0  19.0 .. 21.0   1.00 / 1.00

";
    let text = plain(&render(&[ours.clone(), peer]));
    assert!(text.starts_with(expected), "{text}");
    let alone = plain(&render(&[ours]));
    assert!(alone.contains("  aqueduct/bbq_mpmc          5.00  4.00 .. 6.00\n"), "{alone}");
    assert_eq!(render(&[]), "");
}

fn stream<const WRONG: u8>(threads: Threads) -> Result<Streamed, Fault> {
    work::<WRONG>(Workload::Simple, threads)
}

fn work<const WRONG: u8>(workload: Workload, threads: Threads) -> Result<Streamed, Fault> {
    subject_of::<Broken<WRONG>>().stream(&Stream {
        workload,
        threads,
        batch: 1,
        capacity: 16,
        items_each: 1000,
        cores: &[],
        patience: patience(WRONG),
        count_misses: false,
    })
}

fn alone<const WRONG: u8>(act: Act) -> Result<u64, Fault> {
    let spec = Alone { act, capacity: 16, warm_up: 10, times: 1000, core: None };
    subject_of::<Broken<WRONG>>().alone(&spec).map(|time| time.times)
}

#[test]
fn a_queue_that_loses_doubles_or_changes_an_item_is_caught() {
    for threads in [Threads::PAIR, Threads::new(2, 2)] {
        let wanted = 1000 * threads.producers as u64;
        assert_eq!(stream::<SOUND>(threads).map(|streamed| streamed.items), Ok(wanted));
        let lost = stream::<LOSES>(threads).unwrap_err();
        assert!(matches!(lost, Fault::WrongItems { popped, .. } if popped == wanted - 1), "{lost}");
        let doubled = stream::<DOUBLES>(threads).unwrap_err();
        assert!(matches!(doubled, Fault::WrongItems { .. }), "{doubled}");
        let changed = stream::<CHANGES>(threads).unwrap_err();
        assert!(
            matches!(changed, Fault::WrongItems { popped, sum, expected, .. } if popped == wanted && sum == expected + 1),
            "{changed}"
        );
    }
}

#[test]
fn no_address_travels_through_a_queue_that_fails_on_numbers() {
    for workload in [Workload::Complex, Workload::Latency] {
        assert_eq!(work::<SOUND>(workload, Threads::new(2, 2)).map(|streamed| streamed.items), Ok(2000));
        for caught in [work::<LOSES>(workload, Threads::PAIR), work::<DOUBLES>(workload, Threads::PAIR)] {
            assert!(matches!(caught, Err(Fault::WrongItems { wanted: 1000, .. })), "{caught:?}");
        }
        assert!(matches!(work::<CHANGES>(workload, Threads::PAIR), Err(Fault::WrongItems { .. })));
        assert_eq!(work::<PANICS>(workload, Threads::PAIR), Err(Fault::Panicked("the hundredth".to_owned())));
    }
}

#[test]
fn a_wrong_queue_is_caught_where_the_producers_end_together() {
    for threads in [Threads::PAIR, Threads::new(2, 2)] {
        let right = work::<SOUND>(Workload::Fairness, threads).expect("nothing is wrong");
        assert_eq!(right.pushed.iter().sum::<u64>(), right.items);
        for caught in [work::<LOSES>(Workload::Fairness, threads), work::<CHANGES>(Workload::Fairness, threads)] {
            assert!(matches!(caught, Err(Fault::WrongItems { .. })), "{caught:?}");
        }
    }
}

#[test]
fn a_queue_that_sticks_or_panics_ends_the_run() {
    assert_eq!(stream::<STICKS>(Threads::new(2, 2)), Err(Fault::Stuck { popped: 100, wanted: 2000 }));
    assert_eq!(stream::<PANICS>(Threads::new(1, 2)), Err(Fault::Panicked("the hundredth".to_owned())));
}

#[test]
fn a_queue_that_is_wrong_on_a_single_thread_is_caught() {
    for act in [Act::PushAndPop, Act::PushToFull, Act::PopFromEmpty] {
        assert_eq!(alone::<SOUND>(act), Ok(1000), "{act:?}");
    }
    assert_eq!(alone::<LOSES>(Act::PushAndPop), Err(Fault::WrongAnswer("a pushed item did not come back")));
    assert_eq!(alone::<PANICS>(Act::PushAndPop), Err(Fault::Panicked("the hundredth".to_owned())));
    assert_eq!(alone::<GROWS>(Act::PushToFull), Err(Fault::WrongAnswer("a full queue took an item")));
}

#[test]
fn several_threads_push_and_pop_in_vain_and_a_wrong_queue_is_caught() {
    fn crowd<const WRONG: u8>(act: Act) -> Result<u64, Fault> {
        let each = Alone { act, capacity: 16, warm_up: 10, times: 1000, core: None };
        subject_of::<Broken<WRONG>>().crowd(&Crowd { each, threads: 3, cores: &[] }).map(|time| time.times)
    }
    for act in [Act::PushToFull, Act::PopFromEmpty] {
        assert_eq!(crowd::<SOUND>(act), Ok(1000), "{act:?}");
    }
    assert_eq!(crowd::<GROWS>(Act::PushToFull), Err(Fault::WrongAnswer("a full queue took an item")));
    assert!(matches!(crowd::<SOUND>(Act::PushAndPop), Err(Fault::Refused(_))), "what comes back is another thread's");
}

#[test]
fn a_fault_takes_the_figure_s_place() {
    let plan = Plan {
        experiments: vec![Experiment::Throughput, Experiment::Full],
        threads: vec![Threads::new(2, 1)],
        patience: Duration::from_millis(200),
        ..tiny()
    };
    let subjects = [subject_of::<Broken<LOSES>>()];
    let findings = measure(&plan, &subjects, &AtomicBool::new(false), &mut Quiet).unwrap();
    let [(bench, queue, fault)] = &findings.faults[..] else { panic!("{:?}", findings.faults) };
    assert_eq!((bench.as_str(), queue.as_str()), ("mpmc.throughput 2x1 by 1", "test/broken"));
    assert!(fault.to_string().starts_with("items were lost, repeated or changed: "), "{fault}");
    let benches: Vec<&str> = findings.records.iter().map(|record| record.bench.name.as_str()).collect();
    assert_eq!(benches, ["mpmc.full"], "its capacity is less than the hundred items that it needs to fail");
}

#[test]
fn a_run_that_is_stopped_yields_what_it_has() {
    let queues = vec!["bbq_mpmc".to_owned(), "aqueduct/bbq_queue".to_owned()];
    let plan = Plan { experiments: vec![Experiment::Uncontended], queues, rounds: 3, ..tiny() };
    let stop = AtomicBool::new(false);
    // The round that calibrates, the first, and one queue of the second.
    let mut observer = StopAfter::new(5, &stop);
    let findings = run(&plan, &stop, &mut observer).expect("the plan is sound");
    assert_eq!((observer.planned, observer.measured, observer.ended), (2 * 4, 5, true));
    assert_eq!(findings.rounds, 1);
    let runs: Vec<usize> = findings.records.iter().map(|record| record.runs.len()).collect();
    assert_eq!(runs, [2, 1]);
}

#[test]
fn a_plan_that_cannot_be_followed_is_refused_in_words() {
    let refusal = |plan: Plan| run(&plan, &AtomicBool::new(false), &mut Quiet).expect_err("the plan is unsound");
    assert!(refusal(Plan { capacity: 0, ..tiny() }).contains("at least one item"));
    assert!(refusal(Plan { batches: vec![1, 65], ..tiny() }).contains("batch of 65"));
    assert!(refusal(Plan { slice: Duration::ZERO, ..tiny() }).contains("slice"));
    assert!(refusal(Plan { threads: vec![Threads::new(0, 1)], ..tiny() }).contains("0x1 threads"));
    assert!(refusal(Plan { experiments: Vec::new(), ..tiny() }).contains("none of the queues"));
}

#[test]
fn an_unknown_queue_is_answered_with_the_known_ones() {
    let asked = |name: &str| {
        let plan = Plan { queues: vec![name.to_owned()], peers: false, ..tiny() };
        selected(&plan).map(|subjects| subjects.iter().map(|subject| subject.name()).collect::<Vec<_>>())
    };
    let why = asked("bbq_mpnc").unwrap_err();
    assert!(subjects().iter().all(|subject| why.contains(subject.name())), "{why}");
    assert_eq!(asked("bbq_mpmc"), Ok(vec!["aqueduct/bbq_mpmc"]));
    assert_eq!(asked("aqueduct").map(|names| names.len()), Ok(9));
}
