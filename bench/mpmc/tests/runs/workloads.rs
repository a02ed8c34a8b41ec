//! The workloads and experiments of the BBQ paper's section 6.2: each yields its records, with
//! consistent figures.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use aqueduct_bench_mpmc::mpmc::{
    Arrival, Experiment, Fault, Findings, GUIDE, Offered, Plan, Stream, Streamed, Subject, Threads, Workload, jain,
    render, run, shares, subjects,
};
use aqueduct_measure::counters::l1_misses_available;
use aqueduct_measure::names::Queue;
use aqueduct_measure::record::{Payload, Placement, Record, Role, WORD};
use aqueduct_measure::report::html::{self, About};
use aqueduct_measure::report::table;
use aqueduct_measure::rounds::Quiet;
use aqueduct_measure::unit::Unit;

const PAIRS: Threads = Threads::new(2, 2);

fn tiny(experiments: &[Experiment]) -> Plan {
    let queues = ["bbq_mpmc", "bbq_queue", "bbq_spsc", "bbq_mpsc"].map(str::to_owned).to_vec();
    Plan {
        experiments: experiments.to_vec(),
        queues,
        threads: vec![Threads::PAIR, PAIRS],
        capacity: 64,
        drain_capacity: 64,
        latency_capacity: 16,
        blocks: vec![2, 4],
        block_sizes: vec![1, 8, 32],
        rounds: 2,
        slice: Duration::from_millis(2),
        ..Plan::full()
    }
}

fn findings(plan: &Plan) -> Findings {
    let findings = run(plan, &AtomicBool::new(false), &mut Quiet).expect("the plan is sound");
    assert_eq!(findings.faults, []);
    findings
}

/// Returns bench, queue and threads of each record whose bench begins with `bench`.
fn named<'a>(findings: &'a Findings, bench: &str) -> Vec<(String, &'a str, usize)> {
    let ours = findings.records.iter().filter(|record| record.bench.name.starts_with(bench));
    ours.map(|record| (record.bench.to_string(), record.queue.name.as_str(), record.producers)).collect()
}

/// Returns the medians of a family, by its facets.
fn facets<const COUNT: usize>(findings: &Findings, family: &str, names: [&str; COUNT]) -> Vec<[f64; COUNT]> {
    let of = |name: &str| {
        let bench = format!("{family}.{name}");
        findings
            .records
            .iter()
            .filter(move |record| record.bench.to_string() == bench)
            .map(|record| record.median)
            .collect::<Vec<_>>()
    };
    let columns = names.map(of);
    (0..columns[0].len()).map(|row| std::array::from_fn(|column| columns[column][row])).collect()
}

#[test]
fn complex_and_oversubscription_yield_a_rate_for_each_queue_and_number_of_threads() {
    let findings = findings(&tiny(&[Experiment::Complex, Experiment::Oversubscription]));
    for bench in ["mpmc.complex", "mpmc.oversubscription"] {
        // One on either side with all four queues, two with those for many on both.
        assert_eq!(named(&findings, bench).len(), 4 + 2, "{:?}", named(&findings, bench));
    }
    for record in &findings.records {
        assert_eq!((record.unit, record.runs.len(), record.capacity), (Unit::Mitems, 2, 64));
        assert!(record.min > 0.0, "{record:?}");
    }
}

#[test]
fn a_queue_is_filled_and_emptied_as_often_as_the_items_take() {
    let found = findings(&tiny(&[Experiment::Drain]));
    // The batches of 1, 8 and 32.
    assert_eq!(named(&found, "mpmc.drain").len(), 3 * (4 + 2), "{:?}", named(&found, "mpmc.drain"));
    for (producers, consumers, items_each) in [(1, 2, 1000), (2, 2, 333), (2, 1, 8), (1, 1, 1)] {
        let streamed = stream(Workload::Drain, Threads::new(producers, consumers), items_each);
        // Each filling is one of the 16 items that there is room for, or of all that are left at
        // first.
        let wanted = items_each * producers as u64;
        assert_eq!(streamed.items, wanted.next_multiple_of(wanted.min(16)), "{streamed:?}");
        for operations in [&streamed.pushed, &streamed.popped] {
            assert_eq!(operations.iter().sum::<u64>(), streamed.items, "{streamed:?}");
        }
    }
}

#[test]
fn latency_yields_rising_quantiles_of_three_times() {
    let findings = findings(&tiny(&[Experiment::Latency]));
    for family in ["mpmc.latency.in_queue", "mpmc.latency.push", "mpmc.latency.pop"] {
        let rows = facets(&findings, family, ["p50", "p99", "p999", "max"]);
        assert_eq!(rows.len(), 4 + 2, "{family}");
        for row in rows {
            assert!(row[0] > 0.0 && row.is_sorted(), "{family}: {row:?}");
        }
    }
    assert!(findings.records.iter().all(|record| record.capacity == 16 && record.unit == Unit::Ns));
    assert!(findings.notes.iter().any(|note| note.contains("reading the clock costs ")), "{:?}", findings.notes);
}

#[test]
fn the_open_loop_yields_rising_quantiles_for_each_arrival_and_load() {
    let plan = Plan { loads: vec![20, 50], ..tiny(&[Experiment::OpenLoop]) };
    let findings = findings(&plan);
    for load in ["poisson.20", "poisson.50", "bursts.20", "bursts.50"] {
        let rows = facets(&findings, &format!("mpmc.open-loop.{load}"), ["p50", "p99", "p999", "max"]);
        assert_eq!(rows.len(), 4 + 2, "{load}");
        assert!(rows.iter().all(|row| row.is_sorted()), "{load}: {rows:?}");
    }
    let full_loads = findings.notes.iter().find(|note| note.contains("a load of 100 per cent")).expect("a note");
    assert!(full_loads.contains("1x1: ") && full_loads.contains("2x2: "), "{full_loads}");
    let refused = run(&Plan { loads: vec![0], ..plan }, &AtomicBool::new(false), &mut Quiet);
    assert_eq!(refused.unwrap_err(), "a load of 0 per cent offers no items; give 1 or more");
}

#[test]
fn in_the_open_loop_an_item_is_late_from_when_it_was_due() {
    // A thousand million items a second are due, 32 at once, and the queue has room for 16. So each
    // item is later than the one before, although its producer came to push it just before. What
    // delays the start delays all of them.
    let offered = Offered { per_second: 1_000_000_000, arrival: Arrival::Bursts };
    let streamed = stream(Workload::OpenLoop(offered), Threads::PAIR, 50_000);
    let late = streamed.timed.since_due.expect("they are timed");
    let quantile = |fraction| late.quantile_ns(fraction);
    assert_eq!((streamed.items, late.count()), (50_000, 50_000));
    // 40,000 items lie between, and each takes a nanosecond more than there is for it, at the very
    // least.
    assert!(quantile(0.9) - quantile(0.1) > 40_000.0, "{} {}", quantile(0.1), quantile(0.9));
}

#[test]
fn profiling_yields_the_time_of_a_push_and_says_when_the_queue_was_full() {
    let plan = Plan { threads: vec![Threads::PAIR], ..tiny(&[Experiment::Profiling]) };
    let short = findings(&plan);
    let rows = facets(&short, "mpmc.profiling.push", ["p50", "p99", "max"]);
    assert_eq!(rows.len(), 4);
    assert!(rows.iter().all(|row| row[0] > 0.0 && row.is_sorted()), "{rows:?}");
    let waits = |findings: &Findings| findings.notes.iter().any(|note| note.contains("producers had to wait"));
    assert!(!waits(&short), "{:?}", short.notes);
    let queues = vec!["bbq_mpmc".to_owned()];
    let long = findings(&Plan { capacity: 4, rounds: 1, batches: vec![1], queues, ..plan });
    assert!(waits(&long), "{:?}", long.notes);
}

#[test]
fn fairness_yields_shares_that_fit_the_number_of_threads() {
    let findings = findings(&tiny(&[Experiment::Fairness]));
    for family in ["mpmc.fairness.producers", "mpmc.fairness.consumers"] {
        let rows = facets(&findings, family, ["least_share", "greatest_share", "jain"]);
        let of_pair = [[1.0; 3]; 4];
        assert_eq!(rows[..4], of_pair, "{family}: a single thread does it all");
        assert_eq!(rows.len(), 4 + 2, "{family}");
        for [least, most, jain] in &rows[4..] {
            assert!((least + most - 1.0).abs() < 1e-9, "{family}: of two threads the shares are {least} and {most}");
            assert!((0.5..=1.0).contains(jain), "{family}: {jain}");
        }
    }
}

#[test]
fn a_sweep_yields_a_record_for_each_division_of_our_shared_queues() {
    let plan = tiny(&[Experiment::Sweep]);
    let findings = findings(&plan);
    assert_eq!(findings.records.len(), 2 * 2 * 6, "two queues, two numbers of threads, six divisions");
    let record = findings
        .records
        .iter()
        .find(|record| record.queue == Queue::with_blocks("aqueduct/bbq_queue", 4, 32))
        .expect("measured");
    assert_eq!((record.bench.to_string().as_str(), record.capacity), ("mpmc.sweep", 96));
    let stays = self::findings(&tiny(&[Experiment::SweepLatency]));
    assert_eq!(stays.records.len(), 2 * 2 * 2 * 6, "for each record of the throughput, the median and P99");
    assert!(stays.records.iter().all(|record| record.median > 0.0 && record.queue.blocks().is_some()), "{stays:?}");
    let refused = run(&Plan { blocks: vec![1], ..plan }, &AtomicBool::new(false), &mut Quiet).unwrap_err();
    assert!(refused.contains("2 to "), "{refused}");
}

#[test]
fn misses_are_counted_where_they_can_be_and_missed_in_words_where_not() {
    let findings = findings(&Plan { batches: vec![1], ..tiny(&[Experiment::Throughput]) });
    let counted = named(&findings, "mpmc.throughput.l1_misses").len();
    let said = findings.notes.iter().any(|note| note.contains("no L1 misses"));
    assert_eq!((counted, said), if l1_misses_available().is_ok() { (4 + 2, false) } else { (0, true) });
}

fn queue(name: &str) -> Box<dyn Subject> {
    subjects().into_iter().find(|subject| subject.name() == name).expect("there is that queue")
}

fn stream(workload: Workload, threads: Threads, items_each: u64) -> Streamed {
    let spec = Stream {
        workload,
        threads,
        batch: 1,
        capacity: 16,
        items_each,
        cores: &[],
        patience: Duration::from_secs(10),
        count_misses: false,
    };
    queue("aqueduct/bbq_mpmc").stream(&spec).expect("the queue works")
}

#[test]
fn what_each_thread_did_adds_up_in_every_workload() {
    let threads = Threads::new(3, 2);
    let open_loop = Workload::OpenLoop(Offered { per_second: 10_000_000, arrival: Arrival::Poisson });
    let plain = [Workload::Simple, Workload::Complex, Workload::Latency, Workload::Fairness, Workload::Profiling];
    for workload in plain.into_iter().chain([open_loop]) {
        // At a fixed rate that is some hundredths of a second.
        let items_each = if workload == Workload::Profiling { 200 } else { 20_000 };
        let streamed = stream(workload, threads, items_each);
        assert_eq!((streamed.pushed.len(), streamed.popped.len()), (3, 2), "{workload:?}");
        for operations in [&streamed.pushed, &streamed.popped] {
            assert_eq!(operations.iter().sum::<u64>(), streamed.items, "{workload:?}");
            let shares = shares(operations);
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{workload:?}: {shares:?}");
            assert!(
                (1.0 / shares.len() as f64 - 1e-9..=1.0 + 1e-9).contains(&jain(&shares)),
                "{workload:?}: {shares:?}"
            );
        }
        let timed = [&streamed.timed.push, &streamed.timed.pop, &streamed.timed.in_queue];
        let times = timed.map(|times| times.as_ref().map(|times| times.count()));
        let all = Some(streamed.items);
        let wanted = match workload {
            Workload::Latency => [all, all, all],
            Workload::Profiling => [all, None, None],
            _ => [None; 3],
        };
        assert_eq!(times, wanted, "{workload:?}");
        assert_eq!(streamed.pushed.iter().max(), Some(&items_each), "{workload:?}: the first is done");
        match workload {
            Workload::Fairness => assert!(streamed.items < 3 * items_each, "the others stop then"),
            Workload::Profiling => assert!(streamed.items <= 3 * items_each),
            _ => assert_eq!(streamed.items, 3 * items_each, "{workload:?}"),
        }
    }
}

#[test]
fn workloads_other_than_the_simple_one_refuse_batches() {
    let spec = Stream {
        workload: Workload::Complex,
        threads: PAIRS,
        batch: 8,
        capacity: 16,
        items_each: 100,
        cores: &[],
        patience: Duration::from_secs(1),
        count_misses: false,
    };
    let refused = queue("aqueduct/bbq_mpmc").stream(&spec).unwrap_err();
    assert!(matches!(&refused, Fault::Refused(why) if why.contains("single items, not 8")), "{refused}");
}

fn record(bench: &str, queue: &str, unit: Unit, median: f64) -> Record {
    let role = Role::of_queue(!queue.starts_with("aqueduct/"));
    let (Ok(bench), Ok(queue)) = (bench.parse(), queue.parse());
    Record {
        bench,
        queue,
        role,
        producers: 2,
        consumers: 2,
        capacity: 128,
        batch: 1,
        item_by_item: false,
        item_bytes: WORD,
        payload: Payload::Embedded,
        producer_load_ns: 0,
        consumer_load_ns: 0,
        placement: Placement::default(),
        unit,
        median,
        min: median / 2.0,
        max: median * 2.0,
        runs: vec![median / 2.0, median, median * 2.0],
    }
}

fn examples() -> Vec<Record> {
    vec![
        record("mpmc.latency.push.p50", "gil/mpmc", Unit::Ns, 40.0),
        record("mpmc.latency.push.max", "gil/mpmc", Unit::Ns, 4000.0),
        record("mpmc.latency.push.p50", "aqueduct/bbq_mpmc", Unit::Ns, 30.0),
        record("mpmc.latency.push.max", "aqueduct/bbq_mpmc", Unit::Ns, 8000.0),
        record("mpmc.sweep", "aqueduct/bbq_mpmc[2x8]", Unit::Mitems, 1.0),
        record("mpmc.sweep", "aqueduct/bbq_mpmc[4x8]", Unit::Mitems, 16.0),
        record("mpmc.sweep", "aqueduct/bbq_mpmc[4x512]", Unit::Mitems, 64.0),
    ]
}

const TABLES: &str = "\
mpmc.latency.push in ns, less is better
embedded payload, single items, capacity 128, 2x2 threads
                             median        greatest
  aqueduct/bbq_mpmc            30.0            8000
                       15.0 .. 60.0   4000 .. 16000
  gil/mpmc                     40.0            4000
                       20.0 .. 80.0    2000 .. 8000

mpmc.sweep in Mitems/s, more is better, by blocks and their entries
embedded payload, single items, 2 producers, 2 consumers
One scale for all, from 1.00 (worst) to 64.0 (best): the fuller the shade, the better.
The number of blocks grows to the right, the entries of each upwards.
aqueduct/bbq_mpmc
  of   512       - █ 64.0
  of     8    1.00 ▓ 16.0
     blocks       2      4
";

/// Returns the text without colours and blanks at the ends of lines.
fn plain(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    let text = parts.fold(first, |out, part| out + part.split_once('m').map_or("", |(_, rest)| rest));
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

#[test]
fn families_and_sweeps_are_tables_and_drawings() {
    let text = plain(&render(&examples()));
    assert_eq!(text.trim_end(), TABLES.trim_end(), "{text}");
    assert_eq!(
        plain(&table::render(&examples(), &[])).trim_end(),
        TABLES.trim_end(),
        "a report of old records says the same"
    );
    let page = html::render(&examples(), &About::default(), &[GUIDE]);
    for wanted in ["id=\"mpmc.latency.push\"", "href=\"#mpmc.latency.push\"", "id=\"sweeps\"", "Time of a push"] {
        assert!(page.contains(wanted), "{wanted}");
    }
    assert!(!page.contains("id=\"matrices\"") && !page.contains("id=\"mpmc.sweep\""));
}
