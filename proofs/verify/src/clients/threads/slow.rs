//! Clients with several slow threads: each stops once, anywhere, while another thread goes on by
//! more than a lap.
//!
//! A slow thread's operation is a body in which the rest of the scene may come as an interrupt,
//! between any two of its steps. So there are few executions, which differ in where the slow
//! operations stop, and the others can do many operations. The price: all of it is one thread's
//! program order. Clients with threads of their own show what weak orderings allow.

use std::cell::{Cell, RefCell};
use std::ops::RangeInclusive;

use aqueduct_model::interrupt::with_handler;
use aqueduct_model::linearizability::{Fifo, QueueOp, QueueResult, Record, Spec};

use crate::clients::Client;
use crate::clients::threads::Form;
use crate::clients::threads::calls::Handles;
use crate::clients::threads::handles::{self, Consumer, Producer};

/// An operation of a slow thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Does {
    Push,
    Pop,
}

/// The time when a call began and ended, its input, and its output.
type Call<S> = (u32, u32, <S as Spec>::Input, <S as Spec>::Output);

/// The calls of one thread, some within others.
#[derive(Debug)]
pub(crate) struct Timeline<S: Spec> {
    clock: Cell<u32>,
    calls: RefCell<Vec<Call<S>>>,
}

impl<S: Spec> Timeline<S> {
    pub(crate) fn new() -> Self {
        Self { clock: Cell::new(0), calls: RefCell::default() }
    }

    fn tick(&self) -> u32 {
        self.clock.replace(self.clock.get() + 1)
    }

    pub(crate) fn call(&self, input: S::Input, operation: impl FnOnce() -> S::Output) -> S::Output {
        let begin = self.tick();
        let output = operation();
        self.calls.borrow_mut().push((begin, self.tick(), input, output.clone()));
        output
    }

    /// Asserts that some order of the calls explains them all. A call that ended before another one
    /// began comes first.
    pub(crate) fn check(&self, spec: S) {
        let mut calls = self.calls.take();
        calls.sort_unstable_by_key(|&(begin, ..)| begin);
        let mut record = Record::new(spec);
        for (number, (begin, _, input, output)) in calls.iter().enumerate() {
            let before: Vec<usize> = (0..number).filter(|&earlier| calls[earlier].1 < *begin).collect();
            record.add(number, input.clone(), output.clone(), &before);
        }
        if let Err(error) = record.linearization() {
            panic!("{error}");
        }
    }
}

/// A scene: the next slow thread stops each slow thread, and a thread that goes on stops the last
/// one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan<S> {
    /// The queue's division.
    pub(crate) shape: S,
    /// The number of items that pass through the queue first.
    pub(crate) before: usize,
    /// The number of items in the queue then.
    pub(crate) filled: usize,
    pub(crate) slow: &'static [Does],
    /// The number of times that the other thread fills the queue and empties it, as far as it can.
    pub(crate) laps: usize,
}

/// The handle of a slow thread.
enum Slow {
    Push(Producer),
    Pop(Consumer),
}

struct Scene {
    line: Timeline<Fifo<u64>>,
    /// The slow threads' handles.
    slow: Vec<RefCell<Slow>>,
    producer: RefCell<Producer>,
    consumer: RefCell<Consumer>,
    next: Cell<u64>,
    most: usize,
    is_bounded: bool,
    laps: usize,
}

impl Scene {
    fn push(&self, producer: &mut Producer) -> QueueResult<u64> {
        let number = self.next.replace(self.next.get() + 1);
        self.line.call(QueueOp::Push(number), || producer(number))
    }

    fn pop(&self, consumer: &mut Consumer) -> QueueResult<u64> {
        self.line.call(QueueOp::Pop, consumer)
    }

    /// Pushes until a push is refused, and returns why. An unbounded queue gets a fixed number of
    /// items.
    fn fill(&self) -> QueueResult<u64> {
        let mut producer = self.producer.borrow_mut();
        for pushed in 0..=self.most {
            if pushed == self.most && !self.is_bounded {
                return QueueResult::Full;
            }
            match self.push(&mut producer) {
                QueueResult::Pushed => {}
                refused => return refused,
            }
        }
        panic!("more than {} items went in", self.most);
    }

    /// Pops until a pop is refused, and returns why.
    fn empty(&self) -> QueueResult<u64> {
        let mut consumer = self.consumer.borrow_mut();
        // In an unbounded queue whose consumer waits for a stopped producer, the items of all laps
        // come together.
        for _ in 0..=(self.laps + 2) * self.most + self.slow.len() {
            match self.pop(&mut consumer) {
                QueueResult::Popped(_) => {}
                nothing => return nothing,
            }
        }
        panic!("more came than there was room for");
    }

    /// Runs the slow threads from this one on.
    fn from(&self, number: usize) {
        let Some(slow) = self.slow.get(number) else {
            for _ in 0..self.laps {
                self.fill();
                self.empty();
            }
            return;
        };
        with_handler(
            || self.from(number + 1),
            || match &mut *slow.borrow_mut() {
                Slow::Push(producer) => _ = self.push(producer),
                Slow::Pop(consumer) => _ = self.pop(consumer),
            },
        );
    }
}

/// Runs the plan. A queue whose pushes may return `Full` from that number of items on must explain
/// all calls.
///
/// Stopped threads excuse `Busy` only. Without stopped threads nothing is excused: in the end the
/// queue is filled and emptied once more.
pub(crate) fn run<F: Form>(plan: Plan<F::Shape>, full: RangeInclusive<usize>) {
    let count = |what: Does| plan.slow.iter().filter(|&&does| does == what).count();
    let own = |many: bool, slow: usize| if many { slow + 1 } else { 1 };
    let (pushing, popping) = (own(F::MANY_PRODUCERS, count(Does::Push)), own(F::MANY_CONSUMERS, count(Does::Pop)));
    let Plan { shape, before, filled, slow, laps } = plan;
    let plan = Plan { shape: (), before, filled, slow, laps };
    run_of(handles::make::<F>(shape, pushing, popping), F::BOUNDED, plan, full);
}

fn run_of((mut producers, mut consumers): Handles, is_bounded: bool, plan: Plan<()>, full: RangeInclusive<usize>) {
    let (producer, consumer) = (RefCell::new(producers.remove(0)), RefCell::new(consumers.remove(0)));
    let slow = |does: &Does| match does {
        Does::Push => RefCell::new(Slow::Push(producers.remove(0))),
        Does::Pop => RefCell::new(Slow::Pop(consumers.remove(0))),
    };
    let slow = plan.slow.iter().map(slow).collect();
    let (line, next) = (Timeline::new(), Cell::new(1));
    let scene = Scene { line, slow, producer, consumer, next, most: *full.end(), is_bounded, laps: plan.laps };
    for _ in 0..plan.before {
        assert_eq!(scene.push(&mut scene.producer.borrow_mut()), QueueResult::Pushed);
        assert!(matches!(scene.pop(&mut scene.consumer.borrow_mut()), QueueResult::Popped(_)));
    }
    for _ in 0..plan.filled {
        assert_eq!(scene.push(&mut scene.producer.borrow_mut()), QueueResult::Pushed);
    }
    scene.from(0);
    assert_eq!(scene.fill(), QueueResult::Full, "nobody else is at work");
    assert_eq!(scene.empty(), QueueResult::Empty, "nobody else is at work");
    let most = if is_bounded { *full.end() } else { usize::MAX };
    scene.line.check(Fifo::new().bounded_between(*full.start(), most));
}

use Does::{Pop as Take, Push as Put};

/// The slow threads of each scene: at most as many on a side as the queue can have.
const SLOW: [(&str, &[Does]); 6] = [
    ("pushes", &[Put, Put]),
    ("pops", &[Take, Take]),
    ("push-pop", &[Put, Take]),
    ("pop-push", &[Take, Put]),
    ("three-pushes", &[Put, Put, Put]),
    ("three-pops", &[Take, Take, Take]),
];

/// Returns the clients of a form, with a number of items at first.
pub(crate) fn clients<F: Form>(
    name: impl Fn(&str) -> String,
    shape: F::Shape,
    filled: usize,
    full: &RangeInclusive<usize>,
) -> Vec<Client> {
    let can = |slow: &[Does]| {
        (F::MANY_PRODUCERS || !slow.contains(&Does::Push)) && (F::MANY_CONSUMERS || !slow.contains(&Does::Pop))
    };
    let clients = SLOW.into_iter().filter(|(_, slow)| can(slow)).map(|(what, slow)| {
        // Two laps make as many calls as can be explained in a moment.
        let (laps, full) = (if *full.end() > 4 { 1 } else { 2 }, full.clone());
        let plan = Plan { shape, before: 1, filled, slow, laps };
        Client::new(name(&format!("slow-{what}")), move || run::<F>(plan, full.clone()))
    });
    clients.collect()
}
