//! Random threads that only take locks, against all interleavings of their steps.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use aqueduct_model::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
use aqueduct_model::{Config, Report, thread};

use crate::support::{SCHEDULERS, random};

/// The number of mutexes, and that of locks of readers and writers.
const LOCKS: usize = 2;

/// A step: an operation on one of the locks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Step {
    Lock(usize),
    Read(usize),
    Write(usize),
    /// Releases the lock that was taken last.
    Release,
}

/// The threads that took or released each lock, in order.
type Orders = Vec<Vec<(usize, bool)>>;

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    done: Vec<usize>,
    /// The thread that has done the last step.
    current: Option<usize>,
    orders: Orders,
    /// How many threads have each lock, and whether that one writes.
    owners: Vec<(usize, bool)>,
}

/// Returns the lock of a step, as a number, and whether it is taken alone.
fn taken(step: Step) -> Option<(usize, bool)> {
    match step {
        Step::Lock(lock) => Some((lock, true)),
        Step::Read(lock) => Some((LOCKS + lock, false)),
        Step::Write(lock) => Some((LOCKS + lock, true)),
        Step::Release => None,
    }
}

/// Returns the lock that a thread releases at a step.
fn let_go(steps: &[Step]) -> Option<usize> {
    let mut held = Vec::new();
    for &step in steps {
        match taken(step) {
            Some((lock, _)) => held.push(lock),
            None => drop(held.pop()),
        }
    }
    held.pop()
}

/// Returns the state after a thread's next step, unless the thread has to wait.
fn step(threads: &[Vec<Step>], state: &State, number: usize) -> Option<State> {
    let steps = &threads[number];
    let step = *steps.get(state.done[number])?;
    let mut next = state.clone();
    next.done[number] += 1;
    next.current = Some(number);
    match (taken(step), let_go(&steps[..state.done[number]])) {
        (Some((lock, alone)), _) => {
            let (count, writes) = &mut next.owners[lock];
            if *writes || alone && *count > 0 {
                return None;
            }
            (*count, *writes) = (*count + 1, alone);
            next.orders[lock].push((number, true));
        }
        (None, Some(lock)) => {
            let (count, writes) = &mut next.owners[lock];
            (*count, *writes) = (*count - 1, false);
            next.orders[lock].push((number, false));
        }
        (None, None) => {}
    }
    Some(next)
}

/// Returns the possible orders of all interleavings, and the fewest preemptions of each.
fn interleave(threads: &[Vec<Step>]) -> BTreeMap<Orders, usize> {
    let first = State {
        done: vec![0; threads.len()],
        current: None,
        orders: vec![Vec::new(); 2 * LOCKS],
        owners: vec![(0, false); 2 * LOCKS],
    };
    let (mut seen, mut open, mut ends) = (HashSet::new(), vec![first], BTreeMap::new());
    let mut preemptions = 0;
    while !open.is_empty() {
        let mut preempted = Vec::new();
        while let Some(state) = open.pop() {
            if !seen.insert(state.clone()) {
                continue;
            }
            let goes_on = state.current.and_then(|current| step(threads, &state, current));
            let others = (0..threads.len()).filter(|&number| Some(number) != state.current);
            let others: Vec<_> = others.filter_map(|number| step(threads, &state, number)).collect();
            if goes_on.is_none() && others.is_empty() {
                ends.entry(state.orders).or_insert(preemptions);
            } else if let Some(next) = goes_on {
                open.push(next);
                preempted.extend(others);
            } else {
                open.extend(others);
            }
        }
        open = preempted;
        preemptions += 1;
    }
    ends
}

enum Guard<'a> {
    Lock(#[expect(dead_code, reason = "it lets go")] MutexGuard<'a, ()>),
    Read(#[expect(dead_code, reason = "it lets go")] RwLockReadGuard<'a, ()>),
    Write(#[expect(dead_code, reason = "it lets go")] RwLockWriteGuard<'a, ()>),
}

#[derive(Default)]
struct Locks {
    mutexes: [Mutex<()>; LOCKS],
    shared: [RwLock<()>; LOCKS],
}

fn run(locks: &Locks, steps: &[Step]) {
    let mut guards = Vec::new();
    for &step in steps {
        match step {
            Step::Lock(lock) => guards.push(Guard::Lock(locks.mutexes[lock].lock().unwrap())),
            Step::Read(lock) => guards.push(Guard::Read(locks.shared[lock].read().unwrap())),
            Step::Write(lock) => guards.push(Guard::Write(locks.shared[lock].write().unwrap())),
            Step::Release => drop(guards.pop()),
        }
    }
    // Locks that are still held are never released.
    guards.into_iter().for_each(std::mem::forget);
}

fn check(config: &Config, threads: &[Vec<Step>]) -> Report {
    let threads = threads.to_vec();
    config.check(move || {
        let locks = Arc::new(Locks::default());
        for steps in threads.clone() {
            let locks = Arc::clone(&locks);
            thread::spawn(move || run(&locks, &steps));
        }
    })
}

/// Returns the steps of a random thread, which may take locks while it has others, and may keep
/// some.
fn thread_of(random: &mut impl FnMut(u64) -> u64) -> Vec<Step> {
    let keeps = random(8) == 0;
    let (mut steps, mut held) = (Vec::new(), Vec::new());
    for _ in 0..2 + random(4) {
        let lock = random(LOCKS as u64) as usize;
        let step = [Step::Lock(lock), Step::Read(lock), Step::Write(lock), Step::Release][random(4) as usize];
        match taken(step) {
            Some((lock, _)) if held.contains(&lock) => continue,
            Some((lock, _)) => held.push(lock),
            None if held.pop().is_none() => continue,
            None => {}
        }
        steps.push(step);
    }
    steps.extend(held.iter().filter(|_| !keeps).map(|_| Step::Release));
    steps
}

/// There are as many executions as orders of the interleavings, with those in which threads wait
/// forever.
#[test]
fn random_threads_take_locks_in_every_order() {
    let mut random = random(30);
    let programs = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 6000 } else { 600 };
    let (mut compared, mut waiting, mut wasted, mut all) = (0, 0, 0, 0);
    for number in 0..programs {
        let threads: Vec<_> = (0..2 + random(3)).map(|_| thread_of(&mut random)).collect();
        if threads.iter().map(Vec::len).sum::<usize>() > 14 {
            continue;
        }
        let ends = interleave(&threads).len() as u64;
        let scheduler = SCHEDULERS[number % SCHEDULERS.len()];
        let config = Config::new().scheduler(scheduler).max_executions(2 * ends);
        let report = check(&config.clone().waits_fail(false), &threads);
        assert_eq!((report.executions, report.blocked), (ends, 0), "{threads:?}, {config:?}: {report}");
        wasted += report.discarded;
        all += ends;
        compared += 1;
        waiting += u64::from(check(&config, &threads).failure.is_some());
    }
    assert!(compared * 2 > programs && waiting > compared as u64 / 20, "{compared} {waiting}");
    assert!(wasted * 100 < all, "{wasted} of {all} lead nowhere");
}

/// Under a bound on preemptions, there are as many executions as orders of the interleavings within
/// it.
#[test]
fn random_threads_take_locks_with_few_preemptions() {
    let mut random = random(31);
    let programs = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 6000 } else { 600 };
    let (mut compared, mut exact, mut within, mut all) = (0, 0, 0, 0);
    for number in 0..programs {
        let threads: Vec<_> = (0..2 + random(3)).map(|_| thread_of(&mut random)).collect();
        if threads.iter().map(Vec::len).sum::<usize>() > 14 {
            continue;
        }
        let ends = interleave(&threads);
        let scheduler = SCHEDULERS[number % SCHEDULERS.len()];
        // No schedule has a thousand preemptions.
        for most in [0, 1, 2, 1000] {
            let expected = ends.values().filter(|&&preemptions| preemptions <= most).count();
            let config = Config::new().scheduler(scheduler).max_preemptions(most as u32).waits_fail(false);
            let report = check(&config, &threads);
            // A thread that waits forever may be left before that: its last operation need not be
            // there.
            let is_right = if report.threads.iter().any(|thread| thread.waiting > 0) {
                report.executions >= expected as u64
            } else {
                report.executions == expected as u64
                    && (report.left_out == 0 || most < 1000)
                    && (report.left_out > 0 || expected == ends.len())
            };
            assert!(is_right, "{expected} of {}, {threads:?}, {config:?}: {report}", ends.len());
            exact += usize::from(report.executions == expected as u64);
            within += expected;
            all += ends.len();
            compared += 1;
        }
    }
    assert!(compared * 3 > programs * 4 && exact * 10 > compared * 9, "{exact} of {compared}");
    assert!(within * 10 < all * 9, "{within} of {all}");
}
