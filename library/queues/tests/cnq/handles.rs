//! Registering, and refusals.

use aqueduct::cnq::{Consumer, Geometry, GeometryError, HandleError, Producer, Queue};
use aqueduct::error::CapacityError;
use aqueduct::tube::{SequencedRing, Tube};

use crate::{geometry, handles};

static_assertions::assert_impl_all!(Queue<u8>: Send, Sync, Clone, std::fmt::Debug);
static_assertions::assert_impl_all!(Producer<u8, SequencedRing>: Send, Sync, std::fmt::Debug);
static_assertions::assert_impl_all!(Consumer<u8, SequencedRing>: Send, Sync, std::fmt::Debug);
static_assertions::assert_not_impl_any!(Queue<std::rc::Rc<u8>>: Send, Sync);
static_assertions::assert_not_impl_any!(Producer<std::rc::Rc<u8>, SequencedRing>: Send);
static_assertions::assert_not_impl_any!(Consumer<std::rc::Rc<u8>, SequencedRing>: Send);
static_assertions::assert_not_impl_any!(Producer<u8, SequencedRing>: Clone);

fn as_many_as_the_queue_is_for<U: Tube>() {
    let (queue, mut producers, mut consumers) = handles::<u8, U>(geometry(4, 2, 2, 3));
    assert_eq!(queue.producer().map(drop), Err(HandleError::Producers(2)));
    assert_eq!(queue.consumer().map(drop), Err(HandleError::Consumers(3)));
    let error = queue.consumer().expect_err("too many");
    assert!(error.to_string().starts_with("3 consumers are registered"), "{error}");
    for _ in 0..100 {
        producers.remove(0);
        producers.push(queue.producer().expect("one was dropped"));
        consumers.remove(0);
        consumers.push(queue.consumer().expect("one was dropped"));
    }
    assert!(queue.producer().is_err() && queue.consumer().is_err());
}

/// A forgotten handle stays registered.
fn forgotten_handles_count<U: Tube>() {
    let (queue, mut producers, mut consumers) = handles::<u8, U>(geometry(4, 2, 1, 1));
    std::mem::forget(producers.pop());
    std::mem::forget(consumers.pop());
    assert!(queue.producer().is_err() && queue.consumer().is_err());
}

fn what_is_too_large_is_refused<U: Tube>() {
    let geometry = Geometry::new(1 << (usize::BITS * 5 / 16), 1 << (usize::BITS * 5 / 8), 1, 1).expect("a geometry");
    let refused = Queue::<[u8; 64], U>::with_tube(geometry).map(drop);
    assert!(matches!(refused, Err(CapacityError::TooLarge { .. })), "{refused:?}");
    let refused = Geometry::for_order(2, 100, 2, 2);
    assert_eq!(refused, Err(GeometryError::Order { k: 2, least: 3, producers: 2, consumers: 2 }));
}

fn the_queue_says_what_it_is<U: Tube>() {
    let geometry = Geometry::for_order(50, 1000, 2, 3).expect("possible");
    let queue = Queue::<u8, U>::with_tube(geometry).expect("a small queue");
    assert_eq!((queue.geometry(), queue.k()), (geometry, 49));
    assert!(queue.capacity() >= 1000);
    assert!(format!("{queue:?}").contains("consumers: 3"), "{queue:?}");
}

crate::tubes! {
    as_many_as_the_queue_is_for
    forgotten_handles_count
    what_is_too_large_is_refused
    the_queue_says_what_it_is
}
