//! The texts of reports on these measurements.

use aqueduct_measure::names::Bench;
use aqueduct_measure::report::guide::{Guide, Topic};

/// This bench's texts for reports.
pub const GUIDE: Guide = Guide { needs: &[], topic, analysis: |_| None };

fn topic(bench: &Bench) -> Option<Topic> {
    Some(Topic { title: title(&bench.name)?.into(), words: words(&bench.name) })
}

/// Returns the title of a bench of processes, such as `shm.round_trip.spin.8`.
fn title(bench: &str) -> Option<String> {
    let name = bench.strip_prefix("shm.")?;
    if name == "c_call" {
        return Some("Push and pop by a program in C, and in Rust".to_owned());
    }
    let mut parts = name.split('.');
    let (what, wait, bytes) = (parts.next()?, parts.next()?, parts.next()?);
    let what = match (what, parts.next()) {
        ("round_trip", None) => "Round trip of a message",
        ("throughput", None) => "Throughput of messages",
        ("many", None) => "Throughput of messages of many processes",
        ("drop_old", None) => "Throughput of messages that overwrite the oldest ones",
        ("drop_old", Some("read")) => "What a reader gets of messages that overwrite the oldest ones",
        _ => return None,
    };
    Some(format!("{what}: {bytes} bytes, between processes that {wait} while they wait"))
}

/// Returns the description of a bench of processes.
fn words(bench: &str) -> &'static str {
    match bench.split('.').nth(1) {
        Some("round_trip") => {
            "A message of the size in the name goes to another process, or to another thread, and comes back, while each side \
             tries again (spin) or waits as its queue has it (sleep)."
        }
        Some("throughput") => {
            "Messages of the size in the name go to another process, or to another thread, as fast as they can."
        }
        Some("many") => {
            "Messages of the size in the name go from producers to consumers by one queue; each of them is a process."
        }
        Some("drop_old") if bench.ends_with(".read") => {
            "In the same measurement: how many of the messages the reader got, the rest being overwritten before."
        }
        Some("drop_old") => {
            "A process writes messages of the size in the name as fast as it can, over the oldest ones, and another one reads."
        }
        Some("c_call") => {
            "One thread pushes a number and pops it: the time of a call, by a program in C through the C interface, and in Rust; `ring` is the library's queue with pointers."
        }
        _ => "",
    }
}
