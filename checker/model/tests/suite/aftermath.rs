//! Runs without an execution of their own, as the program sees them: threads run to their ends.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool as Native;

use aqueduct_model::FailureKind::{Liveness, Panic};
use aqueduct_model::sync::Mutex;
use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use aqueduct_model::{Config, await_until, on_record, thread};

use crate::support::passed;

/// A value that loads an atomic when it is dropped, as guards do, and then runs a check.
struct Looks<F: FnMut(usize)>(Arc<AtomicUsize>, F);

impl<F: FnMut(usize)> Drop for Looks<F> {
    fn drop(&mut self) {
        let value = self.0.load(Acquire);
        (self.1)(value);
    }
}

/// Returns a program with a thread that is often left waiting, with a guard on its stack.
fn waits_with(guard: impl Fn(usize) + Copy + Send + Sync + 'static) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        let waiter = thread::spawn(move || {
            let _looks = Looks(Arc::clone(&y), guard);
            while y.load(Acquire) & 1 == 0 {
                thread::yield_now();
            }
        });
        x.fetch_add(1, Release);
        x.fetch_add(2, Release);
        waiter.join().unwrap();
    }
}

#[test]
fn no_destructor_sees_a_panic_that_is_not_the_programs() {
    let program = waits_with(|_| assert!(!std::thread::panicking() && !thread::panicking()));
    let report = passed(Config::new().check(program));
    assert!(report.blocked + report.discarded > 0, "a run is given up: {report}");
    assert!(!std::thread::panicking());
}

#[test]
fn a_bug_behind_a_look_at_panicking_is_found_after_any_other_check() {
    let buggy = waits_with(|value| assert!(std::thread::panicking() || value != 3, "the counter was 3"));
    for _ in 0..3 {
        passed(Config::new().check(waits_with(|_| ())));
        let failure = Config::new().check(buggy.clone()).failure.expect("it can be 3");
        assert!(failure.message.contains("the counter was 3"), "{failure}");
        assert!(!std::thread::panicking());
    }
}

#[test]
fn a_program_that_catches_panics_catches_none_of_the_checkers() {
    passed(Config::new().check(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        let waiter = thread::spawn(move || {
            let result = std::panic::catch_unwind(|| await_until(|| y.load(Acquire) == 2));
            assert!(result.is_ok());
        });
        x.store(1, Release);
        x.store(2, Release);
        waiter.join().unwrap();
    }));
}

#[test]
fn what_a_program_sees_of_panicking_is_the_same_in_every_run() {
    let spoiled = Arc::new(Native::new(false));
    let seen = Arc::clone(&spoiled);
    passed(Config::new().check(move || {
        seen.fetch_or(std::thread::panicking(), std::sync::atomic::Ordering::Relaxed);
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        let other = thread::spawn(move || {
            let _looks = Looks(Arc::clone(&y), |_| ());
            let _ = y.compare_exchange(0, 5, AcqRel, Acquire);
            y.fetch_add(1, Relaxed);
        });
        let _looks = Looks(Arc::clone(&x), |_| ());
        x.fetch_add(1, Relaxed);
        x.swap(10, Release);
        other.join().unwrap();
    }));
    assert!(!spoiled.load(std::sync::atomic::Ordering::Relaxed));
}

std::thread_local! {
    static ALIVE: Cell<i32> = const { Cell::new(0) };
}

/// A value that counts its instances.
struct Counted;

impl Counted {
    fn new() -> Self {
        ALIVE.set(ALIVE.get() + 1);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        ALIVE.set(ALIVE.get() - 1);
    }
}

#[test]
fn the_values_of_executions_that_do_not_fail_are_dropped() {
    let report = passed(Config::new().check(|| {
        let _held = Counted::new();
        let shared = Arc::new((Mutex::new(Counted::new()), AtomicUsize::new(0)));
        let others: Vec<_> = (0..2)
            .map(|_| {
                let (shared, held) = (Arc::clone(&shared), Counted::new());
                thread::spawn(move || {
                    *shared.0.lock().unwrap() = Counted::new();
                    shared.1.fetch_add(1, Release);
                    while shared.1.load(Acquire) < 2 {
                        thread::yield_now();
                    }
                    drop(held);
                })
            })
            .collect();
        others.into_iter().for_each(|other| other.join().unwrap());
    }));
    assert!(report.blocked + report.discarded > 0, "{report}");
    assert_eq!(ALIVE.get(), 0);
}

/// If waiting forever is not a failure, the threads that wait are killed when the execution has
/// been reported.
#[test]
fn the_values_of_threads_that_wait_forever_are_dropped() {
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        thread::spawn(move || {
            let _held = (Counted::new(), Looks(Arc::clone(&y), |_| ()));
            await_until(|| y.load(Relaxed) == 2);
        });
        x.store(1, Relaxed);
    };
    let report = passed(Config::new().waits_fail(false).check(program));
    assert!(report.threads[1].waiting > 0);
    assert_eq!(ALIVE.get(), 0);
    let report = passed(Config::new().suspend(1, 0).check(program));
    assert!(report.threads[1].halted > 0);
    assert_eq!(ALIVE.get(), 0);
    assert!(!std::thread::panicking());
}

/// The threads of a failed execution are left as they are, and pinned values on their stacks keep
/// their memory: their destructors might see a state that the program cannot be in.
#[test]
fn the_threads_of_an_execution_that_fails_stay_as_they_are() {
    let program = |ends: bool| {
        move || {
            let x = Arc::new(AtomicUsize::new(0));
            let y = Arc::clone(&x);
            thread::spawn(move || {
                let pinned = std::pin::pin!([Counted::new()]);
                let _looks = Looks(Arc::clone(&y), |_| panic!("dropped in the middle of everything"));
                y.store(1, Relaxed);
                await_until(|| y.load(Relaxed) == 2);
                assert_eq!(pinned.len(), 1);
            });
            await_until(|| x.load(Relaxed) == 1);
            assert!(!ends, "as told");
        }
    };
    for (ends, kind) in [(true, Panic), (false, Liveness)] {
        let failure = Config::new().check(program(ends)).failure.expect("main panics, or nobody stores 2");
        assert_eq!(failure.kind, kind, "{failure}");
        assert_eq!(ALIVE.replace(0), 1);
        assert!(!std::thread::panicking());
    }
}

#[test]
fn a_thread_that_fails_while_another_unwinds_leaves_no_panic_behind() {
    let report = Config::new().check(|| {
        let x = Arc::new(AtomicUsize::new(0));
        for _ in 0..2 {
            let y = Arc::clone(&x);
            thread::spawn(move || {
                let _looks = Looks(Arc::clone(&y), |_| ());
                assert_eq!(y.load(Relaxed), 1, "as told");
            });
        }
    });
    assert!(report.failure.is_some());
    assert!(!std::thread::panicking());
}

/// Only explored executions are on record, and each of them once.
#[test]
fn a_program_can_tell_what_is_on_record() {
    let ends = Arc::new(std::sync::atomic::AtomicU64::new(0));
    let seen = Arc::clone(&ends);
    let report = passed(Config::new().check(move || {
        let lock = Arc::new(Mutex::new(0));
        let others: Vec<_> = (0..2)
            .map(|_| {
                let lock = Arc::clone(&lock);
                thread::spawn(move || *lock.lock().unwrap() += 1)
            })
            .collect();
        others.into_iter().for_each(|other| other.join().unwrap());
        assert_eq!(*lock.lock().unwrap(), 2);
        if on_record() {
            seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    }));
    assert_eq!(ends.load(std::sync::atomic::Ordering::Relaxed), report.executions);
    assert!(on_record(), "outside of a model, everything is");
}
