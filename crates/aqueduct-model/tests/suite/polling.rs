//! Loops that poll: who tries and yields does not keep others from what it waits for.

use std::sync::Arc;
use std::time::Duration;

use aqueduct_model::FailureKind::{Panic, Unexplored};
use aqueduct_model::model::Builder;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use aqueduct_model::sync::atomic::{AtomicBool, AtomicUsize};
use aqueduct_model::sync::{Condvar, Mutex, RwLock, mpsc};
use aqueduct_model::{Config, thread};

use crate::support::SCHEDULERS;

/// Programs that panic in every execution that comes to its end.
const PROGRAMS: [(&str, fn()); 12] = [
    ("main polls a mutex", || {
        let (lock, other) = two(Mutex::new(0));
        let setter = thread::spawn(move || *other.lock().unwrap() += 1);
        poll(|| *lock.lock().unwrap() == 1);
        setter.join().unwrap();
        reached();
    }),
    ("a child polls a mutex", || {
        let (lock, other) = two(Mutex::new(0));
        let poller = thread::spawn(move || {
            poll(|| *other.lock().unwrap() == 1);
            reached();
        });
        *lock.lock().unwrap() += 1;
        poller.join().unwrap();
    }),
    ("a child polls a mutex that another sets", || {
        let (lock, other) = two(Mutex::new(0));
        let poller = thread::spawn(move || {
            poll(|| *other.lock().unwrap() == 1);
            reached();
        });
        let setter = thread::spawn(move || *lock.lock().unwrap() += 1);
        poller.join().unwrap();
        setter.join().unwrap();
    }),
    ("main pops behind a mutex", || {
        let (stack, other) = two(Mutex::new(Vec::new()));
        let pusher = thread::spawn(move || other.lock().unwrap().push(1));
        let mut popped = None;
        poll(|| {
            popped = stack.lock().unwrap().pop();
            popped.is_some()
        });
        pusher.join().unwrap();
        assert_eq!(popped, None, "reached");
    }),
    ("main polls a reader-writer lock", || {
        let (lock, other) = two(RwLock::new(0));
        let setter = thread::spawn(move || *other.write().unwrap() += 1);
        poll(|| *lock.read().unwrap() == 1);
        setter.join().unwrap();
        reached();
    }),
    ("main tries to lock", || {
        let (lock, other) = two(Mutex::new(0));
        let setter = thread::spawn(move || *other.lock().unwrap() += 1);
        poll(|| lock.try_lock().is_ok_and(|value| *value == 1));
        setter.join().unwrap();
        reached();
    }),
    ("main tries to receive", || {
        let (sender, receiver) = mpsc::channel();
        let sending = thread::spawn(move || sender.send(1).unwrap());
        poll(|| receiver.try_recv().is_ok());
        sending.join().unwrap();
        reached();
    }),
    ("main waits for a condition", || {
        let (pair, other) = two((Mutex::new(0), Condvar::new()));
        let setter = thread::spawn(move || {
            *other.0.lock().unwrap() += 1;
            other.1.notify_one();
        });
        drop(pair.1.wait_while(pair.0.lock().unwrap(), |value| *value == 0).unwrap());
        setter.join().unwrap();
        reached();
    }),
    ("main polls a flag that is set after a mutex", || {
        let (both, other) = two((Mutex::new(0), AtomicBool::new(false)));
        let setter = thread::spawn(move || {
            *other.0.lock().unwrap() += 1;
            other.1.store(true, Release);
        });
        poll(|| both.1.load(Acquire));
        setter.join().unwrap();
        reached();
    }),
    ("main polls by adding 0, the child locks first", || {
        let (both, other) = two((Mutex::new(0), AtomicUsize::new(0)));
        let setter = thread::spawn(move || {
            *other.0.lock().unwrap() += 1;
            other.1.store(1, Release);
        });
        poll(|| both.1.fetch_add(0, AcqRel) == 1);
        setter.join().unwrap();
        reached();
    }),
    ("main polls by a swap", || {
        let (flag, other) = two(AtomicBool::new(false));
        let setter = thread::spawn(move || other.store(true, Release));
        poll(|| flag.swap(false, AcqRel));
        setter.join().unwrap();
        reached();
    }),
    ("two pollers wait for each other's locks", || {
        let (locks, other) = two((Mutex::new(0), Mutex::new(0)));
        let answer = thread::spawn(move || {
            poll(|| *other.0.lock().unwrap() == 1);
            *other.1.lock().unwrap() = 1;
        });
        *locks.0.lock().unwrap() = 1;
        poll(|| *locks.1.lock().unwrap() == 1);
        answer.join().unwrap();
        reached();
    }),
];

fn two<T>(value: T) -> (Arc<T>, Arc<T>) {
    let one = Arc::new(value);
    (Arc::clone(&one), one)
}

fn reached() {
    panic!("reached");
}

fn poll(mut done: impl FnMut() -> bool) {
    while !done() {
        thread::yield_now();
    }
}

#[test]
fn what_comes_after_a_poll_is_reached() {
    for (name, program) in PROGRAMS {
        for scheduler in SCHEDULERS {
            let failure = Config::new().yield_bound(4).scheduler(scheduler).check(program).failure;
            let failure = failure.unwrap_or_else(|| panic!("{name} passes, {scheduler:?}"));
            assert_eq!(failure.kind, Panic, "{name}, {scheduler:?}: {failure}");
        }
        let failure = Config::new().check(program).failure.unwrap_or_else(|| panic!("{name} passes without a bound"));
        assert_eq!(failure.kind, Panic, "{name}, without a bound: {failure}");
    }
}

/// One thread that polls for what others do, in several steps each.
fn polls_for(threads: usize, items: usize) -> impl Fn() + Send + Sync + 'static {
    move || {
        let (both, _) = two((Mutex::new(Vec::new()), AtomicUsize::new(0)));
        let senders: Vec<_> = (0..threads)
            .map(|_| {
                let both = Arc::clone(&both);
                thread::spawn(move || {
                    for item in 0..items {
                        both.0.lock().unwrap().push(item);
                        both.1.fetch_add(1, AcqRel);
                    }
                })
            })
            .collect();
        poll(|| {
            both.0.lock().unwrap().clear();
            both.1.fetch_add(0, AcqRel) == threads * items
        });
        senders.into_iter().for_each(|sender| sender.join().unwrap());
    }
}

#[test]
fn a_cut_ends_a_thread_and_not_the_execution() {
    for (threads, items) in [(1, 1), (1, 8), (2, 1), (2, 4), (3, 1)] {
        for bound in [1, 4] {
            let config = Config::new().yield_bound(bound).max_executions(200).time_limit(Duration::from_secs(5));
            let report = config.check(polls_for(threads, items));
            assert!(report.failure.is_none(), "{}", report.failure.unwrap());
            assert!(report.executions > 0 && !report.exhaustive, "{threads} x {items}, {bound} rounds: {report}");
        }
    }
}

/// A lock that is polled for once more is one execution more.
#[test]
fn each_number_of_rounds_up_to_the_bound_is_explored() {
    for bound in 1..6 {
        let report = Config::new().yield_bound(bound).check(|| {
            let (flag, other) = two(AtomicUsize::new(0));
            thread::spawn(move || other.fetch_add(1, Relaxed));
            poll(|| flag.fetch_add(0, Relaxed) == 1);
        });
        assert!(report.failure.is_none(), "{}", report.failure.unwrap());
        assert_eq!((report.executions, report.cut, report.exhaustive), (u64::from(bound) + 1, 1, false));
    }
}

#[test]
fn a_check_in_which_no_execution_ends_fails() {
    // It yields for longer than the bound says.
    let endless = || {
        let (lock, _) = two(Mutex::new(0));
        poll(|| *lock.lock().unwrap() == 1);
    };
    let failure = Config::new().yield_bound(4).check(endless).failure.expect("it has no end");
    assert_eq!(failure.kind, Unexplored);
    assert!(failure.message.contains("no execution came to its end"), "{failure}");
    assert!(failure.message.contains("main went on waiting after 4 rounds"), "{failure}");
    let again = Config::new().yield_bound(4).replay(&failure.replay).check(endless).failure.expect("it has no end");
    assert_eq!((again.kind, again.trace), (Unexplored, failure.trace));
    // loom's interface says so, too.
    let caught = std::panic::catch_unwind(|| Builder::new().check(endless)).expect_err("it has no end");
    let text = caught.downcast::<String>().expect("a message");
    assert!(text.contains("no execution came to its end"), "{text}");
    let limited = Config::new().random(3, 1).yield_bound(4).check(endless).failure.expect("it has no end");
    assert_eq!(limited.kind, Unexplored);
}
