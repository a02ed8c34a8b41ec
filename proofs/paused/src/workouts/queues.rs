//! The library's queues with two sides.

use std::num::NonZeroU64;
use std::sync::Arc;

use super::checks::Promise;
use super::ends::{Ends, Pop, Push, Refusal, Refused};
use super::exchange::Subject;
use super::log::Item;
use crate::bbq::{self, Consumer, ConsumerSide, Geometry, Producer, ProducerSide};
use crate::pauses::Dice;
use crate::queue::{self, PopSlice, PushSlice};
use crate::tube::{self, Fifo, Tube};
use crate::{cnq, exact, faaq, nblfq, unbounded};

/// Returns a small shape in blocks: mostly of a few items, and sometimes of several cache lines.
pub(super) fn blocks(dice: &mut Dice) -> Geometry {
    let most = if dice.one_in(5) { 40 } else { 5 };
    Geometry::new(dice.between(2, 4), dice.between(1, most)).expect("a small queue")
}

/// Returns the lap in which a queue of blocks begins: the first one, or one of those before the
/// count of laps wraps.
pub(super) fn lap(dice: &mut Dice) -> usize {
    const LAST: usize = usize::MAX >> (usize::BITS / 4);
    if dice.one_in(4) { LAST - dice.below(4) } else { 1 }
}

/// Returns `count` handles, including the first one.
pub(super) fn handles<T>(first: T, count: usize, another: impl Fn(&T) -> T) -> Vec<T> {
    let mut handles = vec![first];
    while handles.len() < count {
        handles.push(another(&handles[0]));
    }
    handles
}

pub(super) fn producers<T: Push + 'static>(handles: Vec<T>) -> Vec<Box<dyn Push>> {
    handles.into_iter().map(|handle| Box::new(handle) as Box<dyn Push>).collect()
}

pub(super) fn consumers<T: Pop + 'static>(handles: Vec<T>) -> Vec<Box<dyn Pop>> {
    handles.into_iter().map(|handle| Box::new(handle) as Box<dyn Pop>).collect()
}

impl<P: ProducerSide, C: ConsumerSide> Push for Producer<Item, P, C> {
    fn push(&mut self, item: Item) -> Result<(), Refused> {
        self.push(item).map_err(Refusal::why)
    }

    fn push_slice(&mut self, items: &[Item]) -> usize {
        self.push_slice(items)
    }
}

impl<P: ProducerSide, C: ConsumerSide> Pop for Consumer<Item, P, C> {
    fn pop(&mut self) -> Result<Item, Refused> {
        self.pop().map_err(Refusal::why)
    }

    fn pop_slice(&mut self, items: &mut [Item]) -> usize {
        self.pop_slice(items)
    }
}

macro_rules! another {
    (Single) => {
        |_| unreachable!("one handle is all that there is")
    };
    ($many:ident) => {
        Clone::clone
    };
}

pub(super) use another;

/// Defines queues of blocks with handles.
macro_rules! of_handles {
    ($($name:ident: $make:path, $producers:ident, $consumers:ident;)*) => {$(
        pub(super) const $name: Subject = Subject {
            keeps_order: true,
            make: |dice, producing, consuming| {
                let (producer, consumer) = $make(blocks(dice), lap(dice)).expect("a small queue");
                Ends {
                    promise: Promise::fifo(producer.capacity()),
                    producers: producers(handles(producer, producing, another!($producers))),
                    consumers: consumers(handles(consumer, consuming, another!($consumers))),
                }
            },
        };
    )*};
}

of_handles! {
    BBQ_SPSC: bbq::spsc::starting_at, Single, Single;
    BBQ_MPSC: bbq::mpsc::starting_at, Multi, Single;
    BBQ_SPMC: bbq::spmc::starting_at, Single, Multi;
    BBQ_MPMC: bbq::mpmc::starting_at, Multi, Multi;
    FAAQ: faaq::starting_at, Multi, Adding;
}

/// A queue that all threads share by reference.
struct Whole<Q>(Arc<Q>);

impl<Q> Clone for Whole<Q> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

fn shared<Q: Push + Pop + Clone + 'static>(queue: Q, promise: Promise, producing: usize, consuming: usize) -> Ends {
    Ends {
        promise,
        producers: producers(handles(queue.clone(), producing, Clone::clone)),
        consumers: consumers(handles(queue, consuming, Clone::clone)),
    }
}

impl<Q: Send + Sync> Push for Whole<Q>
where
    for<'q> &'q Q: PushSlice<Item = Item>,
{
    fn push(&mut self, item: Item) -> Result<(), Refused> {
        queue::Push::push(&mut &*self.0, item).map_err(Refusal::why)
    }

    fn push_slice(&mut self, items: &[Item]) -> usize {
        PushSlice::push_slice(&mut &*self.0, items)
    }
}

impl<Q: Send + Sync> Pop for Whole<Q>
where
    for<'q> &'q Q: PopSlice<Item = Item>,
{
    fn pop(&mut self) -> Result<Item, Refused> {
        queue::Pop::pop(&mut &*self.0).map_err(Refusal::why)
    }

    fn pop_slice(&mut self, items: &mut [Item]) -> usize {
        PopSlice::pop_slice(&mut &*self.0, items)
    }
}

macro_rules! whole_of_blocks {
    ($($name:ident: |$dice:ident| $make:expr;)*) => {$(
        pub(super) const $name: Subject = Subject {
            keeps_order: true,
            make: |$dice, producing, consuming| {
                let queue = $make.expect("a small queue");
                let promise = Promise::fifo(queue.capacity());
                shared(Whole(Arc::new(queue)), promise, producing, consuming)
            },
        };
    )*};
}

whole_of_blocks! {
    BBQ_QUEUE: |dice| bbq::Queue::starting_at(blocks(dice), lap(dice));
    FAAQ_QUEUE: |dice| faaq::Queue::starting_at(blocks(dice), lap(dice));
    UNBOUNDED: |dice| unbounded::Queue::with_block_size(dice.between(1, 5));
}

impl<U: Tube> Push for Whole<Fifo<Item, U>> {
    fn push(&mut self, item: Item) -> Result<(), Refused> {
        self.0.push(item).map_err(Refusal::why)
    }
}

impl<U: Tube> Pop for Whole<Fifo<Item, U>> {
    fn pop(&mut self) -> Result<Item, Refused> {
        self.0.pop().map_err(Refusal::why)
    }
}

impl Push for Whole<exact::Queue<Item>> {
    fn push(&mut self, item: Item) -> Result<(), Refused> {
        self.0.push(item).map_err(Refusal::why)
    }
}

impl Pop for Whole<exact::Queue<Item>> {
    fn pop(&mut self) -> Result<Item, Refused> {
        self.0.pop().map_err(Refusal::why)
    }
}

/// A share of an exact queue that reserves a slot for each second item, and gives each fourth back
/// before.
struct Reserving(Whole<exact::Queue<Item>>, u32);

impl Clone for Reserving {
    fn clone(&self) -> Self {
        Self(self.0.clone(), self.1)
    }
}

impl Push for Reserving {
    fn push(&mut self, item: Item) -> Result<(), Refused> {
        self.1 = self.1.wrapping_add(1);
        if self.1.is_multiple_of(4) {
            drop(self.0.0.reserve());
        }
        if self.1.is_multiple_of(2) {
            self.0.0.reserve().map_err(Refusal::why)?.push(item);
            return Ok(());
        }
        self.0.push(item)
    }
}

impl Pop for Reserving {
    fn pop(&mut self) -> Result<Item, Refused> {
        self.0.pop()
    }
}

/// Makes an exact queue, mostly near the end of its positions.
fn exact(dice: &mut Dice) -> Whole<exact::Queue<Item>> {
    let laps = dice.between(0, 3) as u64;
    Whole(Arc::new(exact::Queue::starting_at(dice.between(1, 12), laps.wrapping_neg()).expect("a small queue")))
}

pub(super) const EXACT: Subject = Subject {
    keeps_order: true,
    make: |dice, producing, consuming| {
        let queue = exact(dice);
        let promise = Promise::fifo(queue.0.capacity());
        shared(queue, promise, producing, consuming)
    },
};

pub(super) const EXACT_PERMITS: Subject = Subject {
    keeps_order: true,
    make: |dice, producing, consuming| {
        let queue = exact(dice);
        // Each producer may hold a permit meanwhile.
        let promise = Promise::fifo(queue.0.capacity().saturating_sub(producing));
        shared(Reserving(queue, 0), promise, producing, consuming)
    },
};

fn fifo<U: Tube + 'static>(dice: &mut Dice, producing: usize, consuming: usize) -> Ends {
    // Blocks have more slots than were asked for, and other threads can hold up some of them.
    let capacity = dice.between(1, 12);
    let queue = Fifo::<Item, U>::new(capacity).expect("a small queue");
    shared(Whole(Arc::new(queue)), Promise::fifo(capacity), producing, consuming)
}

pub(super) const TUBE_RING: Subject = Subject { keeps_order: true, make: fifo::<tube::SequencedRing> };
pub(super) const TUBE_SCQD: Subject = Subject { keeps_order: true, make: fifo::<tube::IndexQueues> };
pub(super) const TUBE_BBQ: Subject = Subject { keeps_order: true, make: fifo::<tube::Blocks> };
pub(super) const TUBE_FAAQ: Subject = Subject { keeps_order: true, make: fifo::<tube::FetchAddBlocks> };

impl<U: Tube> Push for cnq::Producer<Item, U> {
    fn push(&mut self, item: Item) -> Result<(), Refused> {
        self.push(item).map_err(Refusal::why)
    }

    fn push_slice(&mut self, items: &[Item]) -> usize {
        self.push_slice(items)
    }

    fn rest(&mut self) {
        self.pause();
    }
}

impl<U: Tube> Pop for cnq::Consumer<Item, U> {
    fn pop(&mut self) -> Result<Item, Refused> {
        self.pop().map_err(Refusal::why)
    }

    fn pop_slice(&mut self, items: &mut [Item]) -> usize {
        self.pop_slice(items)
    }

    fn rest(&mut self) {
        self.pause();
    }
}

fn nested<U: Tube + 'static>(dice: &mut Dice, producing: usize, consuming: usize) -> Ends {
    let (capsules, size) = (producing + consuming + dice.between(1, 12), dice.between(1, 4));
    let geometry = cnq::Geometry::new(capsules, size, producing, consuming).expect("a small queue");
    let queue = cnq::Queue::<Item, U>::with_tube(geometry).expect("a small queue");
    // A full queue has no guaranteed number of items.
    let promise = Promise { k: queue.k(), most_when_empty: (consuming - 1) * size, least_when_full: 0 };
    Ends {
        promise,
        producers: producers((0..producing).map(|_| queue.producer().expect("one of those it is for")).collect()),
        consumers: consumers((0..consuming).map(|_| queue.consumer().expect("one of those it is for")).collect()),
    }
}

pub(super) const CNQ_RING: Subject = Subject { keeps_order: true, make: nested::<tube::SequencedRing> };
pub(super) const CNQ_SCQD: Subject = Subject { keeps_order: true, make: nested::<tube::IndexQueues> };
pub(super) const CNQ_BBQ: Subject = Subject { keeps_order: true, make: nested::<tube::Blocks> };
pub(super) const CNQ_FAAQ: Subject = Subject { keeps_order: true, make: nested::<tube::FetchAddBlocks> };

impl<const N: usize> Push for Whole<nblfq::Queue<NonZeroU64, N>> {
    fn push(&mut self, item: Item) -> Result<(), Refused> {
        self.0.push(NonZeroU64::new(item).expect("not 0")).map_err(Refusal::why)
    }
}

impl<const N: usize> Pop for Whole<nblfq::Queue<NonZeroU64, N>> {
    fn pop(&mut self) -> Result<Item, Refused> {
        self.0.pop().map(NonZeroU64::get).map_err(Refusal::why)
    }
}

/// A queue with slots of two words. Its handle is kept, because checking whether the machine has
/// the instruction takes long.
struct Wide<const N: usize> {
    handle: nblfq::wide::Handle<'static, Item, N>,
    /// Drops the queue after the last handle.
    queue: Arc<nblfq::wide::Queue<Item, N>>,
}

impl<const N: usize> Wide<N> {
    fn new() -> Self {
        let queue = Arc::new(nblfq::wide::Queue::new());
        // SAFETY: the handle does not leave this type, which keeps the queue.
        let forever: &'static nblfq::wide::Queue<Item, N> = unsafe { &*Arc::as_ptr(&queue) };
        Self { handle: forever.open().expect("this machine can"), queue }
    }
}

impl<const N: usize> Clone for Wide<N> {
    fn clone(&self) -> Self {
        Self { handle: self.handle, queue: Arc::clone(&self.queue) }
    }
}

impl<const N: usize> Push for Wide<N> {
    fn push(&mut self, item: Item) -> Result<(), Refused> {
        self.handle.push(item).map_err(Refusal::why)
    }
}

impl<const N: usize> Pop for Wide<N> {
    fn pop(&mut self) -> Result<Item, Refused> {
        self.handle.pop().map_err(Refusal::why)
    }
}

macro_rules! of_slots {
    ($($name:ident: $queue:expr;)*) => {$(
        pub(super) const $name: Subject = Subject {
            keeps_order: true,
            make: |dice, producing, consuming| {
                fn of<const N: usize>(producing: usize, consuming: usize) -> Ends {
                    shared($queue, Promise::fifo(N), producing, consuming)
                }
                [of::<2>, of::<3>, of::<5>, of::<9>][dice.below(4)](producing, consuming)
            },
        };
    )*};
}

of_slots! {
    NBLFQ: Whole(Arc::new(nblfq::Queue::<NonZeroU64, N>::new()));
    NBLFQ_WIDE: Wide::<N>::new();
}

/// Whether this machine can exchange two words as one.
pub(super) fn has_wide() -> bool {
    nblfq::wide::Queue::<Item, 2>::new().open().is_ok()
}
