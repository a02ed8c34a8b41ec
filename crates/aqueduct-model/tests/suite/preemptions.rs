//! The bound on preemptions: what counts, and what the report says. `aqueduct-litmus` compares it with brute force.

use std::sync::Arc;
use std::time::Duration;

use aqueduct_model::model::Builder;
use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use aqueduct_model::sync::{Condvar, Mutex};
use aqueduct_model::{Config, Report, await_until, hint, model, thread};

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

/// Two threads' additions alternate in C(2n, n) ways, of which those with few switches are known.
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
        let estimate = Config::new().max_preemptions(preemptions).estimate(10, 0, Duration::MAX, counter(2, 4));
        assert!(estimate.low <= executions as f64 && executions as f64 <= estimate.high, "{estimate}");
    }
    let all = check(6, counter(2, 4));
    assert_eq!((all.executions, all.exhaustive, all.left_out), (70, true, 0));
}

/// Programs of many executions have few within a bound, and the search does not go through the others.
#[test]
fn the_others_are_not_visited() {
    let report = check(1, counter(3, 6));
    // Of some 17 million: 6 orders of the threads; one of 3 split in one of 5 places, and 6 orders of the parts.
    assert_eq!(report.executions, 96, "{report}");
    assert_eq!(report.blocked + report.discarded, 0, "{report}");
    assert!(report.left_out < 100_000, "{report}");
}

/// The points at which a thread gives way are no choices: eight threads have 13^8 combinations of such points.
#[test]
fn points_to_give_way_are_no_choices() {
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

/// A thread that waits gives way: this is no preemption.
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

/// A lost addition needs a preemption. Without one allowed, the check may come across it, or leave it out.
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
