//! Interrupt handlers.

use std::sync::Arc;

use aqueduct_model::FailureKind::{Liveness, Panic, Race};
use aqueduct_model::cell::UnsafeCell;
use aqueduct_model::interrupt::{self, Nesting};
use aqueduct_model::sync::Mutex;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Relaxed};
use aqueduct_model::sync::atomic::{AtomicBool, AtomicUsize};
use aqueduct_model::{Config, await_until, hint, thread};

use crate::support::{SCHEDULERS, Seen, Step, passed, random, step, steps};

/// Returns the points at which a handler comes: the order of its steps and its body's.
fn orders(nesting: Nesting, body_steps: usize) -> (u64, Vec<usize>) {
    let seen = Seen::default();
    let noted = seen.clone();
    let report = passed(Config::new().check(move || {
        let x = AtomicUsize::new(0);
        let order = std::cell::Cell::new(0);
        let step = |digit| {
            x.store(digit, Relaxed);
            order.set(order.get() * 10 + digit);
        };
        interrupt::with_nesting(nesting, || step(9), || (1..=body_steps).for_each(step));
        noted.note(order.get());
    }));
    (report.executions, seen.all())
}

#[test]
fn a_handler_runs_at_each_place_once_or_not_at_all() {
    let (executions, orders) = orders(Nesting::Never, 3);
    assert_eq!(orders, [123, 1239, 1293, 1923, 9123]);
    assert_eq!(executions, 5);
}

#[test]
fn a_handler_that_nests_runs_once_more_within_itself() {
    let (executions, orders) = orders(Nesting::Once, 1);
    // It does not come; or it comes before or after the body, and there not again, or again before
    // or after its one step.
    assert_eq!(executions, 1 + 2 * 3);
    assert_eq!(orders, [1, 19, 91, 199, 991]);
}

#[test]
fn a_handler_that_takes_the_lock_of_its_body_waits_forever() {
    let program = |masks: bool| {
        move || {
            let lock = Mutex::new(());
            let body = || drop(lock.lock().unwrap());
            interrupt::with_handler(body, || if masks { interrupt::masked(body) } else { body() });
        }
    };
    assert_eq!(Config::new().check(program(false)).failure.map(|f| f.kind), Some(Liveness));
    let report = passed(Config::new().check(program(true)));
    assert_eq!(report.executions, 2, "not at all, or after the body");
}

#[test]
fn a_handler_may_end_the_wait_of_its_body() {
    let report = passed(Config::new().check(|| {
        let flag = AtomicBool::new(false);
        interrupt::with_handler(|| flag.store(true, Relaxed), || await_until(|| flag.load(Relaxed)));
        assert!(flag.load(Relaxed));
    }));
    assert!(report.executions > 0);
}

#[test]
fn a_loop_that_spins_may_be_interrupted_and_ends_all_the_same() {
    for scheduler in SCHEDULERS {
        for by_handler in [true, false] {
            let seen = Seen::default();
            let noted = seen.clone();
            passed(Config::new().scheduler(scheduler).max_events(100).check(move || {
                let flag = Arc::new(AtomicUsize::new(0));
                let theirs = Arc::clone(&flag);
                thread::spawn(move || theirs.fetch_or(if by_handler { 2 } else { 1 }, Relaxed));
                let came = std::cell::Cell::new(0);
                interrupt::with_handler(
                    || {
                        came.set(1);
                        flag.fetch_or(u8::from(by_handler).into(), Relaxed);
                    },
                    || {
                        while flag.load(Relaxed) & 1 == 0 {
                            hint::spin_loop();
                        }
                    },
                );
                noted.note(came.get());
            }));
            assert_eq!(seen.all(), if by_handler { vec![1] } else { vec![0, 1] }, "{scheduler:?}");
        }
    }
}

/// A handler counts a counter, too: right with a read-modify-write, wrong with a load and a store.
#[test]
fn a_handler_in_the_middle_of_an_update_is_lost() {
    let program = |split: bool| {
        move || {
            let (x, came) = (Arc::new(AtomicUsize::new(0)), std::cell::Cell::new(0));
            let y = Arc::clone(&x);
            let other = thread::spawn(move || y.fetch_add(1, AcqRel));
            interrupt::with_handler(
                || {
                    x.fetch_add(1, Relaxed);
                    came.set(1);
                },
                || {
                    if split {
                        x.store(x.load(Relaxed) + 1, Relaxed);
                    } else {
                        x.fetch_add(1, Relaxed);
                    }
                },
            );
            other.join().unwrap();
            assert_eq!(x.load(Relaxed), 2 + came.get());
        }
    };
    assert_eq!(Config::new().check(program(true)).failure.map(|f| f.kind), Some(Panic));
    let report = passed(Config::new().check(program(false)));
    // The other's update stands before, between or behind those of main: 2 places if the handler
    // does not come, else 3; the handler comes before or after the body's.
    assert_eq!(report.executions, 2 + 2 * 3);
}

/// A handler sees half of a pair in a cell only if the access is in two parts.
#[test]
fn a_handler_sees_half_of_an_update_only_where_it_is_split() {
    let program = |split: bool| {
        move || {
            let pair = UnsafeCell::new((0, 0));
            let write = |change: fn(&mut (i32, i32))| {
                // SAFETY: One thread, and no reference outlives its closure.
                pair.with_mut(|pair| change(unsafe { &mut *pair }));
            };
            interrupt::with_handler(
                || {
                    // SAFETY: One thread, and no reference outlives its closure.
                    let (a, b) = pair.with(|pair| unsafe { *pair });
                    assert_eq!(a, b);
                },
                || {
                    if split {
                        write(|pair| pair.0 = 1);
                        write(|pair| pair.1 = 1);
                    } else {
                        write(|pair| *pair = (1, 1));
                    }
                },
            );
        }
    };
    assert_eq!(Config::new().check(program(true)).failure.map(|f| f.kind), Some(Panic));
    assert_eq!(passed(Config::new().check(program(false))).executions, 3);
}

#[test]
fn a_handler_races_with_other_threads_as_its_thread_does() {
    struct Shared(UnsafeCell<i32>);
    // SAFETY: The model finds races.
    unsafe impl Sync for Shared {}
    // SAFETY: The model finds races.
    unsafe impl Send for Shared {}
    let report = Config::new().check(|| {
        let shared = Arc::new(Shared(UnsafeCell::new(0)));
        let theirs = Arc::clone(&shared);
        // SAFETY: The model finds races before the accesses.
        thread::spawn(move || theirs.0.with_mut(|p| unsafe { *p = 1 }));
        // SAFETY: The model finds races before the accesses.
        interrupt::with_handler(|| shared.0.with(|p| assert!(unsafe { *p } < 2)), || ());
    });
    assert_eq!(report.failure.map(|f| f.kind), Some(Race));
}

/// The point at which the handler runs, in programs that call it outright.
#[derive(Clone, Copy, Debug)]
enum Comes {
    Whenever,
    Never,
    At(usize),
}

/// Returns the executions of a body with a handler beside another thread, and their results.
fn beside(config: &Config, [other, body, handler]: &[Vec<Step>; 3], comes: Comes) -> (u64, Vec<usize>) {
    let [other, body, handler] = [other.clone(), body.clone(), handler.clone()];
    let seen = Seen::default();
    let noted = seen.clone();
    let report = passed(config.check(move || {
        let cells = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let (theirs, other) = (Arc::clone(&cells), other.clone());
        let other = thread::spawn(move || other.iter().fold(1, |found, &s| found * 4 + step(&theirs, s)));
        let found = std::cell::Cell::new(1);
        let run = |steps: &[Step]| {
            for &s in steps {
                // The step comes first: a handler that comes before it then has a result.
                let value = step(&cells, s);
                found.set(found.get() * 4 + value);
            }
        };
        match comes {
            Comes::Whenever => interrupt::with_handler(|| run(&handler), || run(&body)),
            Comes::Never => run(&body),
            Comes::At(place) => [&body[..place], &handler, &body[place..]].into_iter().for_each(run),
        }
        noted.note(found.get() * 1_000_000 + other.join().unwrap());
    }));
    (report.executions, seen.all())
}

/// A program with a handler has the executions of the program without it, and of those that run it
/// at each place.
#[test]
fn random_handlers_are_programs_with_their_steps_at_each_place() {
    let mut random = random(0x5eed_0002);
    for round in 0..60 {
        let threads = [(); 3].map(|()| steps(&mut random, 2));
        let config = Config::new().scheduler(SCHEDULERS[round % SCHEDULERS.len()]);
        let places = (0..=threads[1].len()).map(Comes::At);
        let (mut executions, mut found) = (0, Vec::new());
        for comes in places.chain([Comes::Never]) {
            let (count, seen) = beside(&config, &threads, comes);
            executions += count;
            found.extend(seen);
        }
        found.sort_unstable();
        found.dedup();
        assert_eq!(beside(&config, &threads, Comes::Whenever), (executions, found), "{threads:?}");
    }
}
