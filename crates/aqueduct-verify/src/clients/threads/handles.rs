//! Handles without their types: a client that uses these is compiled once, and not once for each form of a queue.

use aqueduct_model::linearizability::QueueResult;

use super::Form;
use super::calls::{popped, pushed};
use crate::clients::item::Item;

/// Pushes the item of that number, and returns the result as specifications have it.
pub(crate) type Producer = Box<dyn FnMut(u64) -> QueueResult<u64>>;

/// Pops an item, and returns the result as specifications have it.
pub(crate) type Consumer = Box<dyn FnMut() -> QueueResult<u64>>;

/// The handles of a new queue.
pub(crate) fn make<F: Form>(shape: F::Shape, producers: usize, consumers: usize) -> (Vec<Producer>, Vec<Consumer>) {
    let (producers, consumers) = F::make(shape, producers, consumers);
    // Loops: a collected iterator is some 30 functions more for each form.
    let (mut pushing, mut popping) = (Vec::new(), Vec::new());
    for one in producers {
        pushing.push(producer(one));
    }
    for one in consumers {
        popping.push(consumer(one));
    }
    (pushing, popping)
}

fn producer<T: Item>(mut producer: impl super::Push<T>) -> Producer {
    Box::new(move |number| pushed(&mut producer, number))
}

fn consumer<T: Item>(mut consumer: impl super::Pop<T>) -> Consumer {
    Box::new(move || popped(&mut consumer))
}
