//! `aqueduct compare`: every family, and the files.

use std::fs;

use crate::{aqueduct, err, folder, out};

/// The measurements of a family of `compare`: a bench, and the numbers of producers, consumers and
/// items per call.
type Told = fn(&str, [u64; 3]) -> bool;

const FAMILIES: [(&str, Told); 14] = [
    ("one to one", |bench, places| bench == "spsc.throughput" && places == [1, 1, 1]),
    ("one to one in batches", |bench, places| bench == "spsc.throughput" && places == [1, 1, 32]),
    ("round trips", |bench, _| bench == "spsc.pingpong"),
    ("many to one", |bench, [producers, consumers, _]| bench == "mpmc.throughput" && producers > 1 && consumers == 1),
    ("one to many", |bench, [producers, consumers, _]| bench == "mpmc.throughput" && producers == 1 && consumers > 1),
    ("many to many", |bench, [producers, consumers, batch]| {
        bench == "mpmc.throughput" && producers > 1 && consumers > 1 && batch == 1
    }),
    ("batches", |bench, [_, _, batch]| bench == "mpmc.throughput" && batch == 32),
    ("drop-old", |bench, _| bench == "drop-old.written"),
    ("records", |bench, _| bench == "records.throughput"),
    ("stacks to steal from", |bench, _| bench == "steal.stolen_10.lifo"),
    ("queues to steal from", |bench, _| bench == "steal.stolen_10.fifo"),
    ("k-relaxed", |bench, _| bench == "cnq.throughput"),
    ("lock-free", |bench, _| bench == "nblfq.pairs"),
    ("requests and responses", |bench, _| bench == "exchange.io_uring"),
];

#[test]
fn compare_measures_every_family_recommends_forwards_the_capture_and_writes_the_files() {
    let folder = folder("compare");
    let output = aqueduct(&folder, "compare --seconds 1 --html page.html --json runs.jsonl --csv runs.csv");
    assert_eq!(output.status.code(), Some(0), "{}{}", err(&output), out(&output));
    for wanted in [
        "Threads take cores ",
        "\nMany single items\n  Take spsc::",
        "\nIn short\n",
        "frames read = ",
        "Page: page.html",
        "JSON lines: runs.jsonl",
    ] {
        assert!(out(&output).contains(wanted), "{wanted}: {}", out(&output));
    }
    assert!(out(&output).contains("11 families in about 1 s"), "{}", out(&output));
    assert!(err(&output).contains("measuring 1/11 many to many, "), "{}", err(&output));
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    for wanted in
        ["id=\"recommended\"", "id=\"spsc.throughput\"", "id=\"exchange.io_uring\"", "frames read = ", "Processor"]
    {
        assert!(page.contains(wanted), "{wanted}");
    }
    assert!(!page.contains("http"), "the page names another place");
    // Each need of the benches' guides has an answer: they offer the queues that are measured here.
    assert_eq!(page.matches("class=\"pick\"").count(), 20, "{}", out(&output));

    let lines = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
    assert_eq!(fs::read_to_string(folder.join("runs.csv")).unwrap().lines().count(), lines.lines().count() + 1);
    let mut of_ours_and_peers = [[0; 2]; FAMILIES.len()];
    for line in lines.lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let number = |key: &str| record[key].as_u64().unwrap();
        let cores = |side: &str| record["placement"][side].as_array().unwrap().len() as u64;
        assert!(cores("producers") >= 1 && cores("producers") >= number("producers"), "{line}");
        // The record of a single thread has no other side; three threads of a submission have two
        // that consume.
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
