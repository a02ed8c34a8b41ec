//! Clients that order calls further than the one that is run, and promises of synchronization.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use aqueduct_model::linearizability::QueueOp::{Pop, Push};
use aqueduct_model::linearizability::QueueResult::{Empty, Popped, Pushed};
use aqueduct_model::linearizability::{Fifo, History, Record, Spec, Stack, Synchronized};
use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::{self, Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::{Config, Failure, await_until, model, thread};

use crate::support::{Step, passed, random, step, steps};

/// Two bits. Each is set once.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Bits([bool; 2]);

#[derive(Clone, Copy, Debug)]
enum BitOp {
    Set(usize),
    Get(usize),
}

impl Spec for Bits {
    type Input = BitOp;
    type Output = bool;

    fn apply(&mut self, input: &BitOp, output: &bool) -> bool {
        match *input {
            BitOp::Set(bit) => {
                self.0[bit] = true;
                *output
            }
            BitOp::Get(bit) => *output == self.0[bit],
        }
    }
}

/// Runs threads that make these calls each, and a check. Returns the failure, if there is one.
fn bits([set, get]: [Ordering; 2], calls: &'static [&'static [BitOp]], check: fn(&History<Bits>)) -> Option<Failure> {
    let program = move || {
        let shared = Arc::new((History::new(Bits([false; 2])), [const { AtomicUsize::new(0) }; 2]));
        let spawn = |calls: &'static [BitOp]| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let (history, bits) = &*shared;
                for &call in calls {
                    history.call(call, || match call {
                        BitOp::Set(bit) => {
                            bits[bit].store(1, set);
                            true
                        }
                        BitOp::Get(bit) => bits[bit].load(get) == 1,
                    });
                }
            })
        };
        let threads: Vec<_> = calls.iter().map(|&calls| spawn(calls)).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        check(&shared.0);
    };
    Config::new().check(program).failure
}

/// Store buffering: each of two threads sets a bit, and does not see that of the other. It needs
/// two threads that make two calls each, or a client that orders the calls of four.
#[test]
fn a_client_that_orders_calls_of_four_threads_is_one_of_two_threads() {
    use BitOp::{Get, Set};
    let two: &[&[BitOp]] = &[&[Set(0), Get(1)], &[Set(1), Get(0)]];
    let four: &[&[BitOp]] = &[&[Set(0)], &[Get(1)], &[Set(1)], &[Get(0)]];
    let weak = [Release, Acquire];
    assert!(bits(weak, two, |history| history.check()).is_some());
    assert!(bits(weak, four, |history| history.check()).is_none());
    let failure = bits(weak, four, |history| history.check_for_every_client()).expect("bits are not in one order");
    let said = "in a client that orders more (call 0 before call 1, call 2 before call 3), the history is not linear";
    assert!(failure.message.contains(said), "{failure}");
    assert!(failure.message.contains("1  thread 2  Get(1)  false   0"), "{failure}");
    for threads in [two, four] {
        assert!(bits([SeqCst; 2], threads, |history| history.check_for_every_client()).is_none());
    }
}

/// Calls with results: one outcome has no order that keeps some pairs of calls.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Forbidden {
    outcome: Vec<Vec<usize>>,
    pairs: Vec<(usize, usize)>,
    made: Vec<(usize, Vec<usize>)>,
}

impl Spec for Forbidden {
    type Input = usize;
    type Output = Vec<usize>;

    fn apply(&mut self, call: &usize, values: &Vec<usize>) -> bool {
        self.made.push((*call, values.clone()));
        let place = |call: usize| self.made.iter().position(|(made, _)| *made == call);
        let is_it = self.made.iter().all(|(call, values)| self.outcome[*call] == *values);
        let keeps = self.pairs.iter().all(|&(first, second)| place(first) < place(second));
        self.made.len() < self.outcome.len() || !is_it || !keeps
    }
}

/// Runs a thread for each body. A body waits for those before it in the pairs. Returns the values
/// that each got.
fn run(
    bodies: &[Vec<Step>],
    pairs: &[(usize, usize)],
    call: impl Fn(usize, &dyn Fn() -> Vec<usize>) -> Vec<usize> + Send + Sync + 'static,
) -> Vec<Vec<usize>> {
    let call = Arc::new(call);
    let cells = Arc::new([const { AtomicUsize::new(0) }; 2]);
    let flags: Arc<Vec<AtomicUsize>> = Arc::new(bodies.iter().map(|_| AtomicUsize::new(0)).collect());
    let spawn = |(number, body): (usize, &Vec<Step>)| {
        let (call, cells, flags) = (Arc::clone(&call), Arc::clone(&cells), Arc::clone(&flags));
        let (body, pairs) = (body.clone(), pairs.to_vec());
        thread::spawn(move || {
            for &(first, _) in pairs.iter().filter(|(_, second)| *second == number) {
                await_until(|| flags[first].load(Acquire) == 1);
            }
            let values = call(number, &|| body.iter().map(|&what| step(&cells, what)).collect());
            if pairs.iter().any(|&(first, _)| first == number) {
                flags[number].store(1, Release);
            }
            values
        })
    };
    let threads: Vec<_> = bodies.iter().enumerate().map(spawn).collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

/// Returns the possible results of the threads.
fn outcomes(bodies: &[Vec<Step>], pairs: &[(usize, usize)]) -> BTreeSet<Vec<Vec<usize>>> {
    let seen: Arc<Mutex<BTreeSet<Vec<Vec<usize>>>>> = Arc::default();
    let (noted, bodies, pairs) = (Arc::clone(&seen), bodies.to_vec(), pairs.to_vec());
    passed(Config::new().check(move || {
        let outcome = run(&bodies, &pairs, |_, body| body());
        noted.lock().unwrap().insert(outcome);
    }));
    seen.lock().unwrap().clone()
}

/// Whether the check for every client finds one in which an outcome has no order that keeps the
/// pairs.
fn is_found(bodies: &[Vec<Step>], pairs: &[(usize, usize)], outcome: &[Vec<usize>]) -> bool {
    let spec = Forbidden { outcome: outcome.to_vec(), pairs: pairs.to_vec(), made: Vec::new() };
    let bodies = bodies.to_vec();
    let report = Config::new().check(move || {
        let history = Arc::new(History::new(spec.clone()));
        let recorded = Arc::clone(&history);
        run(&bodies, &[], move |number, body| recorded.call(number, body));
        history.check_for_every_client();
    });
    report.failure.is_some()
}

/// The check finds, among the outcomes of unordered threads, exactly those of a client that orders
/// them.
#[test]
fn clients_that_are_run_have_what_the_check_allows_them() {
    let mut random = random(11);
    let (mut allowed, mut forbidden) = (0, 0);
    for _ in 0..20 {
        let bodies: Vec<Vec<Step>> = (0..3 + random(2)).map(|_| steps(&mut random, 2)).collect();
        let number = bodies.len() as u64;
        let pairs = [(); 2].map(|()| {
            let first = random(number - 1);
            (first as usize, (first + 1 + random(number - 1 - first)) as usize)
        });
        let had = outcomes(&bodies, &pairs);
        for outcome in outcomes(&bodies, &[]) {
            let has = had.contains(&outcome);
            assert_eq!(is_found(&bodies, &pairs, &outcome), has, "{bodies:?} {pairs:?} {outcome:?}");
            *if has { &mut allowed } else { &mut forbidden } += 1;
        }
    }
    assert!(allowed > 50 && forbidden > 50, "{allowed} {forbidden}");
}

/// A slot for one item, whose accesses are relaxed.
#[test]
fn results_that_fit_without_the_synchronization() {
    let program = |order: Ordering| {
        move || {
            let shared = Arc::new((History::new(Synchronized::by_items(Stack::new())), AtomicUsize::new(0)));
            let theirs = Arc::clone(&shared);
            let thread = thread::spawn(move || {
                theirs.0.call(Push(7), || {
                    theirs.1.store(7, order);
                    Pushed
                });
            });
            shared.0.call(Pop, || match shared.1.load(Acquire) {
                0 => Empty,
                item => Popped(item),
            });
            thread.join().unwrap();
            shared.0.check();
        }
    };
    model(program(Release));
    let failure = Config::new().check(program(Relaxed)).failure.expect("the item comes without what precedes it");
    let said = "no order of these calls has the synchronization that is promised";
    assert!(failure.message.contains(said), "{failure}");
    assert!(failure.message.contains("Pop -> Popped(7) (call 1 must happen before it)"), "{failure}");
}

#[test]
fn what_follows_from_synchronization() {
    let mut record = Record::new(Fifo::new());
    let first = record.add(1, Push(1), Pushed, &[]);
    let second = record.add(2, Push(2), Pushed, &[first]);
    let third = record.add(3, Push(3), Pushed, &[]);
    let fourth = record.add(4, Push(4), Pushed, &[third]);
    assert!(record.overlap(first, fourth) && !record.synchronizes(first, third));
    record.synchronize(second, third);
    // The first is over when the second begins, which happens before the third ends, and then the
    // fourth begins.
    assert!(record.precedes(first, fourth));
    assert!(record.synchronizes(first, third) && record.overlap(first, third));
    assert!(record.synchronizes(second, fourth) && record.overlap(second, fourth));
    assert!(!record.synchronizes(third, second));
    let fifth = record.add(5, Push(5), Pushed, &[third]);
    assert!(record.precedes(first, fifth) && record.synchronizes(second, fifth));
}

#[test]
#[should_panic(expected = "call 0 is over when call 1 begins")]
fn synchronization_of_a_call_that_is_over() {
    let mut record = Record::new(Fifo::new());
    let early = record.add(1, Push(1), Pushed, &[]);
    let late = record.add(2, Push(2), Pushed, &[early]);
    record.synchronize(late, early);
}
