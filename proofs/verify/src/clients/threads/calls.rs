//! Clients of queues for many threads: a number of pushes and pops for each thread.

use std::ops::{RangeFrom, RangeInclusive};
use std::sync::Arc;

use aqueduct_model::linearizability::{Fifo, History, QueueOp, QueueResult, Spurious};
use aqueduct_model::thread;

use super::handles::{self, Consumer, Producer};
use crate::clients::item::Item;
use crate::clients::threads::{Form, Nothing, Pop, Push, Refused};

pub(crate) type Spec = Spurious<Fifo<u64>>;

/// Returns the specification: first in, first out; a push may be refused from the range's start on,
/// must be from its end.
///
/// Overlapping calls excuse `Full` and `Empty`, as with the queues of one producer and one
/// consumer. `Busy` is always excused.
pub(crate) fn specification(full: RangeInclusive<usize>) -> Spec {
    let fifo = Fifo::new().bounded_between(*full.start(), *full.end());
    Spurious::new(fifo, |_, result| matches!(result, QueueResult::Full | QueueResult::Empty))
}

/// Pushes the item of that number. Returns the result in the specification's form.
pub(crate) fn pushed<T: Item>(producer: &mut impl Push<T>, number: u64) -> QueueResult<u64> {
    match producer.push(T::new(number)) {
        Ok(()) => QueueResult::Pushed,
        Err(Refused::Full) => QueueResult::Full,
        Err(Refused::Busy) => QueueResult::Busy,
    }
}

/// Pops an item. Returns the result in the specification's form.
pub(crate) fn popped<T: Item>(consumer: &mut impl Pop<T>) -> QueueResult<u64> {
    match consumer.pop() {
        Ok(item) => QueueResult::Popped(item.number()),
        Err(Nothing::Empty) => QueueResult::Empty,
        Err(Nothing::Busy) => QueueResult::Busy,
    }
}

/// Pushes the item of that number, and records the call.
pub(crate) fn push<T: Item>(history: &History<Spec>, producer: &mut impl Push<T>, number: u64) -> QueueResult<u64> {
    history.call(QueueOp::Push(number), || pushed(producer, number))
}

/// Pops an item, and records the call.
pub(crate) fn pop<T: Item>(history: &History<Spec>, consumer: &mut impl Pop<T>) -> QueueResult<u64> {
    history.call(QueueOp::Pop, || popped(consumer))
}

/// A client: the state before the threads part, and the number of calls of each thread.
#[derive(Clone, Copy, Debug)]
pub struct Plan<S> {
    /// The queue's division.
    pub shape: S,
    /// The number of items that pass through the queue first.
    pub before: usize,
    /// The number of items in the queue when the threads begin, or as many as fit.
    pub filled: usize,
    /// The number of pushes of each producer.
    pub pushes: &'static [usize],
    /// The number of pops of each consumer.
    pub pops: &'static [usize],
}

impl<S> Plan<S> {
    /// Returns the plan without the queue's division.
    pub(crate) fn without_shape(self) -> Plan<()> {
        let Self { before, filled, pushes, pops, .. } = self;
        Plan { shape: (), before, filled, pushes, pops }
    }
}

/// The handles of a client's queue.
pub(crate) type Handles = (Vec<Producer>, Vec<Consumer>);

/// Pushes the item of that number by a producer without its type, and records the call.
pub(crate) fn push_to(history: &History<Spec>, producer: &mut Producer, number: u64) -> QueueResult<u64> {
    history.call(QueueOp::Push(number), || producer(number))
}

/// Pops an item by a consumer without its type, and records the call.
pub(crate) fn pop_from(history: &History<Spec>, consumer: &mut Consumer) -> QueueResult<u64> {
    history.call(QueueOp::Pop, consumer)
}

/// Runs the plan, records all calls, and empties the queue in one thread. Some order of the calls
/// must explain them all.
///
/// A push may return `Full` if the number of items is in the range `full`.
pub(crate) fn recorded<F: Form>(plan: Plan<F::Shape>, full: RangeInclusive<usize>) {
    recorded_of(handles::make::<F>(plan.shape, plan.pushes.len(), plan.pops.len()), plan.without_shape(), full);
}

/// A recorded client before its threads begin.
pub(crate) struct Beginning {
    /// The calls so far.
    pub(crate) history: Arc<History<Spec>>,
    /// The numbers of further items.
    pub(crate) numbers: RangeFrom<u64>,
    /// Whether the queue had room for all items of the plan.
    pub(crate) has_all: bool,
}

/// Passes items through the queue and fills it, as the plan requires.
pub(crate) fn begin(handles: &mut Handles, plan: &Plan<()>, full: RangeInclusive<usize>) -> Beginning {
    let (producer, consumer) = (&mut handles.0[0], &mut handles.1[0]);
    let history = Arc::new(History::new(specification(full)));
    let mut numbers = 1..;
    for _ in 0..plan.before {
        assert_eq!(push_to(&history, producer, numbers.next().expect("endless")), QueueResult::Pushed);
        assert!(matches!(pop_from(&history, consumer), QueueResult::Popped(_)), "it is there");
    }
    let mut push = |_| push_to(&history, producer, numbers.next().expect("endless")) == QueueResult::Pushed;
    let has_all = (0..plan.filled).all(&mut push);
    Beginning { history, numbers, has_all }
}

fn recorded_of(mut handles: Handles, plan: Plan<()>, full: RangeInclusive<usize>) {
    let Beginning { history, mut numbers, .. } = begin(&mut handles, &plan, full);
    let (producers, mut consumers) = handles;
    let mut threads = Vec::new();
    for (mut producer, &pushes) in producers.into_iter().zip(plan.pushes) {
        let (history, numbers) = (Arc::clone(&history), numbers.by_ref().take(pushes).collect::<Vec<u64>>());
        threads.push(thread::spawn(move || {
            for number in numbers {
                push_to(&history, &mut producer, number);
            }
        }));
    }
    let mut last = consumers.pop().expect("a consumer");
    for (mut consumer, &pops) in consumers.into_iter().zip(plan.pops) {
        let history = Arc::clone(&history);
        threads.push(thread::spawn(move || {
            for _ in 0..pops {
                pop_from(&history, &mut consumer);
            }
        }));
    }
    for _ in 0..*plan.pops.last().expect("a consumer") {
        pop_from(&history, &mut last);
    }
    for thread in threads {
        thread.join().expect("a model thread that fails ends the execution");
    }
    while let QueueResult::Popped(_) = pop_from(&history, &mut last) {}
    history.check();
}

/// Runs the plan and leaves the queue as it is. Each thread drops its handle when it is done, and
/// the last handle drops the items that are left.
pub(crate) fn dropped<F: Form>(plan: Plan<F::Shape>) {
    dropped_of(handles::make::<F>(plan.shape, plan.pushes.len(), plan.pops.len()), plan.without_shape());
}

fn dropped_of((mut producers, mut consumers): Handles, plan: Plan<()>) {
    for number in 1..=plan.filled as u64 {
        if producers[0](number) != QueueResult::Pushed {
            break;
        }
    }
    for (mut producer, &pushes) in producers.into_iter().zip(plan.pushes) {
        thread::spawn(move || (0..pushes).for_each(|_| _ = producer(100)));
    }
    let last = consumers.pop();
    for (mut consumer, &pops) in consumers.into_iter().zip(plan.pops) {
        thread::spawn(move || (0..pops).for_each(|_| _ = consumer()));
    }
    if let (Some(mut consumer), Some(&pops)) = (last, plan.pops.last()) {
        (0..pops).for_each(|_| _ = consumer());
    }
}
