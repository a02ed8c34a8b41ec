//! Measurements of a build without the feature `workloads`, and its errors for the others.

use aqueduct_bench_mpmc::nblfq::{self, Progress};
use clap::Parser;

use super::Options;

/// Returns the outlook of a command line, or the reason why it is refused.
fn outlook(line: &str) -> Result<String, String> {
    let words = format!("aqueduct {line}");
    let options = Options::try_parse_from(words.split(' ')).map_err(|error| error.to_string())?;
    options.command.expect("a command").job().outlook().map_err(|error| error.to_string())
}

#[test]
fn each_bench_measures_what_it_has() {
    for bench in ["spsc", "mpmc", "steal", "cnq", "nblfq", "drop-old", "exchange"] {
        let outlook = outlook(&format!("bench {bench}")).unwrap_or_else(|error| panic!("{bench}: {error}"));
        assert!(outlook.contains(" measurements "), "{bench}: {outlook}");
    }
}

/// No crate has a lock-free queue of many producers and consumers: without the papers' queues, ours
/// would have no peer.
#[test]
fn lock_free_queues_have_lock_free_peers_beside_them() {
    let all = nblfq::contestants(1024).expect("a small capacity");
    let is_lock_free = |progress| matches!(progress, Progress::LockFree | Progress::Allocates);
    let peers = all.iter().filter(|one| one.peer && is_lock_free(one.progress)).map(|one| one.name);
    let peers: Vec<&str> = peers.collect();
    assert!(peers.contains(&"published/loo") && peers.contains(&"published/michael_scott"), "{peers:?}");
}

#[test]
fn what_it_has_not_is_refused_with_the_build_that_has_it() {
    for (line, absent) in [
        ("bench spsc load", "`load`"),
        ("bench mpmc drain", "`drain`"),
        ("bench steal pool", "`pool`"),
        ("bench cnq order", "`order`"),
        ("bench nblfq threads", "`threads`"),
        ("bench drop-old profiling", "`profiling`"),
        ("bench exchange multicast", "`multicast`"),
        ("bench mpmc --item-bytes 64", "64"),
        ("vswitch --queues lamport", "`lamport`"),
        ("paper cnq", "some experiments of the papers"),
    ] {
        let why = outlook(line).expect_err(line);
        let instead = why.split_once("one that has").map(|(_, rest)| rest).unwrap_or_default();
        assert!(why.contains(absent) && instead.contains("cargo run --release --features "), "{line}: {why}");
        assert!(instead.contains("workloads"), "{line}: {why}");
        assert_eq!(instead.contains("published"), line.starts_with("paper "), "{line}: {why}");
    }
}
