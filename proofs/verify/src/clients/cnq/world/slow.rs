//! Clients with slow threads: each stops once, anywhere, and meanwhile another one goes on to
//! capsules that are too far ahead.

use std::cell::{Cell, RefCell};

use aqueduct_model::interrupt::with_handler;
use aqueduct_model::linearizability::{QueueOp, QueueResult};

use super::super::library::cnq::{Consumer, Producer};
use super::super::library::error::PopError;
use super::super::library::tube::Tube;
use super::handles;
use crate::clients::Client;
use crate::clients::cnq::spec::{Relaxed, Shape};
use crate::clients::item::{Boxed, Item};
use crate::clients::threads::slow::Timeline;

/// A thread's operation: the number of the producer or consumer, and how often it is repeated.
#[derive(Clone, Copy, Debug)]
enum Does {
    Push(usize, usize),
    Pop(usize, usize),
}
use Does::{Pop, Push};

/// A client: the queue's division, the first acts, the acts of each slow thread, those of another
/// thread meanwhile, and the last acts. In the end one consumer takes the items that are left.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// The number of capsules, and of the items of each.
    capsules: (usize, usize),
    /// The numbers of producers and of consumers.
    handles: (usize, usize),
    first: &'static [Does],
    slow: &'static [Does],
    meanwhile: &'static [Does],
    then: &'static [Does],
}

struct Scene<U: Tube> {
    plan: Plan,
    line: Timeline<Relaxed>,
    producers: Vec<RefCell<Producer<Boxed, U>>>,
    consumers: Vec<RefCell<Consumer<Boxed, U>>>,
    next: Cell<u64>,
    /// The number of items pushed and not popped.
    len: Cell<usize>,
}

impl<U: Tube> Scene<U> {
    fn push(&self, with: usize) {
        let number = self.next.replace(self.next.get() + 1);
        let pushed = self.line.call(QueueOp::Push(number), || {
            match self.producers[with].borrow_mut().push(Boxed::new(number)) {
                Ok(()) => QueueResult::Pushed,
                Err(_) => QueueResult::Full,
            }
        });
        self.len.set(self.len.get() + usize::from(pushed == QueueResult::Pushed));
    }

    fn pop(&self, with: usize) -> QueueResult<u64> {
        let popped = self.line.call(QueueOp::Pop, || match self.consumers[with].borrow_mut().pop() {
            Ok(item) => QueueResult::Popped(item.number()),
            Err(PopError::Empty) => QueueResult::Empty,
            Err(PopError::Busy) => QueueResult::Busy,
        });
        if matches!(popped, QueueResult::Popped(_)) {
            self.len.set(self.len.get() - 1);
        }
        popped
    }

    fn perform(&self, does: &[Does]) {
        for what in does {
            match *what {
                Push(with, times) => (0..times).for_each(|_| self.push(with)),
                Pop(with, times) => (0..times).for_each(|_| _ = self.pop(with)),
            }
        }
    }

    /// Runs the slow threads from this one on.
    fn from(&self, number: usize) {
        match self.plan.slow.get(number..).and_then(<[Does]>::split_first) {
            Some((does, _)) => with_handler(|| self.from(number + 1), || self.perform(&[*does])),
            None => self.perform(self.plan.meanwhile),
        }
    }
}

/// Runs the plan. A queue with the exact k must explain all calls.
fn run<U: Tube + 'static>(plan: Plan) {
    let ((capsules, size), (producers, consumers)) = (plan.capsules, plan.handles);
    let shape = Shape { capsules, size, producers, consumers };
    let (_queue, producers, consumers) = handles::<Boxed, U>(shape);
    let (producers, consumers) =
        (producers.into_iter().map(RefCell::new).collect(), consumers.into_iter().map(RefCell::new).collect());
    let (line, next, len) = (Timeline::new(), Cell::new(1), Cell::new(0));
    let scene = Scene::<U> { plan, line, producers, consumers, next, len };
    scene.perform(plan.first);
    scene.from(0);
    scene.perform(plan.then);
    scene.producers.iter().for_each(|producer| producer.borrow_mut().pause());
    scene.consumers.iter().for_each(|consumer| consumer.borrow_mut().pause());
    while scene.len.get() > 0 {
        assert!(matches!(scene.pop(0), QueueResult::Popped(_)), "an item is lost");
    }
    assert_eq!(scene.pop(0), QueueResult::Empty, "an item came twice");
    scene.line.check(Relaxed::new(shape, shape.exact_k()));
}

pub(super) fn clients<U: Tube + 'static>(list: &mut Vec<Client>, name: &str) {
    let three = Plan { capsules: (8, 2), handles: (3, 1), first: &[], slow: &[], meanwhile: &[], then: &[] };
    let four = Plan { capsules: (16, 2), handles: (4, 1), ..three };
    let readers = Plan { capsules: (8, 2), handles: (1, 3), first: &[Push(0, 16)], ..three };
    let plans = [
        // A producer closes a capsule when it enters, and meanwhile another one goes too far ahead
        // of it.
        (
            "slow-closing",
            Plan {
                first: &[Push(0, 1), Push(2, 4)],
                slow: &[Push(1, 1)],
                meanwhile: &[Push(2, 5)],
                then: &[Push(1, 1), Push(0, 1)],
                ..three
            },
        ),
        (
            "slow-pushes",
            Plan {
                first: &[Push(2, 1)],
                slow: &[Push(0, 1), Push(1, 1)],
                meanwhile: &[Push(2, 6)],
                then: &[Push(1, 1), Push(0, 1)],
                ..three
            },
        ),
        // Two are on their way to positions after the first capsule's, one of them to the next in
        // its lane.
        (
            "slow-pushes-four",
            Plan {
                first: &[Push(0, 1), Push(3, 4)],
                slow: &[Push(1, 1), Push(2, 1)],
                meanwhile: &[Push(3, 6), Push(0, 1), Pop(0, 2)],
                then: &[Push(2, 1), Push(1, 1), Push(0, 1)],
                ..four
            },
        ),
        ("slow-pops", Plan { slow: &[Pop(0, 1), Pop(1, 1)], meanwhile: &[Pop(2, 6)], ..readers }),
        (
            "slow-pops-left",
            Plan { slow: &[Pop(0, 3), Pop(1, 1)], meanwhile: &[Pop(2, 3), Push(0, 2), Pop(2, 4)], ..readers },
        ),
        (
            "slow-push-pop",
            Plan {
                capsules: (6, 2),
                handles: (2, 2),
                first: &[Push(0, 5)],
                slow: &[Push(1, 2), Pop(1, 2)],
                meanwhile: &[Push(0, 5), Pop(0, 6)],
                then: &[Push(1, 1), Pop(1, 1)],
            },
        ),
    ];
    for (client, plan) in plans {
        list.push(Client::new(format!("cnq-{name}/{client}"), move || run::<U>(plan)));
    }
}
