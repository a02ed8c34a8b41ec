//! One generic function over all queues, by their traits.

use std::num::NonZeroUsize;

use aqueduct::bbq::{self, drop_old};
use aqueduct::error::{PopError, PushError};
use aqueduct::nblfq::{self, wide};
use aqueduct::queue::{Pop, PopSlice, Push, PushSlice};
use aqueduct::{bwos, cnq, faaq, mpmc, mpsc, spmc, spsc, tube};

fn item(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).expect("not 0")
}

/// One item passes, and a pop from the empty queue says so.
fn passes(push: &mut impl Push<Item = NonZeroUsize>, pop: &mut impl Pop<Item = NonZeroUsize>) {
    push.push(item(7)).expect("there is room");
    assert_eq!(pop.pop(), Ok(item(7)));
    assert_eq!(pop.pop(), Err(PopError::Empty));
}

/// A slice passes, and what is pushed into the full queue comes back.
fn passes_slices(push: &mut impl PushSlice<Item = NonZeroUsize>, pop: &mut impl PopSlice<Item = NonZeroUsize>) {
    let mut items = [item(1); 3];
    assert_eq!((push.push_slice(&[item(5), item(6)]), pop.pop_slice(&mut items)), (2, 2));
    assert_eq!(items[..2], [item(5), item(6)]);
    while push.push_slice(&[item(8)]) == 1 {}
    assert_eq!(push.push(item(9)), Err(PushError::Full(item(9))));
    while pop.pop_slice(&mut items) > 0 {}
    passes(push, pop);
}

macro_rules! handles {
    ($($make:expr),* $(,)?) => {$({
        let (mut producer, mut consumer) = $make(4).expect("a small queue");
        passes_slices(&mut producer, &mut consumer);
    })*};
}

#[test]
fn handles_of_all_queues() {
    handles!(
        spsc::ring::new,
        spsc::lamport::new,
        spsc::lazy_lamport::new,
        spsc::batched_lamport::new,
        spsc::fast_forward::new,
        spsc::improved_fast_forward::new,
        spsc::batched_improved_fast_forward::new,
        bbq::spsc::new,
        mpsc::new,
        spmc::new,
        mpmc::new,
        faaq::new,
    );
    let (mut there, mut back) = spsc::duplex::new::<_, NonZeroUsize>(4).expect("a small queue");
    passes_slices(&mut there.producer, &mut back.consumer);
    passes_slices(&mut back.producer, &mut there.consumer);
    let queue = cnq::Queue::<_>::new(cnq::Geometry::for_order(10, 10, 1, 1).expect("possible")).expect("small");
    passes_slices(&mut queue.producer().expect("one"), &mut queue.consumer().expect("one"));
}

#[test]
fn queues_that_are_shared() {
    let (bbq, faaq) = (bbq::Queue::new(4).expect("small"), faaq::Queue::new(4).expect("small"));
    passes_slices(&mut &bbq, &mut &bbq);
    passes_slices(&mut &faaq, &mut &faaq);
    let tube = tube::Fifo::<_, tube::SequencedRing>::new(4).expect("small");
    passes(&mut &tube, &mut &tube);
    static WORDS: nblfq::Queue<NonZeroUsize, 4, 8> = nblfq::Queue::new();
    WORDS.push(item(7)).expect("there is room");
    assert_eq!(Pop::pop(&mut &WORDS), Ok(item(7)));
    static WIDE: wide::Queue<u64, 4> = wide::Queue::new();
    if let Ok(mut handle) = WIDE.open() {
        Push::push(&mut handle, 7).expect("there is room");
        assert_eq!(Pop::pop(&mut handle), Ok(7));
    }
}

#[test]
fn owners_and_readers() {
    fn owner<O: PushSlice<Item = NonZeroUsize> + PopSlice<Item = NonZeroUsize>>(mut owner: O) {
        owner.push(item(7)).expect("there is room");
        assert_eq!(owner.pop(), Ok(item(7)));
        assert_eq!((owner.push_slice(&[item(7)]), owner.pop_slice(&mut [item(1)])), (1, 1));
        assert_eq!(owner.pop(), Err(PopError::Empty));
    }
    owner(bwos::lifo::new(4).expect("a small queue").0);
    owner(bwos::fifo::new(4).expect("a small queue").0);
    let (mut producer, mut reader) = drop_old::mpmc::new(4).expect("a small queue");
    Push::push(&mut producer, 7_u64).expect("it overwrites");
    assert_eq!(Pop::pop(&mut reader), Ok(7));
}
