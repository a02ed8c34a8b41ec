//! Threads of `std` that use the objects of an execution: their operations would not be explored.

use std::sync::atomic::{AtomicBool as NativeBool, Ordering as Native};
use std::sync::{Arc, Barrier as NativeBarrier};

use aqueduct_model::FailureKind::UnknownThread;
use aqueduct_model::cell::UnsafeCell;
use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::{Relaxed, SeqCst};
use aqueduct_model::sync::{Mutex, mpsc};
use aqueduct_model::{Config, Report, thread};

use crate::support::passed;

fn is_told(report: &Report, line: u32) {
    let failure = report.failure.as_ref().expect("a thread of std takes part");
    assert_eq!(failure.kind, UnknownThread, "{failure}");
    let place = format!("real_threads.rs:{line}:");
    for part in ["aqueduct_model::thread::spawn", "std::thread::spawn", &place] {
        assert!(failure.message.contains(part), "{failure}");
    }
    assert!(!report.exhaustive);
}

#[test]
fn a_thread_of_std_that_uses_an_atomic_fails_the_check() {
    const LINE: u32 = line!() + 5;
    let report = Config::new().check(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        x.store(1, Relaxed);
        std::thread::spawn(move || y.fetch_add(1, SeqCst)).join().unwrap();
    });
    is_told(&report, LINE);
}

/// The execution comes to the object after the other thread.
#[test]
fn a_thread_of_std_that_comes_first_fails_the_check() {
    const LINE: u32 = line!() + 4;
    let report = Config::new().check(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        std::thread::spawn(move || y.store(1, SeqCst)).join().unwrap();
        assert_eq!(x.load(SeqCst), 0, "the model knows nothing of the store");
    });
    is_told(&report, LINE);
}

/// The thread may be the reason for any other error.
#[test]
fn a_thread_of_std_is_told_in_place_of_what_it_leads_to() {
    let lost_update = || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        let other = std::thread::spawn(move || y.store(y.load(SeqCst) + 1, SeqCst));
        x.store(x.load(SeqCst) + 1, SeqCst);
        other.join().unwrap();
        assert_eq!(x.load(SeqCst), 2, "lost update");
    };
    let waits = || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        x.load(Relaxed);
        std::thread::spawn(move || y.store(1, SeqCst)).join().unwrap();
        aqueduct_model::await_until(|| x.load(SeqCst) == 1);
    };
    for program in [lost_update, waits] {
        for config in [Config::new(), Config::new().nondeterminism_fails(false), Config::new().max_preemptions(2)] {
            let failure = config.check(program).failure.expect("a thread of std takes part");
            assert_eq!(failure.kind, UnknownThread, "{failure}");
        }
    }
}

#[test]
fn threads_of_std_that_use_other_objects_fail_the_check() {
    let kind = |report: Report| report.failure.expect("a thread of std takes part").kind;
    let locks = Config::new().check(|| {
        let x = Arc::new(Mutex::new(0));
        let y = Arc::clone(&x);
        *x.lock().unwrap() += 1;
        std::thread::spawn(move || *y.lock().unwrap() += 1).join().unwrap();
    });
    assert_eq!(kind(locks), UnknownThread);
    struct Shared(UnsafeCell<usize>);
    // SAFETY: The threads take turns.
    unsafe impl Sync for Shared {}
    let cells = Config::new().check(|| {
        let x = Arc::new(Shared(UnsafeCell::new(0)));
        let y = Arc::clone(&x);
        let other = std::thread::spawn(move || {
            let cell = &y.0;
            cell.with(|value| value as usize)
        });
        other.join().unwrap();
        x.0.with_mut(|_| ());
    });
    assert_eq!(kind(cells), UnknownThread);
    let channels = Config::new().check(|| {
        let (sender, receiver) = mpsc::channel();
        sender.send(1).unwrap();
        std::thread::spawn(move || sender.send(2).is_ok()).join().unwrap();
        assert_eq!(receiver.recv(), Ok(1));
    });
    assert_eq!(kind(channels), UnknownThread);
}

/// Outside of models the objects are plain ones. Here other threads use some during checks.
#[test]
fn objects_outside_of_executions_are_for_every_thread() {
    static STATIC: AtomicUsize = AtomicUsize::new(0);
    let captured = Arc::new(AtomicUsize::new(0));
    captured.store(3, Relaxed);
    let (over, begun) = (Arc::new(NativeBool::new(false)), Arc::new(NativeBarrier::new(3)));
    let others = [(); 2].map(|()| {
        let (over, begun) = (Arc::clone(&over), Arc::clone(&begun));
        std::thread::spawn(move || {
            begun.wait();
            let mut checks = 0;
            while !over.load(Native::Relaxed) {
                // An object of this thread alone, one that it gives to a check, and one that others
                // have, too.
                let own = Arc::new(AtomicUsize::new(1));
                own.fetch_add(1, Relaxed);
                let given = Arc::clone(&own);
                let (sender, receiver) = mpsc::channel();
                sender.send(1).unwrap();
                assert_eq!(receiver.recv(), Ok(1));
                STATIC.load(Relaxed);
                passed(Config::new().check(move || assert_eq!(given.load(Relaxed), 2)));
                own.fetch_add(1, Relaxed);
                checks += 1;
            }
            checks
        })
    });
    begun.wait();
    for _ in 0..200 {
        let shared = Arc::clone(&captured);
        passed(Config::new().jobs(2).check(move || {
            let (x, shared) = (Arc::new(AtomicUsize::new(0)), Arc::clone(&shared));
            let y = Arc::clone(&x);
            let other = thread::spawn(move || y.fetch_add(shared.load(Relaxed), Relaxed));
            x.fetch_add(STATIC.fetch_add(1, Relaxed), Relaxed);
            other.join().unwrap();
        }));
        // The check is over.
        assert_eq!(captured.load(Relaxed), 3);
    }
    over.store(true, Native::Relaxed);
    for other in others {
        assert!(other.join().unwrap() > 0);
    }
}
