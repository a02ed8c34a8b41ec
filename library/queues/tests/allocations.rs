//! No operation of a queue allocates after the queue is made.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::num::NonZeroUsize;

use aqueduct::bbq::{self, drop_old, records};
use aqueduct::error::CapacityError;
use aqueduct::queue::{Pop, Push};
use aqueduct::tube::{Blocks, FetchAddBlocks, Fifo, IndexQueues, SequencedRing, Tube};
use aqueduct::{bwos, cnq, exact, faaq, nblfq, spsc};

/// The system's allocator, with a count of each thread's allocations.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // A thread that is ending has no count any more.
    let _ = ALLOCATIONS.try_with(|allocations| allocations.set(allocations.get() + 1));
}

// SAFETY: every call goes to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promises.
        unsafe { System.realloc(place, layout, size) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of operations of each kind: several laps of a queue of [`CAPACITY`] items.
const OPERATIONS: usize = 500;
const CAPACITY: usize = 64;

fn item(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number + 1).expect("it is more than 0")
}

/// Does an operation [`OPERATIONS`] times, and asserts that this thread allocates nothing
/// meanwhile.
#[track_caller]
fn without_allocations(mut operations: impl FnMut(usize)) {
    let before = ALLOCATIONS.get();
    (0..OPERATIONS).for_each(&mut operations);
    assert_eq!(ALLOCATIONS.get() - before, 0);
}

#[test]
fn allocations_are_counted() {
    let before = ALLOCATIONS.get();
    drop(std::hint::black_box(vec![1_u8]));
    assert!(ALLOCATIONS.get() > before);
}

/// Pushes and pops, until full and until empty, by the handles of a queue.
#[track_caller]
fn handles<P, C>(pair: Result<(P, C), CapacityError>)
where
    P: Push<Item = NonZeroUsize>,
    C: Pop<Item = NonZeroUsize>,
{
    let (mut producer, mut consumer) = pair.expect("a small queue");
    without_allocations(|number| {
        while producer.push(item(number)).is_ok() {}
        while consumer.pop().is_ok() {}
    });
}

#[test]
fn handles_of_one_producer_and_one_consumer() {
    handles(spsc::ring::new(CAPACITY));
    handles(spsc::lamport::new(CAPACITY));
    handles(spsc::lazy_lamport::new(CAPACITY));
    handles(spsc::batched_lamport::new(CAPACITY));
    handles(spsc::fast_forward::new(CAPACITY));
    handles(spsc::improved_fast_forward::new(CAPACITY));
    handles(spsc::batched_improved_fast_forward::new(CAPACITY));
    handles(bbq::spsc::new(CAPACITY));
}

#[test]
fn handles_of_many_threads() {
    handles(bbq::mpsc::new(CAPACITY));
    handles(bbq::spmc::new(CAPACITY));
    handles(bbq::mpmc::new(CAPACITY));
    handles(faaq::new(CAPACITY));
}

#[test]
fn duplex() {
    let (mut one, mut other) = spsc::duplex::new::<NonZeroUsize, NonZeroUsize>(CAPACITY).expect("a small queue");
    without_allocations(|number| {
        while one.producer.push(item(number)).is_ok() {}
        while let Ok(request) = other.consumer.pop() {
            let _ = other.producer.push(request);
        }
        while one.consumer.pop().is_ok() {}
    });
}

#[test]
fn batches_and_slices() {
    let (mut producer, mut consumer) = spsc::batched_lamport::new(CAPACITY).expect("a small queue");
    without_allocations(|number| {
        let mut batch = producer.batch(8);
        batch.fill((0..8).map(|more| item(number + more)));
        batch.publish();
        assert_eq!(consumer.drain().count(), 8);
    });
    let (mut producer, mut consumer) = bbq::mpmc::new(CAPACITY).expect("a small queue");
    without_allocations(|number| {
        assert_eq!(producer.push_slice(&[item(number); 8]), 8);
        assert_eq!(consumer.pop_slice(&mut [item(0); 8]), 8);
    });
}

#[test]
fn queues_that_are_shared_as_a_whole() {
    let (bbq, faaq) = (bbq::Queue::new(CAPACITY).expect("small"), faaq::Queue::new(CAPACITY).expect("small"));
    without_allocations(|number| {
        while bbq.push(item(number)).is_ok() && faaq.push(item(number)).is_ok() {}
        while bbq.pop().is_ok() {}
        while faaq.pop().is_ok() {}
    });
    let exact = exact::Queue::new(CAPACITY).expect("small");
    without_allocations(|number| {
        while exact.reserve().map(|permit| permit.push(item(number))).is_ok() && exact.push(item(number)).is_ok() {}
        while exact.pop().is_ok() {}
    });
}

#[test]
fn handles_that_are_cloned_and_dropped() {
    let (producer, consumer) = bbq::mpmc::new::<NonZeroUsize>(CAPACITY).expect("a small queue");
    without_allocations(|number| {
        producer.clone().push(item(number)).expect("there is room");
        assert_eq!(consumer.clone().pop(), Ok(item(number)));
    });
}

#[test]
fn records_and_readers_that_are_overwritten() {
    let (mut producer, mut consumer) =
        records::mpmc::new(records::Space::for_bytes(4096).expect("a small queue")).expect("a small queue");
    without_allocations(|number| {
        producer.push(&number.to_le_bytes()).expect("there is room");
        assert_eq!(consumer.read().expect("there is a record").len(), size_of_val(&number));
    });
    let (mut producer, mut reader) = drop_old::mpmc::new::<usize>(CAPACITY).expect("a small queue");
    without_allocations(|number| {
        (0..200).for_each(|more| producer.push(number + more).expect("it overwrites"));
        while reader.read().is_ok() {}
    });
}

#[test]
fn work_stealing() {
    let (mut owner, stealer) = bwos::lifo::new(CAPACITY).expect("a small queue");
    let (mut other, thief) = bwos::fifo::new(CAPACITY).expect("a small queue");
    without_allocations(|number| {
        while owner.push(item(number)).is_ok() && other.push(item(number)).is_ok() {}
        let _ = (stealer.steal(), thief.steal());
        while owner.pop().is_ok() || other.pop().is_ok() {}
    });
}

#[test]
fn queues_with_less_order() {
    let geometry = cnq::Geometry::for_order(16, CAPACITY, 2, 2).expect("a small queue");
    let queue = cnq::Queue::<NonZeroUsize>::new(geometry).expect("a small queue");
    without_allocations(|number| {
        let (mut producer, mut consumer) = (queue.producer().expect("one"), queue.consumer().expect("one"));
        while producer.push(item(number)).is_ok() {}
        while consumer.pop().is_ok() {}
    });
}

#[test]
fn tubes() {
    fn check<U: Tube>() {
        let queue = Fifo::<NonZeroUsize, U>::new(CAPACITY).expect("a small queue");
        without_allocations(|number| {
            while queue.push(item(number)).is_ok() {}
            while queue.pop().is_ok() {}
        });
    }
    check::<SequencedRing>();
    check::<IndexQueues>();
    check::<Blocks>();
    check::<FetchAddBlocks>();
}

#[test]
fn lock_free() {
    let queue = nblfq::Queue::<NonZeroUsize, CAPACITY>::new();
    let dynamic = nblfq::DynamicQueue::<NonZeroUsize>::new(CAPACITY).expect("a small queue");
    without_allocations(|number| {
        while queue.push(item(number)).is_ok() {}
        while queue.pop().is_ok() {}
        while dynamic.push(item(number)).is_ok() {}
        while dynamic.pop().is_ok() {}
    });
}
