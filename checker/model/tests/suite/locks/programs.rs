//! Random threads that take locks and use atomics in between, against the same with exchanges in
//! place of locks.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex as StdMutex};

use aqueduct_model::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use aqueduct_model::sync::atomic::{AtomicBool, AtomicUsize};
use aqueduct_model::sync::{Mutex, MutexGuard};
use aqueduct_model::{Config, FailureKind, MemoryModel, Report, await_until, thread};

use crate::support::{SCHEDULERS, random};

/// A lock in one of two forms.
trait Lock: Default + Send + Sync + 'static {
    type Guard<'a>;
    fn take(&self) -> Self::Guard<'_>;
    fn attempt(&self) -> Option<Self::Guard<'_>>;
}

impl Lock for Mutex<()> {
    type Guard<'a> = MutexGuard<'a, ()>;

    fn take(&self) -> MutexGuard<'_, ()> {
        self.lock().unwrap()
    }

    fn attempt(&self) -> Option<MutexGuard<'_, ()>> {
        self.try_lock().ok()
    }
}

/// A lock that is an exchange, tried until it succeeds.
#[derive(Default)]
struct Exchanged(AtomicBool);

/// Its guard.
struct Owner<'a>(&'a AtomicBool);

impl Drop for Owner<'_> {
    fn drop(&mut self) {
        self.0.store(false, Release);
    }
}

impl Exchanged {
    fn exchange(&self) -> bool {
        self.0.compare_exchange(false, true, Acquire, Relaxed).is_ok()
    }
}

impl Lock for Exchanged {
    type Guard<'a> = Owner<'a>;

    fn take(&self) -> Owner<'_> {
        await_until(|| self.exchange());
        Owner(&self.0)
    }

    fn attempt(&self) -> Option<Owner<'_>> {
        self.exchange().then(|| Owner(&self.0))
    }
}

#[derive(Default)]
struct Shared<L> {
    locks: [L; 2],
    words: [AtomicUsize; 2],
}

/// A step: its operation, and one of two objects.
type Step = (u64, usize);

/// Runs a thread's steps, and notes the values that it reads.
fn run<L: Lock>(shared: &Shared<L>, steps: &[Step], seen: &mut Vec<usize>) {
    let mut guards: [Option<L::Guard<'_>>; 2] = [None, None];
    for &(what, at) in steps {
        let (lock, word) = (&shared.locks[at], &shared.words[at]);
        match what {
            0..=4 if guards[at].is_some() => guards[at] = None,
            0..=3 => guards[at] = Some(lock.take()),
            4 => {
                guards[at] = lock.attempt();
                seen.push(usize::from(guards[at].is_some()));
            }
            5 => seen.push(word.load(Relaxed)),
            6 => seen.push(word.load(Acquire)),
            7 => word.store(1, Relaxed),
            8 => word.store(2, Release),
            9 => seen.push(word.fetch_add(1, Relaxed)),
            _ => await_until(|| word.load(Acquire) != 0),
        }
    }
}

/// The values that the threads of an execution have seen.
type Outcome = Vec<Vec<usize>>;

/// Returns the report and the outcomes of a program.
fn outcomes<L: Lock>(config: &Config, threads: &[Vec<Step>]) -> (Report, BTreeSet<Outcome>) {
    let all = Arc::new(StdMutex::new(BTreeSet::new()));
    let (found, threads) = (Arc::clone(&all), threads.to_vec());
    let report = config.check(move || {
        let shared = Arc::new(Shared::<L>::default());
        let handles: Vec<_> = (threads.iter().cloned())
            .map(|steps| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let mut seen = Vec::new();
                    run(&shared, &steps, &mut seen);
                    seen
                })
            })
            .collect();
        let outcome: Outcome = handles.into_iter().map(|handle| handle.join().unwrap()).collect();
        found.lock().unwrap().insert(outcome);
    });
    let found = all.lock().unwrap().clone();
    (report, found)
}

/// Both forms of a random program have as many executions, with equal outcomes, and the same
/// errors.
#[test]
fn random_programs_come_to_the_same_with_exchanges_in_place_of_locks() {
    let mut random = random(71);
    let programs = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 6000 } else { 600 };
    let (mut compared, mut failing, mut waiting) = (0, 0, 0);
    let (mut executions, mut wasted, mut wasted_before) = (0, 0, 0);
    for number in 0..programs {
        let most = if number % 5 == 0 { 11 } else { 10 };
        let threads: Vec<Vec<Step>> = (0..2 + random(2))
            .map(|_| (0..2 + random(5)).map(|_| (random(most), random(2) as usize)).collect())
            .collect();
        let model = if number % 7 == 0 { MemoryModel::Sc } else { MemoryModel::Rc11 };
        let config = Config::new().scheduler(SCHEDULERS[number % SCHEDULERS.len()]).model(model).max_executions(20_000);
        let (all, expected) = outcomes::<Exchanged>(&config.clone().waits_fail(false), &threads);
        if all.limited {
            continue;
        }
        let (report, found) = outcomes::<Mutex<()>>(&config.clone().waits_fail(false), &threads);
        compared += 1;
        assert_eq!(report.executions, all.executions, "{threads:?}, {config:?}: {report} {all}");
        assert_eq!(found, expected, "{threads:?}, {config:?}: {report} {all}");
        let lost = |report: &Report| report.blocked + report.discarded;
        executions += all.executions;
        wasted += lost(&report);
        wasted_before += lost(&all);
        let kind = |report: Report| report.failure.map(|failure| failure.kind);
        let failure = kind(outcomes::<Mutex<()>>(&config, &threads).0);
        assert_eq!(failure, kind(outcomes::<Exchanged>(&config, &threads).0), "{threads:?}, {config:?}");
        failing += usize::from(failure.is_some());
        waiting += usize::from(failure == Some(FailureKind::Liveness));
    }
    assert!(
        compared * 2 > programs && failing * 20 > compared && waiting * 20 > compared,
        "{compared} {failing} {waiting}"
    );
    assert!(wasted * 2 < executions && wasted * 2 < wasted_before, "{wasted}, {wasted_before} of {executions}");
}
