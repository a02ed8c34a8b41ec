//! Checks that end early and are resumed from a file.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

use aqueduct_model::alloc::{Layout, alloc, dealloc};
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use aqueduct_model::sync::atomic::{AtomicPtr, AtomicUsize};
use aqueduct_model::{Config, FailureKind, MemoryModel, Report, ResumeError, await_until, thread};

use crate::random::programs;
use crate::support::{program, random};

/// A pause so long that only the end of the check saves.
const NEVER: Duration = Duration::MAX;

pub(crate) type Program = Arc<dyn Fn() + Send + Sync>;

fn file(name: &str) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("resume-{name}"));
    let _ = fs::remove_file(&file);
    file
}

pub(crate) fn counts(report: &Report) -> [u64; 5] {
    [report.executions, report.blocked, report.discarded, report.cut, report.events]
}

/// Two threads exchange pointers to memory that they allocate, and free what they get. A third one
/// waits for a counter.
fn exchange() {
    let layout = Layout::new::<usize>();
    let shared = Arc::new((AtomicPtr::<u8>::new(std::ptr::null_mut()), AtomicUsize::new(0)));
    let exchange = move |shared: &(AtomicPtr<u8>, AtomicUsize)| {
        // SAFETY: its size is not 0.
        let mine = unsafe { alloc(layout) };
        let theirs = shared.0.swap(mine, AcqRel);
        if !theirs.is_null() {
            // SAFETY: another thread allocated it, and handed it over.
            unsafe { dealloc(theirs, layout) };
        }
        shared.1.fetch_add(1, AcqRel);
    };
    let threads = [(); 2].map(|()| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || exchange(&shared))
    });
    let waits = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || await_until(|| shared.1.load(Acquire) > 0))
    };
    exchange(&shared);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    waits.join().unwrap();
    // SAFETY: it was put in last, and no thread has taken it.
    unsafe { dealloc(shared.0.swap(std::ptr::null_mut(), Relaxed), layout) };
}

pub(crate) fn all() -> Vec<(String, Program)> {
    let small = programs().into_iter().map(|(name, bodies)| {
        let name = name.replace(|letter: char| !letter.is_alphanumeric(), "-");
        (name, Arc::new(program(&bodies, |_| ())) as Program)
    });
    small.chain([("exchange".to_owned(), Arc::new(exchange) as Program)]).collect()
}

#[test]
fn an_exploration_in_parts_has_the_counts_of_the_whole() {
    let mut most = 0;
    for (name, program) in all() {
        let bounded = Config::new().max_preemptions(1000);
        for config in [Config::new(), Config::new().jobs(2), Config::new().model(MemoryModel::Sc), bounded] {
            let run = Arc::clone(&program);
            let whole = config.check(move || run());
            let file = file(&name);
            let part = whole.executions / 7 + 1;
            for time in 1.. {
                let run = Arc::clone(&program);
                let config = config.clone().max_executions(time * part);
                let report = config.check_saving(&file, &name, NEVER, move || run()).expect("it can be gone on with");
                if report.exhaustive {
                    assert!(time >= 2 || whole.executions < 2, "{name} is done at once");
                    assert_eq!(counts(&report), counts(&whole), "{name} {config:?}");
                    break;
                }
                assert!(report.limited && report.failure.is_none(), "{name}: {report}");
                assert!(report.executions >= time * part && report.explored < 1.0, "{name}: {report}");
                most = most.max(time);
            }
        }
    }
    assert!(most >= 6, "{most}");
}

/// The check saves between any two handfuls of runs, in one call.
#[test]
fn saving_often_changes_nothing() {
    for (name, program) in all() {
        let run = Arc::clone(&program);
        let whole = Config::new().check(move || run());
        let file = file(&format!("often-{name}"));
        let report = Config::new().jobs(2).check_saving(&file, &name, Duration::ZERO, move || program());
        assert_eq!(counts(&report.expect("a new file")), counts(&whole), "{name}");
    }
}

#[test]
fn a_check_that_is_stopped_goes_on_and_one_that_is_done_runs_nothing() {
    let file = file("stopped");
    let stop = Arc::new(AtomicBool::new(true));
    let runs = Arc::new(AtomicU64::new(0));
    let check = |config: Config| {
        let runs = Arc::clone(&runs);
        let counted = move || {
            runs.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            exchange();
        };
        config.check_saving(&file, "exchange", NEVER, counted).expect("the same check")
    };
    let report = check(Config::new().stop_when(Arc::clone(&stop)));
    assert!(report.limited && !report.exhaustive && report.executions > 0, "{report}");
    stop.store(false, std::sync::atomic::Ordering::Relaxed);
    let report = check(Config::new().stop_when(stop).jobs(2));
    assert!(report.exhaustive && report.explored == 1.0, "{report}");
    let before = runs.load(std::sync::atomic::Ordering::Relaxed);
    let again = check(Config::new().jobs(2));
    assert!(again.exhaustive && counts(&again) == counts(&report), "{again}");
    assert_eq!(runs.load(std::sync::atomic::Ordering::Relaxed), before);
}

#[test]
fn a_failure_is_found_after_the_break_too() {
    let file = file("failure");
    let fails = || {
        let x = Arc::new(AtomicUsize::new(0));
        let threads = [(); 3].map(|()| {
            let x = Arc::clone(&x);
            thread::spawn(move || x.store(x.load(Relaxed) + 1, Relaxed))
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(x.load(Relaxed) > 1, "all read 0");
    };
    let failure = (1..)
        .map(|most| Config::new().max_executions(most).check_saving(&file, "fails", NEVER, fails).expect("the same"))
        .find_map(|report| {
            assert!(!report.exhaustive, "{report}");
            report.failure
        });
    assert_eq!(failure.map(|failure| failure.kind), Some(FailureKind::Panic));
    assert!(Config::new().check_saving(&file, "fails", NEVER, fails).expect("the same").failure.is_some());
}

/// No part of a damaged file is used: graphs that no check has written would break the explorer's
/// invariants.
#[test]
fn a_damaged_file_is_refused_wherever_it_is_damaged() {
    let file = file("damaged");
    let left = Config::new().max_executions(1);
    let check = || left.check_saving(&file, "one", NEVER, exchange);
    assert!(check().is_ok());
    let whole = fs::read(&file).expect("it was written");
    let text = String::from_utf8(whole.clone()).expect("it is text");
    let refuse = |damaged: &[u8], how: &str| {
        fs::write(&file, damaged).expect("a file");
        let error = check().expect_err(how);
        assert!(matches!(error, ResumeError::Damaged(_)) && error.to_string().contains("remove it"), "{how}: {error}");
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    assert!(lines.len() > 4, "{text}");
    for kept in 0..lines.len() {
        refuse(lines[..kept].concat().as_bytes(), "the last lines are gone");
        refuse([&lines[..kept], &lines[kept + 1..]].concat().concat().as_bytes(), "a line is gone");
        refuse(
            [&lines[..kept], &lines[kept..=kept], &lines[kept..]].concat().concat().as_bytes(),
            "a line is there twice",
        );
    }
    for (found, instead) in [
        ("\"pieces\":", "\"pieces\":1"),
        ("\"pieces\":", "\"pieces\":184467440737095516"),
        ("\"seconds\":", "\"seconds\":-"),
        ("\"executions\":", "\"executions\":9"),
        ("\"loc\":", "\"loc\":9"),
        ("\"each\":", "\"each\":-"),
        ("exploration 6", "exploration 5"),
    ] {
        assert!(text.contains(found), "{found}");
        refuse(text.replacen(found, instead, 1).as_bytes(), instead);
    }
    let mut random = random(7);
    for _ in 0..300 {
        let at = random(whole.len() as u64) as usize;
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << random(8);
        refuse(&damaged, "a bit is another");
        refuse(&whole[..at], "the end is gone");
    }
    refuse(&[&whole[..], b"{}\n"].concat(), "there is more");
    fs::write(&file, &whole).expect("a file");
    assert!(check().is_ok(), "the file itself is as good as before");
}

#[test]
fn what_is_not_the_same_check_is_refused() {
    let file = file("other");
    let check = |config: &Config, name: &str| config.check_saving(&file, name, NEVER, exchange);
    let left = Config::new().max_executions(1);
    assert!(check(&left, "one").is_ok());
    let error = check(&left, "two").expect_err("another program").to_string();
    assert!(error.contains("\n  one\n") && error.contains("\n  two\n") && error.contains("remove it"), "{error}");
    assert!(matches!(check(&left.clone().model(MemoryModel::Sc), "one"), Err(ResumeError::Other { .. })));
    for unsupported in [left.clone().random(3, 1), left.clone().suspend(1, 1), left.clone().replay("aq1:0")] {
        assert!(matches!(check(&unsupported, "one"), Err(ResumeError::Unsupported)));
    }
    let nowhere = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("no such folder/file");
    let error = left.check_saving(&nowhere, "one", NEVER, exchange).expect_err("no folder").to_string();
    assert!(error.contains("no such folder"), "{error}");
}
