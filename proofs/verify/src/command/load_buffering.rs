//! `aqueduct verify --load-buffering`: the relaxed reads that could be exchanged with later relaxed
//! writes.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::panic::Location;

use aqueduct_model::Config;
use serde_json::json;

use crate::clients::Client;

/// The findings of a queue's clients.
#[derive(Debug, Default)]
struct Queue {
    clients: usize,
    /// The number of clients that fail, or that were not explored as a whole.
    unproven: usize,
    executions: u64,
    seconds: f64,
    /// By the places of the read, the write and the source: whether the write follows whatever
    /// value is read, and a client that has the pair.
    pairs: BTreeMap<[String; 3], (bool, String)>,
}

impl Queue {
    fn add(&mut self, client: &Client, config: &Config) {
        let report = client.check(config);
        self.clients += 1;
        self.unproven += usize::from(!report.exhaustive);
        self.executions += report.executions;
        self.seconds += report.seconds;
        for pair in report.load_buffering.into_iter().flatten() {
            let places = [pair.read, pair.write, pair.source].map(place);
            self.pairs.entry(places).or_insert_with(|| (false, client.name.to_string())).0 |= pair.follows;
        }
    }
}

/// Explores all executions of the clients, and writes the pairs of each queue. Returns whether
/// there is none, and whether all was explored.
///
/// # Errors
/// If `out` cannot be written.
pub(super) fn write(is_json: bool, config: &Config, clients: &[Client], out: &mut dyn Write) -> io::Result<bool> {
    let config = config.clone().load_buffering(true);
    let mut queues: BTreeMap<&str, Vec<&Client>> = BTreeMap::new();
    for client in clients {
        let name = client.name.split_once('/').map_or(&*client.name, |(queue, _)| queue);
        queues.entry(name).or_default().push(client);
    }
    let width = queues.keys().map(|name| name.len()).max().unwrap_or(0).max(5);
    if !is_json {
        writeln!(out, "{:width$} {:>7} {:>11} {:>9} {:>5}", "queue", "clients", "executions", "seconds", "pairs")?;
    }
    let mut is_right = true;
    for (name, clients) in queues {
        let mut queue = Queue::default();
        clients.iter().for_each(|client| queue.add(client, &config));
        let Queue { clients, unproven, executions, seconds, pairs } = queue;
        is_right &= unproven == 0 && pairs.is_empty();
        if is_json {
            let pairs: Vec<_> = pairs.iter().map(|(places, found)| row(places, found)).collect();
            let row = json!({ "queue": name, "clients": clients, "unproven": unproven, "executions": executions,
                "seconds": seconds, "pairs": pairs });
            writeln!(out, "{row}")?;
            continue;
        }
        let unproven = if unproven == 0 { String::new() } else { format!("  {unproven} NOT PROVEN") };
        writeln!(out, "{name:width$} {clients:>7} {executions:>11} {seconds:>9.3} {:>5}{unproven}", pairs.len())?;
        for ([read, write, source], (follows, client)) in pairs {
            let why = if follows { "the write follows whatever is read" } else { "nothing is known of that value" };
            writeln!(out, "  {read} before {write}, from {source}: {why} ({client})")?;
        }
        out.flush()?;
    }
    if !is_json {
        writeln!(
            out,
            "A pair is a relaxed read and a later relaxed write of its thread that no fence or dependency keeps in order, as \
             far as the checker can tell, where the read could then read from what follows from the write. RC11 forbids \
             that, and compilers for Arm do not. Clients without pairs, of which all was explored, do not lean on \
             that ban."
        )?;
    }
    Ok(is_right)
}

/// Returns a pair as JSON.
fn row([read, write, source]: &[String; 3], (follows, client): &(bool, String)) -> serde_json::Value {
    json!({ "read": read, "write": write, "source": source, "follows": follows, "client": client })
}

/// Returns a place as its file below `src`, line and column.
fn place(place: &Location<'_>) -> String {
    let file = place.file();
    let file = file.rsplit_once("/src/").map_or(file, |(_, file)| file);
    format!("{file}:{}:{}", place.line(), place.column())
}
