//! Handles without their types: a client that uses these is compiled once, and not once for each
//! form of a queue.

use aqueduct_model::linearizability::QueueResult;

use super::Form;
use super::calls::{popped, pushed};
use crate::clients::item::Item;

/// A push of the item of that number. It returns the result in the specification's form.
pub(crate) type Producer = Box<dyn FnMut(u64) -> QueueResult<u64>>;

/// A pop of an item. It returns the result in the specification's form.
pub(crate) type Consumer = Box<dyn FnMut() -> QueueResult<u64>>;

/// Makes a queue and returns its handles.
pub(crate) fn make<F: Form>(shape: F::Shape, producers: usize, consumers: usize) -> (Vec<Producer>, Vec<Consumer>) {
    let (producers, consumers) = F::make(shape, producers, consumers);
    // Loops are shorter here: a collected iterator adds some 30 functions for each form.
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
