//! `aqueduct verify --barriers`: the orderings, executions and time of each queue's proof, as in
//! table 4.2 of J. Wang's thesis.

use std::collections::BTreeMap;
use std::io::{self, Write};

use aqueduct_model::Config;
use serde_json::json;

use crate::clients::Client;
use crate::orderings::sites;

/// The orderings of a table's columns, from the strongest to the weakest.
const ORDERINGS: [&str; 5] = ["SeqCst", "AcqRel", "Acquire", "Release", "Relaxed"];

/// The counts of a queue's clients.
#[derive(Debug, Default)]
struct Queue {
    clients: usize,
    failed: usize,
    executions: u64,
    seconds: f64,
    /// The ordering of each call site in the queue's source, by file, line and column.
    sites: BTreeMap<(&'static str, u32, u32), &'static str>,
}

impl Queue {
    fn add(&mut self, client: &Client, config: &Config) {
        let report = client.check(config);
        self.clients += 1;
        self.failed += usize::from(report.failure.is_some());
        self.executions += report.executions;
        self.seconds += report.seconds;
        let of_queue = report.sites.iter().filter(|site| sites::has_queue(site.file));
        self.sites.extend(of_queue.map(|site| ((site.file, site.line, site.column), site.ordering)));
    }

    /// Returns the number of call sites of each ordering.
    fn counts(&self) -> [usize; ORDERINGS.len()] {
        ORDERINGS.map(|ordering| self.sites.values().filter(|&&of_site| of_site == ordering).count())
    }
}

/// Explores all executions of the clients, and writes a row for each queue. Returns whether none
/// fails.
///
/// # Errors
/// If `out` cannot be written.
pub(super) fn write(is_json: bool, config: &Config, clients: &[Client], out: &mut dyn Write) -> io::Result<bool> {
    let mut queues: BTreeMap<&str, Queue> = BTreeMap::new();
    for client in clients {
        let name = client.name.split_once('/').map_or(&*client.name, |(queue, _)| queue);
        queues.entry(name).or_default().add(client, config);
    }
    let width = queues.keys().map(|name| name.len()).max().unwrap_or(0).max(5);
    if !is_json {
        write!(out, "{:width$} {:>7}", "queue", "clients")?;
        ORDERINGS.iter().try_for_each(|ordering| write!(out, " {ordering:>7}"))?;
        writeln!(out, " {:>11} {:>9}", "executions", "seconds")?;
    }
    for (name, queue) in &queues {
        let Queue { clients, failed, executions, seconds, .. } = queue;
        let counts = queue.counts();
        if is_json {
            let [seq_cst, acq_rel, acquire, release, relaxed] = counts;
            let row = json!({ "queue": name, "clients": clients, "failed": failed, "SeqCst": seq_cst, "AcqRel": acq_rel,
                "Acquire": acquire, "Release": release, "Relaxed": relaxed, "executions": executions, "seconds": seconds });
            writeln!(out, "{row}")?;
            continue;
        }
        write!(out, "{name:width$} {clients:>7}")?;
        counts.iter().try_for_each(|count| write!(out, " {count:>7}"))?;
        let failed = if *failed == 0 { String::new() } else { format!("  {failed} FAILED") };
        writeln!(out, " {executions:>11} {seconds:>9.3}{failed}")?;
    }
    if !is_json {
        writeln!(out, "orderings: call sites in the queue's source that some execution of its clients comes to")?;
    }
    Ok(queues.values().all(|queue| queue.failed == 0))
}
