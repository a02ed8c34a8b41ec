//! Destructors that panic, in the queue's drop and in operations that drop items: each item is still dropped
//! once.

use std::cell::RefCell;
use std::rc::Rc;
use std::thread::panicking;

use aqueduct::{bbq, bwos, cnq, faaq, nblfq, spsc, tube, unbounded};

use crate::common::{Random, may_panic, rounds, wanted_panic};

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

macro_rules! handles {
    ($random:ident, $($make:expr),* $(,)?) => {$(
        check($random, stringify!($make), |random, maker| {
            let (mut producer, mut consumer) = $make.expect("a small queue");
            for _ in 0..random.below(60) {
                may_panic(|| drop(producer.push(maker.make())));
            }
            for _ in 0..random.below(5) {
                may_panic(|| drop(consumer.pop()));
            }
        });
    )*};
}

macro_rules! shared {
    ($random:ident, $($make:expr),* $(,)?) => {$(
        check($random, stringify!($make), |random, maker| {
            let queue = $make;
            for _ in 0..random.below(60) {
                may_panic(|| drop(queue.push(maker.make())));
            }
            for _ in 0..random.below(5) {
                may_panic(|| drop(queue.pop()));
            }
        });
    )*};
}

fn in_the_queue_s_drop(random: &mut Random) {
    let capacity = 1 + random.below(40);
    handles!(
        random,
        spsc::lamport::new::<Bomb>(capacity),
        spsc::lazy_lamport::new::<Bomb>(capacity),
        spsc::batched_lamport::new::<Bomb>(capacity),
        spsc::ring::new::<Bomb>(capacity),
        spsc::fast_forward::new::<Bomb>(capacity),
        spsc::improved_fast_forward::new::<Bomb>(capacity),
        spsc::batched_improved_fast_forward::new::<Bomb>(capacity),
        bbq::spsc::new::<Bomb>(capacity),
        bbq::mpsc::new::<Bomb>(capacity),
        bbq::spmc::new::<Bomb>(capacity),
        bbq::mpmc::new::<Bomb>(capacity),
        faaq::new::<Bomb>(capacity),
    );
    shared!(
        random,
        bbq::Queue::<Bomb>::new(capacity).expect("a small queue"),
        faaq::Queue::<Bomb>::new(capacity).expect("a small queue"),
        tube::Fifo::<Bomb, tube::SequencedRing>::new(capacity).expect("a small queue"),
        tube::Fifo::<Bomb, tube::IndexQueues>::new(capacity).expect("a small queue"),
        tube::Fifo::<Bomb, tube::Blocks>::new(capacity).expect("a small queue"),
        tube::Fifo::<Bomb, tube::FetchAddBlocks>::new(capacity).expect("a small queue"),
        nblfq::Queue::<Bomb, 16>::new(),
        unbounded::Queue::<Bomb>::with_block_size(capacity).expect("a small block"),
    );
    check(random, "cnq", |random, maker| {
        let geometry = cnq::Geometry::new(8, 1 + random.below(10), 2, 2).expect("a small queue");
        let queue = cnq::Queue::<Bomb>::new(geometry).expect("a small queue");
        let mut producers = [(); 2].map(|()| queue.producer().expect("there are two"));
        let mut consumer = queue.consumer().expect("there are two");
        for _ in 0..random.below(60) {
            may_panic(|| drop(producers[random.below(2)].push(maker.make())));
        }
        for _ in 0..random.below(5) {
            may_panic(|| drop(consumer.pop()));
        }
    });
}

macro_rules! stealing {
    ($random:ident, $order:ident) => {
        check($random, stringify!($order), |random, maker| {
            let (mut owner, stealer) = bwos::$order::new::<Bomb>(1 + random.below(40)).expect("a small queue");
            let mut stolen = Vec::new();
            for _ in 0..random.below(60) {
                may_panic(|| drop(owner.push(maker.make())));
                stealer.ask();
                if random.one_in(9) {
                    let _ = stealer.steal_to_vec(&mut stolen, 5);
                    may_panic(|| drop(stealer.steal()));
                    may_panic(|| drop(owner.pop()));
                }
            }
        })
    };
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
    stealing!(random, lifo);
    stealing!(random, fifo);
}

#[test]
fn of_items_that_are_left() {
    rounds(40, in_the_queue_s_drop);
}

#[test]
fn of_items_that_operations_drop() {
    rounds(40, in_operations_that_drop);
}
