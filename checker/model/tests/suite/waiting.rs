//! Waits: a wait has exactly the executions of a read whose value satisfies it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use aqueduct_model::FailureKind::{Liveness, TooManyEvents};
use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use aqueduct_model::{Config, await_until, hint, on_record, thread};

use crate::support::{SCHEDULERS, failure, kind, random};

#[test]
fn a_wait_is_one_execution_for_each_way_to_end_it() {
    for scheduler in SCHEDULERS {
        let report = Config::new().scheduler(scheduler).check(|| {
            let x = Arc::new(AtomicUsize::new(0));
            let y = Arc::clone(&x);
            thread::spawn(move || {
                y.store(1, Relaxed);
                y.store(2, Relaxed);
            });
            await_until(|| x.load(Relaxed) > 0);
        });
        assert!(report.failure.is_none(), "{}", report.failure.unwrap());
        assert_eq!((report.executions, report.blocked), (2, 0), "{scheduler:?}");
    }
}

#[test]
fn spin_hints_make_waits_finite() {
    for scheduler in SCHEDULERS {
        let report = Config::new().scheduler(scheduler).check(|| {
            let x = Arc::new(AtomicUsize::new(0));
            let y = Arc::clone(&x);
            thread::spawn(move || y.store(1, Release));
            while x.load(Acquire) == 0 {
                hint::spin_loop();
            }
        });
        assert!(report.failure.is_none(), "{}", report.failure.unwrap());
        assert!(report.exhaustive);
        assert!((1..=2).contains(&report.executions), "{scheduler:?}: {report:?}");
    }
}

#[test]
fn a_wait_that_nothing_ends_is_reported_with_its_read() {
    let found = failure(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        thread::spawn(move || y.store(2, Relaxed));
        await_until(|| x.load(Relaxed) == 1);
    });
    let found = found.expect("nobody stores 1");
    assert_eq!(found.kind, Liveness);
    assert!(found.message.contains("main waits"), "{found}");
    assert!(found.message.contains("a.load(Relaxed) = 2"), "{found}");
}

#[test]
fn a_signal_that_can_be_overwritten_is_a_liveness_error() {
    let found = kind(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        thread::spawn(move || {
            y.store(1, Relaxed);
            y.store(2, Relaxed);
        });
        await_until(|| x.load(Relaxed) == 1);
    });
    assert_eq!(found, Some(Liveness));
}

#[test]
fn a_loop_that_runs_away_hits_the_limit() {
    let report = Config::new().max_events(200).check(|| {
        let x = AtomicUsize::new(0);
        while x.load(Relaxed) == 0 {}
    });
    let failure = report.failure.expect("it runs away");
    assert_eq!(failure.kind, TooManyEvents);
    let text = failure.to_string();
    assert!(text.lines().count() < 130 && text.contains(" more ..."), "{text}");
}

#[test]
fn a_spin_lock_protects_and_never_blocks_for_good() {
    for scheduler in SCHEDULERS {
        let report = Config::new().scheduler(scheduler).check(|| {
            let lock = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
            let locked = |lock: &(AtomicUsize, AtomicUsize)| {
                await_until(|| lock.0.compare_exchange(0, 1, Acquire, Relaxed).is_ok());
                lock.1.store(lock.1.load(Relaxed) + 1, Relaxed);
                lock.0.store(0, Release);
            };
            let others: Vec<_> = (0..2)
                .map(|_| {
                    let lock = Arc::clone(&lock);
                    thread::spawn(move || locked(&lock))
                })
                .collect();
            for other in others {
                other.join().unwrap();
            }
            assert_eq!(lock.1.load(Relaxed), 2);
        });
        assert!(report.failure.is_none(), "{scheduler:?}: {}", report.failure.unwrap());
        assert_eq!(report.executions, 2, "{scheduler:?}");
    }
}

/// One step of a random thread: its operation, one of two locations, and a value.
type Step = (u64, usize, usize);

fn random_threads(random: &mut impl FnMut(u64) -> u64) -> Vec<Vec<Step>> {
    (0..2 + random(2))
        .map(|_| (0..1 + random(3)).map(|_| (random(8), random(2) as usize, 1 + random(2) as usize)).collect())
        .collect()
}

/// A thread's reaction to a read of another value than it wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Manner {
    /// The thread continues, and the execution does not count.
    Gives,
    /// The thread waits in `await_until`.
    Waits,
    /// The thread tries again after a hint.
    Spins,
}

impl Manner {
    fn want(self, mut condition: impl FnMut() -> bool) -> bool {
        match self {
            Self::Gives => condition(),
            Self::Waits => {
                await_until(condition);
                true
            }
            Self::Spins => {
                while !condition() {
                    hint::spin_loop();
                }
                true
            }
        }
    }
}

/// Whether all reads found the wanted values.
fn run(cells: &[AtomicUsize; 2], steps: &[Step], manner: Manner) -> bool {
    let mut satisfied = true;
    for &(what, at, value) in steps {
        let (here, there) = (&cells[at], &cells[1 - at]);
        match what {
            0 => satisfied &= manner.want(|| here.load(Acquire) == value),
            1 => {
                satisfied &= manner.want(|| {
                    let first = here.load(Relaxed);
                    first + there.load(Acquire) >= value
                });
            }
            2 => {
                satisfied &= manner.want(|| {
                    let exchanged = here.compare_exchange(value - 1, value + 1, AcqRel, Relaxed);
                    exchanged.is_ok()
                });
            }
            3 => here.store(value, Release),
            4 => drop(here.fetch_add(value, Relaxed)),
            // These fail without a change of any value.
            5 => satisfied &= manner.want(|| here.swap(value, AcqRel) != value),
            6 => satisfied &= manner.want(|| here.fetch_or(0, Acquire) + there.load(Relaxed) >= value),
            _ => here.store(value, Relaxed),
        }
    }
    satisfied
}

/// Returns the number of executions that satisfy all reads, and their final states, or `None` if
/// some wait never ends.
fn satisfied(config: &Config, threads: &[Vec<Step>], manner: Manner) -> Option<(u64, Ends)> {
    let threads = threads.to_vec();
    let ends = Arc::new(Mutex::new((0, Ends::new())));
    let seen = Arc::clone(&ends);
    let report = config.check(move || {
        let cells = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let handles: Vec<_> = (threads.iter().cloned())
            .map(|steps| {
                let cells = Arc::clone(&cells);
                thread::spawn(move || run(&cells, &steps, manner))
            })
            .collect();
        if handles.into_iter().fold(true, |all, h| all & h.join().unwrap()) && on_record() {
            let mut seen = seen.lock().unwrap();
            seen.0 += 1;
            seen.1.insert([cells[0].load(Relaxed), cells[1].load(Relaxed)]);
        }
    });
    match report.failure {
        None => Some(ends.lock().unwrap().clone()),
        Some(failure) if failure.kind == Liveness => None,
        Some(failure) => panic!("{failure}"),
    }
}

/// The last values of both locations.
type Ends = BTreeSet<[usize; 2]>;

#[test]
fn random_waits_have_the_executions_of_reads_that_are_satisfied() {
    let mut random = random(0);
    let mut compared = 0;
    for _ in 0..150 {
        let threads = random_threads(&mut random);
        let expected = satisfied(&Config::new(), &threads, Manner::Gives);
        let waits = SCHEDULERS.map(|s| satisfied(&Config::new().scheduler(s), &threads, Manner::Waits));
        for found in &waits {
            assert_eq!(found, &waits[0], "schedulers differ: {threads:?}");
        }
        if waits[0].is_some() {
            assert_eq!(waits[0], expected, "{threads:?}");
            compared += 1;
        }
        // Loops with hints whose rounds write run on.
        let writes = threads.iter().flatten().any(|&(what, ..)| matches!(what, 5 | 6));
        for scheduler in SCHEDULERS.into_iter().filter(|_| !writes) {
            // A loop with hints counts its failed rounds apart, but has the same final states.
            let spins = satisfied(&Config::new().scheduler(scheduler), &threads, Manner::Spins);
            let (spins, waits) = (spins.map(|s| s.1), waits[0].as_ref().map(|w| w.1.clone()));
            assert_eq!(spins, waits, "{threads:?} {scheduler:?}");
        }
    }
    assert!(compared > 20, "only {compared} programs can end at all");
}

/// Loops around weak compare-exchanges are the rule, and their spurious failures do not count.
#[test]
fn a_loop_around_a_weak_compare_exchange_ends() {
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        let other = thread::spawn(move || y.fetch_update(AcqRel, Relaxed, |x| Some(x + 1)));
        while x.compare_exchange_weak(0, 10, AcqRel, Relaxed) == Err(0) {}
        other.join().unwrap().unwrap();
    };
    let report = Config::new().check(program);
    assert!(report.failure.is_none(), "{}", report.failure.unwrap());
    // Each exchange succeeds at once, or at the second attempt. If the other wins, main sees it. If
    // main wins, the other may load 10 (2 ways to continue), or 0 and fail first (2 ways to fail, 2
    // to go on).
    assert_eq!(report.executions, 2 * 2 + 2 * (2 + 2 * 2));
    let report = Config::new().all_spurious_failures(true).max_events(100).check(program);
    assert_eq!(report.failure.expect("it may fail forever").kind, TooManyEvents);
}
