//! The exact queue's forms and its clients, on the library that `super` names.

use std::sync::Arc;

use aqueduct_model::sync::atomic::{AtomicBool, Ordering, fence};
use aqueduct_model::thread;

use super::ends::Share;
use super::library::error::{PopError, PushError};
use super::library::exact::Queue;
use crate::clients::Client;
use crate::clients::item::{Boxed, Item};
use crate::clients::threads::calls::{Plan, dropped, recorded};
use crate::clients::threads::crowd;
use crate::clients::threads::slow;
use crate::clients::threads::{Form, Push, Refused};
use crate::progress::many_threads::{Kind, Scene, Subject};
use crate::progress::one_stopped::Victim;

/// The queue, whose threads' shares push as `P` does.
#[derive(Debug)]
pub struct By<P>(std::marker::PhantomData<fn() -> P>);

impl<P> Clone for By<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for By<P> {}

/// Threads push.
type Pushes = By<Share<Queue<Boxed>>>;
/// Threads reserve a slot for each item.
type Permits = By<Reserving>;

/// One thread's share of a queue, which reserves a slot for each item.
#[derive(Clone, Debug)]
pub struct Reserving(Share<Queue<Boxed>>);

impl Push<Boxed> for Reserving {
    fn push(&mut self, item: Boxed) -> Result<(), Refused> {
        self.0.reserve()?.push(item);
        Ok(())
    }
}

impl From<Share<Queue<Boxed>>> for Reserving {
    fn from(share: Share<Queue<Boxed>>) -> Self {
        Self(share)
    }
}

/// Makes a queue in its last lap: with the next one, positions start again from 0.
fn queue<T>(capacity: usize) -> Queue<T> {
    Queue::starting_at(capacity, u64::MAX).expect("a client's queue is small")
}

impl<P: Push<Boxed> + Clone + From<Share<Queue<Boxed>>>> Form for By<P> {
    /// The capacity.
    type Shape = usize;
    type Item = Boxed;
    type Producer = P;
    type Consumer = Share<Queue<Boxed>>;
    const MANY_PRODUCERS: bool = true;
    const MANY_CONSUMERS: bool = true;

    fn make(capacity: usize, producers: usize, consumers: usize) -> (Vec<P>, Vec<Self::Consumer>) {
        let share = Share::new(queue(capacity));
        (vec![P::from(share.clone()); producers], vec![share; consumers])
    }
}

/// A number of items that no client's queue can hold.
const ALL: usize = 64;

/// More events than an execution of these clients has. With too weak an ordering, a queue may loop
/// without an end.
const EVENTS: u32 = 500;

fn add(list: &mut Vec<Client>, program: &str, run: impl Fn() + Send + Sync + 'static) {
    list.push(Client::new(format!("exact/{program}"), run).with_events(EVENTS));
}

/// Returns the clients.
pub fn clients() -> Vec<Client> {
    let mut list = Vec::new();
    of_capacity::<Pushes>(&mut list, "", 1);
    of_capacity::<Pushes>(&mut list, "", 2);
    few_of_capacity::<Pushes>(&mut list, "", 3);
    few_of_capacity::<Permits>(&mut list, "permits-", 1);
    few_of_capacity::<Permits>(&mut list, "permits-", 2);
    for (program, run) in PERMITS.iter().chain(WAKES).chain(TELLS) {
        add(&mut list, program, run);
    }
    list
}

/// Returns the clients that have too many executions to explore them all.
pub fn walked() -> Vec<Client> {
    let mut list = Vec::new();
    for capacity in [1, 2, 3] {
        for (program, plan) in crowd::walks(capacity, capacity) {
            let name = format!("walk-{program}-{capacity}");
            add(&mut list, &name, move || crowd::run::<Pushes>(plan, capacity..=capacity));
            let name = format!("walk-permits-{program}-{capacity}");
            add(&mut list, &name, move || crowd::run::<Permits>(plan, capacity..=capacity));
        }
    }
    list
}

const fn plan(shape: usize, before: usize, filled: usize) -> Plan<usize> {
    Plan { shape, before, filled, pushes: &[1, 1], pops: &[1, 1] }
}

/// Adds the clients of one and two threads on a side that each form has.
fn few_of_capacity<F: Form<Shape = usize>>(list: &mut Vec<Client>, form: &str, size: usize) {
    let mut add = |program: &str, plan: Plan<usize>| {
        add(list, &format!("{form}{program}-{size}"), move || recorded::<F>(plan, size..=size));
    };
    add("1x1", Plan { pushes: &[3], pops: &[3], ..plan(size, 0, 0) });
    add("1x1-full", Plan { pushes: &[2], pops: &[3], ..plan(size, 1, ALL) });
    add("2x1", Plan { pops: &[2], ..plan(size, 0, 0) });
    add("2x1-full", Plan { pops: &[1], ..plan(size, 1, size - 1) });
    add("1x2", Plan { pushes: &[2], ..plan(size, 0, 0) });
    add("1x2-full", Plan { pushes: &[1], ..plan(size, 1, ALL) });
    self::add(list, &format!("{form}drop-{size}"), move || {
        dropped::<F>(Plan { pushes: &[2], pops: &[1], ..plan(size, 0, 1) });
    });
}

/// Adds those clients, and those of two threads on both sides, of three and four on one, and of
/// slow threads.
fn of_capacity<F: Form<Shape = usize>>(list: &mut Vec<Client>, form: &str, size: usize) {
    few_of_capacity::<F>(list, form, size);
    let mut add = |program: &str, plan: Plan<usize>| {
        add(list, &format!("{form}{program}-{size}"), move || recorded::<F>(plan, size..=size));
    };
    add("2x1-lap", Plan { pops: &[2], ..plan(size, size - 1, 0) });
    add("1x2-lap", Plan { pushes: &[1], ..plan(size, size - 1, 1) });
    add("2x2", plan(size, size - 1, 1));
    for (program, plan) in crowd::of_ring(size, size) {
        self::add(list, &format!("{form}{program}-{size}"), move || crowd::run::<F>(plan, size..=size));
    }
    let name = |what: &str| format!("exact/{form}{what}-{size}");
    let slow = slow::clients::<F>(name, size, size / 2, &(size..=size));
    list.extend(slow.into_iter().map(|client| client.with_events(EVENTS)));
}

fn share<T>(capacity: usize) -> Arc<Queue<T>> {
    Arc::new(queue(capacity))
}

/// A program without parameters.
type Program = (&'static str, fn());

/// A permit keeps its slot beside a push and a pop, and its item comes behind those before.
const PERMITS: &[Program] = &[
    ("keeps-slot", keeps_slot),
    ("passes-permit", passes_permit),
    ("gives-back", gives_back),
    ("gives-back-beside", gives_back_beside),
    ("two-permits", two_permits),
    ("refused-permits", refused_permits),
];

/// Pops all items, whose order matters.
fn rest(queue: &Queue<Boxed>) -> Vec<u64> {
    queue.drain().map(|item| item.number()).collect()
}

/// A push beside a pop does not take the slot of a permit.
fn keeps_slot() {
    let queue = share(2);
    assert!(queue.push(Boxed::new(1)).is_ok(), "there is room");
    let permit = queue.reserve().expect("there is room");
    let other = queue.clone();
    let pushing = thread::spawn(move || other.push(Boxed::new(2)).is_ok());
    let other = queue.clone();
    let popping = thread::spawn(move || other.pop().map(|item| item.number()).expect("one item is there"));
    permit.push(Boxed::new(3));
    let (pushed, popped) = (pushing.join().expect("ends"), popping.join().expect("ends"));
    let mut came = rest(&queue);
    came.sort_unstable();
    let expected: Vec<u64> = [pushed.then_some(2), Some(3)].into_iter().flatten().collect();
    assert_eq!((popped, came), (1, expected));
}

/// A push takes the slot that a permit's thread has found free, and the permit the next one, which
/// another thread has.
fn passes_permit() {
    let queue = share(2);
    assert!(queue.push(Boxed::new(0)).is_ok(), "there is room");
    let permit = queue.reserve().expect("there is room");
    let other = queue.clone();
    let popping = thread::spawn(move || other.pop().is_ok());
    let other = queue.clone();
    let pushing = thread::spawn(move || other.push(Boxed::new(1)).is_ok());
    permit.push(Boxed::new(2));
    let (popped, pushed) = (popping.join().expect("ends"), pushing.join().expect("ends"));
    let mut came = rest(&queue);
    came.sort_unstable();
    let expected = [(!popped).then_some(0), pushed.then_some(1), Some(2)];
    assert_eq!(came, expected.into_iter().flatten().collect::<Vec<u64>>());
}

/// A permit that is dropped gives its slot back, whether or not a push has found the queue full
/// meanwhile.
fn gives_back() {
    let queue = share(1);
    let permit = queue.reserve().expect("there is room");
    let other = queue.clone();
    let pushing = thread::spawn(move || other.push(Boxed::new(1)).is_ok());
    drop(permit);
    let pushed = pushing.join().expect("ends");
    assert_eq!(queue.push(Boxed::new(2)).is_ok(), !pushed, "one slot is there");
    assert_eq!(rest(&queue), [if pushed { 1 } else { 2 }]);
}

/// A permit is dropped beside another one's push, and beside a push without a permit. No slot is
/// lost.
fn gives_back_beside() {
    let queue = share(2);
    let [one, other] = [(); 2].map(|()| queue.clone());
    let giving = thread::spawn(move || one.reserve().map(drop).is_ok());
    let pushing = thread::spawn(move || other.reserve().map(|permit| permit.push(Boxed::new(1))).is_ok());
    let pushed = queue.push(Boxed::new(2)).is_ok();
    let given = giving.join().expect("ends");
    let pushed = usize::from(pushed) + usize::from(pushing.join().expect("ends"));
    assert!(pushed > 0 && (given || pushed == 2), "one of three finds no slot at most");
    assert_eq!(queue.len(), pushed, "nobody else is at work");
    assert_eq!(queue.push(Boxed::new(3)).is_ok(), pushed == 1, "there are two slots");
    assert_eq!(rest(&queue).len(), 2);
}

/// Two threads reserve the two slots, and use them.
fn two_permits() {
    let queue = share(2);
    let other = queue.clone();
    let pushing = thread::spawn(move || other.reserve().map(|permit| permit.push(Boxed::new(1))).is_ok());
    let permit = queue.reserve().expect("there are two slots");
    permit.push(Boxed::new(2));
    assert!(pushing.join().expect("ends"), "there are two slots");
    let mut came = rest(&queue);
    came.sort_unstable();
    assert_eq!(came, [1, 2]);
}

/// Two threads want the slot that is left; one gets it. A consumer makes room meanwhile, or not.
fn refused_permits() {
    let queue = share(1);
    let other = queue.clone();
    let reserving = thread::spawn(move || other.reserve().map(|permit| permit.push(Boxed::new(1))).is_ok());
    let pushed = queue.push(Boxed::new(2)).is_ok();
    let popped = queue.pop().ok().map(|item| item.number());
    let reserved = reserving.join().expect("ends");
    assert!(pushed || reserved, "there was a slot");
    let came: Vec<u64> = popped.into_iter().chain(rest(&queue)).collect();
    assert_eq!(came.len(), usize::from(pushed) + usize::from(reserved), "{came:?}");
}

/// A thread that sleeps after it has found nothing is seen by a thread that has changed that,
/// without a fence.
const WAKES: &[Program] = &[
    ("push-wakes", || wakes(queue(1), |queue| assert_eq!(queue.push(7), Ok(())), has_item)),
    ("permit-wakes", || {
        let queue = queue(1);
        std::mem::forget(queue.reserve());
        // SAFETY: this is the permit that is forgotten in the line above.
        let push = |queue: &Queue<u64>| unsafe { super::library::exact::Permit::recall(queue) }.push(7);
        wakes(queue, push, has_item);
    }),
    ("pop-wakes", || wakes(full(1), |queue| assert_eq!(queue.pop(), Ok(1)), has_room)),
    ("pop-wakes-permit", || wakes(full(1), |queue| assert_eq!(queue.pop(), Ok(1)), has_slot)),
];

fn has_item(queue: &Queue<u64>) -> bool {
    queue.pop() != Err(PopError::Empty)
}

fn has_room(queue: &Queue<u64>) -> bool {
    queue.push(2) != Err(PushError::Full(2))
}

fn has_slot(queue: &Queue<u64>) -> bool {
    !matches!(queue.reserve(), Err(PushError::Full(())))
}

fn full(capacity: usize) -> Queue<u64> {
    let queue = queue(capacity);
    (1..=capacity as u64).for_each(|number| queue.push(number).expect("there is room"));
    queue
}

/// One thread makes a change, and checks whether the other one sleeps. The other one registers as a
/// sleeper, looks once more for the change, and sleeps if it finds nothing. `Busy` is no reason to
/// sleep.
fn wakes(queue: Queue<u64>, change: fn(&Queue<u64>), find: fn(&Queue<u64>) -> bool) {
    let (queue, sleeps) = (Arc::new(queue), Arc::new(AtomicBool::new(false)));
    let (other, flag) = (queue.clone(), sleeps.clone());
    let waker = thread::spawn(move || {
        change(&other);
        flag.load(Ordering::SeqCst)
    });
    sleeps.store(true, Ordering::Relaxed);
    fence(Ordering::SeqCst);
    let found = find(&queue);
    let is_woken = waker.join().expect("ends");
    assert!(found || is_woken, "it sleeps forever");
}

/// After `Full` and `Empty`, the caller sees the earlier writes of the thread that took the slot or
/// the item.
const TELLS: &[Program] = &[
    ("full-tells", || tells(queue(1), |queue| _ = queue.push(7), |queue| queue.push(8) == Err(PushError::Full(8)))),
    ("full-tells-permit", || {
        let is_full = |queue: &Queue<u64>| matches!(queue.reserve(), Err(PushError::Full(())));
        tells(queue(1), |queue| std::mem::forget(queue.reserve()), is_full);
    }),
    ("empty-tells", || tells(full(1), |queue| _ = queue.pop(), |queue| queue.pop() == Err(PopError::Empty))),
];

/// One thread writes a message and then takes the slot or the item. If the other one finds nothing,
/// it sees the message.
fn tells(queue: Queue<u64>, take: fn(&Queue<u64>), find_nothing: fn(&Queue<u64>) -> bool) {
    let (queue, told) = (Arc::new(queue), Arc::new(AtomicBool::new(false)));
    let (other, flag) = (queue.clone(), told.clone());
    let taker = thread::spawn(move || {
        flag.store(true, Ordering::Relaxed);
        take(&other);
    });
    let is_told = find_nothing(&queue).then(|| told.load(Ordering::Relaxed));
    taker.join().expect("ends");
    assert_ne!(is_told, Some(false), "it has not been told");
}

const SCENES: &[Scene] = &[
    Scene { victim: Victim::Push, before: 0, filled: 0 },
    Scene { victim: Victim::Push, before: 1, filled: 1 },
    Scene { victim: Victim::Pop, before: 0, filled: 2 },
    Scene { victim: Victim::Pop, before: 1, filled: 1 },
];

/// Returns the queues in which threads are stopped.
pub fn stalls() -> Vec<Subject> {
    vec![
        Subject::new::<Pushes>("exact-2", 2, Kind::Slots { capacity: 2 }, SCENES),
        Subject::new::<Pushes>("exact-3", 3, Kind::Slots { capacity: 3 }, SCENES),
    ]
}
