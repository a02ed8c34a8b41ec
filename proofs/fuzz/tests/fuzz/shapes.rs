//! Items of odd shapes through every queue: without bytes, with much alignment, of many bytes, with
//! invalid values.

use std::any::type_name;
use std::fmt::Debug;
use std::num::NonZeroU8;

use aqueduct::error::CapacityError;
use aqueduct::queue::{Pop, Push};
use aqueduct::{bbq, bwos, cnq, exact, faaq, spsc, tube, unbounded};

use crate::orders::Stealing;

/// The number of laps: fewer under Miri, which is a thousand times slower.
const LAPS: u8 = if cfg!(miri) { 2 } else { 10 };

/// One queue's two operations, without its type: one copy of [`fill_and_empty`] serves all queues
/// of an item's type.
struct Ends<'a, T> {
    name: &'static str,
    /// Returns whether the queue had room.
    push: &'a mut dyn FnMut(T) -> bool,
    pop: &'a mut dyn FnMut() -> Option<T>,
}

/// Fills and empties the queue several times. Items come out as they went in.
fn fill_and_empty<T: PartialEq + Debug>(make: &dyn Fn(u8) -> T, ends: Ends<'_, T>) {
    let Ends { name, push, pop } = ends;
    for lap in 0..LAPS {
        let mut pushed = 0;
        while pushed < 30 && push(make(pushed ^ lap)) {
            pushed += 1;
        }
        assert!(pushed >= 9, "{name}");
        for item in 0..pushed {
            assert_eq!(pop(), Some(make(item ^ lap)), "{name}");
        }
        assert!(pop().is_none(), "{name}");
    }
    let _ = push(make(3));
}

/// Passes items through the queue one by one.
fn one_by_one<T: PartialEq + Debug>(make: &dyn Fn(u8) -> T, ends: Ends<'_, T>) {
    let Ends { name, push, pop } = ends;
    for item in 0..6 * LAPS {
        assert!(push(make(item)), "{name}");
        assert_eq!(pop(), Some(make(item)), "{name}");
    }
    let _ = push(make(3));
}

/// Passes items through a queue by its handles.
fn through<T, P, C, E>(make: &dyn Fn(u8) -> T, queue: Result<(P, C), E>)
where
    T: PartialEq + Debug,
    P: Push<Item = T>,
    C: Pop<Item = T>,
    E: Debug,
{
    let (mut producer, mut consumer) = queue.expect("a small queue");
    let (push, pop) = (&mut |item| producer.push(item).is_ok(), &mut || consumer.pop().ok());
    fill_and_empty(make, Ends { name: type_name::<P>(), push, pop });
}

/// Passes items through a queue that threads share as a whole.
fn through_whole<T, Q>(make: &dyn Fn(u8) -> T, queue: Result<Q, CapacityError>)
where
    T: PartialEq + Debug,
    for<'q> &'q Q: Push<Item = T> + Pop<Item = T>,
{
    let queue = queue.expect("a small queue");
    let (push, pop) = (&mut |item| (&queue).push(item).is_ok(), &mut || (&queue).pop().ok());
    one_by_one(make, Ends { name: type_name::<Q>(), push, pop });
}

/// Passes items through a queue of BWoS, to a thief or back to the owner.
fn through_stealing<T: Send + PartialEq + Debug, O: Stealing<T>>(make: &dyn Fn(u8) -> T) {
    let (mut owner, stealer) = O::new(9).expect("a small queue");
    for item in 0..6 * LAPS {
        assert!(owner.push(make(item)).is_ok());
        stealer.request();
        let mut stolen = Vec::new();
        let _ = stealer.steal_to_vec(&mut stolen, 3);
        stolen.extend(owner.drain());
        assert_eq!(stolen, [make(item)]);
    }
}

/// Passes items through a queue by iterators and functions.
fn through_several_at_once<T: Send + PartialEq + Debug>(make: &dyn Fn(u8) -> T) {
    let (mut producer, mut consumer) = bbq::spsc::new::<T>(9).expect("a small queue");
    for lap in 0..LAPS {
        assert_eq!(producer.push_iter((lap..).take(5).map(make)), 5);
        let mut came = Vec::new();
        assert_eq!(consumer.pop_each(9, |item| came.push(item)), 5);
        assert!((lap..).zip(&came).all(|(number, item)| *item == make(number)));
    }
}

fn through_every_queue<T: Send + PartialEq + Debug + 'static>(make: fn(u8) -> T) {
    let make: &dyn Fn(u8) -> T = &make;
    through(make, spsc::lamport::new(9));
    through(make, spsc::lazy_lamport::new(9));
    through(make, spsc::batched_lamport::new(9));
    through(make, spsc::ring::new(9));
    through(make, spsc::duplex::new::<T, u8>(9).map(|(client, server)| (client.producer, server.consumer)));
    through(make, spsc::duplex::new::<u16, T>(9).map(|(client, server)| (server.producer, client.consumer)));
    through(make, bbq::spsc::new(9));
    through(make, bbq::mpsc::new(9));
    through(make, bbq::spmc::new(9));
    through(make, bbq::mpmc::new(9));
    through(make, faaq::new(9));
    through(make, unbounded::with_block_size(9));
    let queue = cnq::Queue::new(cnq::Geometry::new(6, 3, 1, 1).expect("a small queue")).expect("a small queue");
    through(make, queue.producer().and_then(|producer| Ok((producer, queue.consumer()?))));
    #[cfg(all(feature = "mirrored", target_os = "linux", not(miri)))]
    if size_of::<T>() != 0 && align_of::<T>() <= 4096 {
        through(make, spsc::batched_lamport::mirrored(9));
    }
    through_several_at_once(make);
    through_whole(make, bbq::Queue::new(9));
    through_whole(make, faaq::Queue::new(9));
    through_whole(make, exact::Queue::new(9));
    through_whole(make, unbounded::Queue::with_block_size(9));
    through_whole(make, tube::Fifo::<T, tube::SequencedRing>::new(9));
    through_whole(make, tube::Fifo::<T, tube::IndexQueues>::new(9));
    through_whole(make, tube::Fifo::<T, tube::Blocks>::new(9));
    through_whole(make, tube::Fifo::<T, tube::FetchAddBlocks>::new(9));
    through_stealing::<T, bwos::Lifo>(make);
    through_stealing::<T, bwos::Fifo>(make);
}

#[derive(PartialEq, Debug)]
#[repr(align(64))]
struct To64<const N: usize>([u8; N]);

#[derive(PartialEq, Debug)]
#[repr(align(128))]
struct To128<const N: usize>([u8; N]);

#[derive(PartialEq, Debug)]
#[repr(align(4096))]
struct To4096<const N: usize>([u8; N]);

#[derive(PartialEq, Debug)]
#[repr(align(65_536))]
struct To65536<const N: usize>([u8; N]);

/// Runs code on a large stack: unoptimized code has many copies of an item on its stack, each as
/// aligned as the item.
fn on_a_large_stack(act: fn()) {
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(act).expect("a thread");
    thread.join().expect("all items come as they went");
}

#[test]
fn without_bytes() {
    on_a_large_stack(|| {
        through_every_queue(|_| ());
        through_every_queue(|_| [0_u64; 0]);
        through_every_queue(|_| To64([]));
        through_every_queue(|_| To128([]));
        through_every_queue(|_| To4096([]));
        through_every_queue(|_| To65536([]));
    });
}

#[test]
fn of_few_bytes_and_many() {
    through_every_queue(|item| item);
    through_every_queue(|item| [item; 3]);
    through_every_queue(|item| [item; 31]);
    through_every_queue(|item| [item; 57]);
    through_every_queue(|item| [item; 64]);
    through_every_queue(|item| [item; 1000]);
    through_every_queue(u128::from);
    through_every_queue(|item| (item, u32::from(item)));
    on_a_large_stack(|| through_every_queue(|item| [item; 70_000]));
}

#[test]
fn with_much_alignment() {
    on_a_large_stack(|| {
        through_every_queue(|item| To64([item]));
        through_every_queue(|item| To128([item]));
        through_every_queue(|item| To128([item; 129]));
        through_every_queue(|item| To4096([item]));
        through_every_queue(|item| To4096([item; 4097]));
        through_every_queue(|item| To65536([item]));
    });
}

#[test]
fn with_values_that_are_invalid() {
    through_every_queue(|item| item % 2 == 0);
    through_every_queue(char::from);
    through_every_queue(NonZeroU8::new);
    through_every_queue(Box::new);
    through_every_queue(|item| item.to_string());
    through_every_queue(std::cell::Cell::new);
}
