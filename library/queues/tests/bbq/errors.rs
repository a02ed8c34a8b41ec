//! The errors of each form: type, text, and the item inside.

use std::rc::Rc;

use aqueduct::bbq::{self, Queue};
use aqueduct::error::{PopError, PushError};
use static_assertions::assert_impl_all;

use crate::common::{Form, PushEnd, SliceForm, every_form};
use aqueduct::queue::{Pop, PopSlice, Push, PushSlice};

assert_impl_all!(PushError<String>: std::error::Error, Send, Sync);
assert_impl_all!(PopError: std::error::Error, Send, Sync, Copy);
// The error can be passed on whatever the item is.
assert_impl_all!(PushError<Rc<u8>>: std::error::Error);

#[test]
fn one_producer_and_one_consumer_know_full_and_empty() {
    let (mut producer, mut consumer) = bbq::spsc::new::<u8>(1).expect("a small queue");
    assert_eq!([producer.push(1), producer.push(2), producer.push(3)], [Ok(()), Ok(()), Err(PushError::Full(3))]);
    assert_eq!([consumer.pop(), consumer.pop(), consumer.pop()], [Ok(1), Ok(2), Err(PopError::Empty)]);
}

#[test]
fn many_producers_can_be_in_a_pops_way() {
    let (mut producer, mut consumer) = bbq::mpsc::new::<u8>(1).expect("a small queue");
    assert_eq!([producer.push(1), producer.push(2), producer.push(3)], [Ok(()), Ok(()), Err(PushError::Full(3))]);
    assert_eq!([consumer.pop(), consumer.pop(), consumer.pop()], [Ok(1), Ok(2), Err(PopError::Empty)]);
}

#[test]
fn many_consumers_can_be_in_a_pushs_way() {
    let (mut producer, mut consumer) = bbq::spmc::new::<u8>(1).expect("a small queue");
    assert_eq!([producer.push(1), producer.push(2), producer.push(3)], [Ok(()), Ok(()), Err(PushError::Full(3))]);
    assert_eq!([consumer.pop(), consumer.pop(), consumer.pop()], [Ok(1), Ok(2), Err(PopError::Empty)]);
}

#[test]
fn many_on_both_sides_can_be_in_each_others_way() {
    let (mut producer, mut consumer) = bbq::mpmc::new::<u8>(1).expect("a small queue");
    assert_eq!([producer.push(1), producer.push(2), producer.push(3)], [Ok(()), Ok(()), Err(PushError::Full(3))]);
    assert_eq!([consumer.pop(), consumer.pop(), consumer.pop()], [Ok(1), Ok(2), Err(PopError::Empty)]);
    let queue = Queue::<u8>::new(1).expect("a small queue");
    assert_eq!([queue.push(1), queue.push(2), queue.push(3)], [Ok(()), Ok(()), Err(PushError::Full(3))]);
    assert_eq!([queue.pop(), queue.pop(), queue.pop()], [Ok(1), Ok(2), Err(PopError::Empty)]);
}

#[test]
fn errors_say_what_happened() {
    assert_eq!(PushError::Full(7).to_string(), "the queue is full");
    assert_eq!(
        PushError::Busy(7).to_string(),
        "another thread is in the middle of an operation that has to complete first"
    );
    assert_eq!(PopError::Empty.to_string(), "the queue is empty");
    assert_eq!(
        PopError::Busy.to_string(),
        "another thread is in the middle of an operation that has to complete first"
    );
    // The item need not have text of its own.
    assert_eq!(format!("{:?}", PushError::Full(Rc::new(()))), "Full(..)");
    assert_eq!(format!("{:?}", PushError::Busy(Rc::new(()))), "Busy(..)");
    assert_eq!(format!("{:?} {:?}", PopError::Empty, PopError::Busy), "Empty Busy");
    assert_ne!(PushError::Full(7), PushError::Busy(7));
    assert_ne!(PopError::Empty, PopError::Busy);
}

#[test]
fn errors_say_of_which_kind_they_are() {
    assert!(PushError::Full(7).is_full() && !PushError::Full(7).is_busy());
    assert!(PushError::Busy(7).is_busy() && !PushError::Busy(7).is_full());
    assert!(PopError::Empty.is_empty() && !PopError::Empty.is_busy());
    assert!(PopError::Busy.is_busy() && !PopError::Busy.is_empty());
}

#[test]
fn the_item_can_be_had_back() {
    assert_eq!(PushError::Full(Box::new(7)).into_inner(), Box::new(7));
    assert_eq!(PushError::Busy(Box::new(8)).into_inner(), Box::new(8));
}

fn the_very_item_comes_back<F: Form<Box<u64>>>() {
    let (mut producer, mut consumer) = F::new(1).expect("a small queue");
    assert_eq!(producer.push_all((0..2).map(Box::new)), (2, None));
    let item = Box::new(2);
    let address = &raw const *item;
    let back = producer.push(item).expect_err("it is full").into_inner();
    assert_eq!((&raw const *back, *back), (address, 2));
    // It can be pushed again when there is room.
    assert_eq!(consumer.pop(), Ok(Box::new(0)));
    assert_eq!(producer.push(back), Ok(()));
    assert_eq!(consumer.pop(), Ok(Box::new(1)));
    let last = consumer.pop().expect("two are in");
    assert_eq!((&raw const *last, *last), (address, 2));
    assert_eq!(consumer.pop(), Err(PopError::Empty));
}
every_form!(item: the_very_item_comes_back);

/// A slice of no items is pushed and popped whatever the state of the queue.
fn nothing_is_pushed_and_popped<F: SliceForm<u8>>() {
    let (mut producer, mut consumer) = F::new(1).expect("a small queue");
    assert_eq!((producer.push_slice(&[]), consumer.pop_slice(&mut [])), (0, 0));
    assert_eq!(producer.push_slice(&[1, 2, 3]), 2);
    assert_eq!((producer.push_slice(&[]), consumer.pop_slice(&mut [])), (0, 0));
    let mut items = [9; 3];
    assert_eq!((consumer.pop_slice(&mut items), items), (2, [1, 2, 9]));
    assert_eq!((producer.push_slice(&[]), consumer.pop_slice(&mut [])), (0, 0));
}
every_form!(no_items: nothing_is_pushed_and_popped);
