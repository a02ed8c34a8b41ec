//! Random executions: they are executions, they reach all of them, and they find rare errors.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use aqueduct_model::alloc::{Layout, alloc, dealloc};
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::sync::atomic::{AtomicUsize, fence};
use aqueduct_model::{Config, FailureKind, MemoryModel, Report, await_until, hint, interrupt, thread};

use crate::failures::Shared;
use crate::support::{Body, explore};

/// Returns small programs of all kinds.
pub(crate) fn programs() -> Vec<(&'static str, Vec<Body>)> {
    vec![
        (
            "store buffering",
            vec![
                |c| {
                    c.x.store(1, Relaxed);
                    vec![c.y.load(Relaxed)]
                },
                |c| {
                    c.y.store(1, Relaxed);
                    vec![c.x.load(Relaxed)]
                },
            ],
        ),
        (
            "store buffering with fences",
            vec![
                |c| {
                    c.x.store(1, Relaxed);
                    fence(SeqCst);
                    vec![c.y.load(Relaxed)]
                },
                |c| {
                    c.y.store(1, Relaxed);
                    fence(SeqCst);
                    vec![c.x.load(Relaxed)]
                },
            ],
        ),
        (
            "two writers each, and a reader",
            vec![
                |c| {
                    c.x.store(1, Relaxed);
                    c.y.store(1, Release);
                    c.x.store(2, Relaxed);
                    vec![]
                },
                |c| {
                    c.y.store(2, Relaxed);
                    c.x.store(3, Release);
                    vec![]
                },
                |c| vec![c.x.load(Acquire), c.y.load(Relaxed), c.x.load(Relaxed)],
            ],
        ),
        (
            "counters and exchanges",
            vec![
                |c| vec![c.x.fetch_add(1, Relaxed), c.y.load(Relaxed)],
                |c| vec![c.x.compare_exchange(1, 5, AcqRel, Relaxed).unwrap_or(9), c.x.load(Relaxed)],
                |c| {
                    c.y.store(1, Release);
                    vec![c.x.swap(7, Relaxed), c.x.compare_exchange_weak(7, 8, Relaxed, Relaxed).unwrap_or(9)]
                },
            ],
        ),
        (
            "independent reads of independent writes",
            vec![
                |c| {
                    c.x.store(1, SeqCst);
                    vec![]
                },
                |c| {
                    c.y.store(1, SeqCst);
                    vec![]
                },
                |c| vec![c.x.load(Acquire), c.y.load(SeqCst)],
                |c| vec![c.y.load(Acquire), c.x.load(SeqCst)],
            ],
        ),
    ]
}

#[test]
fn random_executions_are_executions_and_reach_all_of_them() {
    for model in [MemoryModel::Rc11, MemoryModel::Sc] {
        for (name, bodies) in programs() {
            let config = Config::new().model(model);
            let (all, every) = explore(&config, &bodies);
            assert!(all.exhaustive && !all.random);
            let (report, some) = explore(&config.random(20_000, 11), &bodies);
            assert!(report.failure.is_none(), "{name}: {}", report.failure.unwrap());
            assert!(some.states.is_subset(&every.states), "{name} under {model:?}: more than there is");
            let missing: BTreeSet<_> = every.states.difference(&some.states).collect();
            assert!(missing.is_empty(), "{name} under {model:?}: {missing:?} of {} states missed", every.states.len());
        }
    }
}

/// The figures of a run that are compared: everything but the time.
#[derive(PartialEq, Debug)]
struct Figures {
    executions: u64,
    blocked: u64,
    discarded: u64,
    events: u64,
}

fn figures(report: &Report) -> Figures {
    let Report { executions, blocked, discarded, events, .. } = *report;
    Figures { executions, blocked, discarded, events }
}

#[test]
fn the_same_seed_does_the_same_and_another_seed_does_not() {
    let (_, bodies) = programs().swap_remove(3);
    let states = |config: &Config| {
        let (report, outcome) = explore(config, &bodies);
        assert!(report.random && !report.exhaustive && !report.limited);
        assert_eq!(report.executions + report.discarded, 40);
        assert_eq!(report.blocked, 0);
        (figures(&report), outcome.states)
    };
    let first = states(&Config::new().random(40, 5));
    assert_eq!(first, states(&Config::new().random(40, 5)));
    assert_ne!(first, states(&Config::new().random(40, 6)));
    let alone = states(&Config::new().random(40, 7));
    assert_eq!(alone, states(&Config::new().random(40, 7).jobs(2)));
}

#[test]
fn several_jobs_do_the_same_walks() {
    let (_, bodies) = programs().swap_remove(2);
    let (alone, first) = explore(&Config::new().random(900, 1), &bodies);
    let (shared, second) = explore(&Config::new().random(900, 1).jobs(2), &bodies);
    assert_eq!((figures(&alone), first.states), (figures(&shared), second.states));
}

#[test]
fn the_report_says_that_it_is_not_a_proof() {
    let report = Config::new().random(3, 0).check(|| {});
    assert_eq!((report.executions, report.exhaustive, report.random), (3, false, true));
    assert!(report.to_string().contains("not a proof"), "{report}");
    let none = Config::new().random(0, 0).check(|| {});
    assert_eq!(none.executions, 1, "at least one");
}

/// Returns a program with four rounds of messages through two threads. A flag of the second is
/// `Relaxed`, not `Release`.
///
/// The error shows only if the last reader is up to date all the way and then gets one old value.
/// The two counting threads make far too many executions to explore.
fn relay(wrong: bool) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let data: Vec<_> = (0..4).map(|_| Arc::new(AtomicUsize::new(0))).collect();
        let (first, second) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let noise = Arc::new(AtomicUsize::new(0));
        for _ in 0..2 {
            let noise = Arc::clone(&noise);
            thread::spawn(move || (0..6).for_each(|_| _ = noise.fetch_add(1, Relaxed)));
        }
        let (theirs, flag) = (data.clone(), Arc::clone(&first));
        thread::spawn(move || {
            for (round, slot) in theirs.iter().enumerate() {
                slot.store(round + 10, Relaxed);
                flag.store(round + 1, Release);
            }
        });
        let (from, to) = (first, Arc::clone(&second));
        thread::spawn(move || {
            for round in 1..=4 {
                if from.load(Acquire) < round {
                    return;
                }
                to.store(round, if wrong && round == 3 { Relaxed } else { Release });
            }
        });
        if second.load(Acquire) == 3 {
            for (round, slot) in data[..3].iter().enumerate() {
                assert_eq!(slot.load(Relaxed), round + 10, "the message came");
            }
        }
    }
}

#[test]
fn a_rare_reordering_is_found_and_its_replay_string_repeats_it() {
    let config = Config::new().random(20_000, 2);
    let report = config.check(relay(true));
    let failure = report.failure.expect("one old value");
    assert_eq!(failure.kind, FailureKind::Panic);
    assert!(failure.message.contains("the message came"), "{failure}");
    assert!(report.random && !report.exhaustive);
    let again = Config::new().replay(&failure.replay).check(relay(true)).failure.expect("it is replayed");
    assert_eq!((&again.message, &again.trace, &again.replay), (&failure.message, &failure.trace, &failure.replay));
    // The run is found again, in as many executions.
    let twice = config.check(relay(true));
    assert_eq!(twice.executions, report.executions);
    assert_eq!(twice.failure.expect("one old value").replay, failure.replay);
    assert!(Config::new().replay(&failure.replay).check(relay(false)).failure.is_none());
    let right = Config::new().random(2_000, 2).check(relay(false));
    assert!(right.failure.is_none(), "{}", right.failure.unwrap());
}

#[test]
fn races_are_found_and_replayed() {
    let program = || {
        let (cell, flag) = (Shared::new(), Arc::new(AtomicUsize::new(0)));
        let (other, theirs) = (cell.clone(), Arc::clone(&flag));
        thread::spawn(move || {
            other.set(1);
            theirs.store(1, Relaxed);
        });
        if flag.load(Acquire) == 1 {
            cell.get();
        }
    };
    let failure = Config::new().random(100, 1).check(program).failure.expect("nothing orders the two");
    assert_eq!(failure.kind, FailureKind::Race);
    let again = Config::new().replay(&failure.replay).check(program).failure.expect("it is replayed");
    assert_eq!(again.message, failure.message);
}

/// The way in which a thread waits in the tests below.
type Wait = fn(&AtomicUsize, usize);

const WAITS: [Wait; 3] = [
    |flag, value| await_until(|| flag.load(Acquire) == value),
    |flag, value| {
        while flag.load(Acquire) != value {
            hint::spin_loop();
        }
    },
    |flag, value| {
        while flag.compare_exchange_weak(value, value, AcqRel, Acquire).is_err() {
            thread::yield_now();
        }
    },
];

/// Returns a program with two threads that take turns, and one that adds to their values.
fn turns(wait: Wait, last: usize) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let (turn, sum) = (Arc::new(AtomicUsize::new(0)), Shared::new());
        for me in 0..2 {
            let (turn, sum) = (Arc::clone(&turn), sum.clone());
            thread::spawn(move || {
                for round in 0..4 {
                    wait(&turn, 2 * round + me);
                    sum.set(sum.get() + 1);
                    turn.store(2 * round + me + 1, Release);
                }
            });
        }
        wait(&turn, last);
        assert_eq!(sum.get(), 8);
    }
}

#[test]
fn waits_come_to_their_end() {
    for (which, wait) in WAITS.into_iter().enumerate() {
        let report = Config::new().random(300, 3).check(turns(wait, 8));
        assert!(report.failure.is_none(), "wait {which}: {}", report.failure.unwrap());
        assert_eq!((report.executions, report.blocked, report.discarded), (300, 0, 0), "wait {which}");
    }
}

#[test]
fn waits_that_nothing_ends_are_found_and_replayed() {
    for (which, wait) in WAITS.into_iter().enumerate() {
        let failure = Config::new().random(300, 3).check(turns(wait, 9)).failure;
        let failure = failure.unwrap_or_else(|| panic!("wait {which} ends"));
        assert_eq!(failure.kind, FailureKind::Liveness, "wait {which}: {failure}");
        let again = Config::new().replay(&failure.replay).check(turns(wait, 9)).failure.expect("it is replayed");
        assert_eq!((again.kind, again.trace), (failure.kind, failure.trace), "wait {which}");
    }
}

/// A failure follows waits that failed on old values and were done again. The replay repeats these
/// rounds.
#[test]
fn a_failure_behind_failed_rounds_is_replayed() {
    for (which, wait) in WAITS.into_iter().enumerate() {
        for seed in 0..40 {
            let program = move || {
                let (flag, late) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
                let (theirs, other) = (Arc::clone(&flag), Arc::clone(&late));
                thread::spawn(move || {
                    (1..4).for_each(|value| theirs.store(value, Release));
                    other.store(1, Relaxed);
                });
                wait(&flag, 3);
                assert_eq!(late.load(Relaxed), 0, "not yet");
            };
            let report = Config::new().random(200, seed).check(program);
            let failure = report.failure.expect("the store comes early");
            let again = Config::new().replay(&failure.replay).check(program).failure;
            let again = again.unwrap_or_else(|| panic!("wait {which}, seed {seed} is not replayed: {failure}"));
            assert_eq!((again.message, again.trace), (failure.message, failure.trace), "wait {which}, seed {seed}");
        }
    }
}

/// A thread that waits for one that is suspended or killed waits forever, and that is not a
/// failure.
#[test]
fn threads_may_be_halted_in_random_executions() {
    for (which, wait) in WAITS.into_iter().enumerate() {
        for steps in [0, 1, 2, 5, 9] {
            for halted in [Config::new().suspend(1, steps), Config::new().kill(1, steps)] {
                let report = halted.random(60, 3).check(turns(wait, 8));
                assert!(report.failure.is_none(), "wait {which}, {steps} steps: {}", report.failure.unwrap());
                assert_eq!((report.executions, report.discarded), (60, 0), "wait {which}, {steps} steps");
            }
        }
    }
}

#[test]
fn handlers_come_at_every_place_by_chance() {
    let states = |config: Config| {
        let states = Arc::new(Mutex::new(BTreeSet::new()));
        let seen = Arc::clone(&states);
        let report = config.check(move || {
            let (x, y) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
            let (a, b) = (Arc::clone(&x), Arc::clone(&y));
            let other = thread::spawn(move || {
                a.store(10, Relaxed);
                b.load(Relaxed)
            });
            let handler = || y.store(x.load(Relaxed) + 1, Relaxed);
            interrupt::with_handler(handler, || {
                x.store(1, Relaxed);
                x.store(y.load(Relaxed) + 2, Relaxed);
            });
            let theirs = other.join().unwrap();
            seen.lock().unwrap().insert((theirs, x.load(Relaxed), y.load(Relaxed)));
        });
        assert!(report.failure.is_none(), "{}", report.failure.unwrap());
        states.lock().unwrap().clone()
    };
    let all = states(Config::new());
    assert!(all.len() > 10, "{all:?}");
    assert_eq!(states(Config::new().random(20_000, 1)), all);
}

/// Frees a block; the next one may have its address.
fn blocks() {
    let layout = Layout::new::<u64>();
    // SAFETY: The size is not zero, and each block is freed once, by its layout.
    let addresses = [0; 2].map(|_| unsafe {
        let block = alloc(layout);
        dealloc(block, layout);
        block as usize
    });
    // The message leaves out the addresses, which differ when other tests allocate at the same
    // time.
    assert!(addresses[0] != addresses[1], "it came back");
}

#[test]
fn an_address_that_comes_back_is_found_by_chance_and_replayed() {
    let random = Config::new().random(50, 1);
    assert!(random.check(blocks).failure.is_none());
    let failure = random.reuse_addresses(true).check(blocks).failure.expect("the block comes back");
    let again = Config::new().reuse_addresses(true).replay(&failure.replay).check(blocks).failure;
    assert_eq!(again.map(|again| again.message), Some(failure.message));
}
