//! Containers under their most general clients, after Relinche, the part of GenMC that checks
//! linearizability (Golovin, Kokologiannakis and Vafeiadis, 2025), and its published numbers (GenMC
//! 0.11.0, `tests/correct/relinche`).
//!
//! A most general client has a thread for each call: some add an item of their own, others take
//! one. Each execution is checked for all clients that order these calls further. The published
//! numbers are those of *hints*: see `hints`.

mod hints;
mod wrong;

use std::env;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use aqueduct_model::linearizability::QueueOp::{self, Pop, Push};
use aqueduct_model::linearizability::QueueResult::{self, Popped, Pushed};
use aqueduct_model::linearizability::{Fifo, History, Spec, Stack, Synchronized};
use aqueduct_model::sync::atomic::Ordering::AcqRel;
use aqueduct_model::thread::comes_first;
use aqueduct_model::{Config, await_until, on_record, thread};

use crate::published::nodes::Ends;
use crate::published::queues::Positions;
use crate::published::{self, Attempt, Queue};
use hints::Hints;
use hints::Promise::{self, Adds, Both, Items, Takes};

/// The functions of a container: make it, add an item, take one.
struct Container<O> {
    make: fn() -> O,
    add: fn(&O, usize),
    take: fn(&O) -> Option<usize>,
}

/// Michael and Scott's queue over an array of nodes. A pop that loses the exchange of the head has
/// no execution here.
const MICHAEL_SCOTT: Container<Queue> = Container {
    make: Queue::new,
    add: |queue, item| queue.enqueue(item + 1, item),
    take: |queue| {
        loop {
            match queue.attempt() {
                Attempt::Done(found) => return found,
                Attempt::Again => (),
                Attempt::Lost => await_until(|| false),
            }
        }
    },
};

/// Michael and Scott's queue of nodes on the heap. Threads wait for the one that adds a node to
/// move the tail.
const MICHAEL_SCOTT_ON_THE_HEAP: Container<Ends> =
    Container { make: Ends::of_a_queue, add: Ends::enqueue::<false>, take: Ends::dequeue::<false> };

/// Michael and Scott's queue of nodes on the heap. Threads move the tail for each other.
const HELPING: Container<Ends> =
    Container { make: Ends::of_a_queue, add: Ends::enqueue::<true>, take: Ends::dequeue::<true> };

/// Treiber's stack over an array of nodes.
const TREIBER: Container<published::Stack> =
    Container { make: published::Stack::new, add: |stack, item| stack.push(item, item), take: published::Stack::pop };

/// Treiber's stack of nodes on the heap.
const TREIBER_ON_THE_HEAP: Container<Ends> = Container { make: Ends::of_a_stack, add: Ends::push, take: Ends::pop };

/// Herlihy and Wing's queue. A pop that finds no item in its first search has no execution here.
const HERLIHY_WING: Container<Positions> = Container {
    make: Positions::new,
    add: Positions::enqueue,
    take: |queue| {
        let item = queue.attempt(AcqRel);
        if item.is_none() {
            await_until(|| false);
        }
        item
    },
};

/// A specification of calls on a container.
trait Contents: Spec<Input = QueueOp<usize>, Output = QueueResult<usize>> + 'static {}

impl<S: Spec<Input = QueueOp<usize>, Output = QueueResult<usize>> + 'static> Contents for S {}

/// A push happens before each that comes later, and before the pop of its item.
fn adds_in_order<S: Contents>(spec: S) -> Synchronized<Synchronized<S>> {
    Synchronized::new(Synchronized::by_items(spec), |earlier, later| matches!((earlier.0, later.0), (Push(_), Push(_))))
}

/// A pop of an item happens before each that comes later, and a push before the pop of its item.
fn takes_in_order<S: Contents>(spec: S) -> Synchronized<Synchronized<S>> {
    Synchronized::new(Synchronized::by_items(spec), |earlier, later| {
        matches!((earlier.1, later.1), (Popped(_), Popped(_)))
    })
}

/// Returns a client with a thread for each call. Item `i` is that of thread `i`. The main thread
/// ends with `check`.
fn client<O: 'static, S: Contents, C: Fn(&History<S>) + Send + Sync + 'static>(
    &Container { make, add, take }: &Container<O>,
    spec: fn() -> S,
    [adds, takes]: [usize; 2],
    check: C,
) -> impl Fn() + Send + Sync + 'static + use<O, S, C> {
    move || {
        let shared = Arc::new((History::new(spec()), make()));
        let call = |number: usize| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let (history, object) = &*shared;
                if number <= adds {
                    history.call(Push(number), || {
                        add(object, number);
                        Pushed
                    });
                } else {
                    history.call(Pop, || take(object).into());
                }
            })
        };
        let threads: Vec<_> = (1..=adds + takes).map(call).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        check(&shared.0);
    }
}

/// A most general client, its number of executions as GenMC explores them, and the published
/// numbers of hints.
struct Row<O> {
    name: &'static str,
    container: Container<O>,
    is_queue: bool,
    /// Whether GenMC explores threads that push in one order. It does if they write to no memory
    /// before they differ.
    equates_adds: bool,
    calls: [usize; 2],
    executions: u64,
    hints: &'static [(Promise, u64)],
}

impl<O: 'static> Row<O> {
    /// Checks each execution against all promises, and compares the numbers.
    fn check(&self) {
        let only_items = self.hints.iter().all(|&(promise, _)| promise == Items);
        match (self.is_queue, only_items) {
            (true, true) => self.check_with(|| Synchronized::by_items(Fifo::new())),
            (true, false) => self.check_with(|| takes_in_order(adds_in_order(Fifo::new()))),
            (false, true) => self.check_with(|| Synchronized::by_items(Stack::new())),
            (false, false) => self.check_with(|| takes_in_order(adds_in_order(Stack::new()))),
        }
    }

    fn check_with<S: Contents>(&self, spec: fn() -> S) {
        let [adds, takes] = self.calls;
        let hints = self.hints.iter().map(|&(promise, _)| Hints::new(self.is_queue, promise, adds));
        let counts: Vec<(Hints, u64)> = hints.map(|hints| (hints, 0)).collect();
        let state = Arc::new(Mutex::new((0, 0, counts)));
        let (seen, equates_adds) = (Arc::clone(&state), self.equates_adds);
        let check = move |history: &History<S>| {
            let is_first = is_in_order(adds + 1..=adds + takes) && (!equates_adds || is_in_order(1..=adds));
            // An execution in which equal threads have other names is as good.
            if is_first {
                history.check_for_every_client();
            }
            if on_record() {
                let (all, executions, counts) = &mut *seen.lock().unwrap();
                *all += 1;
                *executions += u64::from(is_first);
                for (hints, count) in counts.iter_mut().filter(|_| is_first) {
                    *count += hints.count(&history.record());
                }
            }
        };
        let config = Config::new().finds_leaks(false).waits_fail(false);
        let begun = Instant::now();
        let report = config.check(client(&self.container, spec, self.calls, check));
        assert!(report.failure.is_none(), "{}: {}", self.name, report.failure.unwrap());
        assert!(report.exhaustive, "{report}");
        let (all, executions, counts) = &*state.lock().unwrap();
        assert!(*all <= report.executions, "the check has not begun anew");
        let found: Vec<u64> = counts.iter().map(|(_, count)| *count).collect();
        println!("{} {adds}x{takes}: {executions} of {all}, hints {found:?}, {:?}", self.name, begun.elapsed());
        let published: Vec<u64> = self.hints.iter().map(|&(_, hints)| hints).collect();
        assert_eq!((*executions, found), (self.executions, published), "{} {adds}x{takes}", self.name);
    }
}

/// Whether equal threads come in the order of their numbers: GenMC explores no others (symmetry
/// reduction).
fn is_in_order(threads: RangeInclusive<usize>) -> bool {
    let last = *threads.end();
    threads.into_iter().all(|one| (one + 1..=last).all(|other| comes_first(one, other)))
}

const fn hw(calls: [usize; 2], executions: u64, hints: &'static [(Promise, u64)]) -> Row<Positions> {
    let (name, container) = ("hw-queue", HERLIHY_WING);
    Row { name, container, is_queue: true, equates_adds: true, calls, executions, hints }
}

const fn ms(calls: [usize; 2], executions: u64, hints: &'static [(Promise, u64)]) -> Row<Queue> {
    let (name, container) = ("ms-queue", MICHAEL_SCOTT);
    Row { name, container, is_queue: true, equates_adds: false, calls, executions, hints }
}

const fn ms_dyn(calls: [usize; 2], executions: u64, hints: &'static [(Promise, u64)]) -> Row<Ends> {
    let (name, container) = ("ms-queue-dyn", MICHAEL_SCOTT_ON_THE_HEAP);
    Row { name, container, is_queue: true, equates_adds: false, calls, executions, hints }
}

const fn tb(calls: [usize; 2], executions: u64, hints: &'static [(Promise, u64)]) -> Row<published::Stack> {
    let (name, container) = ("tb-stack", TREIBER);
    Row { name, container, is_queue: false, equates_adds: false, calls, executions, hints }
}

const fn tb_dyn(calls: [usize; 2], executions: u64, hints: &'static [(Promise, u64)]) -> Row<Ends> {
    let (name, container) = ("tb-stack-dyn", TREIBER_ON_THE_HEAP);
    Row { name, container, is_queue: false, equates_adds: false, calls, executions, hints }
}

#[test]
fn herlihy_and_wings_queue() {
    hw([2, 2], 6, &[(Items, 1)]).check();
    hw([3, 2], 33, &[(Items, 28)]).check();
}

#[test]
fn michael_and_scotts_queue() {
    ms([2, 2], 2_996, &[(Items, 2_973), (Adds, 2_600), (Takes, 5_635)]).check();
}

#[test]
fn michael_and_scotts_queue_on_the_heap() {
    ms_dyn([1, 2], 3, &[(Items, 3), (Adds, 3), (Takes, 3)]).check();
    ms_dyn([2, 2], 12, &[(Items, 29), (Adds, 24), (Takes, 33)]).check();
    ms_dyn([2, 3], 20, &[(Items, 83), (Adds, 74), (Takes, 93)]).check();
}

#[test]
fn treibers_stack() {
    tb([2, 2], 42, &[(Items, 97), (Adds, 84), (Takes, 111)]).check();
}

#[test]
fn treibers_stack_on_the_heap() {
    tb_dyn([2, 2], 20, &[(Items, 43)]).check();
    tb_dyn([2, 3], 36, &[(Items, 141)]).check();
}

/// Without the environment variable `AQUEDUCT_THOROUGH=1`, it is left out: it takes minutes.
#[test]
fn larger_clients() {
    if env::var_os("AQUEDUCT_THOROUGH").is_none() {
        println!("left out: AQUEDUCT_THOROUGH=1 checks published clients of up to four threads a side");
        return;
    }
    ms_dyn([3, 3], 120, &[(Items, 906), (Adds, 762), (Takes, 1_050), (Both, 750)]).check();
    tb_dyn([3, 3], 408, &[(Items, 3_126)]).check();
    hw([3, 3], 216, &[(Items, 123)]).check();
    tb([3, 3], 8_352, &[(Items, 69_231), (Adds, 44_976), (Takes, 87_344)]).check();
    ms_dyn([3, 4], 210, &[(Items, 2_754), (Adds, 2_418), (Takes, 3_072)]).check();
    tb_dyn([4, 3], 4_224, &[(Items, 55_716)]).check();
    // Published are 8,278 hints: of 1,803 executions, three are equal to others but for the names
    // of equal threads.
    hw([4, 3], 1_800, &[(Items, 8_261)]).check();
}

/// A queue whose threads help each other keeps all promises, too.
#[test]
fn threads_that_help() {
    let spec = || takes_in_order(adds_in_order(Fifo::new()));
    let report = Config::new()
        .finds_leaks(false)
        .check(client(&HELPING, spec, [2, 2], |history| history.check_for_every_client()));
    assert!(report.failure.is_none(), "{}", report.failure.unwrap());
    assert!(report.exhaustive, "{report}");
}
