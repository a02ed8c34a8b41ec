//! The bound on preemptions: the switches that count, and the report. `aqueduct-litmus` compares it
//! with brute force.

use std::sync::Arc;
use std::time::Duration;

use aqueduct_model::model::Builder;
use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use aqueduct_model::sync::{Condvar, Mutex};
use aqueduct_model::{Config, Report, await_until, hint, model, thread};

use crate::giving_up::{HINTS, rounds};
use crate::resume::{Program, all};
use crate::support::SCHEDULERS;

fn check(preemptions: u32, program: impl Fn() + Send + Sync + 'static) -> Report {
    Config::new().max_preemptions(preemptions).check(program)
}

/// Returns a program in which threads add to a counter, `additions` times each.
fn counter(threads: usize, additions: usize) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let count = Arc::new(AtomicUsize::new(0));
        for _ in 0..threads {
            let count = Arc::clone(&count);
            thread::spawn(move || (0..additions).for_each(|_| _ = count.fetch_add(1, Relaxed)));
        }
    }
}

/// Two threads' additions alternate in C(2n, n) ways. The number of those with few switches is
/// known.
#[test]
fn orders_of_additions_are_counted_by_their_switches() {
    for (preemptions, executions) in [(0, 2), (1, 2 + 2 * 3), (2, 2 + 2 * 3 + 2 * 9), (3, 2 + 2 * 3 + 2 * 9 + 2 * 9)] {
        let report = check(preemptions, counter(2, 4));
        assert_eq!((report.executions, report.exhaustive), (executions, false), "{preemptions}: {report}");
        assert!(report.left_out > 0 && report.failure.is_none() && !report.limited);
        assert!(report.to_string().starts_with("NOT EXHAUSTIVE"), "{report}");
        assert!(report.to_string().contains("branches left out at the bound of preemptions"), "{report}");
        let shared = Config::new().max_preemptions(preemptions).jobs(2).check(counter(2, 4));
        assert_eq!(shared.executions, executions);
        let config = Config::new().max_preemptions(preemptions);
        let estimate = config.estimate(10, 0, Duration::MAX, counter(2, 4));
        assert_eq!((estimate.low, estimate.high), (executions as f64, executions as f64), "{estimate}");
        let estimate = config.estimate(10, 0, Duration::ZERO, counter(2, 4));
        assert_eq!((estimate.low, estimate.high), (0.0, f64::INFINITY), "{estimate}");
    }
    let all = check(6, counter(2, 4));
    assert_eq!((all.executions, all.exhaustive, all.left_out), (70, true, 0));
}

/// Programs of many executions have few within a bound, and the search does not go through the
/// others.
#[test]
fn the_others_are_not_visited() {
    let report = check(1, counter(3, 6));
    // Of some 17 million: 6 orders of the threads; one of 3 split in one of 5 places, and 6 orders
    // of the parts.
    assert_eq!(report.executions, 96, "{report}");
    assert_eq!(report.blocked + report.discarded, 0, "{report}");
    assert!(report.left_out < 100_000, "{report}");
}

/// With a bound that nothing reaches, the search by schedules finds the executions of the search by
/// graphs.
#[test]
fn a_bound_that_nothing_reaches_leaves_nothing_out() {
    let polls = [1, 2, 3, 5, 20].into_iter().flat_map(|most| HINTS.map(|pause| (most, pause)));
    let polls = polls.map(|(most, pause)| {
        let poll = rounds(most, pause);
        (format!("{most} rounds"), Arc::new(move || _ = poll()) as Program)
    });
    for (name, program) in polls.chain(all()) {
        for scheduler in SCHEDULERS {
            let config = Config::new().scheduler(scheduler);
            let [run, again] = [(); 2].map(|()| Arc::clone(&program));
            let all = config.check(move || run());
            let report = config.max_preemptions(1000).check(move || again());
            assert_eq!((report.executions, report.exhaustive), (all.executions, true), "{name}: {report}");
        }
    }
}

/// A block begins where its thread yields: another one comes there for free.
#[test]
fn others_come_where_a_thread_yields() {
    let report = check(0, || {
        let cells = Arc::new([(); 3].map(|()| AtomicUsize::new(0)));
        let other = Arc::clone(&cells);
        thread::spawn(move || {
            cells[0].fetch_add(0, Relaxed);
            thread::yield_now();
            (1..3).for_each(|at| _ = cells[at].fetch_add(0, Relaxed));
        });
        thread::spawn(move || [0, 2].into_iter().for_each(|at| _ = other[at].swap(1, Relaxed)));
    });
    // Before it, behind it, and in the middle.
    assert_eq!(report.executions, 3, "{report}");
}

/// A thread that is created after the event that it conflicts with has its creator in the backtrack
/// set.
#[test]
fn threads_that_are_created_late_are_wanted() {
    let late = || {
        let cell = Arc::new(AtomicUsize::new(0));
        for _ in 0..2 {
            thread::spawn(|| AtomicUsize::new(0).swap(1, Relaxed));
        }
        let [one, other] = [(); 2].map(|()| Arc::clone(&cell));
        thread::spawn(move || {
            AtomicUsize::new(0).swap(1, Relaxed);
            one.swap(1, Relaxed)
        });
        thread::spawn(move || thread::spawn(move || other.swap(2, Relaxed)));
    };
    for scheduler in SCHEDULERS {
        let report = Config::new().scheduler(scheduler).max_preemptions(0).check(late);
        assert_eq!(report.executions, 2, "{scheduler:?}: {report}");
    }
}

/// The points at which a thread yields are not choices: eight threads have 13^8 combinations of
/// such points.
#[test]
fn points_to_yield_are_no_choices() {
    let report = check(1, || {
        let yielders = [(); 8].map(|()| {
            thread::spawn(|| {
                let own = AtomicUsize::new(0);
                for _ in 0..12 {
                    own.fetch_add(1, Relaxed);
                    thread::yield_now();
                }
            })
        });
        yielders.into_iter().for_each(|thread| thread.join().unwrap());
        counter(2, 4)();
    });
    assert_eq!(report.executions, 2 + 2 * 3, "{report}");
    assert!(report.left_out > 0, "{report}");
}

/// A thread that waits yields: this is not a preemption.
#[test]
fn waits_are_no_preemptions() {
    let locks = || {
        let count = Arc::new(Mutex::new(0));
        for _ in 0..3 {
            let count = Arc::clone(&count);
            thread::spawn(move || *count.lock().unwrap() += 1);
        }
    };
    let all = Config::new().check(locks);
    let report = check(0, locks);
    assert_eq!((report.executions, report.exhaustive), (all.executions, true), "{report}");

    let turns = || {
        let turn = Arc::new(AtomicUsize::new(0));
        for own in 0..2 {
            let turn = Arc::clone(&turn);
            thread::spawn(move || {
                for round in 0..2 {
                    await_until(|| turn.load(Acquire) == 2 * round + own);
                    turn.store(2 * round + own + 1, Release);
                }
            });
        }
    };
    let report = check(0, turns);
    assert_eq!((report.executions, report.exhaustive), (1, true), "{report}");

    let spins = || {
        let turn = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&turn);
        thread::spawn(move || {
            while other.load(Acquire) != 1 {
                hint::spin_loop();
            }
            other.store(2, Release);
        });
        turn.store(1, Release);
        while turn.load(Acquire) != 2 {
            hint::spin_loop();
        }
    };
    let (all, report) = (Config::new().check(spins), check(0, spins));
    assert!(all.exhaustive && report.executions > 0, "{report}");
}

#[test]
fn a_condition_is_waited_for_without_preemptions() {
    let report = check(0, || {
        let ready = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&ready);
        thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let mut guard = ready.0.lock().unwrap();
        while !*guard {
            guard = ready.1.wait(guard).unwrap();
        }
    });
    assert!(report.failure.is_none() && report.executions > 0, "{report}");
}

/// A lost addition needs a preemption. Without one allowed, the check may find it, or leave
/// it out.
#[test]
fn errors_within_the_bound_are_found() {
    let lost = || {
        let count = Arc::new(AtomicUsize::new(0));
        let threads = [(); 2].map(|()| {
            let count = Arc::clone(&count);
            thread::spawn(move || {
                let old = count.fetch_add(0, Relaxed);
                count.swap(old + 1, Relaxed);
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(count.load(Relaxed), 2);
    };
    assert!(check(1, lost).failure.is_some());
    let report = check(0, lost);
    assert!(report.failure.is_some() || report.left_out > 0, "{report}");
}

#[model(max_preemptions = 1, fails = "left: 1")]
fn the_attribute_bounds_preemptions() {
    let count = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&count);
    let thread = thread::spawn(move || other.store(other.load(Relaxed) + 1, Relaxed));
    count.store(count.load(Relaxed) + 1, Relaxed);
    thread.join().unwrap();
    assert_eq!(count.load(Relaxed), 2);
}

#[test]
fn looms_bound_is_kept() {
    let runs = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let seen = Arc::clone(&runs);
    let mut builder = Builder::new();
    builder.preemption_bound = Some(0);
    let program = counter(3, 2);
    builder.check(move || {
        seen.fetch_add(1, Relaxed);
        program();
    });
    assert!((6..90).contains(&runs.load(Relaxed)), "{runs:?}");
}
