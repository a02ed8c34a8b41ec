//! The unbounded queue's forms and their clients, on the library that `super` names.

use std::num::NonZeroU64;
use std::ops::RangeInclusive;
use std::sync::Arc;

use aqueduct_model::linearizability::{History, QueueResult};
use aqueduct_model::sync::atomic::{AtomicBool, Ordering};
use aqueduct_model::thread;

use super::ends::{End, Share};
use super::library::unbounded::{Consumer, Producer, Queue, mpsc, spsc, with_block_size};
use crate::clients::Client;
use crate::clients::bbq::slices;
use crate::clients::item::{Boxed, Item};
use crate::clients::threads::Form;
use crate::clients::threads::calls::{Plan, Spec, dropped, pop, push, recorded, specification};
use crate::clients::threads::slow;
use crate::progress::many_threads::{Kind, Scene, Subject};
use crate::progress::one_stopped::Victim;

/// A queue by its handle, or by the threads' shares of it.
#[derive(Debug)]
pub struct Of<H>(std::marker::PhantomData<fn() -> H>);

impl<H> Clone for Of<H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H> Copy for Of<H> {}

/// Threads share the queue by reference.
pub type Shared<T> = Of<Queue<T>>;

/// Threads have handles.
pub type Handles<T> = Of<Producer<T>>;

/// Many threads push, by handles, and one pops.
pub type ManyToOne<T> = Of<mpsc::Producer<T>>;

/// One thread pushes, and another one pops.
pub type OneToOne<T> = Of<spsc::Producer<T>>;

impl<T: Item> Form for Shared<T> {
    /// The number of slots of a block.
    type Shape = usize;
    type Item = T;
    type Producer = Share<Queue<T>>;
    type Consumer = Share<Queue<T>>;
    const MANY_PRODUCERS: bool = true;
    const MANY_CONSUMERS: bool = true;
    const BOUNDED: bool = false;

    fn make(slots: usize, producers: usize, consumers: usize) -> (Vec<Self::Producer>, Vec<Self::Consumer>) {
        let queue = Share::new(Queue::with_block_size(slots).expect("a small block"));
        (vec![queue.clone(); producers], vec![queue; consumers])
    }
}

macro_rules! forms {
    ($($form:ident: $producer:ty, $consumer:ty, $many_producers:literal, $many_consumers:literal,
        |$slots:ident, $producers:ident, $consumers:ident| $make:expr;)*) => {$(
        impl<T: Item> Form for $form<T> {
            /// The number of slots of a block.
            type Shape = usize;
            type Item = T;
            type Producer = End<$producer>;
            type Consumer = End<$consumer>;
            const MANY_PRODUCERS: bool = $many_producers;
            const MANY_CONSUMERS: bool = $many_consumers;
            const BOUNDED: bool = false;

            fn make(
                $slots: usize,
                $producers: usize,
                $consumers: usize,
            ) -> (Vec<Self::Producer>, Vec<Self::Consumer>) {
                $make
            }
        }
    )*};
}

forms! {
    Handles: Producer<T>, Consumer<T>, true, true, |slots, producers, consumers| {
        let (producer, consumer) = with_block_size(slots).expect("a small block");
        (vec![End(producer); producers], vec![End(consumer); consumers])
    };
    ManyToOne: mpsc::Producer<T>, mpsc::Consumer<T>, true, false, |slots, producers, consumers| {
        assert_eq!(consumers, 1);
        let (producer, consumer) = mpsc::with_block_size(slots).expect("a small block");
        (vec![End(producer); producers], vec![End(consumer)])
    };
    OneToOne: spsc::Producer<T>, spsc::Consumer<T>, false, false, |slots, producers, consumers| {
        assert_eq!((producers, consumers), (1, 1));
        let (producer, consumer) = spsc::with_block_size(slots).expect("a small block");
        (vec![End(producer)], vec![End(consumer)])
    };
}

fn add(list: &mut Vec<Client>, program: &str, run: impl Fn() + Send + Sync + 'static) {
    list.push(Client::new(format!("unbounded/{program}"), run));
}

/// The number of items from which on a push is refused: there is none.
const NEVER: RangeInclusive<usize> = usize::MAX..=usize::MAX;

/// Returns the clients.
pub fn clients() -> Vec<Client> {
    let mut list = Vec::new();
    for slots in [1, 2] {
        of_blocks(&mut list, slots);
        of_one_consumer(&mut list, slots);
    }
    beside_one_call(&mut list);
    of_slices(&mut list);
    add(&mut list, "never-empty", never_empty);
    add(&mut list, "never-both-empty-1", || never_both_empty(1));
    add(&mut list, "never-both-empty-2", || never_both_empty(2));
    list.push(Client::new("unbounded/late-visitor-listed".to_owned(), late_visitor_listed).stopping(CLAIMED));
    list.push(Client::new("unbounded/late-push-stopped".to_owned(), late_push_stopped).stopping(SKIPPED));
    list.push(Client::new("unbounded/late-link-stopped".to_owned(), late_link_stopped).stopping(LINKED));
    list
}

/// Adds the clients of one, two and three threads on a side.
fn of_blocks(list: &mut Vec<Client>, slots: usize) {
    let plan = Plan { shape: slots, before: 0, filled: 0, pushes: &[3], pops: &[3] };
    let mut of = |program: &str, plan: Plan<usize>| {
        add(list, &format!("{program}-{slots}"), move || recorded::<Shared<Boxed>>(plan, NEVER));
    };
    of("1x1", plan);
    of("1x1-lap", Plan { before: 2 * slots, ..plan });
    of("1x1-filled", Plan { before: 1, filled: slots, pushes: &[2], ..plan });
    of("2x1", Plan { pushes: &[1, 1], pops: &[2], ..plan });
    of("2x1-end", Plan { filled: slots, pushes: &[1, 1], pops: &[0], ..plan });
    of("1x2", Plan { pushes: &[2], pops: &[1, 1], ..plan });
    of("1x2-filled", Plan { filled: 2, pushes: &[0], pops: &[1, 1], ..plan });
    add(list, &format!("1x1-drop-{slots}"), move || {
        dropped::<Handles<Boxed>>(Plan { filled: 1, pushes: &[2], pops: &[1], ..plan });
    });
    let name = |what: &str| format!("unbounded/{what}-{slots}");
    list.extend(slow::clients::<Shared<Boxed>>(name, slots, slots, &(3..=3)));
}

/// Adds the clients of queues with one consumer, and with one producer as well.
fn of_one_consumer(list: &mut Vec<Client>, slots: usize) {
    let plan = Plan { shape: slots, before: 0, filled: 0, pushes: &[3], pops: &[3] };
    let lap = Plan { before: 2 * slots, ..plan };
    let filled = Plan { before: 1, filled: slots, ..plan };
    let dropped_plan = Plan { filled: 1, pushes: &[2], pops: &[1], ..plan };
    for (program, plan) in [("1x1", plan), ("1x1-lap", lap), ("1x1-filled", filled)] {
        add(list, &format!("spsc-{program}-{slots}"), move || recorded::<OneToOne<Boxed>>(plan, NEVER));
        let plan = Plan { pushes: &[2], pops: &[2], ..plan };
        add(list, &format!("mpsc-{program}-{slots}"), move || recorded::<ManyToOne<Boxed>>(plan, NEVER));
    }
    add(list, &format!("spsc-drop-{slots}"), move || dropped::<OneToOne<Boxed>>(dropped_plan));
    add(list, &format!("mpsc-drop-{slots}"), move || dropped::<ManyToOne<Boxed>>(dropped_plan));
    let many = [
        ("2x1", Plan { pushes: &[1, 1], pops: &[2], ..plan }),
        ("2x1-again", Plan { before: slots, pushes: &[1, 1], pops: &[0], ..plan }),
        ("2x1-end", Plan { filled: slots, pushes: &[1, 1], pops: &[1], ..plan }),
    ];
    for (program, plan) in many {
        add(list, &format!("mpsc-{program}-{slots}"), move || recorded::<ManyToOne<Boxed>>(plan, NEVER));
    }
    let name = |what: &str| format!("unbounded/mpsc-{what}-{slots}");
    list.extend(slow::clients::<ManyToOne<Boxed>>(name, slots, slots, &(3..=3)));
    let plan = Plan { filled: 1, ..plan };
    add(list, &format!("spsc-slices-{slots}"), move || slices::<OneToOne<NonZeroU64>>(plan));
    add(list, &format!("mpsc-slices-{slots}"), move || slices::<ManyToOne<NonZeroU64>>(plan));
}

/// One call of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Call {
    Push,
    Pop,
}

/// One call of another thread beside calls of this one, which uses blocks again or frees them.
///
/// This thread makes the calls of `after` only if it sees that the other thread is done, by a flag
/// that orders nothing. All calls are recorded. In the end, one thread empties the queue, and some
/// order of the calls must explain them all.
fn scene(slots: usize, before: &[Call], other: Call, beside: &[Call], after: &[Call]) {
    let (mut producers, mut consumers) = Shared::<Boxed>::make(slots, 2, 2);
    let (history, done) = (Arc::new(History::new(specification(NEVER))), Arc::new(AtomicBool::new(false)));
    let mut numbers = 1..;
    let run = |history: &History<Spec>, producer: &mut _, consumer: &mut _, call, number| match call {
        Call::Push => push(history, producer, number),
        Call::Pop => pop(history, consumer),
    };
    let (mut producer, mut consumer) = (producers.remove(0), consumers.remove(0));
    let mut main = |call| {
        let number = numbers.next().expect("endless");
        run(&history, &mut producer, &mut consumer, call, number)
    };
    before.iter().for_each(|&call| _ = main(call));
    let (recorded, flag) = (Arc::clone(&history), Arc::clone(&done));
    let (mut producer, mut consumer) = (producers.remove(0), consumers.remove(0));
    let thread = thread::spawn(move || {
        run(&recorded, &mut producer, &mut consumer, other, 100);
        flag.store(true, Ordering::Relaxed);
    });
    beside.iter().for_each(|&call| _ = main(call));
    if done.load(Ordering::Relaxed) {
        after.iter().for_each(|&call| _ = main(call));
    }
    thread.join().expect("a model thread that fails ends the execution");
    while let QueueResult::Popped(_) = main(Call::Pop) {}
    history.check();
}

fn beside_one_call(list: &mut Vec<Client>) {
    use Call::{Pop, Push};
    // A block whose last item has been popped is retired, and used again.
    add(list, "late-pop-reused", || scene(1, &[Push, Push], Pop, &[], &[Pop, Push]));
    add(list, "late-pop-beside", || scene(1, &[Push, Push], Pop, &[Pop], &[Push]));
    // The block is retired while an item is being popped from it. The late thread takes the list.
    add(list, "late-pop-listed", || scene(1, &[Push, Push, Push], Pop, &[Pop], &[Pop]));
    // The block of a pop, of a push, and of a skipped slot is freed, because the store keeps the
    // next block instead.
    add(list, "late-pop-freed", || scene(1, &[Push, Push, Push], Pop, &[], &[Pop, Pop]));
    add(list, "late-push-freed", || scene(2, &[Push, Pop], Push, &[Pop], &[Push, Push, Push, Pop, Pop, Pop]));
    add(list, "late-skip-freed", || scene(2, &[Push, Pop], Pop, &[Push], &[Push, Push, Pop, Pop, Pop]));
}

/// A consumer claims a slot, and stops forever. The last visitor of the slot's block is a producer,
/// which puts the block into the list, and does nothing afterwards that would order this for
/// another thread. This thread takes the list.
fn late_visitor_listed() {
    let (mut producers, mut consumers) = Shared::<Boxed>::make(1, 2, 2);
    let (late, slow) = (producers.remove(0), consumers.remove(0));
    let (producer, consumer) = (producers.remove(0), consumers.remove(0));
    assert!(producer.push(Boxed::new(1)).is_ok(), "there is memory");
    let done = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&done);
    thread::spawn(move || slow.pop());
    let thread = thread::spawn(move || {
        assert!(late.push(Boxed::new(2)).is_ok(), "there is memory");
        flag.store(true, Ordering::Relaxed);
    });
    let _ = consumer.pop();
    // The flag orders nothing.
    if done.load(Ordering::Relaxed) {
        assert!(producer.push(Boxed::new(3)).is_ok(), "there is memory");
        let _ = consumer.pop();
    }
    thread.join().expect("ends");
}

/// The steps of a consumer that claims a slot.
const CLAIMED: usize = 7;

/// A producer's slot is skipped. It stops forever when it has its item back. Its block is freed.
fn late_push_stopped() {
    let (mut producers, mut consumers) = Shared::<Boxed>::make(2, 2, 1);
    let (late, producer, consumer) = (producers.remove(0), producers.remove(0), consumers.remove(0));
    let push = move |number| assert!(producer.push(Boxed::new(number)).is_ok(), "there is memory");
    push(1);
    assert!(consumer.pop().is_ok(), "it is there");
    thread::spawn(move || late.push(Boxed::new(100)));
    // The item may be missing.
    let _ = consumer.pop();
    (2..5).for_each(push);
    (0..3).for_each(|_| assert!(consumer.pop().is_ok(), "there are three at least"));
}

/// The steps of a producer whose slot is skipped, up to its last access to the slot, its item
/// included.
const SKIPPED: usize = 7;

/// A producer links a block, and stops forever before it moves the tail there. Two consumers are at
/// work.
fn late_link_stopped() {
    let (mut producers, mut consumers) = Shared::<Boxed>::make(1, 2, 2);
    let (late, consumer) = (producers.remove(0), consumers.remove(0));
    assert!(producers.remove(0).push(Boxed::new(1)).is_ok(), "there is memory");
    thread::spawn(move || late.push(Boxed::new(100)));
    let other = thread::spawn(move || consumer.pop().map_or(0, |item| item.number()));
    let consumer = consumers.remove(0);
    let mut came = [0; 2].map(|_| consumer.pop().map_or(0, |item| item.number())).to_vec();
    assert!(!came.starts_with(&[100, 1]), "not in order");
    came.push(other.join().expect("ends"));
    came.sort_unstable();
    assert!([[0, 0, 1], [0, 1, 100]].contains(&[came[0], came[1], came[2]]), "{came:?}");
}

/// The steps of a producer that links a block, its item included.
const LINKED: usize = 9;

/// The queue holds two items when a pop begins. Another thread pops one and pushes one into the
/// first block again, so the queue is never empty.
fn never_empty() {
    let (mut producers, mut consumers) = Shared::<Boxed>::make(1, 1, 2);
    let (producer, consumer) = (producers.remove(0), consumers.remove(0));
    let push = move |number| assert!(producer.push(Boxed::new(number)).is_ok(), "there is memory");
    push(1);
    assert!(consumer.pop().is_ok(), "it is there");
    push(2);
    push(3);
    let done = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&done);
    let thread = thread::spawn(move || {
        assert!(consumer.pop().is_ok(), "there are two");
        push(4);
        flag.store(true, Ordering::Relaxed);
    });
    // The flag orders nothing: the pop may still read all words as they were.
    if done.load(Ordering::Relaxed) {
        assert!(consumers.remove(0).pop().is_ok(), "there are two, of which another thread takes one");
    }
    thread.join().expect("ends");
}

/// Of two queues, one has an item at each moment: a thread pushes to the second one before it pops
/// from the first one. If the first one is empty, the second one is not.
fn never_both_empty(slots: usize) {
    let (mut producers, mut consumers) = Shared::<Boxed>::make(slots, 1, 2);
    let (mut other_producers, mut other_consumers) = Shared::<Boxed>::make(slots, 1, 1);
    assert!(producers.remove(0).push(Boxed::new(1)).is_ok(), "there is memory");
    let (consumer, producer) = (consumers.remove(0), other_producers.remove(0));
    let thread = thread::spawn(move || {
        assert!(producer.push(Boxed::new(2)).is_ok(), "there is memory");
        consumer.pop().is_ok()
    });
    let is_found = consumers.remove(0).pop().is_ok();
    assert!(is_found || other_consumers.remove(0).pop().is_ok(), "one of the two has an item");
    assert_ne!(is_found, thread.join().expect("ends"), "one of the two threads takes it");
}

fn of_slices(list: &mut Vec<Client>) {
    for slots in [2, 3] {
        let plan = Plan { shape: slots, before: 0, filled: 1, pushes: &[3], pops: &[3] };
        add(list, &format!("slices-{slots}"), move || slices::<Shared<NonZeroU64>>(plan));
        let plan = Plan { filled: slots, pushes: &[1], pops: &[2, 2], ..plan };
        add(list, &format!("slices-1x2-{slots}"), move || slices::<Shared<NonZeroU64>>(plan));
        let plan = Plan { filled: 1, pushes: &[2, 1], pops: &[0], ..plan };
        add(list, &format!("slices-2x1-{slots}"), move || slices::<Shared<NonZeroU64>>(plan));
    }
}

/// Returns the clients that have too many executions to explore all.
pub fn walked() -> Vec<Client> {
    let mut list = Vec::new();
    for slots in [1, 2, 3] {
        let plan = Plan { shape: slots, before: 1, filled: 0, pushes: &[2, 2, 2], pops: &[2, 2, 2] };
        let mut of = |program: &str, plan: Plan<usize>| {
            add(&mut list, &format!("walk-{program}-{slots}"), move || recorded::<Shared<Boxed>>(plan, NEVER));
        };
        of("2x2", Plan { filled: 1, pushes: &[2, 2], pops: &[2, 2], ..plan });
        of("3x1", Plan { filled: slots, pushes: &[1, 1, 1], pops: &[1], ..plan });
        of("1x3", Plan { filled: 3, pushes: &[1], pops: &[1, 1, 1], ..plan });
        of("3x3", plan);
        of("3x3-filled", Plan { filled: slots + 1, pushes: &[1, 1, 3], pops: &[1, 1, 3], ..plan });
        of("4x4", Plan { pushes: &[1, 1, 2, 3], pops: &[1, 1, 2, 3], ..plan });
    }
    list
}

/// The victim is at the end of each block.
const SCENES_OF_ONE: &[Scene] =
    &[Scene { victim: Victim::Push, before: 0, filled: 0 }, Scene { victim: Victim::Pop, before: 0, filled: 2 }];

/// The victim is in the middle of a block, and at its end.
const SCENES_OF_TWO: &[Scene] = &[
    Scene { victim: Victim::Push, before: 0, filled: 1 },
    Scene { victim: Victim::Push, before: 1, filled: 1 },
    Scene { victim: Victim::Pop, before: 1, filled: 2 },
];

/// Returns the queues in which threads are stopped.
pub fn stalls() -> Vec<Subject> {
    vec![
        Subject::new::<Shared<Boxed>>("unbounded-1", 1, Kind::Unbounded, SCENES_OF_ONE),
        Subject::new::<Shared<Boxed>>("unbounded-2", 2, Kind::Unbounded, SCENES_OF_TWO),
    ]
}
