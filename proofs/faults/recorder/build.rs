//! Copies the recorder's ring and requests, and puts the faults in.

#[macro_use]
#[path = "../queues/build/mirror.rs"]
mod mirror;

use mirror::Place;

include!("src/faults.rs");

/// The recorder's modules that the mirror lacks, or has its own version of.
const OTHERS: &[&str] = &[
    "bare", "buffer", "builder", "chrome", "clock", "ctf", "dumps", "file", "filter", "json", "level", "lives",
    "local", "macros", "memory", "perfetto", "recorder", "region", "request", "site", "sync", "text", "timeline",
    "trace", "value",
];

fn main() {
    mirror::write("recorder", "src/faults.rs", PLACES, OTHERS);
}
