//! The clients of CNQ and of its tubes, on the library that `super` names.

mod capsule_life;
mod crowd;
mod leftovers;
mod recorded;
mod reserved;
mod seed;
mod slow;
mod stalls;
mod tube;

use super::library::cnq::{Consumer, Geometry, Producer, Queue};
use super::library::tube::{Blocks, FetchAddBlocks, IndexQueues, SequencedRing, Tube};

use crate::clients::Client;
use crate::clients::cnq::spec::Shape;
use crate::clients::item::Item;
pub use stalls::stalls;

/// A queue's handles.
type Handles<T, U> = (Queue<T, U>, Vec<Producer<T, U>>, Vec<Consumer<T, U>>);

fn handles<T: Item, U: Tube>(shape: Shape) -> Handles<T, U> {
    let Shape { capsules, size, producers, consumers } = shape;
    let geometry = Geometry::new(capsules, size, producers, consumers).expect("a client's queue is small");
    let queue = Queue::with_tube(geometry).expect("a client's queue is small");
    let producers = (0..geometry.producers()).map(|_| queue.producer().expect("one of those it is for")).collect();
    let consumers = (0..geometry.consumers()).map(|_| queue.consumer().expect("one of those it is for")).collect();
    (queue, producers, consumers)
}

/// Returns the clients.
pub fn clients() -> Vec<Client> {
    let mut list = Vec::new();
    of_tube::<SequencedRing>(&mut list, "ring");
    tube::clients::<Blocks>(&mut list, "bbq", 2);
    seed::clients(&mut list, "bbq", recorded::as_promised::<Blocks>, &["C3"]);
    tube::clients::<FetchAddBlocks>(&mut list, "faaq", 2);
    seed::clients(&mut list, "faaq", recorded::as_promised::<FetchAddBlocks>, &["C6"]);
    list.retain(|client| !is_huge(client));
    reserved::clients::<FetchAddBlocks>(&mut list, "faaq");
    tube::clients::<IndexQueues>(&mut list, "indices", 1);
    seed::clients(&mut list, "indices", |plan| recorded::run::<IndexQueues>(plan, 0), &["C3", "C4", "C6"]);
    list
}

fn of_tube<U: Tube + 'static>(list: &mut Vec<Client>, name: &str) {
    tube::clients::<U>(list, name, 1);
    // With one capsule for two producers and two consumers, each thread finds it in use over and
    // over.
    seed::clients(list, name, |plan| recorded::run::<U>(plan, 0), &["C3"]);
    capsule_life::clients::<U>(list, name);
    leftovers::clients::<U>(list, name);
    slow::clients::<U>(list, name);
}

/// Returns the clients that have too many executions to explore them all.
pub fn walked() -> Vec<Client> {
    let mut list = Vec::new();
    tube::walks::<SequencedRing>(&mut list, "ring", 1);
    tube::walks::<Blocks>(&mut list, "bbq", 2);
    tube::walks::<FetchAddBlocks>(&mut list, "faaq", 2);
    tube::walks::<IndexQueues>(&mut list, "indices", 1);
    crowd::walks(&mut list, "ring", |plan| recorded::run::<SequencedRing>(plan, 0));
    crowd::walks(&mut list, "bbq", recorded::as_promised::<Blocks>);
    crowd::walks(&mut list, "faaq", recorded::as_promised::<FetchAddBlocks>);
    crowd::walks(&mut list, "indices", |plan| recorded::run::<IndexQueues>(plan, 0));
    list
}

/// Whether a client has one capsule on FAAQ's tube for two producers and two consumers: its
/// position is given out and withdrawn over and over.
fn is_huge(client: &Client) -> bool {
    client.name == "cnq-faaq/C3"
}

/// Returns the clients whose exploration has never been run to completion.
pub(crate) fn huge() -> Vec<Client> {
    let mut list = Vec::new();
    seed::clients(&mut list, "faaq", recorded::as_promised::<FetchAddBlocks>, &["C3"]);
    list.retain(is_huge);
    list
}

/// Returns a client of a right queue, checked with a k that is 1 too small: some clients have an
/// execution that needs the greater k.
#[must_use]
pub fn with_less_k(name: &str) -> Option<Client> {
    capsule_life::with_less_k::<SequencedRing>(name)
}
