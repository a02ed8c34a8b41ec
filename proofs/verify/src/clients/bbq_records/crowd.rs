//! Three and four threads on a side, with records of one word.

use std::num::NonZeroU64;
use std::ops::RangeInclusive;

use super::{Act, DUMMY, EXACT, Mpmc, Mpsc, Read, Shape, Spmc, WIDE};
use crate::clients::Client;
use crate::clients::threads::calls::Plan;
use crate::clients::threads::crowd::{self, run};
use crate::clients::threads::slow;
use crate::clients::threads::{Form, Nothing, Pop, Push, Refused};

use super::super::library::error::{PopError, ReserveError};

/// Records as items.
#[derive(Clone, Copy, Debug)]
struct Words<F>(std::marker::PhantomData<F>);

/// A handle of such a queue.
#[derive(Debug)]
struct Handle<H>(H);

impl<H: super::Push> Push<NonZeroU64> for Handle<H> {
    fn push(&mut self, item: NonZeroU64) -> Result<(), Refused> {
        self.0.act(Act::Push(1), item.get()).map_err(|error| match error {
            ReserveError::Full => Refused::Full,
            ReserveError::Busy => Refused::Busy,
            other => panic!("{other}"),
        })
    }
}

impl<H: Read> Pop<NonZeroU64> for Handle<H> {
    fn pop(&mut self) -> Result<NonZeroU64, Nothing> {
        match self.0.read() {
            Ok(number) => Ok(NonZeroU64::new(number).expect("numbers start with 1")),
            Err(PopError::Empty) => Err(Nothing::Empty),
            Err(PopError::Busy) => Err(Nothing::Busy),
        }
    }
}

/// Whether a side can have several threads.
trait Sides: super::Form {
    const MANY_PRODUCERS: bool;
    const MANY_CONSUMERS: bool;
}

impl Sides for Mpsc {
    const MANY_PRODUCERS: bool = true;
    const MANY_CONSUMERS: bool = false;
}

impl Sides for Spmc {
    const MANY_PRODUCERS: bool = false;
    const MANY_CONSUMERS: bool = true;
}

impl Sides for Mpmc {
    const MANY_PRODUCERS: bool = true;
    const MANY_CONSUMERS: bool = true;
}

impl<F: Sides> Form for Words<F> {
    type Shape = Shape;
    type Item = NonZeroU64;
    type Producer = Handle<F::Producer>;
    type Consumer = Handle<F::Consumer>;
    const MANY_PRODUCERS: bool = F::MANY_PRODUCERS;
    const MANY_CONSUMERS: bool = F::MANY_CONSUMERS;

    fn make(shape: Shape, producers: usize, consumers: usize) -> (Vec<Self::Producer>, Vec<Self::Consumer>) {
        let (producers, consumers) = F::make(shape, producers, consumers);
        (producers.into_iter().map(Handle).collect(), consumers.into_iter().map(Handle).collect())
    }
}

/// Shapes of two blocks, and the least and the greatest number of records of one word that fit.
const SHAPES: [(&str, Shape, (usize, usize)); 3] =
    [("", EXACT.shape, (1, 2)), ("-dummy", DUMMY.shape, (1, 2)), ("-wide", WIDE.shape, (2, 4))];

/// The clients with hundreds of thousands of executions and more.
const LARGE: [&str; 3] = ["bbq-records_spmc/1x3-full", "bbq-records_mpmc/3x1-full", "bbq-records_mpmc/1x3-full"];

fn add<F: Sides>(list: &mut Vec<Client>, name: String, plan: Plan<Shape>, (least, most): (usize, usize)) {
    let mut client = Client::new(name, move || run::<Words<F>>(plan, least..=most));
    client.big = LARGE.contains(&&*client.name);
    list.push(client);
}

fn of_form<F: Sides>(list: &mut Vec<Client>, form: &str) {
    for (size, shape, full @ (least, most)) in SHAPES {
        for (program, plan) in crowd::of_ring(shape, least) {
            let fits = |threads: &[usize], many: bool| many || threads.len() == 1;
            // With dummies, there are too many executions.
            let is_small = size != "-dummy" && program != "3x1-slow";
            if is_small && fits(plan.pushes, F::MANY_PRODUCERS) && fits(plan.pops, F::MANY_CONSUMERS) {
                add::<F>(list, format!("bbq-records_{form}/{program}{size}"), plan, full);
            }
        }
        let name = |what: &str| format!("bbq-records_{form}/{what}{size}");
        let full: RangeInclusive<usize> = least..=most;
        list.extend(slow::clients::<Words<F>>(name, shape, 1, &full));
    }
}

pub(super) fn clients(list: &mut Vec<Client>) {
    of_form::<Mpsc>(list, "mpsc");
    of_form::<Spmc>(list, "spmc");
    of_form::<Mpmc>(list, "mpmc");
}

/// Returns the clients that have too many executions to explore them all.
pub(super) fn walks() -> Vec<Client> {
    let mut list = Vec::new();
    for (size, shape, full) in SHAPES {
        for (program, plan) in crowd::walks(shape, full.0) {
            add::<Mpmc>(&mut list, format!("bbq-records_mpmc/walk-{program}{size}"), plan, full);
        }
    }
    list
}
