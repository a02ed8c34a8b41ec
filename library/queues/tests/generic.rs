//! One generic function over all queues, by their traits.

use std::num::{NonZeroU8, NonZeroUsize};
use std::sync::Arc;

use aqueduct::bbq::{self, drop_old};
use aqueduct::error::{PopError, PushError};
use aqueduct::nblfq::{self, wide};
use aqueduct::queue::{Closed, Full, Len, Pop, PopSlice, Push, PushIter, PushSlice};
use aqueduct::spsc::{Peek, PopBatch, PushBatch};
use aqueduct::{bwos, cnq, exact, faaq, mpmc, mpsc, spmc, spsc, tube, unbounded};

fn item(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).expect("not 0")
}

/// Passes one item, after which a pop from the empty queue returns `Empty`.
fn passes(push: &mut impl Push<Item = NonZeroUsize>, pop: &mut impl Pop<Item = NonZeroUsize>) {
    push.push(item(7)).expect("there is room");
    assert_eq!(pop.pop(), Ok(item(7)));
    assert_eq!(pop.pop(), Err(PopError::Empty));
}

/// Passes a slice, and gets back the item that is pushed into the full queue.
fn passes_slices(push: &mut impl PushSlice<Item = NonZeroUsize>, pop: &mut impl PopSlice<Item = NonZeroUsize>) {
    let mut items = [item(1); 3];
    assert_eq!((push.push_slice(&[item(5), item(6)]), pop.pop_slice(&mut items)), (2, 2));
    assert_eq!(items[..2], [item(5), item(6)]);
    while push.push_slice(&[item(8)]) == 1 {}
    assert_eq!(push.push(item(9)), Err(PushError::Full(item(9))));
    while pop.pop_slice(&mut items) > 0 {}
    passes(push, pop);
}

/// Checks both ends' counts, as far as they can know them: a producer may count slots that are not
/// given back yet.
fn is_counted(
    push: &mut impl Push<Item = NonZeroUsize>,
    pop: &mut (impl Pop<Item = NonZeroUsize> + Len),
    counts: impl Fn(usize),
) {
    let capacity = pop.capacity();
    assert!(capacity >= 4);
    for len in 0..capacity {
        assert_eq!((pop.len(), pop.is_empty()), (len, len == 0));
        counts(len);
        push.push(item(7)).expect("`capacity` items always fit");
    }
    for len in (0..capacity).rev() {
        assert_eq!(pop.pop(), Ok(item(7)));
        assert_eq!((pop.len(), pop.is_empty()), (len, len == 0));
    }
    push.push(item(8)).expect("it is empty");
    assert!(pop.drain().eq([item(8)]) && pop.is_empty());
}

macro_rules! handles {
    ($($make:expr),* $(,)?) => {$({
        let (mut producer, mut consumer) = $make(4).expect("a small queue");
        passes_slices(&mut producer, &mut consumer);
        is_counted(&mut producer, &mut consumer, |_| ());
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
    is_counted(&mut back.producer, &mut there.consumer, |_| ());
    let queue = cnq::Queue::new(cnq::Geometry::for_order(10, 10, 1, 1).expect("possible")).expect("small");
    passes_slices(&mut queue.producer().expect("one"), &mut queue.consumer().expect("one"));
}

/// Fills a queue of four items with the item, and empties it.
fn passes_all<Q: Full<Item = NonZeroU8> + Pop<Item = NonZeroU8> + Len>(queue: &mut Q, item: NonZeroU8) {
    while Push::push(queue, item).is_ok() {}
    assert!(Full::is_full(queue) && (Len::len(queue), Len::capacity(queue)) == (4, 4));
    assert_eq!(Pop::drain(queue).count(), 4);
    assert!(Len::is_empty(queue));
}

#[test]
fn queues_that_are_shared() {
    let (bbq, faaq) = (bbq::Queue::new(4).expect("small"), faaq::Queue::new(4).expect("small"));
    passes_slices(&mut &bbq, &mut &bbq);
    let mut counted = Arc::new(bbq::Queue::new(4).expect("small"));
    passes_slices(&mut counted.clone(), &mut counted);
    passes_slices(&mut &faaq, &mut &faaq);
    is_counted(&mut &bbq, &mut &bbq, |len| assert_eq!(Len::len(&&bbq), len));
    is_counted(&mut &faaq, &mut &faaq, |len| assert_eq!(Len::len(&&faaq), len));
    let exact = exact::Queue::new(4).expect("small");
    passes(&mut &exact, &mut &exact);
    is_counted(&mut &exact, &mut &exact, |len| assert_eq!(Len::len(&&exact), len));
    passes_all(&mut Arc::new(exact::Queue::new(4).expect("small")), NonZeroU8::MIN);
    let tube = tube::Fifo::<_, tube::SequencedRing>::new(4).expect("small");
    assert!(tube.is_empty() && tube.push(item(7)).is_ok() && !tube.is_empty() && tube.pop().is_ok());
    passes(&mut &tube, &mut &tube);
    static WORDS: nblfq::Queue<NonZeroUsize, 4, 8> = nblfq::Queue::new();
    WORDS.push(item(7)).expect("there is room");
    assert_eq!((Pop::pop(&mut &WORDS), Len::capacity(&&WORDS), WORDS.is_full()), (Ok(item(7)), 4, false));
    // Items of 8 bits beside a counter of 8 fit a word of any machine.
    let narrow = nblfq::Queue::<NonZeroU8, 4, 8>::new();
    let seven = NonZeroU8::new(7).expect("not 0");
    while Push::push(&mut &narrow, seven).is_ok() {}
    assert_eq!(Push::push(&mut &narrow, seven), Err(PushError::Full(seven)));
    assert!(narrow.is_full() && Len::len(&&narrow) == 4);
    assert_eq!(Pop::drain(&mut &narrow).count(), 4);
    let dynamic = nblfq::DynamicQueue::<NonZeroU8, 8>::new(4).expect("small");
    passes_all(&mut &dynamic, seven);
    let mut counted = Arc::new(dynamic);
    passes_all(&mut counted, seven);
    static WIDE: wide::Queue<u64, 4> = wide::Queue::new();
    if let Ok(mut handle) = WIDE.open() {
        Push::push(&mut handle, 7).expect("there is room");
        assert_eq!((Len::len(&handle), Len::is_empty(&handle), handle.capacity()), (1, false, 4));
        assert_eq!(Pop::pop(&mut handle), Ok(7));
        while Push::push(&mut handle, 0).is_ok() {}
        assert!(handle.is_full());
    }
}

#[test]
fn queues_without_a_limit() {
    fn is_right(
        mut push: impl PushSlice<Item = NonZeroUsize> + Len,
        mut pop: impl PopSlice<Item = NonZeroUsize> + Len,
    ) {
        passes(&mut push, &mut pop);
        let (items, mut came) = ([1, 2, 3, 4, 5].map(item), [item(9); 9]);
        assert_eq!((push.push_slice(&items), push.len(), pop.len(), pop.is_empty()), (5, 5, 5, false));
        assert_eq!((pop.pop_slice(&mut came[..3]), pop.pop_slice(&mut came[3..])), (3, 2));
        assert_eq!((&came[..5], push.is_empty(), pop.capacity()), (&items[..], true, usize::MAX));
        push.push(item(7)).expect("there is memory");
        assert_eq!(pop.drain().count(), 1);
    }
    for block_size in [1, 2, 3, 100] {
        let queue = unbounded::Queue::with_block_size(block_size).expect("a small block");
        is_right(&queue, &queue);
        let (producer, consumer) = unbounded::with_block_size(block_size).expect("a small queue");
        is_right(producer, consumer);
    }
}

#[test]
fn owners_and_readers() {
    fn owner<O: PushSlice<Item = NonZeroUsize> + PopSlice<Item = NonZeroUsize> + Len>(mut owner: O) {
        owner.push(item(7)).expect("there is room");
        assert_eq!(owner.pop(), Ok(item(7)));
        assert_eq!((owner.push_slice(&[item(7)]), owner.pop_slice(&mut [item(1)])), (1, 1));
        assert_eq!((owner.pop(), owner.len(), owner.is_empty()), (Err(PopError::Empty), 0, true));
    }
    owner(bwos::lifo::new(4).expect("a small queue").0);
    owner(bwos::fifo::new(4).expect("a small queue").0);
    let (mut producer, mut reader) = drop_old::mpmc::new(4).expect("a small queue");
    Push::push(&mut producer, 7_u64).expect("it overwrites");
    assert_eq!((Len::len(&reader), Len::is_empty(&reader)), (1, false));
    assert_eq!(Pop::pop(&mut reader), Ok(7));
}

#[test]
fn producers_know_whether_there_is_room() {
    fn fills(mut push: impl Full<Item = NonZeroUsize>, capacity: usize) {
        let mut pushed = 0;
        while !push.is_full() {
            push.push(item(7)).expect("it is not full, and no other thread pushes");
            pushed += 1;
        }
        assert_eq!(push.push(item(8)), Err(PushError::Full(item(8))));
        assert!(pushed >= capacity, "{pushed} of {capacity}");
    }
    macro_rules! handles {
        ($($make:expr),* $(,)?) => {$({
            let (producer, _consumer) = $make(4).expect("a small queue");
            fills(producer, 4);
        })*};
    }
    handles!(
        spsc::ring::new,
        spsc::fast_forward::new,
        mpsc::new,
        mpmc::new,
        faaq::new,
        bwos::lifo::new,
        bwos::fifo::new
    );
    fills(&bbq::Queue::new(4).expect("small"), 4);
    let narrow = nblfq::Queue::<NonZeroU8, 4, 8>::new();
    while !Full::is_full(&&narrow) {
        Push::push(&mut &narrow, NonZeroU8::MIN).expect("it is not full");
    }
    assert_eq!(Len::len(&&narrow), 4);
}

#[test]
fn handles_know_whether_the_other_side_is_gone() {
    fn closes<P: Push<Item = NonZeroUsize> + Closed, C: Closed>((mut producer, consumer): (P, C)) {
        producer.push(item(7)).expect("there is room");
        assert!(!producer.is_closed() && !consumer.is_closed());
        drop(producer);
        assert!(consumer.is_closed());
    }
    fn is_told<P: Closed, C>((producer, consumer): (P, C)) {
        assert!(!producer.is_closed());
        drop(consumer);
        assert!(producer.is_closed());
    }
    fn of_numbers<P: Push<Item = NonZeroUsize>, C>(ends: (P, C)) -> (P, C) {
        ends
    }
    macro_rules! handles {
        ($($make:expr),* $(,)?) => {$({
            closes($make(4).expect("a small queue"));
            is_told($make(4).map(of_numbers).expect("a small queue"));
        })*};
    }
    handles!(spsc::ring::new, spsc::lamport::new, mpsc::new, mpmc::new, faaq::new, bwos::lifo::new, bwos::fifo::new);
    handles!(unbounded::with_block_size);
    closes(drop_old::mpmc::new(4).expect("a small queue"));
    is_told(drop_old::mpmc::new::<NonZeroUsize>(4).expect("a small queue"));
}

#[test]
fn single_producers_take_items_from_iterators() {
    fn takes((mut push, mut pop): (impl PushIter<Item = NonZeroUsize>, impl Pop<Item = NonZeroUsize>)) {
        let mut items = (1..).map(item);
        let pushed = push.push_iter(items.by_ref().take(3));
        assert_eq!(pushed, 3);
        let rest = push.push_iter(&mut items);
        assert_eq!(items.next(), Some(item(4 + rest)), "no item was lost");
        assert!(pop.drain().eq((1..4 + rest).map(item)));
    }
    takes(spsc::ring::new(4).expect("a small queue"));
    takes(spsc::fast_forward::new(4).expect("a small queue"));
    takes(bbq::spsc::new(4).expect("a small queue"));
    takes(spmc::new(4).expect("a small queue"));
}

#[test]
fn batches_of_single_producers_and_consumers() {
    fn publishes((mut push, mut pop): (impl PushBatch<Item = NonZeroUsize>, impl PopBatch<Item = NonZeroUsize>)) {
        let mut batch = push.batch(3);
        let room = batch.space();
        assert_eq!(batch.fill((1..=3).map(item)), 3);
        assert_eq!(batch.space(), room - 3);
        batch.publish();
        assert_eq!(pop.available(3), 3);
        assert_eq!(pop.batch(2).map(NonZeroUsize::get).sum::<usize>(), 3);
        assert!(pop.batch(2).eq([item(3)]));
    }
    fn lends((mut push, mut pop): (impl PushBatch<Item = NonZeroUsize>, impl Peek<Item = NonZeroUsize>)) {
        push.batch(2).fill([item(7), item(8)]);
        assert_eq!(pop.peek(), Some(&item(7)));
        let mut batch = pop.batch(2);
        assert_eq!(batch.run()[0], item(7));
        assert_eq!(batch.skip_run(1), 1);
        batch.release();
        assert_eq!((pop.pop(), pop.peek()), (Ok(item(8)), None));
    }
    publishes(spsc::ring::new(8).expect("a small queue"));
    publishes(spsc::batched_lamport::new(8).expect("a small queue"));
    publishes(spsc::batched_improved_fast_forward::new(8).expect("a small queue"));
    lends(spsc::ring::new(8).expect("a small queue"));
    lends(spsc::batched_lamport::new(8).expect("a small queue"));
}
