//! Programs that are not deterministic: by default that is a failure. Otherwise runs that stray
//! continue, and their errors are found.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize as Native, Ordering as NativeOrdering};
use std::time::Duration;

use aqueduct_model::FailureKind::{self, Leak, Liveness, NonDeterminism, Panic, Race};
use aqueduct_model::sync::Mutex;
use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::{Config, Report, ResumeError, hint, model, thread};

use crate::failures::Shared;
use crate::support::passed;

fn tolerant() -> Config {
    Config::new().nondeterminism_fails(false)
}

/// Returns a program whose threads have many executions, and that calls `odd` in its middle in
/// every other run.
fn alternating(odd: impl Fn() + Send + Sync + 'static) -> impl Fn() + Send + Sync + 'static {
    let runs = Native::new(0);
    move || {
        let is_odd = !runs.fetch_add(1, NativeOrdering::Relaxed).is_multiple_of(2);
        let x = Arc::new(AtomicUsize::new(0));
        let handles = [1, 2].map(|value| {
            let x = Arc::clone(&x);
            thread::spawn(move || x.fetch_add(value, Relaxed))
        });
        x.load(Relaxed);
        if is_odd {
            odd();
        } else {
            x.store(9, Relaxed);
        }
        x.load(Acquire);
        for handle in handles {
            handle.join().unwrap();
        }
    }
}

fn found(odd: impl Fn() + Send + Sync + 'static) -> Option<FailureKind> {
    let report = tolerant().check(alternating(odd));
    let failure = report.failure?;
    assert!(failure.message.contains("it went another way than before"), "{failure}");
    assert!(!failure.trace.is_empty());
    Some(failure.kind)
}

/// Returns the report of a check without a failure, in which runs have strayed.
fn strayed(report: Report) -> Report {
    assert!(report.failure.is_none(), "{}", report.failure.unwrap());
    assert!(report.strayed > 0 && report.executions > 0, "{report}");
    assert!(!report.exhaustive && report.to_string().contains("nothing found so far"), "{report}");
    report
}

#[test]
fn by_default_the_first_run_that_strays_is_a_failure() {
    let failure = Config::new().check(alternating(|| ())).failure.expect("every other run is different");
    assert_eq!(failure.kind, NonDeterminism);
}

#[test]
fn runs_that_stray_are_counted_and_the_first_is_told() {
    let report = strayed(tolerant().check(alternating(|| ())));
    let told = report.stray.as_deref().expect("some have strayed");
    assert!(told.contains("what the model does not see") && told.contains("stray.rs"), "{told}");
    assert!(report.to_string().contains(told), "{report}");
}

#[test]
fn several_workers_come_to_the_end_too() {
    strayed(tolerant().jobs(3).check(alternating(|| ())));
}

#[test]
fn deterministic_programs_are_explored_as_always() {
    let program = || {
        let (x, y) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (a, b) = (Arc::clone(&x), Arc::clone(&y));
        let handle = thread::spawn(move || (a.fetch_add(1, SeqCst), b.load(SeqCst)));
        y.store(1, SeqCst);
        x.compare_exchange(0, 2, SeqCst, Relaxed).ok();
        handle.join().unwrap();
    };
    let (strict, tolerant) = (passed(Config::new().check(program)), passed(tolerant().check(program)));
    assert_eq!((strict.executions, strict.events), (tolerant.executions, tolerant.events));
    assert_eq!((tolerant.strayed, tolerant.stray), (0, None));
}

#[test]
fn what_is_wrong_in_a_run_that_has_strayed_is_found() {
    assert_eq!(found(|| ()), None);
    assert_eq!(found(|| panic!("as told")), Some(Panic));
    let race = || {
        let cell = Shared::new();
        let other = cell.clone();
        let handle = thread::spawn(move || other.set(1));
        cell.get();
        handle.join().unwrap();
    };
    assert_eq!(found(race), Some(Race));
    assert_eq!(found(|| std::mem::forget(aqueduct_model::sync::Arc::new(1))), Some(Leak));
    let lock_twice = || {
        let lock = Mutex::new(0);
        let first = lock.lock().unwrap();
        drop(lock.lock().unwrap());
        drop(first);
    };
    assert_eq!(found(lock_twice), Some(Liveness));
    let wait_forever = || {
        let flag = AtomicUsize::new(0);
        while flag.load(Acquire) == 0 {
            hint::spin_loop();
        }
    };
    assert_eq!(found(wait_forever), Some(Liveness));
}

/// A run does less than before: the remaining events of the graph never come.
#[test]
fn a_run_may_do_less_than_before() {
    let runs = Native::new(0);
    let program = move || {
        let is_first = runs.fetch_add(1, NativeOrdering::Relaxed) == 0;
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        let handle = is_first.then(|| thread::spawn(move || y.store(1, Release)));
        x.load(Acquire);
        handle.into_iter().for_each(|handle| handle.join().unwrap());
    };
    strayed(tolerant().check(program));
}

/// Threads that read from each other are replayed in turns, and any of them may stray at any event.
#[test]
fn threads_stray_wherever_they_are() {
    let numbers = Native::new(7);
    let program = move || {
        let next = || {
            let number = numbers.load(NativeOrdering::Relaxed);
            let mixed = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            numbers.store(mixed, NativeOrdering::Relaxed);
            mixed >> 33
        };
        let words = Arc::new([const { AtomicUsize::new(0) }; 3]);
        let handles = [0, 1, 2].map(|thread| {
            let (words, dice) = (Arc::clone(&words), [next(), next(), next(), next()]);
            thread::spawn(move || {
                for die in dice {
                    let word = &words[die % 3];
                    match die / 3 % 5 {
                        0 => word.store(thread, Release),
                        1 => drop(word.load(Acquire)),
                        2 => drop(word.fetch_add(1, Relaxed)),
                        3 => drop(word.compare_exchange_weak(0, 5, SeqCst, Relaxed)),
                        _ => drop(aqueduct_model::sync::Arc::new(die)),
                    }
                }
            })
        });
        for handle in handles {
            handle.join().unwrap();
        }
        assert!(words.iter().all(|word| word.load(Relaxed) < 20));
    };
    let report = strayed(tolerant().max_executions(3_000).check(program));
    assert!(report.strayed > report.executions / 2, "{report}");
}

/// No event of the model ends the wait. The ends of the other threads do.
#[test]
fn a_thread_may_wait_for_the_count_of_an_arc() {
    let wait_for_the_others = || {
        let x = Arc::new(AtomicUsize::new(0));
        let handles = [(); 2].map(|()| {
            let x = Arc::clone(&x);
            thread::spawn(move || x.fetch_add(1, Release))
        });
        while Arc::strong_count(&x) > 1 {
            x.load(Acquire);
            thread::yield_now();
        }
        for handle in handles {
            handle.join().unwrap();
        }
        assert_eq!(x.load(Relaxed), 2);
    };
    assert_eq!(found(wait_for_the_others), None);
}

/// The loop of a thread whose wait no event ends is resumed once more, and ends.
#[test]
fn a_wait_may_end_that_nothing_in_the_execution_ends() {
    let program = || {
        let (x, rounds) = (Arc::new(AtomicUsize::new(0)), Arc::new(Native::new(0)));
        let (y, theirs) = (Arc::clone(&x), Arc::clone(&rounds));
        let handle = thread::spawn(move || {
            while theirs.fetch_add(1, NativeOrdering::Relaxed) < 20_500 {
                y.load(Relaxed);
                hint::spin_loop();
            }
        });
        handle.join().unwrap();
        assert_eq!(x.load(Relaxed), 0);
    };
    assert_eq!(Config::new().check(program).failure.map(|failure| failure.kind), Some(Liveness));
    strayed(tolerant().check(program));
    strayed(tolerant().random(1, 1).check(program));
}

#[test]
fn a_wait_that_goes_on_is_told_as_always() {
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        thread::spawn(move || {
            while y.load(Acquire) != 2 {
                thread::yield_now();
            }
        });
        x.store(1, Release);
    };
    let told = |config: &Config| config.check(program).failure.expect("nobody writes 2").to_string();
    assert_eq!(told(&tolerant()), told(&Config::new()));
}

#[test]
fn what_stays_in_a_static_from_one_run_to_the_next_is_no_failure() {
    static EPOCH: Native = Native::new(0);
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        let handle = thread::spawn(move || {
            for _ in 0..=EPOCH.fetch_add(1, NativeOrdering::Relaxed) % 3 {
                y.fetch_add(1, Release);
            }
        });
        x.load(Acquire);
        handle.join().unwrap();
    };
    strayed(tolerant().check(program));
}

/// loom continues, too. The standard error stream reports that the check is not exhaustive.
#[test]
fn models_stray_and_fail_for_other_reasons_only() {
    model(alternating(|| ()));
    let caught = std::panic::catch_unwind(|| model(alternating(|| panic!("as told"))));
    let text = *caught.expect_err("every other run panics").downcast::<String>().unwrap();
    assert!(text.contains("as told") && text.contains("it went another way than before"), "{text}");
}

#[test]
fn a_check_that_may_stray_is_not_saved() {
    let file = std::env::temp_dir().join(format!("aqueduct-model-stray-{}", std::process::id()));
    let error = tolerant().check_saving(&file, "strays", Duration::MAX, || ()).expect_err("it cannot be resumed");
    assert!(matches!(error, ResumeError::Unsupported), "{error}");
    assert!(!file.exists());
}
