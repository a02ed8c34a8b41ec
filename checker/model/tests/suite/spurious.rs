//! Spurious failures of weak compare-exchanges, one after another.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex as Native};

use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use aqueduct_model::sync::atomic::{AtomicBool, AtomicUsize};
use aqueduct_model::{Config, await_until, hint, thread};

use crate::support::{SCHEDULERS, failure, passed, random};

fn try_lock(lock: &AtomicBool) -> bool {
    lock.compare_exchange_weak(false, true, Acquire, Relaxed).is_ok()
}

#[test]
fn two_calls_of_a_function_may_both_fail() {
    let program = || {
        let lock = AtomicBool::new(false);
        assert!(try_lock(&lock) || try_lock(&lock), "two tries of an open lock failed");
    };
    let found = failure(program).expect("both may fail");
    let replayed = Config::new().replay(&found.replay).check(program).failure.expect("it is that execution");
    assert_eq!(replayed.message, found.message);
    let walks = Config::new().random(1_000, 1).check(program);
    assert!(walks.failure.is_some(), "{walks}");
    for (bound, fails) in [(0, false), (1, false), (2, true)] {
        let report = Config::new().max_preemptions(bound).check(program);
        assert_eq!((report.failure.is_some(), report.exhaustive), (fails, false), "{bound}");
    }
}

#[test]
fn a_loop_that_gives_up_may_fail_each_time() {
    for pause in [(|| ()) as fn(), hint::spin_loop, || await_until(|| true)] {
        for tries in [1, 2, 3, 10, 100] {
            for scheduler in SCHEDULERS {
                let seen = Arc::new(Native::new(BTreeSet::new()));
                let note = Arc::clone(&seen);
                let report = passed(Config::new().scheduler(scheduler).check(move || {
                    let lock = AtomicBool::new(false);
                    let failed = (0..tries).take_while(|_| {
                        let failed = !try_lock(&lock);
                        pause();
                        failed
                    });
                    note.lock().unwrap().insert(failed.count());
                }));
                assert_eq!((report.executions, report.blocked), (tries as u64 + 1, 0), "{tries}, {scheduler:?}");
                assert_eq!(*seen.lock().unwrap(), (0..=tries).collect());
            }
        }
    }
}

/// The preparation of a loop's next try, such as a store to the node that it pushes, does not make
/// it another loop.
#[test]
fn a_loop_that_never_gives_up_fails_once() {
    let passes = |program: fn(&AtomicUsize, &AtomicUsize)| {
        passed(Config::new().check(move || {
            let words = (AtomicUsize::new(0), AtomicUsize::new(0));
            program(&words.0, &words.1);
        }))
    };
    let plain = passes(|x, _| while x.compare_exchange_weak(0, 1, AcqRel, Relaxed).is_err() {});
    let hints = passes(|x, _| {
        while x.compare_exchange_weak(0, 1, AcqRel, Relaxed).is_err() {
            hint::spin_loop();
        }
    });
    let update = passes(|x, _| _ = x.fetch_update(AcqRel, Relaxed, |value| Some(value + 1)));
    let stores = passes(|x, y| {
        loop {
            let head = x.load(Acquire);
            y.store(head, Relaxed);
            if y.load(Relaxed) == head && x.compare_exchange_weak(head, 1, AcqRel, Relaxed).is_ok() {
                break;
            }
        }
    });
    for report in [plain, hints, update, stores] {
        assert_eq!((report.executions, report.blocked, report.discarded), (2, 0, 1), "{report}");
    }
}

/// A loop at the place of another one gives up, and that does not.
#[test]
fn loops_at_one_place_are_told_apart() {
    let attempt =
        |x: &AtomicUsize, tries: usize| (0..tries).any(|_| x.compare_exchange_weak(0, 1, AcqRel, Relaxed).is_ok());
    for order in [[usize::MAX, 3], [3, usize::MAX]] {
        let report = passed(Config::new().check(move || {
            for tries in order {
                attempt(&AtomicUsize::new(0), tries);
            }
        }));
        // None or one failure, and none to three.
        assert_eq!((report.executions, report.blocked), (2 * 4, 0), "{order:?}");
    }
}

type Step = (u64, usize);

fn run(cells: &[AtomicUsize; 2], steps: &[Step]) -> Vec<usize> {
    let mut seen = Vec::new();
    for &(what, at) in steps {
        let cell = &cells[at];
        match what {
            0 => cell.store(1, Relaxed),
            1 => cell.store(0, Release),
            2 => seen.push(cell.load(Acquire)),
            3 | 4 => seen.push(usize::from(cell.compare_exchange_weak(0, 1, AcqRel, Relaxed).is_ok())),
            5 => seen.extend((0..2).map(|_| usize::from(cell.compare_exchange_weak(0, 2, AcqRel, Acquire).is_ok()))),
            _ => seen.push(cell.fetch_add(1, Relaxed)),
        }
    }
    seen
}

/// Programs without loops that never end have the executions that they have with all spurious
/// failures.
#[test]
fn random_programs_have_every_failure() {
    let mut random = random(79);
    let programs = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 3000 } else { 300 };
    let (mut compared, mut executions) = (0, 0);
    for number in 0..programs {
        let threads: Vec<Vec<Step>> =
            (0..2 + random(2)).map(|_| (0..1 + random(3)).map(|_| (random(7), random(2) as usize)).collect()).collect();
        let explore = |all: bool| {
            let seen = Arc::new(Native::new(BTreeSet::new()));
            let (note, threads) = (Arc::clone(&seen), threads.clone());
            let config = Config::new().scheduler(SCHEDULERS[number % SCHEDULERS.len()]).max_executions(30_000);
            let report = config.all_spurious_failures(all).check(move || {
                let cells = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
                let handles: Vec<_> = (threads.iter().cloned())
                    .map(|steps| {
                        let cells = Arc::clone(&cells);
                        thread::spawn(move || run(&cells, &steps))
                    })
                    .collect();
                let outcome: Vec<_> = handles.into_iter().map(|handle| handle.join().unwrap()).collect();
                note.lock().unwrap().insert(outcome);
            });
            let seen = seen.lock().unwrap().clone();
            (report, seen)
        };
        let ((all, expected), (report, found)) = (explore(true), explore(false));
        if all.limited || report.limited {
            continue;
        }
        compared += 1;
        executions += report.executions;
        assert_eq!((report.executions, found), (all.executions, expected), "{threads:?}");
    }
    assert!(compared * 10 > programs * 9 && executions > 10 * compared as u64, "{compared} {executions}");
}
