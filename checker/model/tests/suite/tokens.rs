//! Random threads that wait for messages and for each other's tokens, against the same with loops
//! that try.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex as StdMutex};

use aqueduct_model::hint::await_some;
use aqueduct_model::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use aqueduct_model::sync::atomic::{AtomicBool, AtomicUsize};
use aqueduct_model::sync::mpsc::{self, Receiver, Sender, SyncSender, TryRecvError};
use aqueduct_model::sync::{Mutex, Notify};
use aqueduct_model::{Config, FailureKind, MemoryModel, Report, Scheduler, await_until, thread};

use crate::support::{SCHEDULERS, random};

/// A token in one of two forms: as the library has it, and as a program would make it.
trait Token: Default + Send + Sync + 'static {
    const TRIES: bool;
    fn give(&self);
    fn take(&self);
}

impl Token for Notify {
    const TRIES: bool = false;

    fn give(&self) {
        self.notify();
    }

    fn take(&self) {
        self.wait();
    }
}

#[derive(Default)]
struct Exchanged(AtomicBool);

impl Token for Exchanged {
    const TRIES: bool = true;

    fn give(&self) {
        self.0.swap(true, Release);
    }

    fn take(&self) {
        await_until(|| self.0.compare_exchange(true, false, Acquire, Relaxed).is_ok());
    }
}

enum Sends {
    Any(Sender<usize>),
    Some(SyncSender<usize>),
}

impl Sends {
    fn another(&self) -> Self {
        match self {
            Self::Any(sender) => Self::Any(sender.clone()),
            Self::Some(sender) => Self::Some(sender.clone()),
        }
    }

    fn send(&self, value: usize) -> bool {
        match self {
            Self::Any(sender) => sender.send(value).is_ok(),
            Self::Some(sender) => sender.send(value).is_ok(),
        }
    }
}

struct Shared<T> {
    tokens: [T; 2],
    words: [AtomicUsize; 2],
    /// The receiver, in the hands of one thread at a time.
    receiver: Mutex<Option<Receiver<usize>>>,
}

type Step = (u64, usize);

/// Receives; with `tries`, by a loop of attempts.
fn receive(receiver: &Receiver<usize>, tries: bool) -> Option<usize> {
    if !tries {
        return receiver.recv().ok();
    }
    await_some(|| match receiver.try_recv() {
        Ok(value) => Some(Some(value)),
        Err(TryRecvError::Disconnected) => Some(None),
        Err(TryRecvError::Empty) => None,
    })
}

fn run<T: Token>(shared: &Shared<T>, sender: Sends, steps: &[Step], seen: &mut Vec<usize>) {
    let (mut sender, mut receiver) = (Some(sender), None);
    for &(what, at) in steps {
        let (token, word) = (&shared.tokens[at], &shared.words[at]);
        match what {
            0 | 1 => seen.extend(sender.as_ref().map(|sender| usize::from(sender.send(at + 1)))),
            2 | 3 => {
                if receiver.is_none() {
                    receiver = shared.receiver.lock().unwrap().take();
                }
                seen.extend(
                    receiver.as_ref().map(|receiver| receive(receiver, T::TRIES).map_or(7, |value| 10 + value)),
                );
            }
            4 => sender = None,
            5 | 6 => token.give(),
            7 => token.take(),
            8 => word.store(1, Relaxed),
            9 => word.store(2, Release),
            10 => seen.push(word.load(Relaxed)),
            11 => seen.push(word.load(Acquire)),
            _ => receiver = None,
        }
    }
}

type Outcome = Vec<Vec<usize>>;

fn outcomes<T: Token>(config: &Config, bound: Option<usize>, threads: &[Vec<Step>]) -> (Report, BTreeSet<Outcome>) {
    let all = Arc::new(StdMutex::new(BTreeSet::new()));
    let (found, threads) = (Arc::clone(&all), threads.to_vec());
    let report = config.check(move || {
        let (sender, receiver) = match bound {
            None => {
                let (sender, receiver) = mpsc::channel();
                (Sends::Any(sender), receiver)
            }
            Some(bound) => {
                let (sender, receiver) = mpsc::sync_channel(bound);
                (Sends::Some(sender), receiver)
            }
        };
        let shared = Arc::new(Shared {
            tokens: [T::default(), T::default()],
            words: [const { AtomicUsize::new(0) }; 2],
            receiver: Mutex::new(Some(receiver)),
        });
        let handles: Vec<_> = (threads.iter().cloned())
            .map(|steps| {
                let (shared, sender) = (Arc::clone(&shared), sender.another());
                thread::spawn(move || {
                    let mut seen = Vec::new();
                    run(&shared, sender, &steps, &mut seen);
                    seen
                })
            })
            .collect();
        drop(sender);
        let outcome: Outcome = handles.into_iter().map(|handle| handle.join().unwrap()).collect();
        found.lock().unwrap().insert(outcome);
    });
    let found = all.lock().unwrap().clone();
    (report, found)
}

#[test]
fn random_programs_come_to_the_same_with_loops_in_place_of_waits() {
    let mut random = random(77);
    let programs = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 6000 } else { 600 };
    let (mut compared, mut failing, mut outcomes_seen) = (0, 0, 0);
    let (mut executions, mut wasted, mut wasted_before) = (0, 0, 0);
    for number in 0..programs {
        let bound = [None, None, Some(1), Some(2), Some(0)][random(5) as usize];
        let threads: Vec<Vec<Step>> = (0..2 + random(2))
            .map(|_| (0..2 + random(4)).map(|_| (random(13), random(2) as usize)).collect())
            .collect();
        let model = if number % 7 == 0 { MemoryModel::Sc } else { MemoryModel::Rc11 };
        let config = Config::new().scheduler(SCHEDULERS[number % SCHEDULERS.len()]).model(model).max_executions(20_000);
        let silent = config.clone().waits_fail(false);
        let (all, expected) = outcomes::<Exchanged>(&silent, bound, &threads);
        let (report, found) = outcomes::<Notify>(&silent, bound, &threads);
        if all.limited || report.limited {
            continue;
        }
        compared += 1;
        outcomes_seen += found.len();
        assert_eq!(found, expected, "{bound:?} {threads:?}, {config:?}: {report} {all}");
        let lost = |report: &Report| report.blocked + report.discarded;
        executions += report.executions;
        wasted += lost(&report);
        wasted_before += lost(&all);
        let kind = |report: Report| report.failure.map(|failure| failure.kind);
        let failure = kind(outcomes::<Notify>(&config, bound, &threads).0);
        assert_eq!(
            failure,
            kind(outcomes::<Exchanged>(&config, bound, &threads).0),
            "{bound:?} {threads:?}, {config:?}"
        );
        assert!(matches!(failure, None | Some(FailureKind::Liveness)), "{bound:?} {threads:?}: {failure:?}");
        failing += usize::from(failure.is_some());
    }
    assert!(compared * 2 > programs && failing * 20 > compared && outcomes_seen > compared, "{compared} {failing}");
    assert!(wasted * 10 < wasted_before && wasted * 10 < executions, "{wasted}, {wasted_before} of {executions}");
}

/// std: `unpark` releases, `park` acquires from all unparkers before it, and nothing else
/// synchronizes.
#[test]
fn random_threads_that_park_have_the_executions_of_release_and_acquire() {
    let mut random = random(78);
    let programs = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 4000 } else { 400 };
    let (mut compared, mut outcomes_seen) = (0, 0);
    for number in 0..programs {
        // A token's step in every second place, or else a word's.
        let step = |random: &mut dyn FnMut(u64) -> u64| match random(2) {
            0 => (5 + random(3), random(2) as usize),
            _ => (8 + random(4), random(2) as usize),
        };
        let threads: Vec<Vec<Step>> =
            (0..2 + random(2)).map(|_| (0..2 + random(4)).map(|_| step(&mut random)).collect()).collect();
        let config = Config::new().scheduler(SCHEDULERS[number % SCHEDULERS.len()]).max_executions(20_000);
        let config = config.waits_fail(false);
        let (all, expected) = outcomes::<Exchanged>(&config, None, &threads);
        let (report, found) = outcomes::<Notify>(&config, None, &threads);
        if all.limited || report.limited {
            continue;
        }
        compared += 1;
        outcomes_seen += found.len();
        assert_eq!(found, expected, "{threads:?}, {config:?}: {report} {all}");
        assert_eq!(report.executions, all.executions, "{threads:?}, {config:?}");
    }
    assert!(compared * 10 > programs * 9 && outcomes_seen > compared, "{compared} {outcomes_seen}");
}

/// Two threads unpark the main one, which acquires from both. The later one acquires nothing from
/// the earlier.
#[test]
fn an_unpark_acquires_nothing() {
    let seen = Arc::new(StdMutex::new(BTreeSet::new()));
    let note = Arc::clone(&seen);
    // One token may stand for both calls: then the second park waits.
    let report = Config::new().waits_fail(false).check(move || {
        let words = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let call = |word: usize| {
            let (main, words) = (thread::current(), Arc::clone(&words));
            thread::spawn(move || {
                words[word].store(1, Relaxed);
                main.unpark();
                words[1 - word].load(Relaxed)
            })
        };
        let (first, second) = (call(0), call(1));
        thread::park();
        let from_second = words[1].load(Relaxed);
        thread::park();
        let both = words[0].load(Relaxed) + words[1].load(Relaxed);
        let (saw_second, saw_first) = (first.join().unwrap(), second.join().unwrap());
        note.lock().unwrap().insert((from_second, saw_second, saw_first, both));
    });
    assert!(report.failure.is_none() && report.exhaustive, "{report}");
    let seen = seen.lock().unwrap();
    // If the main thread does not see the second one's word at first, the second call comes after
    // the first park.
    for saw_first in [0, 1] {
        assert!(seen.iter().any(|&(from_second, _, saw, _)| (from_second, saw) == (0, saw_first)), "{seen:?}");
    }
    assert!(seen.iter().all(|&(.., both)| both == 2), "{seen:?}");
}

/// A park acquires from each call since the last one, also if one token stands for all of them, and
/// from those before.
#[test]
fn a_park_acquires_from_all_calls_before_it() {
    let report = Config::new().waits_fail(false).check(|| {
        let words = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let callers = [0, 1].map(|word| {
            let (main, words) = (thread::current(), Arc::clone(&words));
            thread::spawn(move || {
                words[word].store(1, Relaxed);
                main.unpark();
            })
        });
        thread::park();
        thread::park();
        // The second call came last, or the first: either way both have been acquired.
        assert_eq!([words[0].load(Relaxed), words[1].load(Relaxed)], [1, 1]);
        drop(callers);
    });
    assert!(report.failure.is_none() && report.exhaustive && report.executions > 2, "{report}");
}

#[test]
fn a_receiver_and_a_parked_thread_wait_in_no_run_that_leads_nowhere() {
    for (senders, messages, orders) in [(1, 1, 1), (1, 3, 1), (2, 1, 2), (2, 2, 6), (3, 1, 6), (3, 2, 90)] {
        let program = move || {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..senders {
                let sender = sender.clone();
                thread::spawn(move || (0..messages).for_each(|message| sender.send(message).unwrap()));
            }
            drop(sender);
            assert_eq!(receiver.iter().count(), senders * messages);
        };
        let report = Config::new().check(program);
        assert_eq!((report.executions, report.blocked, report.discarded), (orders, 0, 0), "{senders} {messages}");
    }
    for (bound, senders, messages, orders) in [(1, 2, 1, 2), (1, 2, 2, 6), (2, 2, 2, 48), (0, 2, 2, 34), (1, 3, 1, 6)] {
        let program = move || {
            let (sender, receiver) = mpsc::sync_channel(bound);
            for _ in 0..senders {
                let sender = sender.clone();
                thread::spawn(move || (0..messages).for_each(|message| sender.send(message).unwrap()));
            }
            drop(sender);
            assert_eq!(receiver.iter().count(), senders * messages);
        };
        for scheduler in SCHEDULERS {
            let report = Config::new().scheduler(scheduler).check(program);
            let runs = (report.executions, report.blocked, report.discarded);
            assert_eq!(runs, (orders, 0, 0), "room for {bound}: {senders} {messages}, {scheduler:?}");
        }
    }
    let parks = || {
        let main = thread::current();
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let main = main.clone();
                thread::spawn(move || main.unpark())
            })
            .collect();
        thread::park();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    };
    for scheduler in [Scheduler::LowestFirst, Scheduler::HighestFirst] {
        let report = Config::new().scheduler(scheduler).check(parks);
        // The park is between the calls or after both, and the calls have two orders.
        assert_eq!((report.executions, report.blocked, report.discarded), (4, 0, 0), "{scheduler:?}");
    }
}
