//! Tubes as queues of their own.

use super::super::ends::Share;
use super::super::library::tube::{Fifo, Tube};
use aqueduct_model::thread;

use crate::clients::Client;
use crate::clients::item::{Boxed, Item};
use crate::clients::threads::calls::{Plan, dropped, recorded};
use crate::clients::threads::crowd;
use crate::clients::threads::slow;
use crate::clients::threads::{Form, Pop, Push};

/// A tube of items; its shape is the capacity.
#[derive(Debug)]
struct Plain<U>(std::marker::PhantomData<fn() -> U>);

impl<U> Clone for Plain<U> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<U> Copy for Plain<U> {}

/// Makes a queue in its last lap: with the next one, laps and positions start again from 0.
fn share<U: Tube>(capacity: usize) -> Share<Fifo<Boxed, U>> {
    Share::new(Fifo::starting_at(capacity, usize::MAX).expect("a client's queue is small"))
}

impl<U: Tube + 'static> Form for Plain<U> {
    type Shape = usize;
    type Item = Boxed;
    type Producer = Share<Fifo<Boxed, U>>;
    type Consumer = Share<Fifo<Boxed, U>>;
    const MANY_PRODUCERS: bool = true;
    const MANY_CONSUMERS: bool = true;

    fn make(
        capacity: usize,
        producers: usize,
        consumers: usize,
    ) -> (Vec<Share<Fifo<Boxed, U>>>, Vec<Share<Fifo<Boxed, U>>>) {
        let queue = share(capacity);
        (vec![queue.clone(); producers], vec![queue; consumers])
    }
}

/// One thread pushes once, and another one goes on meanwhile, by more than a lap.
fn overtaken<U: Tube + 'static>() {
    let mut queue: Share<Fifo<Boxed, U>> = share(2);
    let mut slow = queue.clone();
    let slow = thread::spawn(move || Push::push(&mut slow, Boxed::new(100)).is_ok());
    let (mut went, mut came) = (Vec::new(), Vec::new());
    for number in 1..=3 {
        went.extend(Push::push(&mut queue, Boxed::new(number)).is_ok().then_some(number));
        came.extend(Pop::pop(&mut queue).ok().map(|item| item.number()));
    }
    went.extend(slow.join().expect("it ends").then_some(100));
    came.extend(std::iter::from_fn(|| Pop::pop(&mut queue).ok()).map(|item| item.number()));
    came.sort_unstable();
    assert_eq!(came, went, "what came and what went");
}

const fn plan(before: usize, filled: usize, pushes: &'static [usize], pops: &'static [usize]) -> Plan<usize> {
    Plan { shape: 2, before, filled, pushes, pops }
}

/// The clients that have tens or hundreds of thousands of executions.
const LARGE: [&str; 3] = ["tube-faaq/1x2-lap", "tube-faaq/2x1-lap", "tube-faaq/2x2"];

/// More events than an execution of these clients has. With too weak an ordering, a queue may loop
/// without an end.
const EVENTS: u32 = 500;

/// Adds the clients of a tube. It has at most `parts` times the slots that it is made for.
pub(super) fn clients<U: Tube + 'static>(list: &mut Vec<Client>, name: &str, parts: usize) {
    let mut add = |program: &str, run: fn(Plan<usize>, usize), plan: Plan<usize>| {
        let client = Client::new(format!("tube-{name}/{program}"), move || run(plan, parts));
        let mut client = client.with_events(EVENTS);
        client.big = LARGE.contains(&&*client.name);
        list.push(client);
    };
    let recorded = |plan: Plan<usize>, parts| recorded::<Plain<U>>(plan, plan.shape..=parts * plan.shape);
    add("1x1", recorded, plan(0, 0, &[3], &[3]));
    add("1x1-one", recorded, Plan { shape: 1, ..plan(0, 0, &[3], &[3]) });
    add("1x1-full", recorded, plan(1, 2, &[2], &[3]));
    add("2x1", recorded, plan(0, 0, &[1, 1], &[2]));
    add("2x1-lap", recorded, plan(1, 0, &[2, 1], &[3]));
    add("2x1-full", recorded, plan(1, 1, &[1, 1], &[1]));
    add("1x2", recorded, plan(0, 0, &[2], &[1, 1]));
    add("1x2-lap", recorded, plan(1, 1, &[2], &[2, 1]));
    add("1x2-full", recorded, plan(1, 2, &[1], &[1, 1]));
    add("2x2", recorded, plan(1, 1, &[1, 1], &[1, 1]));
    add("2x1-one", recorded, Plan { shape: 1, ..plan(0, 0, &[2, 1], &[1]) });
    add("1x2-one", recorded, Plan { shape: 1, ..plan(0, 0, &[2], &[1, 1]) });
    add("overtaken", |_, _| overtaken::<U>(), plan(0, 0, &[], &[]));
    add("drop", |plan, _| dropped::<Plain<U>>(plan), plan(0, 1, &[2], &[1]));
    // On FAAQ's blocks, four threads have too many executions.
    let too_many = |program: &str| name == "faaq" && ["4x1", "1x3-full", "1x4"].contains(&program);
    for (program, plan) in crowd::of_ring(2, 2).into_iter().filter(|(program, _)| !too_many(program)) {
        add(program, |plan, parts| crowd::run::<Plain<U>>(plan, plan.shape..=parts * plan.shape), plan);
    }
    let named = |what: &str| format!("tube-{name}/{what}");
    let slow = slow::clients::<Plain<U>>(named, 2, 1, &(2..=2 * parts));
    list.extend(slow.into_iter().map(|client| client.with_events(EVENTS_OF_LAPS)));
}

/// The maximum number of events of an execution in which threads run for laps.
const EVENTS_OF_LAPS: u32 = 2000;

/// Adds the clients that have too many executions to explore them all.
pub(super) fn walks<U: Tube + 'static>(list: &mut Vec<Client>, name: &str, parts: usize) {
    for (size, capacity) in [("", 2), ("-four", 4)] {
        for (program, plan) in crowd::walks(capacity, capacity) {
            let full = capacity..=parts * capacity;
            let run = move || crowd::run::<Plain<U>>(plan, full.clone());
            list.push(Client::new(format!("tube-{name}/walk-{program}{size}"), run).with_events(EVENTS_OF_LAPS));
        }
    }
}
