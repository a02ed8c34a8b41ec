//! Loops that spin for some rounds and then give up: the code after them is explored, and the loop
//! is not a wait.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex as Native};

use aqueduct_model::FailureKind::{Liveness, Panic, TooManyEvents};
use aqueduct_model::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use aqueduct_model::sync::atomic::{AtomicBool, AtomicUsize};
use aqueduct_model::sync::{Mutex, mpsc};
use aqueduct_model::{Config, hint, thread};

use crate::support::{SCHEDULERS, failure, passed};

pub(crate) const HINTS: [fn(); 2] = [hint::spin_loop, thread::yield_now];

/// Returns a program that finds the round, of `most`, in which a spinner sees a store, or their
/// number.
pub(crate) fn rounds(most: usize, pause: fn()) -> impl Fn() -> usize + Send + Sync + Clone + 'static {
    move || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        let setter = thread::spawn(move || y.store(1, Release));
        let seen = (0..most).position(|_| {
            let seen = x.load(Acquire) == 1;
            if !seen {
                pause();
            }
            seen
        });
        setter.join().unwrap();
        seen.unwrap_or(most)
    }
}

#[test]
fn every_number_of_rounds_of_a_loop_that_ends_is_explored_once() {
    for pause in HINTS {
        for most in [1, 2, 3, 5, 20] {
            for scheduler in SCHEDULERS {
                let program = rounds(most, pause);
                let seen = Arc::new(Native::new(BTreeSet::new()));
                let note = Arc::clone(&seen);
                let report = Config::new().scheduler(scheduler).check(move || {
                    note.lock().unwrap().insert(program());
                });
                let report = passed(report);
                assert_eq!((report.executions, report.blocked), (most as u64 + 1, 0), "{most} rounds, {scheduler:?}");
                assert_eq!(*seen.lock().unwrap(), (0..=most).collect());
            }
        }
    }
}

#[test]
fn giving_up_is_found_and_replayed() {
    for pause in HINTS {
        for most in [1, 2, 3, 10] {
            let program = rounds(most, pause);
            let found = failure(move || assert!(program() < most, "gave up")).expect("the store may come late");
            assert_eq!(found.kind, Panic, "{found}");
        }
    }
}

#[test]
fn a_loop_that_gives_up_is_no_deadlock_without_a_store() {
    for pause in HINTS {
        passed(Config::new().check(move || {
            let x = Arc::new(AtomicUsize::new(0));
            let y = Arc::clone(&x);
            let spinner = thread::spawn(move || {
                for _ in 0..3 {
                    if y.load(Acquire) == 1 {
                        break;
                    }
                    pause();
                }
            });
            x.load(Relaxed);
            spinner.join().unwrap();
        }));
        passed(Config::new().check(move || {
            let lock = Arc::new(Mutex::new(0));
            let other = Arc::clone(&lock);
            let held = lock.lock().unwrap();
            let trying = thread::spawn(move || {
                for _ in 0..3 {
                    if let Ok(mut value) = other.try_lock() {
                        *value += 1;
                        return;
                    }
                    pause();
                }
            });
            trying.join().unwrap();
            drop(held);
        }));
    }
}

/// The waiters of a lock spin three rounds and then park. Its owner does not wake them.
#[test]
fn a_wake_up_that_is_lost_behind_a_spin_is_found() {
    struct Lock {
        held: AtomicBool,
        waiter: Mutex<Option<thread::Thread>>,
    }
    for exchanges in [false, true] {
        let found = failure(move || {
            let lock = Arc::new(Lock { held: AtomicBool::new(true), waiter: Mutex::new(None) });
            let theirs = Arc::clone(&lock);
            let waiter = thread::spawn(move || {
                let is_held = || if exchanges { theirs.held.swap(true, Acquire) } else { theirs.held.load(Acquire) };
                let mut spins = 0;
                while is_held() {
                    spins += 1;
                    if spins < 4 {
                        hint::spin_loop();
                    } else {
                        *theirs.waiter.lock().unwrap() = Some(thread::current());
                        thread::park();
                    }
                }
            });
            lock.held.store(false, Release);
            waiter.join().unwrap();
        });
        assert_eq!(found.expect("nobody wakes it").kind, Liveness, "exchanges: {exchanges}");
    }
}

/// `std`'s mutex and glibc's spin 100 rounds before a thread sleeps.
#[test]
fn many_rounds_before_giving_up_are_explored() {
    for pause in HINTS {
        for most in [65, 100, 1_000] {
            let program = rounds(most, pause);
            let report = passed(Config::new().check(move || _ = program()));
            assert_eq!((report.executions, report.blocked, report.discarded), (most as u64 + 1, 0, 0), "{most} rounds");
        }
        let program = rounds(100, pause);
        let gives_up = move || assert!(program() < 100, "gave up");
        let found = failure(gives_up.clone()).expect("the store may come late");
        assert_eq!(found.kind, Panic, "{found}");
        let replayed = Config::new().replay(&found.replay).check(gives_up);
        assert_eq!(replayed.failure.expect("it is the execution that failed").message, found.message);
    }
}

/// A loop counts as endless at first, and then another one at its place ends late, and one later
/// than is explored.
#[test]
fn a_loop_may_end_late_at_the_place_of_one_that_does_not_end() {
    let program = |most: usize| {
        move || {
            let x = Arc::new(AtomicUsize::new(0));
            let wait = |x: &AtomicUsize, most: usize| {
                let mut rounds = 0;
                while x.load(Acquire) == 0 && rounds < most {
                    rounds += 1;
                    hint::spin_loop();
                }
            };
            let others = [usize::MAX, most].map(|most| {
                let x = Arc::clone(&x);
                thread::spawn(move || wait(&x, most))
            });
            let [endless, ending] = others;
            ending.join().unwrap();
            x.store(1, Release);
            endless.join().unwrap();
        }
    };
    for scheduler in SCHEDULERS {
        passed(Config::new().scheduler(scheduler).check(program(900)));
    }
    let long = Config::new().check(program(15_000)).failure.expect("an execution has too many events");
    assert!([TooManyEvents, Liveness].contains(&long.kind), "{long}");
}

/// A lock whose waiters spin 100 rounds and then park. The owner wakes one if the state shows a
/// sleeper.
#[test]
fn a_lock_whose_waiters_spin_and_then_park_works() {
    struct Lock {
        /// 0: open, 1: taken, 2: taken, and a thread may sleep.
        state: AtomicUsize,
        waiter: Mutex<Option<thread::Thread>>,
    }
    let program = |forgets: bool| {
        move || {
            let lock = Arc::new(Lock { state: AtomicUsize::new(1), waiter: Mutex::new(None) });
            let theirs = Arc::clone(&lock);
            let waiter = thread::spawn(move || {
                for _ in 0..100 {
                    if theirs.state.compare_exchange(0, 1, Acquire, Relaxed).is_ok() {
                        return;
                    }
                    hint::spin_loop();
                }
                *theirs.waiter.lock().unwrap() = Some(thread::current());
                while theirs.state.swap(2, Acquire) != 0 {
                    thread::park();
                }
            });
            if lock.state.swap(0, Release) == 2 && !forgets {
                let waiter = lock.waiter.lock().unwrap().take();
                waiter.expect("it has said so before").unpark();
            }
            waiter.join().unwrap();
        }
    };
    let report = passed(Config::new().check(program(false)));
    assert!(report.executions > 100, "{report}");
    let found = failure(program(true)).expect("nobody wakes the waiter");
    assert_eq!(found.kind, Liveness, "{found}");
}

/// The state that ends the loop may be invisible to the model.
#[test]
fn a_loop_that_goes_through_a_plain_list_ends() {
    passed(Config::new().check(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        let other = thread::spawn(move || y.store(1, Release));
        let mut left = vec![1, 2, 3, 4];
        while left.pop().is_some() && x.load(Acquire) == 0 {
            hint::spin_loop();
        }
        other.join().unwrap();
    }));
}

/// Several hints in a row are one round, as in loops with exponential backoff.
#[test]
fn a_backoff_that_ends_is_let_end() {
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        let other = thread::spawn(move || y.store(1, Release));
        let mut step = 0;
        while x.load(Acquire) == 0 && step < 10 {
            for _ in 0..1 << step {
                hint::spin_loop();
            }
            step += 1;
        }
        other.join().unwrap();
        step
    };
    let report = passed(Config::new().check(move || _ = program()));
    // The store comes before one of eleven loads, or after all of them.
    assert_eq!(report.executions, 12);
    assert!(failure(move || assert!(program() < 10, "backed off to the end")).is_some());
}

/// Two loops that give up read from each other. Each combination of rounds is explored.
#[test]
fn two_loops_that_give_up_have_the_executions_of_as_many_loads() {
    let program = |hints: bool| {
        move || {
            let cells = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
            let theirs = Arc::clone(&cells);
            let spin = move |mine: &AtomicUsize, other: &AtomicUsize| {
                mine.store(1, Release);
                for _ in 0..3 {
                    if other.load(Acquire) == 1 {
                        break;
                    }
                    if hints {
                        hint::spin_loop();
                    }
                }
                mine.store(2, Release);
            };
            let other = thread::spawn(move || spin(&theirs[0], &theirs[1]));
            spin(&cells[1], &cells[0]);
            other.join().unwrap();
        }
    };
    let plain = passed(Config::new().check(program(false)));
    for scheduler in SCHEDULERS {
        let spun = passed(Config::new().scheduler(scheduler).check(program(true)));
        assert_eq!((spun.executions, spun.blocked), (plain.executions, 0), "{scheduler:?}");
    }
}

/// Random walks and suspended threads give up, too.
#[test]
fn walks_come_behind_loops_that_give_up() {
    let program = rounds(4, hint::spin_loop);
    let found = Config::new().random(2_000, 1).check(move || assert!(program() < 4, "gave up")).failure;
    assert!(found.expect("the store may come late").message.contains("gave up"));
}

#[test]
fn trying_to_receive_a_few_times_ends() {
    passed(Config::new().check(|| {
        let (sender, receiver) = mpsc::channel();
        let other = thread::spawn(move || sender.send(1).unwrap());
        let _ = receiver.try_recv().or_else(|_| receiver.try_recv());
        other.join().unwrap();
    }));
}
