//! Two stamped-line queues in one set of lines, and the clients that send answers back.
//!
//! As a [`Queue`], a duplex is its queue from the client to the server. Each end also holds its
//! side's handle of the other direction, so that the answers' queue shares all that happens to the
//! requests'.

use std::marker::PhantomData;

use aqueduct_under_model::error::PushError;
use aqueduct_under_model::spsc::duplex::{Side, starting_at};

use crate::clients::item::Item;
use crate::clients::spsc::Setup;
use crate::clients::spsc::queue::{Consumer, Producer, Queue};
use crate::clients::spsc::script::{Popping, Pushing};

/// Duplexes of one type of items in both directions.
#[derive(Debug)]
pub struct Duplex<T>(Setup, PhantomData<fn() -> T>);

impl<T> Duplex<T> {
    /// Makes duplexes with these parameters.
    pub const fn new(setup: Setup) -> Self {
        Self(setup, PhantomData)
    }
}

impl<T> Clone for Duplex<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Duplex<T> {}

/// The side that sends requests.
#[derive(Debug)]
pub struct Client<T: Item> {
    side: Side<T, T>,
    answered: u64,
}

/// The side that answers.
#[derive(Debug)]
pub struct Server<T: Item>(Side<T, T>);

impl<T: Item> Queue for Duplex<T> {
    type Item = T;
    type Producer = Client<T>;
    type Consumer = Server<T>;
    const EXACT: bool = false;
    const COUNTS_SEEN: bool = true;

    fn ends(self) -> (Client<T>, Server<T>) {
        let Setup { capacity, index, stretch } = self.0;
        let (client, server) = starting_at(capacity, stretch, index).expect("the parameters are possible ones");
        (Client { side: client, answered: 0 }, Server(server))
    }

    fn capacity(self) -> usize {
        self.0.capacity
    }
}

impl<T: Item> Producer for Client<T> {
    type Item = T;

    fn push(&mut self, item: T) -> Result<(), T> {
        self.side.producer.push(item).map_err(PushError::into_inner)
    }

    fn len(&self) -> usize {
        self.side.producer.len()
    }

    fn is_empty(&self) -> bool {
        self.side.producer.is_empty()
    }

    fn is_full(&self) -> bool {
        self.side.producer.is_full()
    }

    fn is_closed(&self) -> bool {
        self.side.producer.is_closed()
    }

    fn capacity(&self) -> usize {
        self.side.producer.capacity()
    }
}

impl<T: Item> Consumer for Server<T> {
    type Item = T;

    fn pop(&mut self) -> Option<T> {
        self.0.consumer.pop().ok()
    }

    fn len(&self) -> usize {
        self.0.consumer.len()
    }

    fn is_empty(&self) -> bool {
        self.0.consumer.is_empty()
    }

    fn is_closed(&self) -> bool {
        self.0.consumer.is_closed()
    }
}

/// Pops a request, if there is one, and sends it back. There must be room for it.
pub fn answer<T: Item>(popping: &mut Popping<Duplex<T>>) {
    let Some(request) = popping.end().pop() else { return };
    popping.saw(&request);
    assert!(popping.end().0.producer.push(request).is_ok(), "no room for an answer");
}

/// Pops an answer, if there is one. Answers come in the order of the requests.
pub fn take_answer<T: Item>(pushing: &mut Pushing<Duplex<T>>) {
    let (before, client) = (pushing.before(), pushing.end());
    if let Ok(answer) = client.side.consumer.pop() {
        client.answered += 1;
        assert_eq!(answer.number(), before + client.answered, "the wrong answer");
    }
}
