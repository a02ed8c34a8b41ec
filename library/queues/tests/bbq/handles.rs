//! The guarantees of the types: threads, copies, text. The library's pages show what does not
//! compile.

use std::cell::Cell;
use std::fmt::Debug;
use std::rc::Rc;
use std::sync::MutexGuard;

use aqueduct::bbq::{self, Consumer, Geometry, Multi, Producer, Queue, Single};
use static_assertions::{assert_impl_all, assert_not_impl_any};

use crate::common::{Form, PushEnd, every_form};
use aqueduct::queue::Pop;

macro_rules! handles {
    ($($producers:ident, $consumers:ident;)*) => { $(
        assert_impl_all!(Producer<String, $producers, $consumers>: Send, Sync, Debug);
        assert_impl_all!(Consumer<String, $producers, $consumers>: Send, Sync, Debug);
        // An item that may be sent and not shared is enough: no two threads have references to it.
        assert_impl_all!(Producer<Cell<u8>, $producers, $consumers>: Send, Sync);
        assert_impl_all!(Consumer<Cell<u8>, $producers, $consumers>: Send, Sync);
        assert_not_impl_any!(Producer<Rc<u8>, $producers, $consumers>: Send, Sync);
        assert_not_impl_any!(Consumer<Rc<u8>, $producers, $consumers>: Send, Sync);
        assert_not_impl_any!(Producer<*const u8, $producers, $consumers>: Send, Sync);
        assert_not_impl_any!(Consumer<&Cell<u8>, $producers, $consumers>: Send, Sync);
        // One that may be shared and not sent is not.
        assert_not_impl_any!(Producer<MutexGuard<'static, u8>, $producers, $consumers>: Send, Sync);
        assert_not_impl_any!(Consumer<MutexGuard<'static, u8>, $producers, $consumers>: Send, Sync);
    )* };
}
handles! {
    Single, Single;
    Multi, Single;
    Single, Multi;
    Multi, Multi;
}

assert_impl_all!(Queue<String>: Send, Sync, Debug);
assert_impl_all!(Queue<Cell<u8>>: Send, Sync);
assert_not_impl_any!(Queue<Rc<u8>>: Send, Sync);
assert_not_impl_any!(Queue<&Cell<u8>>: Send, Sync);
assert_not_impl_any!(Queue<MutexGuard<'static, u8>>: Send, Sync);
assert_not_impl_any!(Queue<u8>: Clone);

// Handles can be copied where there can be many, whatever the items are, and nowhere else.
assert_not_impl_any!(Producer<u8, Single, Single>: Clone);
assert_not_impl_any!(Producer<u8, Single, Multi>: Clone);
assert_not_impl_any!(Consumer<u8, Single, Single>: Clone);
assert_not_impl_any!(Consumer<u8, Multi, Single>: Clone);
assert_impl_all!(Producer<Cell<String>, Multi, Single>: Clone);
assert_impl_all!(Producer<Box<dyn Debug>, Multi, Multi>: Clone);
assert_impl_all!(Consumer<Cell<String>, Single, Multi>: Clone);
assert_impl_all!(Consumer<Box<dyn Debug>, Multi, Multi>: Clone);

assert_impl_all!(Geometry: Copy, Eq, Debug, Send, Sync);

#[test]
fn handles_can_be_shown() {
    // Items need no text of their own.
    struct Silent;
    let (producer, consumer) = bbq::spsc::new::<Silent>(9).expect("a small queue");
    assert_eq!(format!("{producer:?} {consumer:?}"), "Producer { capacity: 9, .. } Consumer { capacity: 9, .. }");
    let (producer, consumer) = bbq::mpmc::new::<Silent>(8).expect("a small queue");
    assert_eq!(format!("{producer:?} {consumer:?}"), "Producer { capacity: 8, .. } Consumer { capacity: 8, .. }");
    assert_eq!(format!("{:?}", Queue::<Silent>::new(7).expect("a small queue")), "Queue { capacity: 7, .. }");
    assert_eq!(
        format!("{:?}", Geometry::new(2, 3).expect("a small geometry")),
        "Geometry { blocks: 2, block_size: 3 }"
    );
}

/// Items that cannot be sent can be in a queue of one thread.
#[test]
fn a_queue_for_one_thread() {
    let queue = Queue::new(3).expect("a small queue");
    let item = Rc::new(5);
    assert!(queue.push(item.clone()).is_ok() && queue.push(item.clone()).is_ok());
    assert_eq!((Rc::strong_count(&item), queue.len()), (3, 2));
    assert_eq!(queue.pop(), Ok(item.clone()));
    drop(queue);
    assert_eq!(Rc::strong_count(&item), 1);
}

/// Items may borrow from what outlives the queue.
#[test]
fn borrowed_items() {
    let words = String::from("one two three");
    let (mut producer, mut consumer) = bbq::mpsc::new(5).expect("a small queue");
    words.split(' ').for_each(|word| producer.push(word).expect("there is room"));
    assert!(consumer.drain().eq(["one", "two", "three"]));
    let queue = Queue::new(5).expect("a small queue");
    words.split(' ').for_each(|word| queue.push(word).expect("there is room"));
    assert!(queue.drain().eq(["one", "two", "three"]));
}

/// A handle is moved to another thread and back, and keeps its place.
fn handles_move_between_threads<F: Form<usize>>() {
    let (mut producer, mut consumer) = F::new(3).expect("a small queue");
    for round in 0..10 {
        (producer, consumer) = std::thread::scope(|scope| {
            let pushing = scope.spawn(move || {
                assert_eq!(producer.push_all([round, round + 1]), (2, None));
                producer
            });
            let producer = pushing.join().expect("pushed");
            let popping = scope.spawn(move || {
                assert!(consumer.drain().eq([round, round + 1]));
                consumer
            });
            (producer, popping.join().expect("popped"))
        });
    }
}
every_form!(moved: handles_move_between_threads);

/// The types can be written down.
#[test]
fn handles_have_names() {
    let pair: bbq::Handles<u8, Multi, Single> = bbq::mpsc::new(5).expect("a small queue");
    let (producer, consumer): (Producer<u8, Multi, Single>, Consumer<u8, Multi, Single>) = pair;
    assert_eq!((producer.capacity(), consumer.capacity()), (5, 5));
}
