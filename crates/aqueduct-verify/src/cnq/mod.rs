//! The clients of CNQ and of the tubes that it can be made of.

mod left;
mod lives;
mod recorded;
mod seed;
mod spec;
mod tube;

use aqueduct_under_model::cnq::{Consumer, Geometry, Producer, Queue};
use aqueduct_under_model::tube::{DpdkRing, Tube};

use crate::clients::Client;
use crate::item::Item;

/// A queue's handles.
type Handles<T, U> = (Queue<T, U>, Vec<Producer<T, U>>, Vec<Consumer<T, U>>);

fn handles<T: Item, U: Tube>(geometry: Geometry) -> Handles<T, U> {
    let queue = Queue::new(geometry).expect("a client's queue is small");
    let producers = (0..geometry.producers()).map(|_| queue.producer().expect("one of those it is for")).collect();
    let consumers = (0..geometry.consumers()).map(|_| queue.consumer().expect("one of those it is for")).collect();
    (queue, producers, consumers)
}

/// The clients.
pub fn clients() -> Vec<Client> {
    let mut list = Vec::new();
    of_tube::<DpdkRing>(&mut list, "ring");
    list
}

fn of_tube<U: Tube + 'static>(list: &mut Vec<Client>, name: &str) {
    tube::clients::<U>(list, name);
    seed::clients::<U>(list, name);
    lives::clients::<U>(list, name);
    left::clients::<U>(list, name);
}
