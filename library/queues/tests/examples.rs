//! Every example runs to its end, and prints its result.
//!
//! `cargo test` builds the examples; with `--test examples` alone, run
//! `cargo build -p aqueduct --examples` before.

#![cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The examples, each with a part of its output.
const EXAMPLES: [(&str, &str); 14] = [
    ("async_task", "the mean of 3000 readings is 1499.5"),
    ("audio_callback", "300 callbacks of 96 samples, peak 0.50"),
    ("checked", "10000 jobs were done"),
    ("flight_recorder", "1 of 3 threads crashed, as they were meant to"),
    ("generic_stage", "&bbq::Queue: 38890 characters"),
    ("log_pipeline", "lines written for each thread: [1000, 1000, 1000, 1000]"),
    ("packets", "all checksums are right"),
    ("relaxed_jobs", "k = 63: a popped job is one of the 63 oldest"),
    ("request_response", "20000 requests were answered, 8 at a time"),
    ("select", "200 jobs, in sum 19900, and 10 ticks came"),
    ("signal_handler", "signals found the queue full"),
    ("static_queue", "all 50 reports came"),
    ("waiting", "received 30000 items from 3 senders, in sum 449985000; all were sent: true"),
    ("work_stealing_pool", "17984 primes below 200000"),
];

/// Returns the sources of the examples, by name.
fn sources() -> BTreeMap<String, PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let entries = fs::read_dir(folder).expect("the examples' folder can be read");
    let paths = entries.map(|entry| entry.expect("an entry can be read").path());
    let name = |path: &Path| path.file_stem().expect("a name").to_string_lossy().into_owned();
    paths.map(|path| (name(&path), if path.is_dir() { path.join("main.rs") } else { path })).collect()
}

#[test]
fn every_example_ends_and_prints_what_it_shows() {
    let test = env::current_exe().expect("the test's path");
    let folder = test.parent().and_then(Path::parent).expect("tests lie in a folder `deps`").join("examples");
    for (name, shown) in EXAMPLES {
        let program = folder.join(name);
        assert!(program.exists(), "{name} is not built: run `cargo build -p aqueduct --examples`");
        let output = Command::new(program).output().expect("an example can be run");
        let (printed, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{name}: {}\n{errors}", output.status);
        assert!(printed.contains(shown), "{name} prints:\n{printed}");
    }
}

#[test]
fn the_page_on_waiting_has_the_channel_of_the_example() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(folder.join(path)).expect("a source can be read");
    let channel = read("examples/waiting/channel.rs");
    let (_, source) = channel.split_once("\n\n").expect("a header, then the source");
    let as_docs: String = source.lines().map(|line| format!("//! {line}").trim_end().to_owned() + "\n").collect();
    assert!(read("src/waiting.rs").contains(&as_docs), "src/waiting.rs has another text than the example");
}

#[test]
fn every_example_is_run_here_and_says_how_to_run_it() {
    let sources = sources();
    assert!(sources.keys().map(String::as_str).eq(EXAMPLES.map(|(name, _)| name)), "{sources:?}");
    for (name, path) in sources {
        let text = fs::read_to_string(path).expect("an example can be read");
        let header: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
        assert_eq!(header.last().copied(), Some(&*format!("//! cargo run -p aqueduct --example {name}")), "{name}");
        assert!((4..=6).contains(&header.len()), "{name}: two to four lines, an empty one, and the command");
    }
}
