//! Clients in which a producer's addition comes late: its block is in a later lap, which another producer has opened
//! and not moved the head to.
//!
//! The opener stops forever between the two. The late producer has to move the head, or it is left behind for good.

use std::num::NonZeroU64;

use aqueduct_model::thread;

use super::super::library::bbq::{Adding, Consumer, Multi, Producer, mpmc_adding};
use super::forms::geometry;
use crate::clients::Client;
use crate::clients::bbq::Shape;

/// The steps of a push to the opening of a block of one entry.
const TO_OPENING: usize = 3;

/// Of the events of any execution, by far: a producer that looks for the head has more soon.
const EVENTS: u32 = 200;

type Ends = (Producer<NonZeroU64, Adding, Multi>, Consumer<NonZeroU64, Adding, Multi>);

fn item(number: u64) -> NonZeroU64 {
    NonZeroU64::new(number).expect("not 0")
}

/// Begins a push that opens the first block in its second lap, and stops there.
///
/// Returns a producer that knows that block in its first lap, and a consumer.
fn with_an_opener() -> Ends {
    let queue = mpmc_adding::starting_at(geometry(Shape::new(2, 1)), Shape::new(2, 1).lap);
    let (mut opener, mut consumer): Ends = queue.expect("a client's queue is small");
    let late = opener.clone();
    for number in [1, 2] {
        assert!(opener.push(item(number)).is_ok() && consumer.pop().is_ok(), "nobody else is there");
    }
    thread::spawn(move || opener.push(item(3)).is_ok());
    (late, consumer)
}

pub(super) fn clients() -> [Client; 2] {
    let goes_on = Client::new("bbq-mpmc_adding/late-goes-on".to_owned(), || {
        let (mut late, mut consumer) = with_an_opener();
        for number in [4, 5] {
            let _ = late.push(item(number)).is_ok() && consumer.pop().is_ok();
        }
    });
    let seen = Client::new("bbq-mpmc_adding/late-seen".to_owned(), || {
        let (mut late, consumer) = with_an_opener();
        let other = late.clone();
        thread::spawn(move || late.push(item(4)).is_ok());
        assert!(other.len() <= 2 && consumer.len() <= 2);
    });
    [goes_on, seen].map(|client| client.stopping(TO_OPENING).with_events(EVENTS))
}
