//! The program from outside: its output, its files, its exit codes.

mod benches;
mod compare;
mod inputs;
#[cfg(unix)]
mod interrupts;
mod pages;
mod papers;
mod traces;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Returns a folder of its own for each test, empty at its start.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs the program, one run at a time: a run measures, on the cores of the machine, and a spinning
/// thread that waits for its turn can look stuck.
fn aqueduct(folder: &Path, args: &str) -> Output {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    Command::new(env!("CARGO_BIN_EXE_aqueduct")).current_dir(folder).args(args.split_whitespace()).output().unwrap()
}

/// Waits for a process. One that hangs is killed after far more time than a busy machine needs, and
/// the test fails.
fn end(mut child: Child, what: &str) -> ExitStatus {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if begin.elapsed() > Duration::from_secs(240) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{what} hangs");
        }
        thread::sleep(Duration::from_millis(10));
    }
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The options for one queue and a few milliseconds.
const TINY: &str = "--queues lamport --peers rtrb --no-bounds --batch 1 --payload embedded --rounds 2 --time 1";

#[test]
fn a_bench_prints_a_table_without_colours_or_bars_into_a_pipe() {
    let output = aqueduct(&folder("table"), &format!("bench spsc throughput {TINY}"));
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    assert!(text.contains("spsc.throughput in Mitems/s, more is better\n"), "{text}");
    assert!(text.contains("  aqueduct/lamport ") && text.contains("  rtrb/ring_buffer "), "{text}");
    assert!(!text.contains('\u{1b}'), "{text:?}");
    assert_eq!(err(&output), "");
}

#[test]
fn json_lines_have_exactly_the_keys_of_the_format() {
    let folder = folder("json");
    let output = aqueduct(&folder, &format!("bench spsc throughput pingpong {TINY} --json runs.jsonl"));
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
    let expected = [
        "bench",
        "queue",
        "role",
        "producers",
        "consumers",
        "capacity",
        "batch",
        "payload",
        "producer_load_ns",
        "consumer_load_ns",
        "placement",
        "item_by_item",
        "item_bytes",
        "unit",
        "median",
        "min",
        "max",
        "runs",
    ];
    let mut seen = Vec::new();
    for line in text.lines() {
        let line: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).unwrap();
        let mut keys: Vec<&str> = line.keys().map(String::as_str).collect();
        let mut wanted = expected.to_vec();
        keys.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(keys, wanted);
        assert_eq!(line["capacity"], 4096);
        if line["bench"] == "spsc.throughput" {
            assert_eq!(line["runs"].as_array().unwrap().len(), 2);
            assert!(line["median"].as_f64().unwrap() > 0.0);
        }
        seen.push((line["bench"].as_str().unwrap().to_owned(), line["role"] == "peer"));
    }
    for bench in ["spsc.throughput", "spsc.pingpong"] {
        assert!(seen.contains(&(bench.to_owned(), false)), "{seen:?}");
        assert!(seen.contains(&(bench.to_owned(), true)), "{seen:?}");
    }
}

#[test]
fn a_report_of_the_lines_shows_what_the_run_showed() {
    let folder = folder("report");
    let run = aqueduct(&folder, &format!("bench spsc throughput {TINY} --json runs.jsonl"));
    let report = aqueduct(&folder, "report runs.jsonl --html page.html");
    assert_eq!(report.status.code(), Some(0), "{}", err(&report));
    let table = |text: &str| {
        let start = text.find("spsc.throughput").unwrap();
        text[start..].lines().take_while(|line| !line.contains(": ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(table(&out(&run)), table(&out(&report)));
    assert!(fs::read_to_string(folder.join("page.html")).unwrap().contains("aqueduct/lamport"));
}

#[test]
fn a_picture_comes_without_tables() {
    let folder = folder("picture");
    let lines = [1, 2].map(|threads| pages::line("mpmc.throughput", "aqueduct/bbq_mpmc", "Mitems/s", threads, &[1.0]));
    fs::write(folder.join("runs.jsonl"), lines.join("\n")).unwrap();
    let output = aqueduct(&folder, "report runs.jsonl --svg it.svg --queues aqueduct/bbq_mpmc");
    assert_eq!((out(&output), err(&output)), ("Picture: it.svg\n".to_owned(), String::new()));
}

#[test]
fn unknown_names_are_refused_with_the_valid_ones() {
    let folder = folder("names");
    for (args, wanted) in [
        ("bench spsc --queues lampert", "there is no queue `lampert`; there are: aqueduct/"),
        ("bench spsc --peers nobody", "there is no peer `nobody`; there are: rtrb/ring_buffer"),
        ("bench spsc thruput", "there are: throughput, regime, load"),
        ("bench spsc --cores 1", "two core numbers are needed, such as 0,1"),
        ("bench spsc --cores 0,99999", "the usable cores are"),
        ("bench spsc --capacity 0", "at least one item"),
        ("bench spsc --batch 8192", "a batch of 8192 is not between 1 and the capacity, 4096"),
        ("bench spsc --rounds 0", "--rounds"),
        ("bench spsc --queues none --peers none --no-bounds", "no queue, peer or bound is left"),
        ("nonsense", "unrecognized subcommand"),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args}: {}", err(&output));
        assert!(err(&output).contains(wanted), "{args}: {}", err(&output));
    }
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_measuring() {
    let folder = folder("unwritable");
    let output = aqueduct(&folder, &format!("bench spsc throughput {TINY} --json missing/runs.jsonl"));
    assert_eq!(output.status.code(), Some(1));
    assert!(err(&output).contains("cannot write missing/runs.jsonl"), "{}", err(&output));
    assert!(!out(&output).contains("spsc.throughput"), "{}", out(&output));
}

#[test]
fn damaged_lines_are_reported_with_their_file_and_line() {
    let folder = folder("damaged");
    fs::write(folder.join("runs.jsonl"), "\n{\"bench\":\"spsc.throughput\"\n").unwrap();
    let output = aqueduct(&folder, "report runs.jsonl");
    assert_eq!(output.status.code(), Some(1));
    assert!(err(&output).starts_with("error: runs.jsonl: line 2: "), "{}", err(&output));
    fs::write(folder.join("runs.jsonl"), "").unwrap();
    let output = aqueduct(&folder, "report runs.jsonl");
    assert!(err(&output).contains("hold no record"), "{}", err(&output));
}

#[test]
fn help_shows_examples_and_exit_codes() {
    let output = aqueduct(&folder("help"), "--help");
    assert_eq!(output.status.code(), Some(0));
    for wanted in ["aqueduct bench spsc --quick", "130  stopped by Ctrl-C", "compare"] {
        assert!(out(&output).contains(wanted), "{wanted}: {}", out(&output));
    }
}

#[test]
fn the_switch_and_the_litmus_tests_can_be_reached() {
    let folder = folder("others");
    let output = aqueduct(&folder, "vswitch --pcap nothing.pcap");
    assert_eq!(output.status.code(), Some(1));
    assert!(err(&output).contains("nothing.pcap"), "{}", err(&output));
    let output = aqueduct(&folder, "vswitch --switch-batch 0 --time 1");
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    fs::write(folder.join("one.litmus"), "C one\n{ x = 0; }\nP0 (atomic_int* x) { int r0 = 1; }\nexists (x=0)\n")
        .unwrap();
    let output = aqueduct(&folder, "litmus one.litmus");
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    assert!(out(&output).contains("one"), "{}", out(&output));
}

#[test]
fn names_that_do_not_exist_are_misuse_in_every_command() {
    let folder = folder("unknown");
    for (args, wanted) in [
        ("verify nonsense", "no client has `nonsense` in its name; there are "),
        ("verify nonsense --matrix", "no queue has `nonsense` in its name; there are "),
        ("verify nonsense --minimal", "no queue has `nonsense` in its name; there are "),
        ("zoo nonsense", "the zoo has no `nonsense`; it has "),
        ("bench model nonsense", "there is no program nonsense; there are: "),
        ("vswitch --queues nonsense", "'--queues <QUEUES>'"),
        ("litmus --model nonsense one.litmus", "'--model <MODEL>'"),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args}: {}", err(&output));
        assert!(err(&output).starts_with("error: ") && err(&output).contains(wanted), "{args}: {}", err(&output));
    }
    for (args, wanted) in [("report missing.jsonl", "missing.jsonl"), ("vswitch --pcap missing.pcap", "missing.pcap")] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(1), "{args}: {}", err(&output));
        assert!(err(&output).starts_with("error: ") && err(&output).contains(wanted), "{args}: {}", err(&output));
    }
}
