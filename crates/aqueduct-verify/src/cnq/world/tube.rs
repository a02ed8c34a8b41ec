//! Tubes as queues of their own.

use super::super::library::error::{PopError, PushError};
use super::super::library::tube::{Fifo, Tube};
use aqueduct_model::sync::Arc;

use crate::calls::{Plan, dropped, recorded};
use crate::clients::Client;
use crate::item::Boxed;
use crate::many::{Form, Nothing, Pop, Push, Refused};

/// A tube of items; its shape is the capacity.
#[derive(Debug)]
struct Plain<U>(std::marker::PhantomData<fn() -> U>);

impl<U> Clone for Plain<U> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<U> Copy for Plain<U> {}

/// One thread's share of it. The model's `Arc` orders the drop after all uses.
type Share<U> = Arc<Fifo<Boxed, U>>;

impl<U: Tube + 'static> Push<Boxed> for Share<U> {
    fn push(&mut self, item: Boxed) -> Result<(), Refused> {
        Fifo::push(self, item).map_err(|error| match error {
            PushError::Full(_) => Refused::Full,
            PushError::Busy(_) => Refused::Busy,
        })
    }
}

impl<U: Tube + 'static> Pop<Boxed> for Share<U> {
    fn pop(&mut self) -> Result<Boxed, Nothing> {
        Fifo::pop(self).map_err(|error| match error {
            PopError::Empty => Nothing::Empty,
            PopError::Busy => Nothing::Busy,
        })
    }
}

impl<U: Tube + 'static> Form for Plain<U> {
    type Shape = usize;
    type Item = Boxed;
    type Producer = Share<U>;
    type Consumer = Share<U>;
    const MANY_PRODUCERS: bool = true;
    const MANY_CONSUMERS: bool = true;

    fn make(capacity: usize, producers: usize, consumers: usize) -> (Vec<Share<U>>, Vec<Share<U>>) {
        let queue = Share::new(Fifo::new(capacity).expect("a client's queue is small"));
        (vec![queue.clone(); producers], vec![queue; consumers])
    }
}

const fn plan(before: usize, filled: usize, pushes: &'static [usize], pops: &'static [usize]) -> Plan<usize> {
    Plan { shape: 2, before, filled, pushes, pops }
}

/// Those that have tens or hundreds of thousands of executions.
const LARGE: [&str; 3] = ["tube-faaq/1x2-lap", "tube-faaq/2x1-lap", "tube-faaq/2x2"];

/// `parts` times the slots that are asked for is what there is, at most.
pub(super) fn clients<U: Tube + 'static>(list: &mut Vec<Client>, name: &str, parts: usize) {
    let mut add = |program: &str, run: fn(Plan<usize>, usize), plan: Plan<usize>| {
        let mut client = Client::new(format!("tube-{name}/{program}"), move || run(plan, parts));
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
    add("drop", |plan, _| dropped::<Plain<U>>(plan), plan(0, 1, &[2], &[1]));
}
