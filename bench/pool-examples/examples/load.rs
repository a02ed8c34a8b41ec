//! `cargo run --release -p aqueduct-pool-examples --features load --example load [SECONDS] [ROUNDS] [WORKERS]`:
//! servers under load on each runtime, in turn.
//!
//! A closed loop is followed by an open one, at half of the requests a second that tokio answered
//! in the closed loop.

use std::time::Duration;

use aqueduct_pool_examples::load::{self, Load, Outcome, Protocol, RUNTIMES};

/// The runtime that sets the rate of the open loops.
const MEASURE: &str = "tokio/multi_thread";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let time = Duration::from_secs_f64(arguments.next().as_deref().unwrap_or("1").parse()?);
    let rounds: usize = arguments.next().as_deref().unwrap_or("5").parse()?;
    let workers: usize = arguments.next().as_deref().unwrap_or("2").parse()?;
    println!(
        "{workers} workers and a client's thread; {rounds} rounds of {time:?}, medians; times in us, counts for 1000"
    );
    println!(
        "{:<34} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "", "answers/s", "p50", "p90", "p99", "p99.9", "processor", "thefts", "sleeps"
    );
    for (protocol, connections, streams) in [(Protocol::Http1, 32, 1), (Protocol::Http2, 4, 8), (Protocol::Grpc, 4, 8)]
    {
        let closed = Load { protocol, connections, streams, rate: None, time };
        let answered = measure_all(&format!("{protocol:?} closed"), closed, rounds, workers)?;
        let open = Load { rate: Some((answered / 2.0).round()), ..closed };
        measure_all(&format!("{protocol:?} open"), open, rounds, workers)?;
    }
    Ok(())
}

/// Measures all runtimes in turn, and prints the medians. Returns the rate of the runtime that sets
/// the rate.
fn measure_all(name: &str, load: Load, rounds: usize, workers: usize) -> std::io::Result<f64> {
    let mut outcomes: [Vec<Outcome>; RUNTIMES.len()] = Default::default();
    for round in 0..rounds {
        for place in (0..RUNTIMES.len()).map(|place| (place + round) % RUNTIMES.len()) {
            outcomes[place].push(load::measure(RUNTIMES[place], workers, load)?);
        }
    }
    let mut rate = 0.0;
    for (runtime, outcomes) in RUNTIMES.iter().zip(&outcomes) {
        let median = Outcome::median(outcomes);
        println!("{:<34} {median}", format!("{name} {runtime}"));
        if *runtime == MEASURE {
            rate = median.rate;
        }
    }
    Ok(rate)
}
