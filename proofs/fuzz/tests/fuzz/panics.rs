//! Destructors that panic, in the queue's drop and in operations that drop items: each item is
//! still dropped once.

use std::any::type_name;
use std::cell::RefCell;
use std::rc::Rc;
use std::thread::panicking;

use aqueduct::error::CapacityError;
use aqueduct::queue::{Pop, Push};
use aqueduct::{bbq, bwos, cnq, exact, faaq, nblfq, spsc, tube, unbounded};

use crate::common::{Producer, PushNblfq, Random, may_panic, rounds, wanted_panic};
use crate::orders::Stealing;

/// The number of drops of each item, and the items that panic.
struct Ledger {
    drops: RefCell<Vec<u32>>,
    every: usize,
}

/// An item that counts its drop, and may panic in it. The ledger stays on its thread.
#[repr(transparent)]
struct Bomb(Box<(usize, Alone<Rc<Ledger>>)>);

/// A value that stays on one thread, although its type allows sending it.
struct Alone<T>(T);

// SAFETY: these tests have one thread.
unsafe impl<T> Send for Alone<T> {}

// SAFETY: a box is an address, and not zero.
unsafe impl spsc::NonZeroWord for Bomb {}

impl Drop for Bomb {
    fn drop(&mut self) {
        let (number, ledger) = (self.0.0, &self.0.1.0);
        ledger.drops.borrow_mut()[number] += 1;
        if number % ledger.every == 0 && !panicking() {
            wanted_panic();
        }
    }
}

struct Maker(Rc<Ledger>);

impl Maker {
    fn make(&self) -> Bomb {
        self.0.drops.borrow_mut().push(0);
        Bomb(Box::new((self.0.drops.borrow().len() - 1, Alone(self.0.clone()))))
    }

    #[track_caller]
    fn assert_each_dropped_once(&self, name: &str) {
        let drops = self.0.drops.borrow();
        assert!(drops.iter().all(|&drops| drops == 1), "{name}: {drops:?}");
    }
}

/// Runs `act`, which fills a queue, empties it in part, and drops it. Every step may panic.
fn check(random: &mut Random, name: &str, act: impl FnOnce(&mut Random, &Maker)) {
    let maker = Maker(Rc::new(Ledger { drops: RefCell::new(Vec::new()), every: 1 + random.below(5) }));
    may_panic(|| act(random, &maker));
    maker.assert_each_dropped_once(name);
}

/// Fills a queue by its producers, and takes a few items.
fn fill_and_pop<P, C>(random: &mut Random, maker: &Maker, producers: &mut [P], consumer: &mut C)
where
    P: Producer<Item = Bomb>,
    C: Pop<Item = Bomb>,
{
    for _ in 0..random.below(60) {
        let producer = random.below(producers.len());
        may_panic(|| drop(producers[producer].try_push(maker.make())));
    }
    for _ in 0..random.below(5) {
        may_panic(|| drop(consumer.pop()));
    }
}

fn handles<P: Push<Item = Bomb>, C: Pop<Item = Bomb>>(random: &mut Random, queue: Result<(P, C), CapacityError>) {
    check(random, type_name::<P>(), |random, maker| {
        let (producer, mut consumer) = queue.expect("a small queue");
        fill_and_pop(random, maker, &mut [producer], &mut consumer);
    });
}

fn shared<Q>(random: &mut Random, queue: Result<Q, CapacityError>)
where
    for<'q> &'q Q: Push<Item = Bomb> + Pop<Item = Bomb>,
{
    check(random, type_name::<Q>(), |random, maker| {
        let queue = queue.expect("a small queue");
        fill_and_pop(random, maker, &mut [&queue], &mut &queue);
    });
}

fn in_the_queue_s_drop(random: &mut Random) {
    let capacity = 1 + random.below(40);
    handles(random, spsc::lamport::new(capacity));
    handles(random, spsc::lazy_lamport::new(capacity));
    handles(random, spsc::batched_lamport::new(capacity));
    handles(random, spsc::ring::new(capacity));
    handles(random, spsc::fast_forward::new(capacity));
    handles(random, spsc::improved_fast_forward::new(capacity));
    handles(random, spsc::batched_improved_fast_forward::new(capacity));
    handles(random, bbq::spsc::new(capacity));
    handles(random, bbq::mpsc::new(capacity));
    handles(random, bbq::spmc::new(capacity));
    handles(random, bbq::mpmc::new(capacity));
    handles(random, faaq::new(capacity));
    shared(random, bbq::Queue::new(capacity));
    shared(random, faaq::Queue::new(capacity));
    shared(random, exact::Queue::new(capacity));
    shared(random, tube::Fifo::<_, tube::SequencedRing>::new(capacity));
    shared(random, tube::Fifo::<_, tube::IndexQueues>::new(capacity));
    shared(random, tube::Fifo::<_, tube::Blocks>::new(capacity));
    shared(random, tube::Fifo::<_, tube::FetchAddBlocks>::new(capacity));
    shared(random, unbounded::Queue::with_block_size(capacity));
    check(random, "nblfq", |random, maker| {
        let queue = nblfq::Queue::<Bomb, 16>::new();
        fill_and_pop(random, maker, &mut [PushNblfq(&queue)], &mut &queue);
    });
    check(random, "cnq", |random, maker| {
        let geometry = cnq::Geometry::new(8, 1 + random.below(10), 2, 2).expect("a small queue");
        let queue = cnq::Queue::<Bomb>::new(geometry).expect("a small queue");
        let mut producers = [(); 2].map(|()| queue.producer().expect("there are two"));
        let mut consumer = queue.consumer().expect("there are two");
        fill_and_pop(random, maker, &mut producers, &mut consumer);
    });
}

/// Items that are pushed, stolen and popped in turn, in one order of BWoS.
fn stealing<O: Stealing<Bomb>>(random: &mut Random) {
    check(random, type_name::<O>(), |random, maker| {
        let (mut owner, stealer) = O::new(1 + random.below(40)).expect("a small queue");
        let mut stolen = Vec::new();
        for _ in 0..random.below(60) {
            may_panic(|| drop(owner.push(maker.make())));
            stealer.request();
            if random.one_in(9) {
                let _ = stealer.steal_to_vec(&mut stolen, 5);
                may_panic(|| drop(stealer.steal()));
                may_panic(|| drop(owner.pop()));
            }
        }
    });
}

fn in_operations_that_drop(random: &mut Random) {
    check(random, "pop_each", |_, maker| {
        let (mut producer, mut consumer) = bbq::mpsc::new::<Bomb>(64).expect("a small queue");
        (0..50).for_each(|_| drop(may_panic(|| producer.push(maker.make()))));
        for _ in 0..100 {
            may_panic(|| consumer.pop_each(7, drop));
        }
    });
    check(random, "skip_run", |_, maker| {
        let (mut producer, mut consumer) = spsc::ring::new::<Bomb>(64).expect("a small queue");
        (0..50).for_each(|_| drop(may_panic(|| producer.push(maker.make()))));
        for _ in 0..100 {
            may_panic(|| {
                let mut batch = consumer.batch(9);
                while batch.skip_run(3) != 0 {}
            });
        }
    });
    stealing::<bwos::Lifo>(random);
    stealing::<bwos::Fifo>(random);
}

#[test]
fn of_items_that_are_left() {
    rounds(40, in_the_queue_s_drop);
}

#[test]
fn of_items_that_operations_drop() {
    rounds(40, in_operations_that_drop);
}
