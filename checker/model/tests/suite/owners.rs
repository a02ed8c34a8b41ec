//! The owners of an `Arc`: only the order with the last drop is explored, and nothing is missed by
//! that.

use std::collections::BTreeSet;
use std::mem::ManuallyDrop;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool as Flag, AtomicU64 as Number};
use std::sync::{Arc as Std, Mutex as StdMutex};
use std::time::Duration;

use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use aqueduct_model::sync::{Arc, Mutex, Weak};
use aqueduct_model::{Config, FailureKind, Fault, MemoryModel, Report, cell, on_record, thread};

use crate::support::{SCHEDULERS, random};

/// `threads` threads with an owner each lock the mutex once; the main thread joins them.
fn lockers(threads: usize, joins: bool) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let lock = Arc::new(Mutex::new(0));
        let handles: Vec<_> = (0..threads)
            .map(|_| {
                let lock = Arc::clone(&lock);
                thread::spawn(move || *lock.lock().unwrap() += 1)
            })
            .collect();
        if joins {
            handles.into_iter().for_each(|handle| handle.join().unwrap());
            assert_eq!(*lock.lock().unwrap(), threads);
        }
    }
}

#[test]
fn drops_that_are_not_the_last_have_no_order() {
    for (threads, orders) in [(2, 2), (3, 6), (4, 24), (5, 120)] {
        let report = Config::new().check(lockers(threads, true));
        assert!(report.exhaustive && report.executions == orders, "{report}");
    }
    // Each of three forks has two orders, and each thread may be the last.
    let report = Config::new().check(lockers(3, false));
    let counted = Config::new().all_drop_orders(true).check(lockers(3, false));
    assert!(report.exhaustive && report.executions < counted.executions, "{report} {counted}");
}

/// A value that its last owner drops: it reads the owners' writes, and writes.
struct Value {
    cell: cell::UnsafeCell<usize>,
    word: AtomicUsize,
    seen: Std<StdMutex<Vec<usize>>>,
}

// SAFETY: The checker finds races on the cell.
unsafe impl Sync for Value {}

impl Drop for Value {
    fn drop(&mut self) {
        // SAFETY: The checker finds races.
        self.cell.with_mut(|at| unsafe { *at += 1 });
        // Which thread drops the value is an outcome, too.
        let thread: usize = thread::current().name().map_or(0, |name| name.parse().unwrap());
        let word = self.word.load(Relaxed);
        self.seen.lock().unwrap().push(10 * thread + word);
    }
}

/// A step of a thread: an operation and a number.
type Step = (u64, usize);

struct Shared {
    words: [AtomicUsize; 2],
    lock: Mutex<()>,
    /// An owner that threads hand over.
    pocket: Mutex<Option<Arc<Value>>>,
}

type Owners = (Vec<Arc<Value>>, Vec<Weak<Value>>);

fn run(shared: &Shared, (owners, weak): &mut Owners, steps: &[Step], seen: &mut Vec<usize>) {
    for &(operation, number) in steps {
        let word = &shared.words[number % 2];
        let owner = owners.last();
        match (operation, owner) {
            (0, Some(owner)) => {
                let another = Arc::clone(owner);
                owners.push(another);
            }
            (1 | 2, Some(_)) => drop(owners.pop()),
            (3, _) => word.store(number + 1, Relaxed),
            (4, _) => seen.push(word.load(Relaxed)),
            (5, _) => drop(shared.lock.lock().unwrap()),
            (6, Some(owner)) => owner.word.store(number + 1, Relaxed),
            // SAFETY: The checker finds races.
            (7, Some(owner)) => seen.push(owner.cell.with(|at| unsafe { *at })),
            (8, Some(_)) => {
                if let Some(owner) = owners.last_mut() {
                    seen.push(usize::from(Arc::get_mut(owner).is_some()));
                }
            }
            (9, Some(_)) => match owners.pop().map(Arc::try_unwrap) {
                Some(Ok(value)) => {
                    seen.push(50);
                    drop(value);
                }
                Some(Err(owner)) => owners.push(owner),
                None => {}
            },
            (10, Some(_)) => *shared.pocket.lock().unwrap() = owners.pop(),
            (11, _) => owners.extend(shared.pocket.lock().unwrap().take()),
            (12, _) => word.store(number + 1, Release),
            (13, _) => seen.push(word.load(Acquire)),
            // SAFETY: The checker finds races.
            (14, Some(owner)) => owner.cell.with_mut(|at| unsafe { *at += 1 }),
            (15, Some(owner)) => seen.push(Arc::strong_count(owner)),
            (16, _) => seen.extend(weak.last().map(Weak::weak_count)),
            (17, Some(owner)) => weak.push(Arc::downgrade(owner)),
            (18, _) => weak.extend(weak.last().cloned()),
            (19, _) => drop(weak.pop()),
            (20..25, _) => match weak.last().and_then(Weak::upgrade) {
                Some(owner) => owners.push(owner),
                None => seen.push(60),
            },
            _ => {}
        }
    }
}

/// Returns the report and the outcomes of a program.
fn outcomes(config: &Config, threads: &[Vec<Step>]) -> (Report, BTreeSet<Vec<Vec<usize>>>) {
    let all = Std::new(StdMutex::new(BTreeSet::new()));
    let (found, threads) = (Std::clone(&all), threads.to_vec());
    let has_weak = threads.iter().flatten().any(|step| step.0 > 15);
    let report = config.check(move || {
        let seen = Std::new(StdMutex::new(Vec::new()));
        let value = Value { cell: cell::UnsafeCell::new(0), word: AtomicUsize::new(0), seen: Std::clone(&seen) };
        let first = Arc::new(value);
        let shared = Std::new(Shared {
            words: [const { AtomicUsize::new(0) }; 2],
            lock: Mutex::new(()),
            pocket: Mutex::new(None),
        });
        let handles: Vec<_> = (threads.iter().cloned().enumerate().skip(1))
            .map(|(number, steps)| {
                let (shared, owner) = (Std::clone(&shared), Arc::clone(&first));
                let weak = if has_weak { vec![Arc::downgrade(&first)] } else { Vec::new() };
                let body = move || {
                    let (mut owners, mut mine) = ((vec![owner], weak), Vec::new());
                    run(&shared, &mut owners, &steps, &mut mine);
                    mine
                };
                thread::Builder::new().name(number.to_string()).spawn(body).unwrap()
            })
            .collect();
        let (mut owners, mut mine) = ((vec![first], Vec::new()), Vec::new());
        run(&shared, &mut owners, &threads[0], &mut mine);
        drop(owners);
        let mut outcome = vec![mine];
        outcome.extend(handles.into_iter().map(|handle| handle.join().unwrap()));
        *shared.pocket.lock().unwrap() = None;
        outcome.push(seen.lock().unwrap().clone());
        if on_record() {
            found.lock().unwrap().insert(outcome);
        }
    });
    let found = all.lock().unwrap().clone();
    (report, found)
}

/// Compares random programs with and without the orders of all drops: the outcomes are equal, and
/// the errors.
fn compare(programs: usize, seed: u64, step: impl Fn(usize, &mut dyn FnMut(u64) -> u64) -> u64) {
    let mut random = random(seed);
    let (mut failing, mut fewer, mut compared) = (0, 0, 0);
    for number in 0..programs {
        let threads: Vec<Vec<Step>> = (0..2 + random(2))
            .map(|_| (0..1 + random(4)).map(|_| (step(number, &mut random), random(3) as usize)).collect())
            .collect();
        let model = if number % 7 == 0 { MemoryModel::Sc } else { MemoryModel::Rc11 };
        let config = Config::new().scheduler(SCHEDULERS[number % SCHEDULERS.len()]).model(model).max_executions(30_000);
        let (all, expected) = outcomes(&config.clone().all_drop_orders(true), &threads);
        if all.limited {
            continue;
        }
        let (report, found) = outcomes(&config, &threads);
        compared += 1;
        let kind = |report: &Report| report.failure.as_ref().map(|failure| failure.kind);
        assert_eq!(kind(&report), kind(&all), "{threads:?}: {report} {all}");
        match &report.failure {
            Some(failure) => {
                failing += 1;
                let (again, _) = outcomes(&config.clone().replay(&failure.replay), &threads);
                assert_eq!(kind(&again), Some(failure.kind), "{threads:?}: {failure}");
            }
            None => {
                assert_eq!(found, expected, "{threads:?}: {report} {all}");
                assert!(report.executions <= all.executions, "{threads:?}: {report} {all}");
                fewer += usize::from(report.executions < all.executions);
            }
        }
    }
    assert!(failing * 20 > compared && fewer * 4 > compared && compared * 2 > programs, "{failing} {fewer} {compared}");
}

fn programs() -> usize {
    if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 1500 } else { 150 }
}

#[test]
fn random_owners_come_to_the_same_with_every_order_of_their_drops() {
    compare(programs(), 7, |number, random| random(if number.is_multiple_of(10) { 16 } else { 15 }));
}

/// Some owners read numbers, or check whether they have the value alone; most do not.
#[test]
fn random_weak_references_come_to_the_same_with_every_order_of_drops() {
    const STEPS: [u64; 15] = [0, 1, 1, 3, 4, 6, 7, 9, 14, 17, 18, 19, 20, 20, 20];
    compare(programs(), 8, |number, random| match number % 10 {
        0 => [0, 1, 6, 8, 15, 16, 17, 19, 20][random(9) as usize],
        _ => STEPS[random(15) as usize],
    });
}

/// The second thread's drop releases what the first thread's has released into the fork that both
/// have left, and the main thread's drop is the last: without that, it would race with the first
/// thread.
#[test]
fn the_last_owner_sees_what_all_others_did() {
    let program = || {
        let first = Arc::new((cell::UnsafeCell::new(0), AtomicUsize::new(0)));
        struct Sender(Arc<(cell::UnsafeCell<usize>, AtomicUsize)>);
        // SAFETY: The checker finds races.
        unsafe impl Send for Sender {}
        let second = Sender(Arc::clone(&first));
        let third = Sender(Arc::clone(&second.0));
        for sender in [second, third] {
            thread::spawn(move || {
                let sender = sender;
                if sender.0.1.fetch_add(1, Relaxed) == 0 {
                    // SAFETY: It is the first, and the other one does not come here.
                    sender.0.0.with_mut(|at| unsafe { *at = 1 });
                }
            });
        }
        if let Ok((value, _)) = Arc::try_unwrap(first) {
            // SAFETY: All others were dropped.
            value.with_mut(|at| unsafe { *at += 1 });
        }
    };
    let report = Config::new().check(program);
    assert!(report.exhaustive, "{report}");
    let failure = Config::new().fault(Fault::NothingCarried).check(program).failure;
    assert_eq!(failure.map(|failure| failure.kind), Some(FailureKind::Race));
}

/// A program that reads the number of owners in some executions has all orders of drops.
#[test]
fn a_program_that_asks_for_the_number_of_owners_is_explored_with_a_count() {
    let counts = |always: bool| {
        move || {
            let first = Arc::new(AtomicUsize::new(0));
            let others: Vec<_> = (0..2).map(|_| Arc::clone(&first)).collect();
            for other in others {
                thread::spawn(move || other.store(1, Relaxed));
            }
            if always || first.load(Relaxed) == 1 {
                assert!(Arc::strong_count(&first) <= 3);
            }
        }
    };
    for always in [true, false] {
        let all = Config::new().all_drop_orders(true).check(counts(always));
        let report = Config::new().check(counts(always));
        assert!(report.exhaustive && report.executions == all.executions, "{report} {all}");
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("owners-{always}"));
        let _ = std::fs::remove_file(&folder);
        let saved = Config::new().check_saving(&folder, "owners", Duration::from_secs(60), counts(always)).unwrap();
        assert!(saved.exhaustive && saved.executions == all.executions, "{saved} {all}");
        let estimate = Config::new().estimate(500, 1, Duration::from_secs(60), counts(always));
        assert!(estimate.is_plausible(all.executions), "{estimate:?} {all}");
    }
}

/// A failure that only a count shows is found again by its replay string, in which nothing reads
/// the count.
#[test]
fn a_replay_counts_as_the_check_did() {
    let asked = Std::new(Flag::new(false));
    let runs = Std::new(Number::new(0));
    let program = {
        let (asked, runs) = (Std::clone(&asked), Std::clone(&runs));
        move || {
            runs.fetch_add(1, SeqCst);
            let first = Arc::new(AtomicUsize::new(0));
            let other = Arc::clone(&first);
            let thread = thread::spawn(move || other.store(1, Relaxed));
            let value = first.load(Relaxed);
            if value == 1 {
                asked.store(true, SeqCst);
                assert!(Arc::strong_count(&first) > 0);
            }
            thread.join().unwrap();
            assert!(value == 1, "the store comes late");
        }
    };
    let failure = Config::new().check(program.clone()).failure.expect("an execution fails");
    asked.store(false, SeqCst);
    let again = Config::new().replay(&failure.replay).check(program).failure.expect("the replay fails");
    assert_eq!((again.kind, again.message), (FailureKind::Panic, failure.message));
    assert!(!asked.load(SeqCst) && runs.load(SeqCst) > 1);
}

#[test]
fn the_rest_of_stds_methods() {
    let report = Config::new().check(|| {
        let first = Arc::new(vec![1]);
        let second = Arc::clone(&first);
        let thread = thread::spawn(move || Arc::into_inner(second));
        let mine = Arc::into_inner(first);
        let theirs = thread.join().unwrap();
        assert!(mine.is_some() != theirs.is_some(), "the last one gets it");
        let mut one = Arc::new(1);
        *Arc::make_mut(&mut one) += 1;
        let mut other = Arc::clone(&one);
        *Arc::make_mut(&mut other) += 1;
        assert_eq!((*one, *other), (2, 3));
        assert_eq!((Arc::unwrap_or_clone(one), Arc::unwrap_or_clone(other)), (2, 3));
    });
    assert!(report.exhaustive && report.executions == 2, "{report}");
}

/// Intrusive lists keep addresses and forget the owners. The first address makes the check begin
/// anew, but the run continues to its end, in which each address stands for an owner, too: a
/// destructor that panics for want of it aborts.
#[test]
fn owners_that_are_kept_as_addresses_in_two_lists_come_back() {
    let (kept, back) = (Std::new(Number::new(0)), Std::new(Number::new(0)));
    let (all_kept, all_back) = (Std::clone(&kept), Std::clone(&back));
    let report = Config::new().check(move || {
        let (first, second) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let keep = |value: &Arc<AtomicUsize>| {
            kept.fetch_add(1, SeqCst);
            Arc::as_ptr(&*ManuallyDrop::new(Arc::clone(value)))
        };
        let lists = [[keep(&first), keep(&second)], [keep(&first), keep(&second)]];
        let other = thread::spawn(move || first.fetch_add(1, Relaxed) + second.fetch_add(1, Relaxed));
        for pointer in lists.into_iter().flatten() {
            // SAFETY: Each address was kept with an owner, and is made one once.
            unsafe { Arc::from_raw(pointer) }.fetch_add(1, Relaxed);
            back.fetch_add(1, SeqCst);
        }
        assert!(other.join().unwrap() <= 4);
    });
    assert!(report.failure.is_none() && report.exhaustive, "{report}");
    assert_eq!(all_back.load(SeqCst), all_kept.load(SeqCst), "an owner is lost");
}
