//! The order of calls: happens-before, and not the order in which the model runs them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool as NativeBool, Ordering::SeqCst as Native};

use aqueduct_model::linearizability::QueueOp::{Pop, Push};
use aqueduct_model::linearizability::QueueResult::{Empty, Popped, Pushed};
use aqueduct_model::linearizability::{Fifo, History};
use aqueduct_model::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};
use aqueduct_model::sync::atomic::{AtomicUsize, fence};
use aqueduct_model::{Config, FailureKind, await_until, model, thread};

use crate::support::{SCHEDULERS, failure};

/// A queue that never finds a pushed item.
#[derive(Default)]
struct Deaf {
    pushed: AtomicUsize,
    popped: AtomicUsize,
}

/// Returns a program in which one thread pushes and raises a flag. The other one finds the queue
/// empty if it sees the flag.
///
/// The push has then returned before the pop begins, however the model runs it.
fn told_by_a_flag(raise: Ordering, look: Ordering, seen: Arc<NativeBool>) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let history = Arc::new(History::new(Fifo::new()));
        let shared = Arc::new((Deaf::default(), AtomicUsize::new(0)));
        let (recorded, theirs) = (Arc::clone(&history), Arc::clone(&shared));
        let producer = thread::spawn(move || {
            recorded.call(Push(1), || {
                theirs.0.pushed.store(1, Relaxed);
                Pushed
            });
            theirs.1.store(1, raise);
        });
        if shared.1.load(look) == 1 {
            seen.store(true, Native);
            history.call(Pop, || {
                assert_eq!(shared.0.popped.load(Relaxed), 0);
                Empty
            });
        }
        producer.join().unwrap();
        history.check();
    }
}

#[test]
fn what_happens_before_counts_and_not_what_runs_before() {
    for scheduler in SCHEDULERS {
        let config = Config::new().scheduler(scheduler);
        for (raise, look) in [(Relaxed, Relaxed), (Release, Relaxed), (Relaxed, Acquire)] {
            let seen = Arc::new(NativeBool::new(false));
            let report = config.check(told_by_a_flag(raise, look, Arc::clone(&seen)));
            assert!(report.failure.is_none(), "{scheduler:?} {raise:?} {look:?}: {}", report.failure.unwrap());
            assert_eq!(report.executions, 2);
            assert!(seen.load(Native), "the flag is seen in one of the executions");
        }
        let report = config.check(told_by_a_flag(Release, Acquire, Arc::default()));
        assert!(report.failure.is_some(), "{scheduler:?}");
    }
}

#[test]
fn a_failure_shows_the_history_and_replays() {
    let failure = failure(told_by_a_flag(Release, Acquire, Arc::default())).expect("the pop comes after the push");
    assert_eq!(failure.kind, FailureKind::Panic);
    assert!(failure.message.contains("1  main      Pop      Empty   0"), "{failure}");
    assert!(failure.message.contains("0  thread 1  Push(1)  Pushed  -"), "{failure}");
    assert!(failure.message.contains("order.rs"), "{failure}");
}

/// An acquire fence after the relaxed load orders the calls after the fence.
#[test]
fn fences_order_calls() {
    model(|| {
        let history = Arc::new(History::new(Fifo::new()));
        let flag = Arc::new(AtomicUsize::new(0));
        let (recorded, theirs) = (Arc::clone(&history), Arc::clone(&flag));
        let producer = thread::spawn(move || {
            recorded.call(Push(1), || Pushed);
            theirs.store(1, Release);
        });
        await_until(|| flag.load(Relaxed) == 1);
        history.call(Push(2), || Pushed);
        fence(Acquire);
        history.call(Pop, || Popped(1));
        producer.join().unwrap();
        let record = history.record();
        // Number 0 is main's push, because main goes first among calls that are not ordered.
        assert!(record.overlap(0, 1), "{record}");
        assert!(record.precedes(1, 2), "{record}");
        history.check();
    });
}

/// Calls without visible operations stand between the events of their thread.
#[test]
fn calls_without_events() {
    for scheduler in SCHEDULERS {
        let report = Config::new().scheduler(scheduler).check(|| {
            let history = Arc::new(History::new(Fifo::new()));
            history.call(Push(1), || Pushed);
            let recorded = Arc::clone(&history);
            let other = thread::spawn(move || recorded.call(Pop, || Popped(1)));
            history.call(Push(2), || Pushed);
            assert_eq!(other.join().unwrap(), Popped(1));
            history.call(Pop, || Popped(2));
            let record = history.record();
            // The numbers are: main's two pushes, the other thread's pop, and main's pop.
            assert!(record.precedes(0, 2) && record.overlap(1, 2) && record.precedes(2, 3), "{record}");
            history.check();
        });
        assert!(report.failure.is_none(), "{}", report.failure.unwrap());
    }
}

/// The model takes back a round of a wait that fails, and with it the calls recorded there.
#[test]
fn calls_in_rounds_that_are_taken_back() {
    for scheduler in SCHEDULERS {
        let report = Config::new().scheduler(scheduler).check(|| {
            let history = Arc::new(History::new(Fifo::new()));
            let slot = Arc::new(AtomicUsize::new(0));
            let (recorded, theirs) = (Arc::clone(&history), Arc::clone(&slot));
            let producer = thread::spawn(move || {
                recorded.call(Push(1), || {
                    theirs.store(1, Release);
                    Pushed
                });
            });
            let pop = || match slot.load(Acquire) {
                0 => Empty,
                item => Popped(item),
            };
            await_until(|| history.call(Pop, pop) != Empty);
            producer.join().unwrap();
            let record = history.record();
            assert_eq!(record.len(), 2, "{record}");
            history.check();
        });
        assert!(report.failure.is_none(), "{}", report.failure.unwrap());
    }
}

/// The round that succeeds makes no call. The other thread waits, too, so that main's round is
/// tried before the flag is raised.
#[test]
fn calls_that_the_last_round_does_not_make() {
    for scheduler in SCHEDULERS {
        let report = Config::new().scheduler(scheduler).check(|| {
            let history = Arc::new(History::new(Fifo::<usize>::new()));
            let shared: Arc<[AtomicUsize; 3]> = Arc::default();
            let theirs = Arc::clone(&shared);
            let other = thread::spawn(move || {
                let [go, flag, _] = &*theirs;
                await_until(|| go.load(Acquire) == 1);
                flag.store(1, Release);
            });
            let [go, flag, queue] = &*shared;
            go.store(1, Release);
            let pop = || {
                assert_eq!(queue.load(Relaxed), 0);
                Empty
            };
            let lowers = || flag.compare_exchange(1, 0, Acquire, Relaxed).is_ok();
            await_until(|| lowers() || history.call(Pop, pop) != Empty);
            other.join().unwrap();
            assert!(history.record().is_empty(), "{}", history.record());
        });
        assert!(report.failure.is_none(), "{}", report.failure.unwrap());
    }
}

/// The last event of a call ends it, whether or not its thread synchronizes after it.
#[test]
fn a_call_ends_with_its_last_event() {
    model(|| {
        let history = Arc::new(History::new(Fifo::new()));
        let slot = Arc::new(AtomicUsize::new(0));
        let (recorded, theirs) = (Arc::clone(&history), Arc::clone(&slot));
        let producer = thread::spawn(move || {
            recorded.call(Push(1), || {
                theirs.store(1, Release);
                Pushed
            });
        });
        let pop = || match slot.swap(0, Acquire) {
            0 => Empty,
            item => Popped(item),
        };
        let found = history.call(Pop, pop) != Empty;
        history.call(Pop, pop);
        producer.join().unwrap();
        let record = history.record();
        // The pops are numbers 0 and 1 if nothing comes before them.
        let (first, push, second) = if found { (0, 1, 2) } else { (0, 2, 1) };
        assert!(record.overlap(first, push), "{record}");
        assert_eq!(record.precedes(push, second), found, "{record}");
        history.check();
    });
}

/// Returns the message of the failure that a program must have.
fn complaint(program: impl Fn() + Send + Sync + Clone + 'static) -> String {
    failure(program).expect("the program uses histories wrongly").message
}

#[test]
fn misuse_is_reported() {
    let nested = complaint(|| {
        let history = History::new(Fifo::new());
        history.call(Push(1), || history.call(Push(2), || Pushed));
    });
    assert!(nested.contains("a recorded call makes another one: Push(2)"), "{nested}");
    let many = complaint(|| {
        let history = History::new(Fifo::new());
        (0..65).for_each(|item| {
            history.call(Push(item), || Pushed);
        });
    });
    assert!(many.contains("at most 64 calls"), "{many}");
    let early = complaint(|| {
        let history = Arc::new(History::new(Fifo::new()));
        let flag = Arc::new(AtomicUsize::new(0));
        let (recorded, theirs) = (Arc::clone(&history), Arc::clone(&flag));
        thread::spawn(move || {
            recorded.call(Push(1), || Pushed);
            theirs.store(1, Relaxed);
        });
        await_until(|| flag.load(Relaxed) == 1);
        history.check();
    });
    assert!(early.contains("does not happen before the check: thread 1: Push(1) -> Pushed\njoin"), "{early}");
    let open = complaint(|| {
        let history = Arc::new(History::new(Fifo::new()));
        let flag = Arc::new(AtomicUsize::new(0));
        let (recorded, theirs) = (Arc::clone(&history), Arc::clone(&flag));
        thread::spawn(move || {
            recorded.call(Push(1), || {
                theirs.store(1, Release);
                await_until(|| theirs.load(Acquire) == 2);
                Pushed
            });
        });
        await_until(|| flag.load(Acquire) == 1);
        history.check();
    });
    assert!(open.contains("thread 1 is inside of a call"), "{open}");
}

#[test]
#[should_panic(expected = "create it inside the model's closure")]
fn a_history_outside_of_a_model() {
    let _ = History::new(Fifo::<usize>::new());
}
