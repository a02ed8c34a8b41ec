//! Clients whose calls are recorded, and explained by a queue with the exact k in each execution.

use std::sync::Arc;

use aqueduct_model::linearizability::{History, QueueOp, QueueResult};
use aqueduct_model::thread;
use aqueduct_under_model::cnq::{Consumer, Geometry, Producer, Queue};
use aqueduct_under_model::error::PopError;
use aqueduct_under_model::tube::Tube;

use super::handles;
use super::spec::Relaxed;
use crate::item::{Boxed, Item};

type Calls = History<Relaxed>;

/// What a thread does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Does {
    /// A push or a pop, by its side.
    Call,
    /// Its handle gives up its capsule.
    Pause,
    /// Its handle goes, and it registers again.
    Again,
}

pub(super) use Does::{Again, Call, Pause};

/// A client: how the queue is divided, what is in it at first, and what each thread does before its handle goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) capsules: usize,
    pub(super) size: usize,
    /// Items that the first producer pushes before the threads part, and pops of the first consumer after that.
    pub(super) filled: (usize, usize),
    pub(super) producers: &'static [&'static [Does]],
    pub(super) consumers: &'static [&'static [Does]],
}

impl Plan {
    fn geometry(&self) -> Geometry {
        let geometry = Geometry::new(self.capsules, self.size, self.producers.len(), self.consumers.len());
        geometry.expect("a client's queue is small")
    }
}

/// Pushes an item of its own. Says whether it was pushed.
fn push<U: Tube>(history: &Calls, producer: &mut Producer<Boxed, U>, number: u64) -> bool {
    let pushed = history.call(QueueOp::Push(number), || match producer.push(Boxed::new(number)) {
        Ok(()) => QueueResult::Pushed,
        Err(_) => QueueResult::Full,
    });
    pushed == QueueResult::Pushed
}

fn pop<U: Tube>(history: &Calls, consumer: &mut Consumer<Boxed, U>) -> QueueResult<u64> {
    history.call(QueueOp::Pop, || match consumer.pop() {
        Ok(item) => QueueResult::Popped(item.number()),
        Err(PopError::Empty) => QueueResult::Empty,
        Err(PopError::Busy) => QueueResult::Busy,
    })
}

/// What a thread leaves: its handle, which has paused, and how many items it has pushed or popped. Handles go in one thread: the
/// orders in which several go tell nothing, and are many.
type Left<H> = (H, usize);

/// A thread's items are numbered from a hundred of its own on.
fn produce<U: Tube>(
    history: &Calls,
    queue: Option<Queue<Boxed, U>>,
    mut producer: Producer<Boxed, U>,
    does: &[Does],
    first: u64,
) -> Left<Producer<Boxed, U>> {
    let mut pushed = 0;
    for (number, what) in (first..).zip(does) {
        match what {
            Call => pushed += usize::from(push(history, &mut producer, number)),
            Pause => producer.pause(),
            Again => {
                drop(producer);
                producer = queue.as_ref().expect("it has one").producer().expect("this one went");
            }
        }
    }
    producer.pause();
    (producer, pushed)
}

fn consume<U: Tube>(
    history: &Calls,
    queue: Option<Queue<Boxed, U>>,
    mut consumer: Consumer<Boxed, U>,
    does: &[Does],
) -> Left<Consumer<Boxed, U>> {
    let mut popped = 0;
    for what in does {
        match what {
            Call => popped += usize::from(matches!(pop(history, &mut consumer), QueueResult::Popped(_))),
            Pause => consumer.pause(),
            Again => {
                drop(consumer);
                consumer = queue.as_ref().expect("it has one").consumer().expect("this one went");
            }
        }
    }
    consumer.pause();
    (consumer, popped)
}

fn joined<H>(threads: Vec<thread::JoinHandle<Left<H>>>) -> (Vec<H>, usize) {
    let (mut handles, mut sum) = (Vec::new(), 0);
    for thread in threads {
        let (handle, count) = thread.join().expect("a thread that fails ends the execution");
        handles.push(handle);
        sum += count;
    }
    (handles, sum)
}

/// Runs it. When all handles have paused, one consumer takes what is left.
pub(super) fn run<U: Tube + 'static>(plan: Plan) {
    let geometry = plan.geometry();
    let (queue, mut producers, mut consumers) = handles::<Boxed, U>(geometry);
    let history = Arc::new(Calls::new(Relaxed::new(geometry)));
    let (filled, emptied) = plan.filled;
    let mut pushed = (1..=filled as u64).filter(|&number| push(&history, &mut producers[0], number)).count();
    let popped_first = || matches!(pop(&history, &mut consumers[0]), QueueResult::Popped(_));
    let mut popped = std::iter::repeat_with(popped_first).take(emptied).filter(|&popped| popped).count();
    let another = |does: &[Does]| does.iter().any(|what| matches!(what, Again)).then(|| queue.clone());
    let mut producing = Vec::new();
    for (number, (producer, &does)) in (1..).zip(producers.into_iter().zip(plan.producers)) {
        let (history, queue) = (Arc::clone(&history), another(does));
        producing.push(thread::spawn(move || produce(&history, queue, producer, does, 100 * number)));
    }
    let (own, own_does) = consumers.pop().zip(plan.consumers.last()).expect("a consumer");
    let mut consuming = Vec::new();
    for (consumer, &does) in consumers.into_iter().zip(plan.consumers) {
        let (history, queue) = (Arc::clone(&history), another(does));
        consuming.push(thread::spawn(move || consume(&history, queue, consumer, does)));
    }
    let (mut last, own_popped) = consume(&history, another(own_does), own, own_does);
    let (_producers, more_pushed) = joined(producing);
    let (_consumers, more_popped) = joined(consuming);
    pushed += more_pushed;
    popped += own_popped + more_popped;
    while popped < pushed {
        assert!(matches!(pop(&history, &mut last), QueueResult::Popped(_)), "an item is lost");
        popped += 1;
    }
    assert_eq!(pop(&history, &mut last), QueueResult::Empty, "an item came twice");
    history.check();
}
