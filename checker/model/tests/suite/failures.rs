//! Failures: the errors that are found, and their texts.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize as Native, Ordering as NativeOrdering};

use aqueduct_model::FailureKind::{Deadlock, NonDeterminism, Panic, Race, TooManyThreads};
use aqueduct_model::cell::UnsafeCell;
use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use aqueduct_model::{Config, MAX_THREADS, model, thread};

use crate::support::{failure, kind};

/// A cell that threads share.
pub(crate) struct Cell(UnsafeCell<i32>);

// SAFETY: The model finds races.
unsafe impl Sync for Cell {}

/// A handle to a cell.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Cell>);

impl Shared {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Cell(UnsafeCell::new(0))))
    }

    pub(crate) fn set(&self, value: i32) {
        // SAFETY: The model finds races before the access happens.
        self.0.0.with_mut(|p| unsafe { *p = value });
    }

    pub(crate) fn get(&self) -> i32 {
        // SAFETY: The model finds races before the access happens.
        self.0.0.with(|p| unsafe { *p })
    }
}

#[test]
fn races() {
    let found = failure(|| {
        let cell = Shared::new();
        let other = cell.clone();
        let handle = thread::spawn(move || other.set(1));
        cell.get();
        handle.join().unwrap();
    });
    let found = found.expect("nothing orders the two");
    assert_eq!(found.kind, Race);
    assert!(found.message.contains("write a by thread 1"), "{found}");
    assert!(found.message.contains("read a by main"), "{found}");
    assert!(found.message.contains("failures.rs"), "{found}");
    let reads = || {
        let cell = Shared::new();
        let other = cell.clone();
        thread::spawn(move || other.get());
        cell.get();
    };
    assert_eq!(kind(reads), None);
}

#[test]
fn a_message_orders_what_it_should() {
    let program = |release, acquire| {
        move || {
            let (cell, flag) = (Shared::new(), Arc::new(AtomicUsize::new(0)));
            let (other, theirs) = (cell.clone(), Arc::clone(&flag));
            thread::spawn(move || {
                other.set(1);
                theirs.store(1, release);
            });
            if flag.load(acquire) == 1 {
                assert_eq!(cell.get(), 1);
            }
        }
    };
    assert_eq!(kind(program(Release, Acquire)), None);
    assert_eq!(kind(program(Relaxed, Acquire)), Some(Race));
    assert_eq!(kind(program(Release, Relaxed)), Some(Race));
}

#[test]
fn an_access_lasts_as_long_as_its_closure() {
    let program = |inside: bool| {
        move || {
            let (cell, flag) = (Shared::new(), Arc::new(AtomicUsize::new(0)));
            let (other, theirs) = (cell.clone(), Arc::clone(&flag));
            thread::spawn(move || {
                other.0.0.with_mut(|p| {
                    if inside {
                        theirs.store(1, Release);
                    }
                    // SAFETY: The model finds races.
                    unsafe { *p = 1 };
                });
                theirs.store(1, Release);
            });
            if flag.load(Acquire) == 1 {
                cell.get();
            }
        }
    };
    assert_eq!(kind(program(false)), None);
    assert_eq!(kind(program(true)), Some(Race));
}

#[test]
fn a_trace_shows_what_the_failure_depends_on_and_nothing_else() {
    let found = failure(|| {
        let (x, y) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (a, b) = (Arc::clone(&x), Arc::clone(&y));
        thread::spawn(move || a.store(1, Release));
        thread::spawn(move || b.store(1, Release));
        assert_eq!(x.load(Acquire), 0, "x has a value");
    });
    let found = found.expect("the load can read 1");
    assert_eq!(found.kind, Panic);
    assert!(found.message.contains("x has a value"), "{found}");
    assert!(found.trace.contains("a.load(Acquire) = 1 from #"), "{found}");
    let rows = found.trace.lines().filter(|l| l.trim_start().starts_with('#')).count();
    assert_eq!(rows, 4, "two spawns, a store, a load:\n{found}");
    assert!(found.to_string().contains("AQUEDUCT_REPLAY='aq1:"), "{found}");
}

#[test]
fn model_panics_with_the_failure() {
    let caught = std::panic::catch_unwind(|| model(|| panic!("as told")));
    let text = *caught.unwrap_err().downcast::<String>().unwrap();
    assert!(text.contains("as told") && text.contains("replay string: aq1:"), "{text}");
}

#[test]
fn programs_that_behave_differently_are_reported_with_the_place() {
    let runs = Arc::new(Native::new(0));
    let found = failure(move || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        thread::spawn(move || y.store(1, Relaxed));
        if runs.fetch_add(1, NativeOrdering::Relaxed).is_multiple_of(2) {
            x.load(Relaxed);
        } else {
            x.store(3, Relaxed);
        }
        x.load(Acquire);
    });
    let found = found.expect("every other run is different");
    assert_eq!(found.kind, NonDeterminism);
    assert!(found.message.contains("what the model does not see"), "{found}");
    assert!(found.message.contains("failures.rs"), "{found}");
}

#[test]
fn threads_that_join_each_other_are_deadlocked() {
    use std::sync::Mutex;
    type Slot = Arc<Mutex<Option<thread::JoinHandle<()>>>>;
    let found = kind(|| {
        let slot: Slot = Slot::default();
        let theirs = Arc::clone(&slot);
        let ready = Arc::new(AtomicUsize::new(0));
        let go = Arc::clone(&ready);
        let first = thread::spawn(move || {
            aqueduct_model::await_until(|| go.load(Acquire) == 1);
            let second = theirs.lock().unwrap().take().unwrap();
            second.join().unwrap();
        });
        let second = thread::spawn(move || first.join().unwrap());
        *slot.lock().unwrap() = Some(second);
        ready.store(1, Release);
    });
    assert_eq!(found, Some(Deadlock));
}

#[test]
fn too_many_threads() {
    let found = kind(|| {
        for _ in 0..MAX_THREADS {
            thread::spawn(|| {});
        }
    });
    assert_eq!(found, Some(TooManyThreads));
}

#[test]
fn a_panic_in_a_scope_ends_the_execution() {
    let found = kind(|| {
        let x = AtomicUsize::new(0);
        thread::scope(|scope| {
            scope.spawn(|| x.store(1, Relaxed));
            assert_eq!(x.load(Relaxed), 0);
        });
    });
    assert_eq!(found, Some(Panic));
}

#[test]
#[should_panic(expected = "not a replay string: byte 5 is wrong")]
fn bad_replay_strings_are_refused() {
    let _ = Config::new().replay("aq1:0X").check(|| {});
}
