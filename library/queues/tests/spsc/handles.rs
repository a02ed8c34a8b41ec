//! The guarantees of the handles' types: threads, copies, errors, text, and their addresses.

use std::fmt::Debug;
use std::num::NonZeroUsize;
use std::rc::Rc;

use aqueduct::error::{CapacityError, PopError, PushError};
use aqueduct::queue::Drain;
use aqueduct::spsc::{
    self, Consumer, NonZeroWord, Producer, ReadBatch, WriteBatch, batched_improved_fast_forward, batched_lamport,
    fast_forward, improved_fast_forward, lamport, lazy_lamport, ring,
};
use static_assertions::{assert_impl_all, assert_not_impl_any};

use crate::common::{Ending, Kind, PushEnd, every_queue};

macro_rules! handles {
    ($($queue:ident of $item:ty, not $unsendable:ty);* $(;)?) => { $(
        assert_impl_all!($queue::Producer<$item>: Send, Debug);
        assert_impl_all!($queue::Consumer<$item>: Send, Debug);
        assert_not_impl_any!($queue::Producer<$item>: Clone, Copy);
        assert_not_impl_any!($queue::Consumer<$item>: Clone, Copy);
        assert_not_impl_any!($queue::Producer<$unsendable>: Send, Sync);
        assert_not_impl_any!($queue::Consumer<$unsendable>: Send, Sync);
    )* };
}
handles! {
    lamport of String, not Rc<u8>;
    lazy_lamport of String, not Rc<u8>;
    batched_lamport of String, not Rc<u8>;
    ring of String, not Rc<u8>;
    fast_forward of Box<String>, not Rc<u8>;
    improved_fast_forward of Box<String>, not Rc<u8>;
    batched_improved_fast_forward of Box<String>, not Rc<u8>;
}

// An item that may be sent and not shared is enough: the queue hands it on, and never shows it to
// both ends.
assert_impl_all!(ring::Producer<std::cell::Cell<u8>>: Send);
assert_impl_all!(ring::Consumer<std::cell::Cell<u8>>: Send);
// A handle of raw pointers stays in its thread, too.
assert_not_impl_any!(lamport::Producer<*const u8>: Send);
assert_not_impl_any!(ring::Consumer<*const u8>: Send);
assert_not_impl_any!(fast_forward::Producer<&std::cell::Cell<u8>>: Send);

assert_impl_all!(PushError<String>: std::error::Error, Send, Sync);
assert_impl_all!(PopError: std::error::Error, Send, Sync);
assert_impl_all!(CapacityError: std::error::Error, Send, Sync, Clone);
// A full queue's error can be passed on for any item.
assert_impl_all!(PushError<Rc<u8>>: std::error::Error);

assert_impl_all!(WriteBatch<'static, ring::RawProducer<u8>>: Debug);
assert_impl_all!(ReadBatch<'static, ring::RawConsumer<u8>>: Debug, Iterator<Item = u8>);
assert_impl_all!(Drain<'static, lamport::Consumer<u8>>: Debug, Iterator<Item = u8>);
assert_not_impl_any!(u64: NonZeroWord);
assert_not_impl_any!(Option<Box<u8>>: NonZeroWord);
assert_not_impl_any!(&str: NonZeroWord);
assert_not_impl_any!(Box<[u8]>: NonZeroWord);
assert_not_impl_any!(*const u8: NonZeroWord);

#[test]
fn errors_say_what_happened() {
    assert_eq!(PushError::Full(7).to_string(), "the queue is full");
    // The item need not have text of its own.
    assert_eq!(format!("{:?}", PushError::Full(Rc::new(()))), "Full(..)");
    assert_eq!(PopError::Empty.to_string(), "the queue is empty");
    assert_eq!(format!("{:?}", PopError::Empty), "Empty");
}

#[test]
fn handles_and_batches_can_be_shown() {
    let (mut producer, mut consumer) = spsc::ring::new::<u64>(9).expect("nine items");
    producer.push(1).expect("empty");
    assert_eq!(format!("{producer:?}"), "Producer { capacity: 9, len: 1, .. }");
    assert_eq!(format!("{consumer:?}"), "Consumer { capacity: 9, len: 1, .. }");
    let batch = producer.batch(1);
    assert_eq!(format!("{batch:?}"), format!("WriteBatch {{ space: {}, .. }}", batch.space()));
    drop(batch);
    let handle = format!("{consumer:?}");
    assert_eq!(format!("{:?}", consumer.drain()), format!("Drain({handle})"));
    assert_eq!(format!("{:?}", consumer.batch(5)), "ReadBatch { most: 5, .. }");
}

/// Returns the pair of cache lines that an address lies in.
fn line_pair<T>(at: *const T) -> usize {
    at.addr() / 128
}

fn handles_share_no_pair_of_lines<T, K: Kind<T>>() {
    let handles = K::with_capacity(4);
    assert!(align_of_val(&handles.0) >= 128 && align_of_val(&handles.1) >= 128);
    let (first, second) = (&raw const handles.0, &raw const handles.1);
    let ends = |at: usize, size: usize| at / 128..=(at + size - 1) / 128;
    let producer = ends(first.addr(), size_of_val(&handles.0));
    assert!(!producer.contains(&line_pair(second)), "side by side in a tuple");
    assert!(!ends(second.addr(), size_of_val(&handles.1)).contains(&line_pair(first)));
}
every_queue!(apart: handles_share_no_pair_of_lines::<NonZeroUsize>);

fn the_slots_begin_a_pair_of_lines<K: Kind<NonZeroUsize>>() {
    let (mut producer, _consumer) = K::with_capacity(4);
    producer.batch(1, Ending::Drop, &mut |batch| {
        let first = batch.run().as_ptr().addr();
        // A stamped line's slots follow its stamp.
        assert!(first % 128 == 0 || first % 128 == size_of::<usize>(), "the first slot is at {first:#x}");
    });
}
every_queue!(slots: the_slots_begin_a_pair_of_lines);

#[test]
fn handles_move_between_threads_one_at_a_time() {
    let (mut producer, mut consumer) = spsc::ring::new(4).expect("four items");
    for round in 0..20u32 {
        (producer, consumer) = std::thread::scope(|scope| {
            let pushing = scope.spawn(move || {
                producer.push(round).expect("empty");
                producer
            });
            let popping = scope.spawn(move || {
                while consumer.is_empty() {
                    std::thread::yield_now();
                }
                assert_eq!(consumer.pop(), Ok(round));
                consumer
            });
            (pushing.join().expect("pushed"), popping.join().expect("popped"))
        });
    }
}

/// Users can write the names of `ring`'s ends, as in the docs.
#[test]
fn the_recommended_ring_is_a_stamped_line() {
    let (producer, consumer): (ring::Producer<u8>, ring::Consumer<u8>) = spsc::ring::new(5).expect("five");
    let (producer, consumer): (Producer<_>, Consumer<_>) = (producer, consumer);
    assert_eq!((producer.capacity(), consumer.capacity()), (5, 5));
}
