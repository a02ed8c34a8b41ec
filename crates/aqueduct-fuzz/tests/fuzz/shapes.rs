//! Items of odd shapes through every queue: without bytes, with much alignment, of many bytes, with invalid values.

use std::fmt::Debug;
use std::num::NonZeroU8;

use aqueduct::{bbq, bwos, cnq, faaq, spsc, tube, unbounded};

/// The number of laps: fewer under Miri, which is a thousand times slower.
const LAPS: u8 = if cfg!(miri) { 2 } else { 10 };

/// One queue's two operations, without its type: one copy of [`fill_and_empty`] serves all queues of an item's type.
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

macro_rules! through {
    ($make:ident, $($queue:expr),* $(,)?) => {$(
        let (mut producer, mut consumer) = $queue.expect("a small queue");
        fill_and_empty($make, Ends {
            name: stringify!($queue),
            push: &mut |item| producer.push(item).is_ok(),
            pop: &mut || consumer.pop().ok(),
        });
    )*};
}

fn through_every_queue<T: Send + PartialEq + Debug + 'static>(make: fn(u8) -> T) {
    let make: &dyn Fn(u8) -> T = &make;
    through!(
        make,
        spsc::lamport::new::<T>(9),
        spsc::lazy_lamport::new::<T>(9),
        spsc::batched_lamport::new::<T>(9),
        spsc::ring::new::<T>(9),
        spsc::duplex::new::<T, u8>(9).map(|(client, server)| (client.producer, server.consumer)),
        spsc::duplex::new::<u16, T>(9).map(|(client, server)| (server.producer, client.consumer)),
        bbq::spsc::new::<T>(9),
        bbq::mpsc::new::<T>(9),
        bbq::spmc::new::<T>(9),
        bbq::mpmc::new::<T>(9),
        faaq::new::<T>(9),
        unbounded::with_block_size::<T>(9),
    );
    let queue = cnq::Queue::<T>::new(cnq::Geometry::new(6, 3, 1, 1).expect("a small queue")).expect("a small queue");
    through!(make, queue.producer().and_then(|producer| Ok((producer, queue.consumer()?))));
    #[cfg(all(feature = "mirrored", target_os = "linux", not(miri)))]
    if size_of::<T>() != 0 && align_of::<T>() <= 4096 {
        through!(make, spsc::batched_lamport::mirrored::<T>(9));
    }
    let (mut producer, mut consumer) = bbq::spsc::new::<T>(9).expect("a small queue");
    for lap in 0..LAPS {
        assert_eq!(producer.push_iter((lap..).take(5).map(make)), 5);
        let mut came = Vec::new();
        assert_eq!(consumer.pop_each(9, |item| came.push(item)), 5);
        assert!((lap..).zip(&came).all(|(number, item)| *item == make(number)));
    }
    macro_rules! through_whole {
        ($($queue:expr),*) => {$(
            let queue = $queue.expect("a small queue");
            one_by_one(make, Ends {
                name: stringify!($queue),
                push: &mut |item| queue.push(item).is_ok(),
                pop: &mut || queue.pop().ok(),
            });
        )*};
    }
    through_whole!(
        bbq::Queue::<T>::new(9),
        faaq::Queue::<T>::new(9),
        unbounded::Queue::<T>::with_block_size(9),
        tube::Fifo::<T, tube::SequencedRing>::new(9),
        tube::Fifo::<T, tube::IndexQueues>::new(9),
        tube::Fifo::<T, tube::Blocks>::new(9),
        tube::Fifo::<T, tube::FetchAddBlocks>::new(9)
    );
    macro_rules! through_stealing {
        ($($order:ident)*) => {$(
            let (mut owner, stealer) = bwos::$order::new::<T>(9).expect("a small queue");
            for item in 0..6 * LAPS {
                assert!(owner.push(make(item)).is_ok());
                stealer.ask();
                let mut stolen = Vec::new();
                let _ = stealer.steal_to_vec(&mut stolen, 3);
                stolen.extend(std::iter::from_fn(|| owner.pop().ok()));
                assert_eq!(stolen, [make(item)]);
            }
        )*};
    }
    through_stealing!(lifo fifo);
}

macro_rules! aligned {
    ($($name:ident: $align:literal;)*) => {$(
        #[derive(PartialEq, Debug)]
        #[repr(align($align))]
        struct $name<const N: usize>([u8; N]);
    )*};
}
aligned! {
    To64: 64;
    To128: 128;
    To4096: 4096;
    To65536: 65_536;
}

/// Runs code on a large stack: unoptimized code has many copies of an item on its stack, each as aligned as
/// the item.
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
