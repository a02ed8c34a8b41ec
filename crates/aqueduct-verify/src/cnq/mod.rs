//! The clients of CNQ and of the tubes that it can be made of.

mod lives;
mod recorded;
mod seed;
mod spec;
mod tube;

use aqueduct_under_model::cnq::{Consumer, Geometry, Producer, Queue};
use aqueduct_under_model::tube::{Bbq, DpdkRing, Faaq, Scqd, Tube};

use crate::clients::Client;
use crate::item::Boxed;

/// A queue's handles.
type Handles<U> = (Queue<Boxed, U>, Vec<Producer<Boxed, U>>, Vec<Consumer<Boxed, U>>);

fn handles<U: Tube>(geometry: Geometry) -> Handles<U> {
    let queue = Queue::new(geometry).expect("a client's queue is small");
    let producers = (0..geometry.producers()).map(|_| queue.producer().expect("one of those it is for")).collect();
    let consumers = (0..geometry.consumers()).map(|_| queue.consumer().expect("one of those it is for")).collect();
    (queue, producers, consumers)
}

/// The clients.
pub fn clients() -> Vec<Client> {
    let mut list = Vec::new();
    of_tube::<DpdkRing>(&mut list, "ring");
    tube::clients::<Bbq>(&mut list, "bbq", 2);
    tube::clients::<Faaq>(&mut list, "faaq", 2);
    tube::clients::<Scqd>(&mut list, "scqd", 1);
    list
}

fn of_tube<U: Tube + 'static>(list: &mut Vec<Client>, name: &str) {
    tube::clients::<U>(list, name, 1);
    seed::clients::<U>(list, name);
    lives::clients::<U>(list, name);
}
