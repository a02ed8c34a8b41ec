//! Equal threads: of executions that differ only in their names, at least one is explored, and no
//! failure is missed.

use std::alloc::Layout;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex as StdMutex};

use aqueduct_model::sync::Mutex;
use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::{Config, FailureKind, MemoryModel, Report, alloc, await_until, thread};

use crate::support::{SCHEDULERS, random};

fn check(config: &Config, program: impl Fn() + Send + Sync + 'static) -> Report {
    let report = config.check(program);
    assert!(report.exhaustive && report.failure.is_none(), "{report}");
    report
}

/// Checks the number of executions, and that with all orders of equal threads.
fn counts(executions: u64, all: u64, program: impl Fn() + Send + Sync + Clone + 'static) {
    for scheduler in SCHEDULERS {
        let config = Config::new().scheduler(scheduler);
        assert_eq!(check(&config, program.clone()).executions, executions, "{scheduler:?}");
        assert_eq!(check(&config.all_thread_orders(true), program.clone()).executions, all, "{scheduler:?}");
    }
}

fn adders(threads: usize, times: usize) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let count = Arc::new(AtomicUsize::new(0));
        let theirs = Arc::clone(&count);
        let body = move || (0..times).for_each(|_| _ = theirs.fetch_add(1, Relaxed));
        thread::spawn_equal(threads, body).join();
        assert_eq!(count.load(Relaxed), threads * times);
    }
}

fn lockers(threads: usize) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let count = Arc::new(Mutex::new(0));
        let theirs = Arc::clone(&count);
        thread::spawn_equal(threads, move || *theirs.lock().unwrap() += 1).join();
        assert_eq!(*count.lock().unwrap(), threads);
    }
}

/// Threads push a node each, whose first word is the address of the next one; the main thread
/// counts them.
fn pushers(threads: usize) -> impl Fn() + Send + Sync + Clone + 'static {
    fn next<'a>(node: usize) -> &'a AtomicUsize {
        // SAFETY: A node is not freed while the threads run.
        unsafe { &*(node as *const AtomicUsize) }
    }
    let layout = Layout::new::<AtomicUsize>();
    move || {
        let head = Arc::new(AtomicUsize::new(0));
        let theirs = Arc::clone(&head);
        let push = move || {
            // SAFETY: The layout has a size, and the memory becomes a node.
            let node = unsafe {
                let memory = alloc::alloc(layout).cast::<AtomicUsize>();
                memory.write(AtomicUsize::new(0));
                memory as usize
            };
            await_until(|| {
                let first = theirs.load(Relaxed);
                next(node).store(first, Relaxed);
                theirs.compare_exchange(first, node, Release, Relaxed).is_ok()
            });
        };
        thread::spawn_equal(threads, push).join();
        let (mut node, mut found) = (head.load(Acquire), 0);
        while node != 0 {
            let after = next(node).load(Relaxed);
            // SAFETY: The threads have ended, and each node is freed once.
            unsafe { alloc::dealloc(node as *mut u8, layout) };
            (node, found) = (after, found + 1);
        }
        assert_eq!(found, threads);
    }
}

#[test]
fn equal_threads_that_differ_first_in_an_exchange_have_one_order() {
    for (threads, orders) in [(2, 2), (3, 6), (4, 24), (5, 120)] {
        counts(1, orders, lockers(threads));
        counts(1, orders, adders(threads, 1));
        counts(1, orders, pushers(threads));
    }
    // Of two threads with two additions each, one is first. Of three, it may be left open which is
    // second: 90 executions are 15 up to names.
    counts(3, 6, adders(2, 2));
    for scheduler in SCHEDULERS {
        let report = check(&Config::new().scheduler(scheduler), adders(3, 2));
        assert!((15..=27).contains(&report.executions), "{scheduler:?}: {report}");
    }
}

/// Threads that differ first in their reads, or in the places of their stores, are explored under
/// all names.
#[test]
fn equal_threads_that_only_read_or_store_have_all_orders() {
    let program = |stores: bool| {
        move || {
            let word = Arc::new(AtomicUsize::new(0));
            let theirs = Arc::clone(&word);
            let threads = thread::spawn_equal(2, move || {
                if stores {
                    theirs.store(1, Relaxed);
                } else {
                    theirs.load(Relaxed);
                }
            });
            word.store(2, Relaxed);
            threads.join();
        }
    };
    counts(6, 6, program(true));
    counts(4, 4, program(false));
}

type Step = (u64, usize);

struct Shared {
    words: [AtomicUsize; 2],
    lock: Mutex<()>,
    seen: StdMutex<Vec<Vec<usize>>>,
}

fn run(shared: &Shared, steps: &[Step]) {
    let (own, mut seen, mut guard) = (AtomicUsize::new(0), vec![0], None);
    for &(what, at) in steps {
        let word = &shared.words[at];
        let last = seen[seen.len() - 1];
        match what {
            0 => seen.push(word.load(Relaxed)),
            1 => seen.push(word.load(Acquire)),
            2 => word.store(last + 1, Relaxed),
            3 => word.store(last + 2, Release),
            4 | 5 => seen.push(word.fetch_add(1, AcqRel)),
            6 => seen.push(word.swap(last + 3, Relaxed)),
            7 | 8 => match word.compare_exchange(last, last + 1, AcqRel, Relaxed) {
                Ok(old) | Err(old) => seen.push(old),
            },
            9 if last % 2 == 0 => seen.push(word.fetch_add(2, SeqCst)),
            10 | 11 if guard.is_none() => guard = Some(shared.lock.lock().unwrap()),
            10 | 11 => guard = None,
            12 => {
                own.store(last, Relaxed);
                seen.push(own.load(Relaxed) + 1);
            }
            13 => aqueduct_model::sync::atomic::fence(SeqCst),
            14 => await_until(|| word.load(Acquire) != 0),
            15 => _ = word.compare_exchange_weak(last, last + 1, Relaxed, Relaxed),
            _ => {}
        }
    }
    drop(guard);
    shared.seen.lock().unwrap().push(seen);
}

/// A program of equal threads, another thread, and the main thread.
fn program(equal: usize, steps: &[Vec<Step>], fails: bool) -> impl Fn() + Send + Sync + 'static {
    let steps = steps.to_vec();
    move || {
        let (words, lock, seen) = Default::default();
        let shared = Arc::new(Shared { words, lock, seen });
        let (theirs, mine) = (Arc::clone(&shared), steps[0].clone());
        let threads = thread::spawn_equal(equal, move || run(&theirs, &mine));
        let (theirs, mine) = (Arc::clone(&shared), steps[1].clone());
        let other = thread::spawn(move || run(&theirs, &mine));
        run(&shared, &steps[2]);
        threads.join();
        other.join().unwrap();
        let sum: usize = shared.seen.lock().unwrap().iter().flatten().sum();
        assert!(!fails || !sum.is_multiple_of(5), "an execution in five fails");
    }
}

/// Counts a program's executions up to names.
fn orbits(config: &Config, program: impl Fn() + Send + Sync + 'static) -> (Report, BTreeMap<String, u64>) {
    let orbits = Arc::default();
    let report = config.clone().orbits(&orbits).check(program);
    let found = orbits.lock().unwrap().clone();
    (report, found)
}

#[test]
fn random_equal_threads_have_every_execution_up_to_names() {
    let mut random = random(5);
    let programs = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 1500 } else { 200 };
    let (mut compared, mut fewer, mut failing, mut minimal) = (0, 0, 0, 0);
    let (mut executions, mut all, mut least) = (0, 0, 0);
    for number in 0..programs {
        let equal = 2 + random(2) as usize + usize::from(number % 8 == 0);
        let mut steps =
            |most: u64| -> Vec<Step> { (0..random(most)).map(|_| (random(16), usize::from(random(3) == 0))).collect() };
        let steps = [steps(5), steps(3), steps(3)];
        let model = if number % 7 == 0 { MemoryModel::Sc } else { MemoryModel::Rc11 };
        let config = Config::new().scheduler(SCHEDULERS[number % SCHEDULERS.len()]).model(model).max_executions(2_000);
        let config = config.waits_fail(false);
        let (full, expected) = orbits(&config.clone().all_thread_orders(true), program(equal, &steps, false));
        if full.limited {
            continue;
        }
        let (report, found) = orbits(&config, program(equal, &steps, false));
        compared += 1;
        let says = || format!("{equal} {steps:?}, {config:?}: {report} {full}");
        assert!(found.keys().eq(expected.keys()), "{} of {}: {}", found.len(), expected.len(), says());
        assert!(found.iter().all(|(orbit, number)| *number <= expected[orbit]), "{}", says());
        (executions, all, least) = (executions + report.executions, all + full.executions, least + found.len());
        fewer += usize::from(report.executions < full.executions);
        minimal += usize::from(report.executions == found.len() as u64);
        let kind = |config: &Config| config.check(program(equal, &steps, true)).failure.map(|failure| failure.kind);
        let failure = kind(&config);
        assert_eq!(failure, kind(&config.clone().all_thread_orders(true)), "{}", says());
        failing += usize::from(failure.is_some());
    }
    assert!(
        compared * 2 > programs && fewer * 3 > compared && failing * 20 > compared,
        "{compared} {fewer} {failing} {minimal}"
    );
    assert!(executions * 3 < all * 2, "{executions} of {all}, {least} at least");
}

/// Two of three threads lose an update.
#[test]
fn a_lost_update_of_equal_threads_is_found() {
    let report = Config::new().check(|| {
        let word = Arc::new(AtomicUsize::new(0));
        let theirs = Arc::clone(&word);
        let body = move || match theirs.fetch_add(1, AcqRel) {
            0 => {}
            _ => theirs.store(theirs.load(Acquire) + 1, Release),
        };
        thread::spawn_equal(3, body).join();
        assert_eq!(word.load(Acquire), 5, "the first adds one, the others two");
    });
    assert_eq!(report.failure.map(|failure| failure.kind), Some(FailureKind::Panic));
}

#[test]
fn threads_that_are_told_apart_have_all_orders() {
    let program = || {
        let count = Arc::new(Mutex::new(None));
        let theirs = Arc::clone(&count);
        let threads = thread::spawn_equal(3, move || {
            theirs.lock().unwrap().get_or_insert(thread::current().id());
        });
        threads.join();
    };
    counts(6, 6, program);
    // A bound on preemptions depends on the thread that continues.
    let report = Config::new().max_preemptions(5).check(lockers(3));
    assert_eq!(report.executions, 6);
}
