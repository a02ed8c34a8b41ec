//! `Once`, `OnceLock` and `LazyLock`: their guarantees, and their numbers of executions.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use aqueduct_model::cell::UnsafeCell;
use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::Relaxed;
use aqueduct_model::sync::{Arc as Counted, LazyLock, Once, OnceLock};
use aqueduct_model::{Config, FailureKind, thread};

use crate::support::{SCHEDULERS, Seen, passed};

/// A cell that the initialisation writes, and every caller reads afterwards.
struct Made(Once, UnsafeCell<usize>);

// SAFETY: the model reports a race if `Once` does not order the accesses.
unsafe impl Send for Made {}
// SAFETY: the model reports a race if `Once` does not order the accesses.
unsafe impl Sync for Made {}

impl Made {
    fn new() -> Arc<Self> {
        Arc::new(Self(Once::new(), UnsafeCell::new(0)))
    }

    fn init(&self) {
        // SAFETY: the model reports races.
        self.0.call_once(|| self.1.with_mut(|value| unsafe { *value += 1 }));
    }

    fn read(&self) -> usize {
        // SAFETY: the model reports races.
        self.1.with(|value| unsafe { *value })
    }
}

/// Any thread makes the call, and each other one waits for its end or comes after it.
#[test]
fn one_call_is_made_and_happens_before_all_returns() {
    for (threads, executions) in [(1, 1), (2, 4), (3, 12)] {
        for scheduler in SCHEDULERS {
            let report = passed(Config::new().scheduler(scheduler).check(move || {
                let made = Made::new();
                let threads: Vec<_> = (0..threads)
                    .map(|_| {
                        let made = Arc::clone(&made);
                        thread::spawn(move || {
                            made.init();
                            assert_eq!(made.read(), 1);
                        })
                    })
                    .collect();
                threads.into_iter().for_each(|thread| thread.join().unwrap());
            }));
            assert_eq!(report.executions, executions, "{threads} threads, {scheduler:?}");
        }
    }
}

#[test]
fn completed_and_waited_for_means_written() {
    let seen = Seen::default();
    let note = seen.clone();
    passed(Config::new().check(move || {
        let made = Made::new();
        let maker = Arc::clone(&made);
        let waiter = Arc::clone(&made);
        let threads = [
            thread::spawn(move || maker.init()),
            thread::spawn(move || {
                waiter.0.wait();
                assert_eq!(waiter.read(), 1);
            }),
        ];
        note.note(if made.0.is_completed() { made.read() } else { 7 });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }));
    assert_eq!(seen.all(), [1, 7]);
}

#[test]
fn a_call_that_panics_poisons_and_can_be_forced() {
    passed(Config::new().check(|| {
        let once = Once::new();
        assert!(catch_unwind(AssertUnwindSafe(|| once.call_once(|| panic!("on purpose")))).is_err());
        assert!(catch_unwind(AssertUnwindSafe(|| once.call_once(|| unreachable!()))).is_err());
        assert!(catch_unwind(AssertUnwindSafe(|| once.wait())).is_err());
        assert!(!once.is_completed());
        once.call_once_force(|state| assert!(state.is_poisoned()));
        once.call_once(|| unreachable!("the forced call has ended"));
        once.wait_force();
        assert!(once.is_completed());
    }));
}

#[test]
fn a_call_within_itself_waits_for_good() {
    let report = Config::new().check(|| {
        let once = Once::new();
        once.call_once(|| once.call_once(|| ()));
    });
    assert_eq!(report.failure.expect("std's waits, too").kind, FailureKind::Liveness);
}

#[test]
fn of_several_values_one_is_set() {
    let seen = Seen::default();
    let note = seen.clone();
    let report = passed(Config::new().check(move || {
        let cell = Arc::new(OnceLock::new());
        let threads = [1, 2].map(|value| {
            let cell = Arc::clone(&cell);
            thread::spawn(move || cell.set(Counted::new(value)).map_err(|back| *back))
        });
        let [first, second] = threads.map(|thread| thread.join().unwrap());
        let value = **cell.get().expect("two threads have set it");
        assert_eq!([first, second], if value == 1 { [Ok(()), Err(2)] } else { [Err(1), Ok(())] });
        note.note(value);
        assert_eq!(**Arc::into_inner(cell).expect("the threads have ended").get_mut().expect("it is there"), value);
    }));
    assert_eq!(seen.all(), [1, 2]);
    assert_eq!(report.executions, 4);
}

#[test]
fn a_cell_stays_empty_if_the_function_panics_and_can_be_emptied() {
    passed(Config::new().check(|| {
        let mut cell = OnceLock::new();
        assert!(catch_unwind(AssertUnwindSafe(|| *cell.get_or_init(|| panic!("on purpose")))).is_err());
        assert_eq!((cell.get(), cell.get_or_init(|| 3)), (None, &3));
        assert_eq!(cell.clone(), OnceLock::from(3));
        assert_eq!((cell.take(), cell.get_mut()), (Some(3), None));
        assert_eq!((cell.set(4), cell.set(5), cell.wait()), (Ok(()), Err(5), &4));
        assert_eq!((cell.into_inner(), OnceLock::<u8>::default().into_inner()), (Some(4), None));
    }));
}

#[test]
fn a_value_that_is_in_a_cell_is_dropped_with_it_and_no_leak_is_overlooked() {
    let program = |forgets: bool| {
        move || {
            let cell = OnceLock::new();
            cell.get_or_init(|| Counted::new(1));
            drop(cell);
            if forgets {
                std::mem::forget(Counted::new(2));
            }
        }
    };
    passed(Config::new().check(program(false)));
    assert_eq!(Config::new().check(program(true)).failure.expect("one is forgotten").kind, FailureKind::Leak);
}

#[test]
fn statics_are_made_anew_in_each_execution() {
    static CELL: OnceLock<Counted<AtomicUsize>> = OnceLock::new();
    static LAZY: LazyLock<AtomicUsize> = LazyLock::new(|| AtomicUsize::new(10));

    let report = passed(Config::new().check(|| {
        let count = || {
            CELL.get_or_init(|| Counted::new(AtomicUsize::new(0))).fetch_add(1, Relaxed);
            LAZY.fetch_add(1, Relaxed);
        };
        let thread = thread::spawn(count);
        count();
        thread.join().unwrap();
        assert_eq!((CELL.wait().load(Relaxed), LAZY.load(Relaxed)), (2, 12));
    }));
    assert!(report.executions > 4);
}

#[test]
fn a_lazy_value_is_poisoned_by_a_panic() {
    passed(Config::new().check(|| {
        let lazy: LazyLock<u8, _> = LazyLock::new(|| panic!("on purpose"));
        for _ in 0..2 {
            assert!(catch_unwind(AssertUnwindSafe(|| *lazy)).is_err());
        }
    }));
}

/// A closure can be called once, so the second execution has none.
#[test]
fn a_lazy_value_with_a_state_does_not_outlive_an_execution() {
    let text = String::from("made");
    let lazy = Arc::new(LazyLock::new(move || text));
    let report = Config::new().check(move || {
        let other = Arc::clone(&lazy);
        let thread = thread::spawn(move || assert_eq!(**other, "made"));
        assert_eq!(**lazy, "made");
        thread.join().unwrap();
    });
    let failure = report.failure.expect("there are several executions").to_string();
    assert!(failure.contains("make it in each execution"), "{failure}");
}

#[test]
fn they_work_outside_of_a_model() {
    let lazy = LazyLock::new(|| String::from("made"));
    assert_eq!((lazy.as_str(), LazyLock::force(&lazy).len()), ("made", 4));
    let cell = OnceLock::from(Box::new(3));
    assert_eq!(cell.into_inner(), Some(Box::new(3)));
    let once = Once::new();
    once.call_once(|| ());
    once.wait();
    assert!(once.is_completed());
}
