//! Counts the costs of queues on simulated cores.
//!
//! ```text
//! cargo run --release -p aqueduct-lines -- --threads 1x1,8x1 mpsc mpsc_never
//! cargo run --release -p aqueduct-lines -- --threads 1x15 --sites records
//! ```

use std::path::PathBuf;
use std::process::ExitCode;

use aqueduct_lines::machine::Costs;
use aqueduct_lines::streams::{self, Kind, Stream};
use clap::Parser;

/// Counts transfers of cache lines and locked instructions of aqueduct's queues, on simulated
/// cores.
#[derive(Parser, Debug)]
struct Options {
    /// Queues; all if none is named.
    queues: Vec<String>,
    /// Producers and consumers; 2x0 is two producers of a queue that drops items, and no reader.
    #[arg(long, value_delimiter = ',', default_value = "1x1,2x1,4x1,8x1,15x1")]
    threads: Vec<String>,
    /// Items in a call.
    #[arg(long, value_delimiter = ',', default_value = "1")]
    batch: Vec<usize>,
    /// Items that a queue can hold.
    #[arg(long, default_value_t = 4096)]
    capacity: usize,
    /// Items of a run.
    #[arg(long, default_value_t = 40_000)]
    items: usize,
    /// Nanoseconds of the transfer of a line from another core.
    #[arg(long, default_value_t = 70)]
    transfer: u64,
    /// Lines that a core requests ahead of loads from adjacent lines.
    #[arg(long, default_value_t = Costs::default().ahead)]
    ahead: usize,
    /// Nanoseconds of work between two calls; readers of a queue that drops items do none.
    #[arg(long, default_value_t = 0)]
    work: u64,
    /// Lists the lines of the source with most transfers.
    #[arg(long)]
    sites: bool,
    /// Writes every figure as a line of JSON to this file, as `aqueduct report` reads them.
    #[arg(long)]
    json: Option<PathBuf>,
    /// The prefix of the queues' names in that file.
    #[arg(long, default_value = "simulated")]
    name: String,
}

/// The number of listed lines of the source.
const LISTED: usize = 16;

fn main() -> ExitCode {
    let options = Options::parse();
    match report(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("aqueduct-lines: {error}");
            ExitCode::from(2)
        }
    }
}

fn report(options: &Options) -> Result<(), String> {
    println!("for each item: transfers of lines, locked instructions, failed exchanges; Mitems/s by the model");
    println!(
        "{:20} {:>6} {:>5} {:>9} {:>7} {:>7} {:>8}",
        "queue", "pxc", "batch", "transfers", "locked", "failed", "model"
    );
    let kinds = chosen(&options.queues)?;
    let mut records = String::new();
    for &batch in &options.batch {
        for threads in &options.threads {
            let (producers, consumers) = parsed(threads)?;
            let costs = Costs { transfer: options.transfer * 10, ahead: options.ahead, ..Costs::default() };
            let (capacity, items) = (options.capacity, options.items);
            let work = options.work * 10;
            let stream = Stream { costs, producers, consumers, batch, capacity, items, work };
            for &kind in &kinds {
                let speed = row(kind, &stream, options.sites);
                records.extend(speed.map(|speed| record(&options.name, kind, &stream, speed)));
            }
        }
    }
    options
        .json
        .as_ref()
        .map_or(Ok(()), |file| std::fs::write(file, records).map_err(|error| format!("{}: {error}", file.display())))
}

/// Returns a figure as a line of JSON.
fn record(name: &str, kind: Kind, stream: &Stream, speed: f64) -> String {
    let Stream { producers, consumers, capacity, batch, work, .. } = stream;
    format!(
        "{{\"bench\":\"simulated.throughput\",\"queue\":\"{name}/{}\",\"role\":\"ours\",\"producers\":{producers},\
         \"consumers\":{consumers},\"capacity\":{capacity},\"batch\":{batch},\"item_by_item\":false,\"item_bytes\":8,\
         \"payload\":\"embedded\",\"producer_load_ns\":{load},\"consumer_load_ns\":{load},\"placement\":{{\"producers\":[],\"consumers\":[]}},\
         \"unit\":\"Mitems/s\",\"median\":{speed:.2},\"min\":{speed:.2},\"max\":{speed:.2},\"runs\":[{speed:.2}]}}\n",
        kind.name,
        load = work / 10
    )
}

/// Prints a run's figures, and returns its throughput; `None` if the queue does not take that many
/// threads.
fn row(kind: Kind, stream: &Stream, with_sites: bool) -> Option<f64> {
    // Without consumers, a queue that keeps all its items stays full.
    if stream.consumers == 0 && !kind.drops {
        return None;
    }
    let threads = format!("{}x{}", stream.producers, stream.consumers);
    let streamed = streams::run(kind, stream)?;
    let all = streamed.counts.all();
    println!(
        "{:20} {threads:>6} {:>5} {:>9.2} {:>7.2} {:>7.2} {:>8.1}",
        kind.name,
        stream.batch,
        streamed.each(all.transfers),
        streamed.each(all.locked),
        streamed.each(all.failed),
        streamed.mitems_per_second()
    );
    if with_sites {
        let sites = streamed.counts.sites().into_iter();
        let listed = sites.enumerate().filter(|(place, (_, count))| *place < LISTED || count.paused > 0);
        for (_, (site, count)) in listed {
            println!(
                "    {site:34} {:>7.3} transfers {:>7.3} accesses {:>7.3} locked {:>7.3} failed {:>8.1} ns waited \
                 {:>8.1} paused",
                streamed.each(count.transfers),
                streamed.each(count.accesses),
                streamed.each(count.locked),
                streamed.each(count.failed),
                streamed.each(count.waited) / 10.0,
                streamed.each(count.paused) / 10.0
            );
        }
    }
    Some(streamed.mitems_per_second())
}

fn chosen(names: &[String]) -> Result<Vec<Kind>, String> {
    let named = |name: &String| {
        let found = streams::ALL.iter().find(|kind| kind.name == name).copied();
        found.ok_or_else(|| {
            let all: Vec<_> = streams::ALL.iter().map(|kind| kind.name).collect();
            format!("no queue {name}; there are {}", all.join(", "))
        })
    };
    if names.is_empty() { Ok(streams::ALL.to_vec()) } else { names.iter().map(named).collect() }
}

fn parsed(threads: &str) -> Result<(usize, usize), String> {
    let both = threads.split_once('x').and_then(|(p, c)| Some((p.parse().ok()?, c.parse().ok()?)));
    both.filter(|&(p, _)| p > 0).ok_or_else(|| format!("{threads} is not PRODUCERSxCONSUMERS"))
}
