//! Clients whose recorded calls a queue with the exact k has to explain in each execution.

use std::sync::Arc;

use aqueduct_model::linearizability::{History, QueueOp, QueueResult};
use aqueduct_model::sync::atomic::{AtomicUsize, Ordering};
use aqueduct_model::{await_until, thread};

use super::super::library::cnq::{Consumer, Producer, Queue};
use super::super::library::error::PopError;
use super::super::library::tube::Tube;
use super::handles;
use crate::clients::cnq::spec::{Relaxed, Shape};
use crate::clients::item::{Boxed, Item};

/// An act of a thread, with the producer or consumer of that number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Does {
    Push(usize),
    Pop(usize),
    /// The producer gives up its capsule; `Leave`: the consumer does.
    Close(usize),
    Leave(usize),
    /// The producer, or the consumer, is dropped and registered again.
    Producer(usize),
    Consumer(usize),
    /// `Gone` drops the producer. `Enter` registers a producer, if there is room; if not, its
    /// pushes are left out.
    Gone(usize),
    Enter(usize),
    /// `Done` and `Hand` report a step, and `After` waits for it. `Done` hands nothing on; `Hand`
    /// hands on all that the thread has done, the step included.
    Done(usize),
    Hand(usize),
    After(usize),
    /// `Tell` lets the waiting threads go on; `Wait` waits for that.
    Tell,
    Wait,
}

/// A client: the queue's division, the first acts, and the acts of each thread afterwards. A thread
/// has the handles that its acts use. In the end all handles give up their capsules, and one
/// consumer takes the items that are left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// The number of capsules, and of the items of each.
    pub(super) capsules: (usize, usize),
    /// The numbers of producers and of consumers.
    pub(super) handles: (usize, usize),
    pub(super) first: &'static [Does],
    pub(super) threads: &'static [&'static [Does]],
}

impl Plan {
    fn shape(&self) -> Shape {
        let ((capsules, size), (producers, consumers)) = (self.capsules, self.handles);
        Shape { capsules, size, producers, consumers }
    }
}

/// The state that all threads share.
struct Scene<U: Tube> {
    queue: Option<Queue<Boxed, U>>,
    history: History<Relaxed>,
    told: AtomicUsize,
    step: AtomicUsize,
}

/// The handles that a thread has, by their numbers, and how many items it has pushed and popped.
/// One thread drops them: the orders in which several threads drop them show nothing, and are many.
struct Hands<U: Tube> {
    producers: Vec<Option<Producer<Boxed, U>>>,
    consumers: Vec<Option<Consumer<Boxed, U>>>,
    pushed: usize,
    popped: usize,
}

impl<U: Tube> Hands<U> {
    /// Takes out the handles that these acts use.
    fn part(&mut self, does: &[Does]) -> Self {
        let (producers, consumers) = (&mut self.producers, &mut self.consumers);
        let mut part = Self {
            producers: producers.iter().map(|_| None).collect(),
            consumers: consumers.iter().map(|_| None).collect(),
            pushed: 0,
            popped: 0,
        };
        for what in does {
            match *what {
                Does::Push(it) | Does::Close(it) | Does::Producer(it) | Does::Gone(it) => {
                    part.producers[it] = producers[it].take().or(part.producers[it].take());
                }
                Does::Pop(it) | Does::Leave(it) | Does::Consumer(it) => {
                    part.consumers[it] = consumers[it].take().or(part.consumers[it].take());
                }
                Does::Enter(_) | Does::Done(_) | Does::Hand(_) | Does::After(_) | Does::Tell | Does::Wait => {}
            }
        }
        part
    }

    /// Takes back a part that was taken out.
    fn join(&mut self, part: Self) {
        for (mine, theirs) in self.producers.iter_mut().zip(part.producers) {
            *mine = theirs.or(mine.take());
        }
        for (mine, theirs) in self.consumers.iter_mut().zip(part.consumers) {
            *mine = theirs.or(mine.take());
        }
        self.pushed += part.pushed;
        self.popped += part.popped;
    }

    fn producer(&mut self, number: usize) -> &mut Producer<Boxed, U> {
        self.producers[number].as_mut().expect("this thread has it")
    }

    fn consumer(&mut self, number: usize) -> &mut Consumer<Boxed, U> {
        self.consumers[number].as_mut().expect("this thread has it")
    }

    /// Performs the acts of a thread, whose items are numbered from `first` on.
    fn perform(&mut self, scene: &Scene<U>, first: u64, does: &[Does]) {
        let queue = || scene.queue.as_ref().expect("it was kept for this");
        for (number, what) in (first..).zip(does) {
            match *what {
                Does::Push(it) => self.push(scene, it, number),
                Does::Pop(it) => _ = self.pop(scene, it),
                Does::Close(it) => self.producer(it).pause(),
                Does::Leave(it) => self.consumer(it).pause(),
                Does::Producer(it) => {
                    self.producers[it] = None;
                    self.producers[it] = Some(queue().producer().expect("this one went"));
                }
                Does::Consumer(it) => {
                    self.consumers[it] = None;
                    self.consumers[it] = Some(queue().consumer().expect("this one went"));
                }
                Does::Gone(it) => self.producers[it] = None,
                Does::Enter(it) => self.producers[it] = queue().producer().ok(),
                Does::Done(step) => scene.step.store(step, Ordering::Relaxed),
                Does::Hand(step) => scene.step.store(step, Ordering::Release),
                Does::After(step) => await_until(|| scene.step.load(Ordering::Acquire) == step),
                Does::Tell => scene.told.store(1, Ordering::Release),
                Does::Wait => await_until(|| scene.told.load(Ordering::Acquire) == 1),
            }
        }
    }

    fn push(&mut self, scene: &Scene<U>, with: usize, number: u64) {
        let Some(producer) = &mut self.producers[with] else { return };
        let pushed = scene.history.call(QueueOp::Push(number), || match producer.push(Boxed::new(number)) {
            Ok(()) => QueueResult::Pushed,
            Err(_) => QueueResult::Full,
        });
        self.pushed += usize::from(pushed == QueueResult::Pushed);
    }

    fn pop(&mut self, scene: &Scene<U>, with: usize) -> QueueResult<u64> {
        let consumer = self.consumer(with);
        let popped = scene.history.call(QueueOp::Pop, || match consumer.pop() {
            Ok(item) => QueueResult::Popped(item.number()),
            Err(PopError::Empty) => QueueResult::Empty,
            Err(PopError::Busy) => QueueResult::Busy,
        });
        self.popped += usize::from(matches!(popped, QueueResult::Popped(_)));
        popped
    }

    /// Makes all handles give up their capsules.
    fn pause(&mut self) {
        self.producers.iter_mut().flatten().for_each(Producer::pause);
        self.consumers.iter_mut().flatten().for_each(Consumer::pause);
    }
}

/// Runs the plan on a tube that checks a position before it takes it. The k of the specification is
/// `less` below the exact one.
pub(super) fn run<U: Tube + 'static>(plan: Plan, less: usize) {
    explained::<U>(plan, Some(plan.shape().exact_k() - less));
}

/// Runs the plan on any tube, with the k that the library promises.
pub(super) fn as_promised<U: Tube + 'static>(plan: Plan) {
    explained::<U>(plan, None);
}

fn explained<U: Tube + 'static>(plan: Plan, k: Option<usize>) {
    let (queue, producers, consumers) = handles::<Boxed, U>(plan.shape());
    assert!(plan.shape().exact_k() <= queue.k(), "more than is promised");
    let goes = |what: &Does| matches!(what, Does::Producer(_) | Does::Consumer(_) | Does::Enter(_));
    let scene = Arc::new(Scene {
        history: History::new(Relaxed::new(plan.shape(), k.unwrap_or(queue.k()))),
        queue: plan.threads.iter().copied().flatten().any(goes).then(|| queue.clone()),
        told: AtomicUsize::new(0),
        step: AtomicUsize::new(0),
    });
    let (producers, consumers) = (producers.into_iter().map(Some).collect(), consumers.into_iter().map(Some).collect());
    let mut hands = Hands::<U> { producers, consumers, pushed: 0, popped: 0 };
    hands.perform(&scene, 1, plan.first);
    let (own, others) = plan.threads.split_last().expect("a thread");
    let mut threads = Vec::new();
    for (number, &does) in (1..).zip(others) {
        let (scene, mut part) = (Arc::clone(&scene), hands.part(does));
        threads.push(thread::spawn(move || {
            part.perform(&scene, 100 * number, does);
            part.pause();
            part
        }));
    }
    let mut part = hands.part(own);
    part.perform(&scene, 1000, own);
    part.pause();
    hands.join(part);
    for thread in threads {
        hands.join(thread.join().expect("a thread that fails ends the execution"));
    }
    hands.pause();
    while hands.popped < hands.pushed {
        assert!(matches!(hands.pop(&scene, 0), QueueResult::Popped(_)), "an item is lost");
    }
    assert_eq!(hands.pop(&scene, 0), QueueResult::Empty, "an item came twice");
    scene.history.check();
}
