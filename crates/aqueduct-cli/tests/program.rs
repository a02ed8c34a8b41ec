//! The program from outside: its output, its files, its exit codes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

/// Returns a folder of its own for each test, empty at its start.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs the program, one run at a time: a run measures, on the cores of the machine, and a spinning thread
/// that waits for its turn can look stuck.
fn aqueduct(folder: &Path, args: &str) -> Output {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    Command::new(env!("CARGO_BIN_EXE_aqueduct")).current_dir(folder).args(args.split_whitespace()).output().unwrap()
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

/// What a family of `compare` measures: a bench, and the numbers of producers, consumers and items per call.
type Told = fn(&str, [u64; 3]) -> bool;

const FAMILIES: [(&str, Told); 14] = [
    ("one to one", |bench, places| bench == "spsc.throughput" && places == [1, 1, 1]),
    ("one to one in batches", |bench, places| bench == "spsc.throughput" && places == [1, 1, 32]),
    ("round trips", |bench, _| bench == "spsc.pingpong"),
    ("many to one", |bench, [producers, consumers, _]| bench == "bbq.throughput" && producers > 1 && consumers == 1),
    ("one to many", |bench, [producers, consumers, _]| bench == "bbq.throughput" && producers == 1 && consumers > 1),
    ("many to many", |bench, [producers, consumers, batch]| {
        bench == "bbq.throughput" && producers > 1 && consumers > 1 && batch == 1
    }),
    ("batches", |bench, [_, _, batch]| bench == "bbq.throughput" && batch == 32),
    ("drop-old", |bench, _| bench == "drop_old.written"),
    ("records", |bench, _| bench == "records.throughput"),
    ("stacks to steal from", |bench, _| bench == "bwos.stolen_10.lifo"),
    ("queues to steal from", |bench, _| bench == "bwos.stolen_10.fifo"),
    ("k-relaxed", |bench, _| bench == "cnq.throughput"),
    ("lock-free", |bench, _| bench == "nblfq.pairs"),
    ("requests and responses", |bench, _| bench == "exchange.io_uring"),
];

#[test]
fn compare_measures_every_family_recommends_forwards_the_capture_and_writes_the_files() {
    let folder = folder("compare");
    let output = aqueduct(&folder, "compare --seconds 1 --html page.html --json runs.jsonl --csv runs.csv");
    assert_eq!(output.status.code(), Some(0), "{}{}", err(&output), out(&output));
    for wanted in
        ["Threads take cores ", "Many single items: ", "frames read = ", "Page: page.html", "JSON lines: runs.jsonl"]
    {
        assert!(out(&output).contains(wanted), "{wanted}: {}", out(&output));
    }
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    for wanted in
        ["id=\"recommended\"", "id=\"spsc.throughput\"", "id=\"exchange.io_uring\"", "frames read = ", "Processor"]
    {
        assert!(page.contains(wanted), "{wanted}");
    }
    assert!(!page.contains("http"), "the page names another place");

    let lines = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
    assert_eq!(fs::read_to_string(folder.join("runs.csv")).unwrap().lines().count(), lines.lines().count() + 1);
    let mut of_ours_and_peers = [[0; 2]; FAMILIES.len()];
    for line in lines.lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let number = |key: &str| record[key].as_u64().unwrap();
        let cores = |side: &str| record["placement"][side].as_array().unwrap().len() as u64;
        assert!(cores("producers") >= 1 && cores("producers") >= number("producers"), "{line}");
        // The record of a single thread has no other side; three threads of a submission have two that
        // consume.
        let is_alone = [".alone", ".uncontended"].iter().any(|bench| record["bench"].as_str().unwrap().contains(bench));
        assert!(is_alone || cores("consumers") >= number("consumers"), "{line}");
        let is_distribution = record["bench"].as_str().unwrap().ends_with("_distribution");
        assert!(is_distribution || record["runs"].as_array().unwrap().len() >= 3, "{line}");
        let places = ["producers", "consumers", "batch"].map(number);
        for ((_, is_of), seen) in FAMILIES.iter().zip(&mut of_ours_and_peers) {
            let peer = usize::from(record["role"] == "peer");
            seen[peer] += usize::from(is_of(record["bench"].as_str().unwrap(), places));
        }
    }
    for ((family, _), [ours, peers]) in FAMILIES.iter().zip(of_ours_and_peers) {
        assert!(ours > 0 && peers > 0, "{family}: {ours} of ours, {peers} peers");
    }
}

#[test]
fn the_model_checkers_can_be_compared() {
    let folder = folder("model");
    let list = out(&aqueduct(&folder, "bench model --list"));
    assert!(list.contains("ticket_lock_2x2"), "{list}");
    let output = aqueduct(&folder, "bench model counter_2x3 --quick --rounds 1 --json runs.jsonl");
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    assert!(text.contains("aqueduct") && text.contains("loom") && text.contains("shuttle"), "{text}");
    let records = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
    assert!(records.contains("model.exhaust.counter_2x3") && records.contains("model.rate.counter_2x3"), "{records}");
    let wrong = aqueduct(&folder, "bench model bakery");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(err(&wrong).contains("there is no program bakery"), "{}", err(&wrong));
}

#[test]
fn many_threads_on_either_side_can_be_measured() {
    let folder = folder("bbq");
    let list = out(&aqueduct(&folder, "bench bbq --list"));
    assert!(list.contains("aqueduct/bbq_mpmc\n") && list.contains("crossbeam-queue/array_queue\n"), "{list}");
    let args = "bench bbq throughput uncontended full empty --queues bbq_mpmc,bbq_mpsc,array_queue --threads 2x1,2x2 \
                --batch 1,8 --capacity 64 --rounds 2 --slice 1 --json runs.jsonl --html page.html";
    let output = aqueduct(&folder, args);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    let text = out(&output);
    for wanted in
        ["bbq.throughput in Mitems/s, more is better\nsingle items, capacity 64\n", "batches of 8", "2x1", "2x2"]
    {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    assert_eq!(
        text.matches("  crossbeam-queue/array_queue ").count(),
        5,
        "single items, those of batches of 8, and three on one thread: {text}"
    );
    assert_eq!(text.matches("  crossbeam-queue/array_queue (item by item) ").count(), 1, "{text}");
    assert!(!text.contains('\u{1b}'), "{text:?}");
    let records = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
    for bench in ["bbq.throughput", "bbq.uncontended", "bbq.full", "bbq.empty"] {
        assert!(records.contains(&format!("\"bench\":\"{bench}\"")), "{bench}: {records}");
    }
    assert!(records.contains("\"producers\":2,\"consumers\":1,\"capacity\":64,\"batch\":8"), "{records}");
    assert!(fs::read_to_string(folder.join("page.html")).unwrap().contains("id=\"bbq.throughput\""));
}

#[test]
fn items_can_have_more_bytes_than_a_word() {
    let folder = folder("item_bytes");
    for (args, bench, queues) in [
        (
            "bench mpmc throughput --threads 2x1 --batch 16 --item-bytes 64 --capacity 64 --rounds 2 --slice 1 --json runs.jsonl",
            "bbq.throughput",
            &[
                "aqueduct/bbq_mpsc",
                "crossbeam-queue/array_queue (item by item)",
                "std/mpsc_sync_channel (item by item)",
            ][..],
        ),
        (
            "bench spsc throughput --batch 1,16 --item-bytes 256 --capacity 64 --rounds 2 --time 1 --json runs.jsonl",
            "spsc.throughput",
            &["aqueduct/ring", "rtrb/ring_buffer", "aqueduct/lamport (item by item)"],
        ),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
        for queue in queues {
            assert!(out(&output).contains(queue), "{queue}: {}", out(&output));
        }
        let bytes = args.split_whitespace().skip_while(|&word| word != "--item-bytes").nth(1).unwrap();
        assert!(out(&output).contains(&format!("of {bytes} bytes")), "{}", out(&output));
        let records = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
        assert!(records.lines().all(|line| line.contains(&format!("\"item_bytes\":{bytes},"))), "{records}");
        assert!(records.contains(&format!("\"bench\":\"{bench}\"")), "{records}");
    }
    for (args, wanted) in [
        ("bench spsc --item-bytes 24", "8, 16, 64, 256 are possible"),
        ("bench spsc pingpong --item-bytes 64", "measured in `throughput` only"),
        ("bench bbq latency --item-bytes 64", "above 8 there is `throughput` only"),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args}: {}", err(&output));
        assert!(err(&output).contains(wanted), "{args}: {}", err(&output));
    }
}

#[test]
fn the_workloads_of_the_bbq_paper_can_be_measured() {
    let folder = folder("bbq_workloads");
    let args = "bench bbq drain complex profiling latency open-loop fairness oversubscription sweep --queues bbq_mpmc,array_queue \
                --threads 2x2 --blocks 2,4 --block-size 16 --capacity 64 --rounds 1 --slice 1 --json runs.jsonl --html page.html";
    let output = aqueduct(&folder, args);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    let records = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    for (bench, part) in [
        ("bbq.drain", ""),
        ("bbq.complex", ""),
        ("bbq.profiling.push", ".p99"),
        ("bbq.latency.in_queue", ".p999"),
        ("bbq.latency.pop", ".max"),
        ("bbq.open-loop.bursts.90", ".p999"),
        ("bbq.fairness.consumers", ".jain"),
        ("bbq.oversubscription", ""),
        ("bbq.sweep", ""),
    ] {
        assert!(out(&output).contains(&format!("{bench} in ")), "{bench}: {}", out(&output));
        assert!(records.contains(&format!("\"bench\":\"{bench}{part}\"")), "{bench}{part}: {records}");
        let id = if bench == "bbq.sweep" { "sweeps" } else { bench };
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
    let report = aqueduct(&folder, "report runs.jsonl");
    assert!(out(&report).contains("bbq.latency.in_queue in ns"), "{}", out(&report));
}

#[test]
fn what_cannot_be_measured_with_many_threads_is_refused_in_words() {
    let folder = folder("bbq_misuse");
    for (args, wanted) in [
        ("bench bbq --queues bbq_mpnc", "there is no queue `bbq_mpnc`; there are: aqueduct/bbq_mpmc, "),
        ("bench bbq --queues flume --no-peers", "no queue is left to measure; there are: "),
        ("bench bbq thruput", "there are: throughput, drain, uncontended, full"),
        ("bench bbq --threads 2", "two numbers between 1 and 256 are needed, such as 2x4"),
        ("bench bbq --capacity 0", "at least one item"),
        ("bench bbq sweep --blocks 1", "2 to "),
        ("bench bbq throughput --blocks 1", "--blocks, --block-size: 1 blocks of 8 entries: "),
        ("bench bbq sweep --queues array_queue", "none of the queues can do what is asked"),
        ("bench bbq --batch 8192", "a batch of 8192 is not between 1 and the capacity, 4096"),
        ("bench bbq throughput --queues bbq_spsc --threads 2x2", "none of the queues can do what is asked"),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args}: {}", err(&output));
        assert!(err(&output).contains(wanted), "{args}: {}", err(&output));
    }
    let help = out(&aqueduct(&folder, "bench --help"));
    assert!(help.contains("bbq") && help.contains("many producers and many consumers"), "{help}");
}

#[test]
fn whole_workloads_can_be_measured() {
    let folder = folder("workloads");
    for (args, benches, queues) in [
        (
            "bench records --threads 1x1,2x2 --capacity 16384 --rounds 2 --slice 1 --json runs.jsonl --html page.html",
            &["records.throughput"][..],
            &["aqueduct/records_spsc", "aqueduct/records_mpmc", "bbqueue/framed", "crossbeam-channel/bounded of boxes"]
                [..],
        ),
        (
            "bench drop-old --producers 1,2 --capacity 64 --rounds 2 --slice 1 --json runs.jsonl --html page.html",
            &["drop_old.written", "drop_old.slowdown", "drop_old.read"],
            &["aqueduct/bbq_drop_old_mpmc", "aqueduct/bbq_drop_old_spmc", "crossbeam-queue/force_push"],
        ),
        (
            "bench exchange --submissions 32 --events 64 --rounds 2 --slice 1 --json runs.jsonl --html page.html",
            &["exchange.io_uring", "exchange.multicast"],
            &["aqueduct/bbq_spsc", "aqueduct/bbq_mpmc", "aqueduct/bbq_mpsc", "published/io_uring", "disruptor/poll"],
        ),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
        let records = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
        let page = fs::read_to_string(folder.join("page.html")).unwrap();
        for bench in benches {
            assert!(out(&output).contains(&format!("{bench} in ")), "{bench}: {}", out(&output));
            assert!(records.contains(&format!("\"bench\":\"{bench}\"")), "{bench}: {records}");
            assert!(page.contains(&format!("id=\"{bench}\"")), "{bench}");
        }
        for queue in queues {
            assert!(out(&output).contains(queue), "{queue}: {}", out(&output));
        }
    }
    for (args, wanted) in [
        ("bench records --capacity 100", "--capacity: 100 bytes are too few for records here; 16384 are the least"),
        ("bench drop-old --producers 0", "--producers: 0 threads: between 1 and 256"),
        ("bench drop-old --capacity 0", "at least one item"),
        ("bench exchange --submissions 48", "48 is not a possible size; powers of two from 32"),
        ("bench exchange io_ring", "there are: io_uring, multicast"),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args}: {}", err(&output));
        assert!(err(&output).contains(wanted), "{args}: {}", err(&output));
    }
}

#[test]
fn lock_free_queues_can_be_measured() {
    let folder = folder("nblfq");
    let list = out(&aqueduct(&folder, "bench nblfq --list"));
    assert!(list.starts_with("lock-free:\n  aqueduct/nblfq\n"), "{list}");
    assert!(list.contains("makes others wait:\n  crossbeam-queue/array_queue"), "{list}");
    let args = "bench nblfq --queues nblfq,scqd,array_queue,one_slot --threads 1 --capacity 16 --rounds 2 --slice 1 \
                --json runs.jsonl --html page.html";
    let output = aqueduct(&folder, args);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    let records = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
    for (bench, queues) in [("pairs", 3), ("alone", 4), ("single.p50", 4), ("threads.p99", 3), ("retries.threads", 2)] {
        let bench = format!("nblfq.{bench}");
        assert!(out(&output).contains(&format!("{bench} in ")), "{bench}: {}", out(&output));
        assert_eq!(records.matches(&format!("\"bench\":\"{bench}\"")).count(), queues, "{bench}: {records}");
    }
    assert!(out(&output).contains("times as fast as the best lock-free peer, published/scqd"), "{}", out(&output));
    assert!(fs::read_to_string(folder.join("page.html")).unwrap().contains("id=\"nblfq.pairs\""));
    for (args, wanted) in [
        ("bench nblfq --queues nblfk", "there is no queue `nblfk`; there are: aqueduct/nblfq, "),
        ("bench nblfq pears", "there are: pairs, alone, single, threads, retries"),
        ("bench nblfq --capacity 100", "queues of 100 items are not built in; those of [16, 128, 1024] are"),
        ("bench nblfq --threads 0", "0 threads: between 1 and 64 are possible"),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args}: {}", err(&output));
        assert!(err(&output).contains(wanted), "{args}: {}", err(&output));
    }
}

#[test]
fn queues_with_less_order_can_be_measured() {
    let folder = folder("cnq");
    let list = out(&aqueduct(&folder, "bench cnq --list --k 7"));
    assert!(list.starts_with("aqueduct/cnq_sequenced[k=7]: one of the k oldest\n"), "{list}");
    assert!(list.contains("crossbeam-queue/array_queue: first in, first out\n"), "{list}");
    let args = "bench cnq --queues cnq_bbq,bbq_mpmc,ring_per_pair --threads 1x2,2x2 --capacity 64 --batch 1 --k 10 --sweep 4,8 \
                --rounds 2 --slice 1 --json runs.jsonl --html page.html";
    let output = aqueduct(&folder, args);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    let records = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    for (bench, figures) in [("throughput", 5), ("sweep", 4), ("order.max", 4), ("in_queue.p99", 4)] {
        let bench = format!("cnq.{bench}");
        assert!(out(&output).contains(&format!("{bench} in ")), "{bench}: {}", out(&output));
        assert_eq!(records.matches(&format!("\"bench\":\"{bench}\"")).count(), figures, "{bench}: {records}");
    }
    for wanted in ["throughput", "sweep", "order", "in_queue_distribution"] {
        assert!(page.contains(&format!("id=\"cnq.{wanted}\"")), "{wanted}");
    }
    assert!(!out(&output).contains("in_queue_distribution"), "it is drawn, and no table: {}", out(&output));
    assert!(out(&output).contains("aqueduct/cnq_bbq[k=10] promises 10, "), "{}", out(&output));
    for (args, wanted) in [
        ("bench cnq --queues cnk", "there is no queue `cnk`; there are: aqueduct/cnq_sequenced[k=100], "),
        ("bench cnq sweeps", "there are: throughput, sweep, order, memory"),
        ("bench cnq --k 0", "k is 0; 1 asks for first in, first out"),
        ("bench cnq --threads 2", "two numbers between 1 and 256 are needed, such as 2x4"),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args}: {}", err(&output));
        assert!(err(&output).contains(wanted), "{args}: {}", err(&output));
    }
}

#[test]
fn work_stealing_can_be_measured() {
    let folder = folder("bwos");
    let list = out(&aqueduct(&folder, "bench bwos --list"));
    assert!(list.contains("aqueduct/bwos_lifo\n") && list.contains("bound/array_ring\n"), "{list}");
    let args = "bench bwos --queues bwos_lifo,bwos_fifo,array_stack,crossbeam-deque --stolen 10 --batch 1 --capacity 256 \
                --rounds 2 --slice 1 --json runs.jsonl --html page.html";
    let output = aqueduct(&folder, args);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    let records = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
    for (bench, queues) in [("alone", 3), ("stolen_10", 2), ("owner_10", 2), ("hungry", 2), ("hungry_time", 2)] {
        let bench = format!("bwos.{bench}.lifo");
        assert!(out(&output).contains(&bench), "{bench}: {}", out(&output));
        assert_eq!(records.matches(&format!("\"bench\":\"{bench}\"")).count(), queues, "{bench}: {records}");
    }
    assert!(fs::read_to_string(folder.join("page.html")).unwrap().contains("id=\"bwos.alone.lifo\""));
    for (args, wanted) in [
        ("bench bwos --queues bwos_lofi", "there is no queue `bwos_lofi`; there are: aqueduct/bwos_lifo, "),
        ("bench bwos stealing", "there are: alone, stolen, blocks, hungry"),
        ("bench bwos --stolen 60", "60 % stolen: between 0 and 50 are possible"),
        ("bench bwos hungry --queues array_ring", "bounds have no thieves"),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args}: {}", err(&output));
        assert!(err(&output).contains(wanted), "{args}: {}", err(&output));
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

#[cfg(unix)]
#[test]
fn ctrl_c_shows_what_is_there_and_ends_with_130() {
    let spsc = "bench spsc throughput --queues lamport --peers none --no-bounds --batch 1 --payload embedded \
                --rounds 10000 --time 5 --json runs.jsonl";
    let bbq = "bench bbq uncontended --queues bbq_mpmc --rounds 10000 --slice 5 --json runs.jsonl";
    for (name, args, queue) in
        [("interrupt", spsc, "  aqueduct/lamport "), ("interrupt_bbq", bbq, "  aqueduct/bbq_mpmc ")]
    {
        let folder = folder(name);
        let output = interrupted(&folder, args);
        assert_eq!(output.status.code(), Some(130), "{}", err(&output));
        assert!(out(&output).contains(queue), "{}", out(&output));
        assert!(out(&output).contains("Stopped by Ctrl-C after "), "{}", out(&output));
        assert_eq!(fs::read_to_string(folder.join("runs.jsonl")).unwrap().lines().count(), 1);
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_an_exploration_to_go_on_with_and_ends_with_130() {
    let folder = folder("interrupt_verify");
    let output = interrupted(&folder, "verify bwos-fifo/seed --resume left");
    assert_eq!(output.status.code(), Some(130), "{}", err(&output));
    assert!(out(&output).contains("bwos-fifo/seed"), "{}", out(&output));
    assert!(folder.join("left").exists());
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

/// Runs the program, interrupts it after a while, and returns its output.
#[cfg(unix)]
fn interrupted(folder: &Path, args: &str) -> Output {
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    let child = Command::new(env!("CARGO_BIN_EXE_aqueduct"))
        .current_dir(folder)
        .args(args.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let begin = Instant::now();
    let signalled = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signalled.success());
    let output = child.wait_with_output().unwrap();
    assert!(begin.elapsed() < Duration::from_secs(20));
    output
}
