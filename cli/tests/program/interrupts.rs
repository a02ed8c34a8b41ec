//! Ctrl-C in the middle of a run.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::{err, folder, out};

#[test]
fn ctrl_c_shows_the_results_so_far_and_ends_with_130() {
    let spsc = "bench spsc throughput --queues lamport --peers none --no-bounds --batch 1 --payload embedded \
                --rounds 10000 --time 5 --json runs.jsonl";
    let mpmc = "bench mpmc uncontended --queues bbq_mpmc --rounds 10000 --slice 5 --json runs.jsonl";
    for (name, args, queue) in
        [("interrupt", spsc, "  aqueduct/lamport "), ("interrupt_mpmc", mpmc, "  aqueduct/bbq_mpmc ")]
    {
        let folder = folder(name);
        let output = interrupted(&folder, args);
        assert_eq!(output.status.code(), Some(130), "{}", err(&output));
        assert!(out(&output).contains(queue), "{}", out(&output));
        assert!(out(&output).contains("Stopped by Ctrl-C after "), "{}", out(&output));
        assert_eq!(fs::read_to_string(folder.join("runs.jsonl")).unwrap().lines().count(), 1);
    }
}

#[test]
fn ctrl_c_leaves_an_exploration_to_resume_and_ends_with_130() {
    let folder = folder("interrupt_verify");
    let output = interrupted(&folder, "verify bwos-fifo/seed --resume left");
    assert_eq!(output.status.code(), Some(130), "{}", err(&output));
    assert!(out(&output).contains("bwos-fifo/seed"), "{}", out(&output));
    assert!(folder.join("left").exists());
}

/// Runs the program, interrupts it after a while, and returns its output.
fn interrupted(folder: &Path, args: &str) -> Output {
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
