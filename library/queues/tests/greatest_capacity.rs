//! A capacity that is too large is refused with the greatest one: with that one, a queue is made,
//! or memory is missing.
//!
//! The items are so large that a queue of the greatest capacity exceeds any machine, so these tests
//! fill no memory.
#![cfg(target_pointer_width = "64")]

use aqueduct::error::CapacityError;
use aqueduct::{bbq, bwos, exact, faaq, nblfq, spsc};

/// A terabyte, and a size that divides nothing.
type Large = [u8; 1 << 40];
type Odd = [u8; (5 << 36) + 3];

/// A function that makes a queue of some form for a capacity, and drops it at once.
type Make = fn(usize) -> Result<(), CapacityError>;

/// Returns each constructor that takes a capacity, for items of that type.
fn constructors<T: Send + Copy + 'static>() -> Vec<(&'static str, Make)> {
    vec![
        ("spsc::ring", |capacity| spsc::ring::new::<T>(capacity).map(drop)),
        ("spsc::lamport", |capacity| spsc::lamport::new::<T>(capacity).map(drop)),
        ("spsc::lazy_lamport", |capacity| spsc::lazy_lamport::new::<T>(capacity).map(drop)),
        ("spsc::batched_lamport", |capacity| spsc::batched_lamport::new::<T>(capacity).map(drop)),
        ("spsc::batched_lamport, mirrored", |capacity| spsc::batched_lamport::mirrored::<T>(capacity).map(drop)),
        ("spsc::stamped_line", |capacity| spsc::ring::new::<T>(capacity).map(drop)),
        ("spsc::duplex", |capacity| spsc::duplex::new::<T, T>(capacity).map(drop)),
        ("spsc::duplex, back", |capacity| spsc::duplex::new::<u8, T>(capacity).map(drop)),
        ("bbq::spsc", |capacity| bbq::spsc::new::<T>(capacity).map(drop)),
        ("bbq::mpsc", |capacity| bbq::mpsc::new::<T>(capacity).map(drop)),
        ("bbq::spmc", |capacity| bbq::spmc::new::<T>(capacity).map(drop)),
        ("bbq::mpmc", |capacity| bbq::mpmc::new::<T>(capacity).map(drop)),
        ("bbq::Queue", |capacity| bbq::Queue::<T>::new(capacity).map(drop)),
        ("exact::Queue", |capacity| exact::Queue::<T>::new(capacity).map(drop)),
        ("faaq::new", |capacity| faaq::new::<T>(capacity).map(drop)),
        ("faaq::Queue", |capacity| faaq::Queue::<T>::new(capacity).map(drop)),
        ("bwos::lifo", |capacity| bwos::lifo::new::<T>(capacity).map(drop)),
        ("bwos::fifo", |capacity| bwos::fifo::new::<T>(capacity).map(drop)),
    ]
}

/// Returns the constructors of queues of words. No machine has a capacity of words that fills all
/// memory.
fn constructors_of_words() -> Vec<(&'static str, Make)> {
    type Word = std::num::NonZeroU64;
    vec![
        ("spsc::fast_forward", |capacity| spsc::fast_forward::new::<Word>(capacity).map(drop)),
        ("spsc::improved_fast_forward", |capacity| spsc::improved_fast_forward::new::<Word>(capacity).map(drop)),
        ("spsc::batched_improved_fast_forward", |capacity| {
            spsc::batched_improved_fast_forward::new::<Word>(capacity).map(drop)
        }),
        ("nblfq", |capacity| nblfq::DynamicQueue::<Word>::new(capacity).map(drop)),
        ("nblfq::wide", |capacity| nblfq::wide::DynamicQueue::<Word>::new(capacity).map(drop)),
    ]
}

fn the_error_says_what_can_be_had(constructors: Vec<(&'static str, Make)>) {
    for (name, make) in constructors {
        for asked in [usize::MAX, usize::MAX - 1, usize::MAX / 2 + 1, usize::MAX / 2, 1 << 62] {
            let max = match make(asked) {
                Err(CapacityError::TooLarge { asked: told, max }) => {
                    assert!(told == asked && max < asked, "{name}: {told} asked for, of at most {max}, with {asked}");
                    max
                }
                // This system has no mirrored rings.
                Err(CapacityError::Mirror(_)) => continue,
                other => panic!("{name}: {asked} was not refused as too large, but {other:?}"),
            };
            match make(max) {
                Ok(()) | Err(CapacityError::OutOfMemory { .. }) => {}
                Err(CapacityError::Zero) => assert_eq!(max, 0, "{name}"),
                Err(other) => panic!("{name}: {asked} is too many, at most {max}; asked for that: {other}"),
            }
            let one_more = make(max + 1);
            assert!(
                matches!(one_more, Err(CapacityError::TooLarge { .. })),
                "{name}: {asked} is too many, at most {max}; asked for one more: {one_more:?}"
            );
        }
    }
}

#[test]
fn of_terabytes() {
    the_error_says_what_can_be_had(constructors::<Large>());
}

#[test]
fn of_items_of_an_odd_size() {
    the_error_says_what_can_be_had(constructors::<Odd>());
}

#[test]
fn of_words() {
    the_error_says_what_can_be_had(constructors_of_words());
}
