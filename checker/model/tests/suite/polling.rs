//! Loops that poll: a thread that tries and yields does not block the thread that it waits for.

use std::sync::Arc;
use std::time::Duration;

use aqueduct_model::FailureKind::{Panic, Unexplored};
use aqueduct_model::model::Builder;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use aqueduct_model::sync::atomic::{AtomicBool, AtomicUsize};
use aqueduct_model::sync::{Condvar, Mutex, RwLock, mpsc};
use aqueduct_model::{Config, Report, thread};

use crate::support::{SCHEDULERS, passed};

/// Programs that panic in every complete execution.
const PROGRAMS: [(&str, fn()); 15] = [
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
    ("main waits for a condition, a moment at a time", || {
        let (pair, other) = two((Mutex::new(0), Condvar::new()));
        let setter = thread::spawn(move || {
            *other.0.lock().unwrap() += 1;
            other.1.notify_one();
        });
        let mut value = pair.0.lock().unwrap();
        while *value == 0 {
            value = pair.1.wait_timeout(value, MOMENT).unwrap().0;
        }
        drop(value);
        setter.join().unwrap();
        reached();
    }),
    ("main parks, a moment at a time", || {
        let (flag, other) = two(AtomicBool::new(false));
        let main = thread::current();
        let setter = thread::spawn(move || {
            other.store(true, Release);
            main.unpark();
        });
        while !flag.load(Acquire) {
            thread::park_timeout(MOMENT);
        }
        setter.join().unwrap();
        reached();
    }),
    ("main receives, a moment at a time", || {
        let (sender, receiver) = mpsc::channel();
        let sending = thread::spawn(move || sender.send(1).unwrap());
        while receiver.recv_timeout(MOMENT).is_err() {}
        sending.join().unwrap();
        reached();
    }),
];

/// Any time will do, because the model has no time.
const MOMENT: Duration = Duration::from_millis(1);

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

/// Returns a program with one thread that polls for the work of others, in several steps each.
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

/// A thread that waits a moment at a time has the executions of a thread that tries and yields.
#[test]
fn a_time_out_is_a_hint() {
    fn until(parked: bool) -> impl Fn() + Send + Sync + 'static {
        move || {
            let (flag, other) = two(AtomicBool::new(false));
            thread::spawn(move || other.store(true, Release));
            while !flag.load(Acquire) {
                if parked { thread::park_timeout(MOMENT) } else { thread::yield_now() }
            }
        }
    }
    fn received(patient: bool) -> impl Fn() + Send + Sync + 'static {
        move || {
            let (sender, receiver) = mpsc::channel();
            thread::spawn(move || sender.send(1).unwrap());
            if patient {
                while receiver.recv_timeout(MOMENT).is_err() {}
            } else {
                poll(|| receiver.try_recv().is_ok());
            }
        }
    }
    for scheduler in SCHEDULERS {
        let executions =
            |program: &dyn Fn(bool) -> Report| [true, false].map(|timed| passed(program(timed)).executions);
        let check = Config::new().scheduler(scheduler);
        assert_eq!(executions(&|timed| check.check(until(timed))), [2, 2], "{scheduler:?}");
        assert_eq!(executions(&|timed| check.check(received(timed))), [2, 2], "{scheduler:?}");
    }
}

/// A wait with repeated timeouts is a poll.
#[test]
fn a_condition_that_times_out_again_and_again_is_cut() {
    for scheduler in SCHEDULERS {
        let report = Config::new().yield_bound(4).scheduler(scheduler).check(|| {
            let (pair, other) = two((Mutex::new(0), Condvar::new()));
            thread::spawn(move || *other.0.lock().unwrap() += 1);
            let mut value = pair.0.lock().unwrap();
            while *value == 0 {
                value = pair.1.wait_timeout(value, MOMENT).unwrap().0;
            }
        });
        assert!(report.failure.is_none(), "{scheduler:?}: {}", report.failure.unwrap());
        assert!(report.executions > 0 && report.cut > 0, "{scheduler:?}: {report}");
    }
}

/// A lock that is polled once more is one execution more.
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

/// A thread that pops items one by one and yields after each has received items.
#[test]
fn a_thread_that_gets_on_with_something_is_not_cut() {
    let takes = |items: usize| {
        move || {
            let (slots, other) = two([const { AtomicBool::new(false) }; 8]);
            thread::spawn(move || (0..items).for_each(|item| other[item].store(true, Release)));
            let mut taken = 0;
            poll(|| {
                taken += usize::from(slots[taken].swap(false, Acquire));
                taken == items
            });
        }
    };
    for scheduler in SCHEDULERS {
        let bounds = Config::new().scheduler(scheduler).yield_bound(1);
        assert_eq!(bounds.check(takes(4)).executions, 0, "{scheduler:?}");
        let report = bounds.novel_rounds(8).check(takes(4));
        assert!(report.failure.is_none(), "{scheduler:?}: {}", report.failure.unwrap());
        assert!(report.executions > 0, "{scheduler:?}: {report}");
    }
    Builder::new().check(takes(8));
}

/// The state that a round changes may be invisible to the model. Then more rounds are explored if
/// none is enough.
#[test]
fn a_check_in_which_no_execution_ends_goes_on_with_more_rounds() {
    let takes = |items: usize| {
        move || {
            let (stack, other) = two(Mutex::new(Vec::new()));
            thread::spawn(move || other.lock().unwrap().extend(0..items));
            let mut taken = 0;
            poll(|| {
                taken += usize::from(stack.lock().unwrap().pop().is_some());
                taken == items
            });
        }
    };
    assert_eq!(Config::new().yield_bound(4).check(takes(20)).executions, 0);
    Builder::new().check(takes(20));
}

#[test]
fn a_check_in_which_no_execution_ends_fails() {
    // It yields for longer than the bound allows.
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
    // loom's interface reports it, too.
    let caught = std::panic::catch_unwind(|| Builder::new().check(endless)).expect_err("it has no end");
    let text = caught.downcast::<String>().expect("a message");
    assert!(text.contains("no execution came to its end"), "{text}");
    let limited = Config::new().random(3, 1).yield_bound(4).check(endless).failure.expect("it has no end");
    assert_eq!(limited.kind, Unexplored);
}
