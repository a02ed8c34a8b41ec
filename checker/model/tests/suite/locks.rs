//! Locks: each order in which threads take them is explored once, and no run is discarded.

mod orders;
mod programs;

use std::sync::Arc;

use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use aqueduct_model::sync::{Condvar, Mutex, RwLock};
use aqueduct_model::{Config, Failure, FailureKind, Report, await_until, thread};

use crate::support::{SCHEDULERS, passed};

/// The shared data of the threads of the programs below.
#[derive(Default)]
struct Shared {
    a: Mutex<usize>,
    b: Mutex<usize>,
    both: RwLock<usize>,
    changed: Condvar,
    flag: AtomicUsize,
}

type Body = fn(&Shared);

fn check(config: &Config, threads: &[Body]) -> Report {
    let threads = threads.to_vec();
    config.check(move || {
        let shared = Arc::new(Shared::default());
        for &body in &threads {
            let shared = Arc::clone(&shared);
            thread::spawn(move || body(&shared));
        }
    })
}

/// Checks the number of executions that the threads have, and that nothing else is explored.
fn counts(name: &str, threads: &[Body], executions: u64) {
    for scheduler in SCHEDULERS {
        // With a limit, a check that repeats executions ends, too.
        let config = Config::new().scheduler(scheduler).max_executions(2 * executions);
        let report = passed(check(&config, threads));
        let all = (report.executions, report.blocked, report.discarded);
        assert_eq!(all, (executions, 0, 0), "{name} of {} threads, {scheduler:?}", threads.len());
    }
}

const ONCE: Body = |s| *s.a.lock().unwrap() += 1;
const TWICE: Body = |s| (0..2).for_each(|_| *s.a.lock().unwrap() += 1);
const NESTED: Body = |s| {
    let mut a = s.a.lock().unwrap();
    *s.b.lock().unwrap() += *a;
    *a += 1;
};
const A_THEN_B: Body = |s| {
    *s.a.lock().unwrap() += 1;
    *s.b.lock().unwrap() += 1;
};
const B_THEN_A: Body = |s| {
    *s.b.lock().unwrap() += 1;
    *s.a.lock().unwrap() += 1;
};
const TRIES: Body = |s| {
    if let Ok(mut a) = s.a.try_lock() {
        *a += 1;
    }
};
const READS: Body = |s| assert!(*s.both.read().unwrap() < 9);
const WRITES: Body = |s| *s.both.write().unwrap() += 1;
const WAITS: Body = |s| drop(s.changed.wait_while(s.a.lock().unwrap(), |ready| *ready == 0).unwrap());
const TELLS: Body = |s| {
    *s.a.lock().unwrap() += 1;
    s.changed.notify_all();
};

#[test]
fn threads_that_take_a_lock_once_have_one_execution_for_each_order() {
    for (threads, orders) in [(2, 2), (3, 6), (4, 24), (5, 120), (6, 720)] {
        counts("once", &vec![ONCE; threads], orders);
        counts("writes", &vec![WRITES; threads], orders);
        counts("nested", &vec![NESTED; threads], orders);
    }
}

/// `(2n)! / 2^n` orders, as the two of each thread have theirs.
#[test]
fn threads_that_take_a_lock_twice_do_so_in_every_order() {
    for (threads, orders) in [(2, 6), (3, 90), (4, 2520)] {
        counts("twice", &vec![TWICE; threads], orders);
    }
}

/// The figures are those of exchanges that are tried until they succeed, which also have discarded
/// runs.
#[test]
fn other_uses_of_locks_lead_nowhere_in_no_run_either() {
    for (threads, orders) in [(2, 3), (3, 22), (4, 244)] {
        let bodies: Vec<Body> = [A_THEN_B, B_THEN_A].into_iter().cycle().take(threads).collect();
        counts("two locks", &bodies, orders);
    }
    for (threads, one_tries, others_try) in [(2, 3, 3), (3, 10, 15), (4, 42, 103), (5, 216, 893)] {
        let mut bodies = vec![ONCE; threads];
        bodies[0] = TRIES;
        counts("one tries", &bodies, one_tries);
        bodies.fill(TRIES);
        bodies[0] = ONCE;
        counts("others try", &bodies, others_try);
    }
    for (waiters, executions) in [(1, 2), (2, 10), (3, 96), (4, 1560)] {
        let mut bodies = vec![WAITS; waiters];
        bodies.push(TELLS);
        counts("wait", &bodies, executions);
    }
}

/// A thread that reads adds to the count of readers and subtracts from it: of two, that can be in
/// six orders. The writer comes where the count is zero.
#[test]
fn readers_share_a_lock_that_a_writer_has_for_itself() {
    for (readers, executions) in [(1, 2), (2, 2 * 3 + 4 * 2), (3, 216)] {
        let mut bodies = vec![READS; readers];
        bodies.push(WRITES);
        counts("read", &bodies, executions);
    }
}

fn failure(threads: &[Body]) -> Failure {
    let mut found = None;
    for scheduler in SCHEDULERS {
        let config = Config::new().scheduler(scheduler);
        let failure = check(&config, threads).failure.expect("some threads wait for each other");
        assert_eq!(failure.kind, FailureKind::Liveness, "{scheduler:?}: {failure}");
        let again = check(&config.replay(&failure.replay), threads).failure.expect("it is replayed");
        assert_eq!((again.kind, &again.trace), (failure.kind, &failure.trace));
        found = Some(failure);
    }
    found.expect("there are schedulers")
}

/// Takes a lock while it holds another one, in one order and in the other.
#[test]
fn locks_that_are_taken_in_two_orders_are_found() {
    const REVERSED: Body = |s| {
        let mut b = s.b.lock().unwrap();
        *s.a.lock().unwrap() += *b;
        *b += 1;
    };
    let failure = failure(&[NESTED, REVERSED]);
    assert!(failure.message.contains("waits"), "{failure}");
    self::failure(&[ONCE, NESTED, ONCE, REVERSED]);
    let waits = check(&Config::new().waits_fail(false), &[NESTED, REVERSED]);
    assert_eq!((waits.executions, waits.blocked), (3, 0), "two orders, and each waits for the other: {waits}");
}

#[test]
fn a_lock_that_is_never_let_go_is_found() {
    const KEEPS: Body = |s| std::mem::forget(s.a.lock().unwrap());
    failure(&[KEEPS, ONCE]);
    failure(&[ONCE, TRIES, KEEPS]);
    const READS_ON: Body = |s| std::mem::forget(s.both.read().unwrap());
    failure(&[READS, READS_ON, WRITES]);
    assert!(check(&Config::new(), &[READS, READS_ON, READS]).failure.is_none());
}

/// A thread that comes first to a lock waits there for one that must take the lock before.
#[test]
fn an_owner_may_wait_for_a_thread_that_must_have_been_the_owner_before() {
    const OWNER: Body = |s| {
        let _owner = s.a.lock().unwrap();
        await_until(|| s.flag.load(Acquire) == 1);
    };
    const BEFORE: Body = |s| {
        *s.a.lock().unwrap() += 1;
        s.flag.store(1, Release);
    };
    for scheduler in SCHEDULERS {
        for threads in [[OWNER, BEFORE], [BEFORE, OWNER]] {
            let config = Config::new().scheduler(scheduler).waits_fail(false);
            let report = check(&config, &threads);
            assert_eq!(report.executions, 2, "the owner comes second, or both wait forever: {report}");
        }
    }
    assert_eq!(failure(&[OWNER, BEFORE]).kind, FailureKind::Liveness);
}

/// The thread in the middle of its lock's section makes another one's read revisit, which deletes a
/// section that had come later.
#[test]
fn a_write_from_within_a_section_is_read_before_the_section_is_over() {
    const READER: Body = |s| {
        let seen = s.flag.load(Relaxed);
        *s.a.lock().unwrap() += seen;
    };
    const WRITER: Body = |s| {
        let _owner = s.a.lock().unwrap();
        s.flag.fetch_add(1, Relaxed);
    };
    // A reader that comes after the writer has seen its write or not, one that comes before it has
    // not.
    counts("reader and writer", &[READER, WRITER], 3);
    counts("readers and writer", &[READER, READER, WRITER], 14);
}
