//! Threads that are suspended or killed in the middle; interrupt handlers, and reused addresses.

mod addresses;
mod interrupts;

use std::sync::Arc;

use aqueduct_model::FailureKind::{Leak, Liveness, Panic};
use aqueduct_model::alloc::{Layout, alloc, dealloc};
use aqueduct_model::sync::Mutex;
use aqueduct_model::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use aqueduct_model::sync::atomic::{AtomicBool, AtomicUsize};
use aqueduct_model::{Config, await_until, thread};

use crate::support::{SCHEDULERS, Seen, Step, passed, random, step, steps};

/// Thread 1 stores 1 and 2; main reads once and waits for 2.
fn two_stores(seen: &Seen) -> impl Fn() + Clone + Send + Sync + 'static {
    let seen = seen.clone();
    move || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        thread::spawn(move || {
            y.store(1, Relaxed);
            y.store(2, Relaxed);
        });
        seen.note(x.load(Relaxed));
        await_until(|| x.load(Relaxed) == 2);
    }
}

#[test]
fn a_suspended_thread_does_its_first_steps_and_no_more() {
    for (steps, values) in [(0, vec![0]), (1, vec![0, 1]), (2, vec![0, 1, 2])] {
        for scheduler in SCHEDULERS {
            let seen = Seen::default();
            let report = passed(Config::new().scheduler(scheduler).suspend(1, steps).check(two_stores(&seen)));
            assert_eq!(seen.all(), values, "{scheduler:?}");
            let [main, other] = &report.threads[..] else { panic!("{report}") };
            assert_eq!((other.ended, other.waiting, other.halted), (0, 0, report.executions), "{report}");
            // Main reads 0 and so on up to the last value that comes, once each; then it waits.
            assert_eq!(report.executions, values.len() as u64, "{scheduler:?} {report}");
            assert_eq!(main.always_ends(), steps == 2, "{report}");
            assert_eq!(main.waiting, if steps == 2 { 0 } else { report.executions }, "{report}");
            assert_eq!(other.halted_after.len(), usize::from(steps > 0));
        }
    }
    let report = passed(Config::new().suspend(1, 4).check(two_stores(&Seen::default())));
    assert!(report.threads.iter().all(|thread| thread.always_ends()), "nobody takes four steps: {report}");
}

#[test]
fn two_workers_tell_the_same_of_threads() {
    let (one, two) = (Seen::default(), Seen::default());
    let one = passed(Config::new().suspend(1, 1).check(two_stores(&one)));
    let two = passed(Config::new().suspend(1, 1).jobs(2).check(two_stores(&two)));
    assert_eq!(one.threads, two.threads);
}

/// The threads wait for a thread that does not stop, so their wait remains a failure.
#[test]
fn waits_are_failures_where_no_thread_has_stopped() {
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        thread::spawn(move || y.store(1, Relaxed));
        await_until(|| x.load(Relaxed) == 2);
    };
    let report = Config::new().suspend(1, 9).check(program);
    assert_eq!(report.failure.expect("nobody stores 2").kind, Liveness);
    assert!(!passed(Config::new().suspend(1, 1).check(program)).threads[0].always_ends());
    let report = passed(Config::new().waits_fail(false).check(program));
    assert_eq!((report.threads[0].waiting, report.threads[1].ended), (report.executions, report.executions));
}

#[test]
fn a_read_modify_write_is_one_step() {
    for (steps, values) in [(1, vec![0, 1]), (2, vec![0, 1, 2])] {
        let seen = Seen::default();
        let noted = seen.clone();
        passed(Config::new().suspend(1, steps).check(move || {
            let x = Arc::new(AtomicUsize::new(0));
            let y = Arc::clone(&x);
            thread::spawn(move || {
                y.fetch_add(1, Relaxed);
                y.fetch_add(1, Relaxed);
            });
            noted.note(x.load(Relaxed));
        }));
        assert_eq!(seen.all(), values);
    }
}

#[test]
fn a_thread_that_joins_a_suspended_one_waits_forever() {
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        let other = thread::spawn(move || y.store(1, Relaxed));
        other.join().unwrap();
    };
    for steps in [0, 1] {
        let report = passed(Config::new().suspend(1, steps).check(program));
        assert_eq!((report.threads[0].waiting, report.executions), (1, 1), "{report}");
    }
}

/// A lock is taken in step 1 and released in step 3. An owner that is suspended in between keeps
/// it; a killed one releases it.
#[test]
fn a_lock_held_by_a_suspended_thread_stays_closed_and_that_of_a_dead_one_opens() {
    let program = || {
        let lock = Arc::new(Mutex::new(AtomicUsize::new(0)));
        let theirs = Arc::clone(&lock);
        thread::spawn(move || {
            let guard = theirs.lock().unwrap();
            guard.store(1, Relaxed);
        });
        drop(lock.lock().unwrap());
    };
    for scheduler in SCHEDULERS {
        let waits: Vec<bool> = (0..5)
            .map(|steps| {
                let report = passed(Config::new().scheduler(scheduler).suspend(1, steps).check(program));
                report.threads[0].waiting > 0
            })
            .collect();
        assert_eq!(waits, [false, true, true, false, false], "{scheduler:?}");
        for steps in 0..5 {
            let report = passed(Config::new().scheduler(scheduler).kill(1, steps).check(program));
            assert!(report.threads[0].always_ends(), "{scheduler:?} {steps}: {report}");
            // It opens the lock at once after its second step, and ends.
            assert_eq!(report.threads[1].halted > 0, steps < 2, "{steps}: {report}");
        }
    }
}

/// A flag that its destructor sets.
struct Sets(Arc<AtomicBool>);

impl Drop for Sets {
    fn drop(&mut self) {
        assert!(thread::panicking(), "it is killed before its end");
        self.0.store(true, Release);
    }
}

#[test]
fn a_killed_threads_destructors_are_steps_and_its_joiner_gets_an_error() {
    for scheduler in SCHEDULERS {
        let report = passed(Config::new().scheduler(scheduler).kill(1, 1).check(|| {
            let (x, gone) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
            let (y, sets) = (Arc::clone(&x), Sets(Arc::clone(&gone)));
            let other = thread::spawn(move || {
                let _sets = sets;
                y.store(1, Relaxed);
                y.store(2, Relaxed);
            });
            await_until(|| gone.load(Acquire));
            assert!(!thread::panicking(), "another thread unwinds");
            assert_eq!(x.load(Relaxed), 1);
            assert!(other.join().is_err());
        }));
        assert_eq!((report.threads[0].ended, report.threads[1].halted), (report.executions, report.executions));
    }
}

#[test]
fn a_wrong_program_fails_with_a_dead_thread_too() {
    let report = Config::new().kill(1, 1).check(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        thread::spawn(move || {
            y.store(1, Relaxed);
            y.store(2, Relaxed);
        });
        assert_eq!(x.load(Relaxed), 0, "main sees the first step");
    });
    let failure = report.failure.expect("it can be 1");
    assert!(failure.kind == Panic && failure.message.contains("main sees"), "{failure}");
}

#[test]
fn a_scope_waits_for_its_threads_when_its_creator_or_one_of_them_dies() {
    let scoped = |noted: Seen| {
        move || {
            let done = Arc::new(AtomicBool::new(false));
            let creator = thread::spawn({
                let (noted, done) = (noted.clone(), Arc::clone(&done));
                move || {
                    let x = AtomicUsize::new(0);
                    thread::scope(|scope| {
                        scope.spawn(|| {
                            x.fetch_add(1, Relaxed);
                            done.store(true, Relaxed);
                        });
                        x.fetch_add(1, Relaxed);
                    });
                    noted.note(x.load(Relaxed));
                }
            });
            let _ = creator.join();
            noted.note(10 + usize::from(done.load(Relaxed)));
        }
    };
    for steps in 0..5 {
        let seen = Seen::default();
        let report = passed(Config::new().kill(1, steps).check(scoped(seen.clone())));
        assert!(report.threads[0].always_ends(), "{report}");
        // The scope's thread is started in step 1; step 4 is the last.
        let values = [vec![10], vec![11], vec![11], vec![11], vec![2, 11]];
        assert_eq!(seen.all(), values[steps], "after {steps} steps");
    }
    // A panic of the scope is the program's own, as it is in `std`.
    let report = Config::new().kill(2, 0).check(scoped(Seen::default()));
    let failure = report.failure.expect("the scope panics");
    assert!(failure.message.contains("a scoped thread panicked"), "{failure}");
}

#[test]
fn nothing_leaks_by_a_thread_that_stops() {
    let program = || {
        thread::spawn(|| {
            // SAFETY: The size is not 0.
            let memory = unsafe { alloc(Layout::new::<u64>()) };
            // SAFETY: Allocated above.
            unsafe { dealloc(memory, Layout::new::<u64>()) };
        });
    };
    passed(Config::new().suspend(1, 1).check(program));
    passed(Config::new().kill(1, 1).check(program));
    let leaks = || {
        // SAFETY: The size is not 0.
        let _ = unsafe { alloc(Layout::new::<u64>()) };
    };
    assert_eq!(Config::new().suspend(1, 1).check(leaks).failure.map(|f| f.kind), Some(Leak));
}

aqueduct_model::thread_local! {
    static LOCAL: Dropped = Dropped;
}

/// The value of a thread local. It is dropped after the thread has unwound.
struct Dropped;

impl Drop for Dropped {
    fn drop(&mut self) {
        assert!(!thread::panicking(), "the panic is over");
        LOCALS_DROPPED.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

static LOCALS_DROPPED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

#[test]
fn a_dead_threads_locals_are_dropped_after_it_has_unwound() {
    passed(Config::new().kill(1, 1).check(|| {
        let other = thread::spawn(|| {
            LOCAL.with(|_| ());
            let x = AtomicUsize::new(0);
            x.store(1, Relaxed);
            x.store(2, Relaxed);
        });
        assert!(other.join().is_err());
    }));
    assert!(LOCALS_DROPPED.load(std::sync::atomic::Ordering::Relaxed));
}

/// Returns the executions of a program and the results of its threads but the first, if main joins
/// all but that one.
fn without_first(config: &Config, threads: &[Vec<Step>]) -> (u64, Vec<usize>) {
    let (threads, seen) = (threads.to_vec(), Seen::default());
    let noted = seen.clone();
    let report = passed(config.check(move || {
        let cells = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let handles: Vec<_> = (threads.iter().cloned())
            .map(|steps| {
                let cells = Arc::clone(&cells);
                thread::spawn(move || steps.iter().fold(1, |found, &s| found * 4 + step(&cells, s)))
            })
            .collect();
        let found = handles.into_iter().skip(1).fold(1, |found, handle| found * 1000 + handle.join().unwrap());
        noted.note(found);
    }));
    (report.executions, seen.all())
}

/// A suspended thread is one whose program ends there. So is a killed one that has nothing to drop.
#[test]
fn random_threads_that_stop_are_those_with_shorter_programs() {
    let mut random = random(0x5eed_0001);
    let mut several = 0;
    for round in 0..120 {
        let threads: Vec<Vec<Step>> = (0..3).map(|_| steps(&mut random, 2)).collect();
        let after = random(threads[0].len() as u64 + 1) as usize;
        let mut shorter = threads.clone();
        shorter[0].truncate(after);
        let scheduler = SCHEDULERS[round % SCHEDULERS.len()];
        let config = Config::new().scheduler(scheduler);
        let expected = without_first(&config, &shorter);
        several += u32::from(expected.0 > 4);
        assert_eq!(without_first(&config.clone().suspend(1, after), &threads), expected, "{threads:?} {after}");
        assert_eq!(without_first(&config.clone().kill(1, after), &threads), expected, "{threads:?} {after}");
        assert_eq!(without_first(&config.clone().suspend(1, after).jobs(2), &threads), expected, "{threads:?} {after}");
    }
    assert!(several > 30, "only {several} programs have several executions");
}

/// The number of executions, and how often each thread ended, waited forever, and was stopped.
type Tally = (u64, Vec<[u64; 3]>);

/// Returns the fates of threads some of whose steps are waits.
fn tally(config: &Config, threads: &[Vec<(Step, bool)>]) -> Tally {
    let threads = threads.to_vec();
    let report = passed(config.check(move || {
        let cells = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        for steps in threads.iter().cloned() {
            let cells = Arc::clone(&cells);
            thread::spawn(move || {
                for (next, waits) in steps {
                    if waits {
                        await_until(|| cells[next.1].load(Acquire) > usize::from(next.0 > 2));
                    } else {
                        step(&cells, next);
                    }
                }
            });
        }
    }));
    (report.executions, report.threads.iter().map(|thread| [thread.ended, thread.waiting, thread.halted]).collect())
}

/// The threads that wait forever do not depend on the order in which executions are built.
#[test]
fn schedulers_and_workers_agree_on_the_waiting_threads() {
    let mut random = random(0x5eed_0003);
    let (mut waiting, mut halted) = (0, 0);
    for _ in 0..100 {
        let threads: Vec<Vec<(Step, bool)>> =
            (0..3).map(|_| steps(&mut random, 3).into_iter().map(|s| (s, random(3) == 0)).collect()).collect();
        let after = random(4) as usize;
        let configs = [Config::new().waits_fail(false), Config::new().suspend(1, after).waits_fail(false)];
        for config in configs.iter().chain([&Config::new().kill(1, after).waits_fail(false)]) {
            let tallies = SCHEDULERS.map(|scheduler| tally(&config.clone().scheduler(scheduler), &threads));
            assert!(tallies.iter().all(|tally| *tally == tallies[0]), "{threads:?} {after}: {tallies:?}");
            assert_eq!(tally(&config.clone().jobs(2), &threads), tallies[0], "{threads:?} {after}");
            waiting += u32::from(tallies[0].1.iter().any(|thread| thread[1] > 0));
            halted += u32::from(tallies[0].1.iter().any(|thread| thread[2] > 0));
        }
    }
    assert!(waiting > 50 && halted > 50, "{waiting} and {halted}");
}
