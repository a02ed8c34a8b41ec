//! The clients of BBQ's slots: written, filled, cancelled and forgotten by producers, and dropped
//! in place, taken and forgotten by consumers. Of the library that `super` names.

use std::sync::Arc;

use super::library::bbq::slots::{self, Consumer, Filled, Producer};
use super::library::bbq::{ConsumerSide, Geometry, SlotProducerSide};
use super::library::error::{PopError, PushError};
use crate::clients::Client;
use crate::clients::bbq::Shape;
use crate::clients::item::{Boxed, Item};
use aqueduct_model::linearizability::{Fifo, History, QueueOp, QueueResult, Spurious};
use aqueduct_model::thread;

/// An act of a producer on a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Act {
    /// Moves an item in.
    Write,
    /// Writes the item in place, and commits it.
    Commit,
    /// Moves an item in, and another one in its place, before it commits that.
    Fill,
    /// Uses the room, and drops the slot, which cancels it.
    Cancel,
    /// Moves an item in, and drops both.
    Unfill,
    /// Forgets the slot.
    Forget,
}

/// An act of a consumer on an item that it has read in place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Get {
    /// Drops the item in place.
    Drop,
    /// Moves the item out.
    Take,
    /// Forgets the item.
    Forget,
}

/// A producer's handle without its type.
type Produce = Box<dyn FnMut(Act, u64) -> QueueResult<u64>>;

/// A consumer's handle without its type.
type Consume = Box<dyn FnMut(Get) -> QueueResult<u64>>;

fn produce<P: SlotProducerSide, C: ConsumerSide>(
    producer: &mut Producer<Boxed, P, C>,
    act: Act,
    number: u64,
) -> QueueResult<u64> {
    let mut slot = match producer.reserve() {
        Ok(slot) => slot,
        Err(PushError::Full(())) => return QueueResult::Full,
        Err(PushError::Busy(())) => return QueueResult::Busy,
    };
    match act {
        Act::Write => slot.write(Boxed::new(number)),
        Act::Commit => {
            slot.uninit().write(Boxed::new(number));
            // SAFETY: written.
            unsafe { slot.commit() }
        }
        Act::Fill => {
            let mut filled = slot.fill(Boxed::new(number + 1_000));
            *filled = Boxed::new(number);
            Filled::commit(filled);
        }
        Act::Cancel => {
            let _ = slot.uninit();
            slot.cancel();
        }
        Act::Unfill => drop(slot.fill(Boxed::new(number))),
        Act::Forget => std::mem::forget(slot),
    }
    QueueResult::Pushed
}

fn consume<P: SlotProducerSide, C: ConsumerSide>(consumer: &mut Consumer<Boxed, P, C>, get: Get) -> QueueResult<u64> {
    let item = match consumer.read() {
        Ok(item) => item,
        Err(PopError::Empty) => return QueueResult::Empty,
        Err(PopError::Busy) => return QueueResult::Busy,
    };
    let number = item.number();
    match get {
        Get::Drop => drop(item),
        Get::Take => assert_eq!(slots::Item::take(item).number(), number, "the item was changed"),
        Get::Forget => std::mem::forget(item),
    }
    QueueResult::Popped(number)
}

/// One or many producers and consumers.
trait Form: Copy + Send + Sync + 'static {
    fn make(shape: Shape, producers: usize, consumers: usize) -> (Vec<Produce>, Vec<Consume>);
}

macro_rules! forms {
    ($($name:ident: $producers:ident, $consumers:ident, $make:path;)*) => {$(
        #[derive(Clone, Copy, Debug)]
        struct $name;

        impl Form for $name {
            fn make(shape: Shape, producers: usize, consumers: usize) -> (Vec<Produce>, Vec<Consume>) {
                let geometry = Geometry::new(shape.blocks, shape.size).expect("a client's queue is small");
                let (producer, consumer) = $make(geometry, shape.lap).expect("a client's queue is small");
                let producers = forms!(@$producers producer, producers).into_iter().map(|mut producer| {
                    Box::new(move |act, number| produce(&mut producer, act, number)) as Produce
                });
                let consumers = forms!(@$consumers consumer, consumers).into_iter().map(|mut consumer| {
                    Box::new(move |get| consume(&mut consumer, get)) as Consume
                });
                (producers.collect(), consumers.collect())
            }
        }
    )*};
    (@Single $handle:ident, $count:ident) => {{
        assert_eq!($count, 1, "this side has one handle");
        vec![$handle]
    }};
    (@Multi $handle:ident, $count:ident) => { vec![$handle; $count] };
}

forms! {
    Spsc: Single, Single, slots::spsc::starting_at;
    Mpsc: Multi, Single, slots::mpsc::starting_at;
    Spmc: Single, Multi, slots::spmc::starting_at;
    Mpmc: Multi, Multi, slots::mpmc::starting_at;
}

/// The state before the threads part, and the calls of each thread.
#[derive(Clone, Copy, Debug)]
struct Plan {
    shape: Shape,
    /// The least number of items with which the queue may be full: fewer than its capacity if there
    /// are dummies.
    full: usize,
    /// Acts that the first producer does first, each followed by a read.
    before: &'static [Act],
    /// The first producer's acts after that.
    filled: &'static [Act],
    acts: &'static [&'static [Act]],
    gets: &'static [&'static [Get]],
}

type Spec = Spurious<Fifo<u64>>;

fn act(history: &History<Spec>, producer: &mut Produce, act: Act, number: u64) -> QueueResult<u64> {
    match act {
        // A cancelled or forgotten slot needs no explanation.
        Act::Cancel | Act::Unfill | Act::Forget => producer(act, number),
        Act::Write | Act::Commit | Act::Fill => history.call(QueueOp::Push(number), || producer(act, number)),
    }
}

fn get(history: &History<Spec>, consumer: &mut Consume, get: Get) -> QueueResult<u64> {
    history.call(QueueOp::Pop, || consumer(get))
}

/// Runs the plan until its threads have ended. Returns their handles, the history, and the numbers
/// of further items.
fn run<F: Form>(plan: Plan) -> (Vec<Produce>, Vec<Consume>, Arc<History<Spec>>, std::ops::RangeFrom<u64>) {
    let (mut producers, mut consumers) = F::make(plan.shape, plan.acts.len(), plan.gets.len());
    let fifo = Fifo::new().bounded_between(plan.full, plan.shape.blocks * plan.shape.size);
    let spec = Spurious::new(fifo, |_, result| matches!(result, QueueResult::Full | QueueResult::Empty));
    let history = Arc::new(History::new(spec));
    let mut numbers = 1..;
    for (&one, number) in plan.before.iter().zip(numbers.by_ref()) {
        act(&history, &mut producers[0], one, number);
        get(&history, &mut consumers[0], Get::Drop);
    }
    for (&one, number) in plan.filled.iter().zip(numbers.by_ref()) {
        act(&history, &mut producers[0], one, number);
    }
    let producing: Vec<_> = (producers.into_iter().zip(plan.acts))
        .map(|(mut producer, &acts)| {
            let history = Arc::clone(&history);
            let numbers: Vec<u64> = numbers.by_ref().take(acts.len()).collect();
            thread::spawn(move || {
                acts.iter().zip(numbers).for_each(|(&one, number)| _ = act(&history, &mut producer, one, number));
                producer
            })
        })
        .collect();
    let mut last = consumers.pop().expect("a consumer");
    let consuming: Vec<_> = (consumers.into_iter().zip(plan.gets))
        .map(|(mut consumer, &gets)| {
            let history = Arc::clone(&history);
            thread::spawn(move || {
                gets.iter().for_each(|&one| _ = get(&history, &mut consumer, one));
                consumer
            })
        })
        .collect();
    for &one in *plan.gets.last().expect("a consumer") {
        get(&history, &mut last, one);
    }
    let ends = "a model thread that fails ends the execution";
    let producers = producing.into_iter().map(|thread| thread.join().expect(ends)).collect();
    let others = consuming.into_iter().map(|thread| thread.join().expect(ends));
    (producers, [last].into_iter().chain(others).collect(), history, numbers)
}

/// All calls are recorded, and some order of them must explain them all. `Full` and `Empty` are
/// excused by overlap, and `Busy` always is. In the end one thread has the handles: it empties the
/// queue, in which no room is lost then.
fn recorded<F: Form>(plan: Plan) {
    let (mut producers, mut consumers, history, mut numbers) = run::<F>(plan);
    // A forgotten slot or item is in the way until its handle goes on, or is dropped.
    producers.truncate(1);
    consumers.truncate(1);
    let (producer, consumer) = (&mut producers[0], &mut consumers[0]);
    act(&history, producer, Act::Write, numbers.next().expect("endless"));
    let mut empty = |history: &History<Spec>| {
        let nothing = loop {
            match get(history, consumer, Get::Take) {
                QueueResult::Popped(_) => {}
                nothing => break nothing,
            }
        };
        assert_eq!(nothing, QueueResult::Empty, "nobody else is at work");
    };
    empty(&history);
    for number in numbers.take(plan.shape.capacity()) {
        assert_eq!(act(&history, producer, Act::Write, number), QueueResult::Pushed, "room was lost");
    }
    empty(&history);
    history.check();
}

/// Leaves the queue as it is: the last handle drops what is left.
fn dropped<F: Form>(plan: Plan) {
    let (producers, consumers, ..) = run::<F>(plan);
    drop((producers, consumers));
}

/// Returns the clients, by form.
pub(crate) fn clients() -> Vec<Client> {
    let mut list = Vec::new();
    one_by_one::<Spsc>(&mut list, "spsc");
    one_by_one::<Mpsc>(&mut list, "mpsc");
    one_by_one::<Spmc>(&mut list, "spmc");
    one_by_one::<Mpmc>(&mut list, "mpmc");
    two_producers::<Mpsc>(&mut list, "mpsc");
    two_producers::<Mpmc>(&mut list, "mpmc");
    two_consumers::<Spmc>(&mut list, "spmc");
    two_consumers::<Mpmc>(&mut list, "mpmc");
    two_consumers_and_dummies::<Mpmc>(&mut list, "mpmc");
    two_of_either::<Mpmc>(&mut list, "mpmc");
    list
}

use Act::{Cancel, Commit, Fill, Unfill, Write};
use Get::{Drop as Here, Take};

/// A block is an entry.
const SMALL: Plan = Plan {
    shape: Shape::new(2, 1),
    full: 1,
    before: &[],
    filled: &[],
    acts: &[&[Write, Commit, Fill]],
    gets: &[&[Here, Take, Here]],
};

/// A block is two entries, in one line each.
const WIDE: Plan = Plan { shape: Shape::new(2, 2), full: 2, ..SMALL };

fn add(list: &mut Vec<Client>, form: &str, program: &str, run: impl Fn() + Send + Sync + 'static) {
    list.push(Client::new(format!("bbq-slots_{form}/{program}"), run));
}

fn one_by_one<F: Form>(list: &mut Vec<Client>, form: &str) {
    add(list, form, "1x1", move || recorded::<F>(SMALL));
    add(list, form, "1x1-wide", move || recorded::<F>(WIDE));
    add(list, form, "1x1-lap", move || recorded::<F>(Plan { before: &[Write, Fill, Commit], ..WIDE }));
    add(list, form, "1x1-full", move || {
        recorded::<F>(Plan { filled: &[Write, Write], acts: &[&[Fill, Write]], ..SMALL })
    });
    // A slot that is cancelled takes room, if there are many producers. It is in no history of
    // calls: a read that finds it in the way is excused by the call after it.
    let cancelling = Plan { full: 0, acts: &[&[Cancel, Unfill, Write]], gets: &[&[Here, Here]], ..SMALL };
    add(list, form, "1x1-cancel", move || recorded::<F>(cancelling));
    add(list, form, "1x1-cancel-wide", move || {
        recorded::<F>(Plan { shape: WIDE.shape, filled: &[Write, Cancel], ..cancelling })
    });
    add(list, form, "1x1-cancel-lap", move || {
        recorded::<F>(Plan { before: &[Cancel, Write, Cancel], acts: &[&[Cancel, Write]], ..cancelling })
    });
    add(list, form, "1x1-forget", move || recorded::<F>(Plan { acts: &[&[Act::Forget, Write]], ..cancelling }));
    let forgotten: &[&[Act]] = &[&[Write, Act::Forget]];
    add(list, form, "1x1-forgotten", move || recorded::<F>(Plan { acts: forgotten, gets: &[&[Here]], ..cancelling }));
    add(list, form, "1x1-forgets", move || {
        recorded::<F>(Plan { full: 0, gets: &[&[Get::Forget, Get::Forget, Here]], ..SMALL })
    });
    let left = Plan { full: 0, filled: &[Write], acts: &[&[Write, Cancel, Write]], gets: &[&[Here]], ..WIDE };
    add(list, form, "1x1-drop", move || dropped::<F>(left));
    add(list, form, "1x1-drop-forgotten", move || {
        dropped::<F>(Plan { acts: forgotten, gets: &[&[Get::Forget]], ..left })
    });
}

fn two_producers<F: Form>(list: &mut Vec<Client>, form: &str) {
    let two = Plan { acts: &[&[Write], &[Commit]], gets: &[&[Here, Take]], ..SMALL };
    add(list, form, "2x1", move || recorded::<F>(two));
    add(list, form, "2x1-wide", move || recorded::<F>(Plan { shape: WIDE.shape, full: WIDE.full, ..two }));
    add(list, form, "2x1-full", move || recorded::<F>(Plan { filled: &[Write], ..two }));
    let cancel = Plan { full: 0, acts: &[&[Cancel], &[Write]], gets: &[&[Here]], ..two };
    add(list, form, "2x1-cancel", move || recorded::<F>(cancel));
    add(list, form, "2x1-cancel-wide", move || recorded::<F>(Plan { shape: WIDE.shape, ..cancel }));
    // The second producer writes, a lap later, where the first one has used its room and given it
    // up.
    add(list, form, "2x1-cancel-lap", move || recorded::<F>(Plan { acts: &[&[Cancel], &[Write, Write]], ..cancel }));
    add(list, form, "2x1-unfill", move || recorded::<F>(Plan { acts: &[&[Unfill], &[Fill]], ..cancel }));
    add(list, form, "2x1-forgotten", move || {
        recorded::<F>(Plan { acts: &[&[Act::Forget], &[Write]], gets: &[&[]], ..cancel })
    });
    add(list, form, "2x1-drop", move || {
        dropped::<F>(Plan { shape: WIDE.shape, filled: &[Write], acts: &[&[Cancel], &[Write]], ..cancel })
    });
}

fn two_consumers<F: Form>(list: &mut Vec<Client>, form: &str) {
    let two = Plan { acts: &[&[Write, Fill]], gets: &[&[Here], &[Take]], ..SMALL };
    add(list, form, "1x2", move || recorded::<F>(two));
    add(list, form, "1x2-wide", move || recorded::<F>(Plan { shape: WIDE.shape, full: WIDE.full, ..two }));
    add(list, form, "1x2-full", move || recorded::<F>(Plan { filled: &[Write, Write], acts: &[&[Commit]], ..two }));
    // A consumer reads an item in place while the other one goes on, and producers come back to the
    // block.
    let laps = Plan { full: 0, filled: &[Write], acts: &[&[Write, Write]], gets: &[&[Here], &[Here, Here]], ..two };
    add(list, form, "1x2-laps", move || recorded::<F>(laps));
    add(list, form, "1x2-forgets", move || {
        recorded::<F>(Plan { filled: &[Write], acts: &[&[Write]], gets: &[&[Get::Forget], &[Here]], full: 0, ..two })
    });
    let left = Plan { filled: &[Write, Write], acts: &[&[Write]], ..two };
    add(list, form, "1x2-drop", move || dropped::<F>(Plan { shape: WIDE.shape, full: 0, ..left }));
}

fn two_consumers_and_dummies<F: Form>(list: &mut Vec<Client>, form: &str) {
    let dummy = Plan { full: 0, filled: &[Cancel, Write], acts: &[&[Write]], gets: &[&[Here], &[Here]], ..SMALL };
    add(list, form, "1x2-cancel", move || recorded::<F>(dummy));
    add(list, form, "1x2-cancel-wide", move || recorded::<F>(Plan { shape: WIDE.shape, ..dummy }));
    add(list, form, "1x2-cancelled", move || recorded::<F>(Plan { acts: &[&[Cancel]], ..dummy }));
}

fn two_of_either<F: Form>(list: &mut Vec<Client>, form: &str) {
    let two = Plan { full: 0, filled: &[Write], acts: &[&[Write], &[Cancel]], gets: &[&[Here], &[Here]], ..SMALL };
    add(list, form, "2x2", move || recorded::<F>(Plan { acts: &[&[Write], &[Fill]], full: 1, ..two }));
    add(list, form, "2x2-cancel", move || recorded::<F>(two));
}
