//! A capacity that is too large is refused with one that is not: asked for what the error says, a queue is granted, or
//! there is no memory for it.
//!
//! The items are so large that a queue of the greatest capacity is beyond any machine, so that nothing is filled with
//! memory here.
#![cfg(target_pointer_width = "64")]

use aqueduct::error::CapacityError;
use aqueduct::{bbq, bwos, faaq, spsc};

/// A terabyte, and a size that divides nothing.
type Large = [u8; 1 << 40];
type Odd = [u8; (5 << 36) + 3];

/// How a queue of some form is made for a capacity, and given up at once.
type Make = fn(usize) -> Result<(), CapacityError>;

/// Each constructor that is asked for a capacity, for items of that type.
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
        ("faaq::new", |capacity| faaq::new::<T>(capacity).map(drop)),
        ("faaq::Queue", |capacity| faaq::Queue::<T>::new(capacity).map(drop)),
        ("bwos::lifo", |capacity| bwos::lifo::new::<T>(capacity).map(drop)),
        ("bwos::fifo", |capacity| bwos::fifo::new::<T>(capacity).map(drop)),
    ]
}

/// Those whose items are words, of which as many as all memory can hold are never there.
fn constructors_of_words() -> Vec<(&'static str, Make)> {
    type Word = std::num::NonZeroU64;
    vec![
        ("spsc::fast_forward", |capacity| spsc::fast_forward::new::<Word>(capacity).map(drop)),
        ("spsc::improved_fast_forward", |capacity| spsc::improved_fast_forward::new::<Word>(capacity).map(drop)),
        ("spsc::batched_improved_fast_forward", |capacity| {
            spsc::batched_improved_fast_forward::new::<Word>(capacity).map(drop)
        }),
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
                // There is no system for it here.
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
