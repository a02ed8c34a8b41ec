//! Prints the figures of a short run:
//! `smoke [EXPERIMENT,..] [QUEUE,..] [ROUNDS] [SLICE_MS] [WAIT] [WAIT]`.
//!
//! A WAIT is retry, pause, backoff or yield; the first is for streaming, the second for bouncing. A
//! `-` stands for all experiments or all queues, and `quick` instead of the experiments for the
//! quick plan.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use aqueduct_bench_spsc::{Experiment, Plan, Quiet, Wait, run};
use aqueduct_measure::machine::Machine;
use aqueduct_measure::statistics;

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let list = |place: usize| -> Vec<String> {
        let text = arguments.get(place).filter(|text| *text != "-");
        text.map(|text| text.split(',').map(str::to_string).collect()).unwrap_or_default()
    };
    let number =
        |place: usize, default: u64| arguments.get(place).and_then(|text| text.parse().ok()).unwrap_or(default);
    let wait = |place: usize, default: Wait| match arguments.get(place).map(String::as_str) {
        Some("pause") => Wait::Pause,
        Some("retry") => Wait::Retry,
        Some("backoff") => Wait::Backoff,
        Some("yield") => Wait::Yield,
        _ => default,
    };
    let mut experiments = Vec::new();
    for name in list(0).into_iter().filter(|name| name != "quick") {
        experiments.push(Experiment::named(&name).ok_or_else(|| format!("no experiment is called {name}"))?);
    }
    if experiments.is_empty() {
        experiments = vec![Experiment::Throughput, Experiment::PingPong, Experiment::Uncontended];
    }
    let plan = Plan {
        experiments,
        queues: list(1),
        peer_filter: list(1),
        rounds: number(2, 7) as usize,
        slice: Duration::from_millis(number(3, 10)),
        stream_wait: wait(4, Wait::Yield),
        bounce_wait: wait(5, Wait::Retry),
        ..Plan::full()
    };
    let plan = if arguments.first().is_some_and(|text| text == "quick") { Plan::quick() } else { plan };
    eprintln!("{}", Machine::here());
    let findings = run(&plan, &AtomicBool::new(false), &mut Quiet)?;
    for record in &findings.records {
        let humps = if record.bench.is_distribution() { None } else { statistics::humps(&record.runs) };
        println!(
            "{:<28} {:<34} batch {:<3} {:<9} {:>2}/{:<2} {:>9.2} [{:>9.2} {:>9.2}] {:<11} spread {:>4.1}%{}",
            record.bench,
            record.queue,
            record.batch,
            format!("{:?}", record.payload),
            record.producer_load_ns,
            record.consumer_load_ns,
            record.median,
            record.min,
            record.max,
            record.unit,
            100.0 * statistics::spread(&record.runs),
            humps.map(|two| format!(" two humps: {:.1} and {:.1}", two.low, two.high)).unwrap_or_default(),
        );
    }
    if std::env::var_os("SMOKE_RUNS").is_some() {
        for record in &findings.records {
            println!("{} {} {:.1?}", record.bench, record.queue, record.runs);
        }
    }
    for (bench, queue, fault) in &findings.faults {
        println!("{bench} {queue}: {fault}");
    }
    for note in &findings.notes {
        println!("{note}");
    }
    Ok(())
}
