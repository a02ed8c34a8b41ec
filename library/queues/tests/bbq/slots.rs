//! Items written and read in place, over every form of `bbq::slots`.

use std::collections::VecDeque;
use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use aqueduct::bbq::slots::{self, Filled, Handles, Item};
use aqueduct::bbq::{ConsumerSide, Geometry, SlotProducerSide};
use aqueduct::error::{CapacityError, PopError, PushError};
use aqueduct::queue::Push;

use crate::common::{LAPS, LAST_LAP, Ledger, Patterned, Random, Token, aligned, entries, geometries, geometry, room};

/// A new queue of slots.
type Made<T, P, C> = Result<Handles<T, P, C>, CapacityError>;

/// Runs a scenario on each form, which this function of the form's module makes.
macro_rules! every_form {
    ($name:ident: $scenario:ident($make:ident $(::<$item:ty>)?)) => {
        mod $name {
            use super::*;

            #[test]
            fn spsc() {
                $scenario(slots::spsc::$make$(::<$item>)?);
            }

            #[test]
            fn mpsc() {
                $scenario(slots::mpsc::$make$(::<$item>)?);
            }

            #[test]
            fn spmc() {
                $scenario(slots::spmc::$make$(::<$item>)?);
            }

            #[test]
            fn mpmc() {
                $scenario(slots::mpmc::$make$(::<$item>)?);
            }
        }
    };
}

/// Whether a side of producers leaves dummies.
fn leaves_dummies<P: SlotProducerSide>() -> bool {
    std::any::type_name::<P>().ends_with("Multi")
}

/// All ways in and out at random, beside a plain queue, around the wrap of the lap numbers.
fn is_a_queue<T: Patterned, P: SlotProducerSide, C: ConsumerSide>(make: impl Fn(Geometry, usize) -> Made<T, P, C>) {
    let mut random = Random::new(size_of::<T>() as u64);
    for geometry in geometries() {
        let (mut producer, mut consumer) = make(geometry, LAST_LAP - 1).expect("memory");
        let (mut plain, mut pushed, mut popped) = (VecDeque::new(), 0, 0);
        for number in 0..400 {
            let full = pushed - popped == entries(geometry) || room(geometry, pushed, popped) == 0;
            match producer.reserve() {
                Ok(mut slot) => {
                    assert!(!full, "of {geometry:?}");
                    assert!(slot.as_mut_ptr().is_aligned());
                    match random.below(3) {
                        0 => slot.write(T::of(number)),
                        1 => {
                            slot.uninit().write(T::of(number));
                            // SAFETY: written.
                            unsafe { slot.commit() };
                        }
                        _ => {
                            let mut filled = slot.fill(T::of(number + 1));
                            assert_eq!(*filled, T::of(number + 1));
                            *filled = T::of(number);
                            Filled::commit(filled);
                        }
                    }
                    plain.push_back(T::of(number));
                    pushed += 1;
                }
                Err(error) => assert!(full && error.is_full(), "of {geometry:?}"),
            }
            for _ in 0..random.below(if number / 50 % 2 == 0 { 2 } else { 4 }) {
                let expected = plain.pop_front();
                popped += usize::from(expected.is_some());
                match random.below(3) {
                    0 => assert_eq!(consumer.read().ok().as_deref(), expected.as_ref()),
                    1 => assert_eq!(consumer.read().ok().map(Item::take), expected),
                    _ => {
                        let item = consumer.read();
                        assert_eq!(item.as_deref().ok(), expected.as_ref());
                        item.into_iter().for_each(|mut item| *item = T::of(0));
                    }
                }
            }
            assert_eq!((consumer.len(), consumer.is_empty()), (plain.len(), plain.is_empty()));
        }
        assert!(pushed > 10 * geometry.block_size().min(10), "{pushed} items went through {geometry:?}");
    }
}
every_form!(nothing: is_a_queue(starting_at::<[u8; 0]>));
every_form!(nothing_aligned: is_a_queue(starting_at::<aligned::To256<0>>));
every_form!(byte: is_a_queue(starting_at::<[u8; 1]>));
every_form!(three_words: is_a_queue(starting_at::<[u64; 3]>));
every_form!(packet: is_a_queue(starting_at::<[u8; 1500]>));
every_form!(page: is_a_queue(starting_at::<aligned::To4096<4096>>));

/// A slot that is not committed leaves no item behind, whatever ends it; an item in it is dropped
/// once.
fn leaves_no_item<P: SlotProducerSide, C: ConsumerSide>(make: impl Fn(Geometry) -> Made<Token, P, C>) {
    let ledger = Ledger::new(8);
    let (mut producer, mut consumer) = make(geometry(4, 4)).expect("memory");
    producer.push(ledger.token(0)).expect("there is room");
    drop(producer.reserve().expect("there is room"));
    producer.reserve().expect("there is room").cancel();
    drop(producer.reserve().expect("there is room").fill(ledger.token(1)));
    let mut failed = || -> Result<(), std::num::ParseIntError> {
        let mut filled = producer.reserve().expect("there is room").fill(ledger.token(2));
        filled.number = "no number".parse()?;
        Filled::commit(filled);
        Ok(())
    };
    assert!(failed().is_err(), "the question mark has dropped the slot");
    for number in [3, 4] {
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let _slot = producer.reserve().expect("there is room").fill(ledger.token(number));
            panic!("in the middle of an item");
        }));
        assert!(caught.is_err());
    }
    let caught = catch_unwind(AssertUnwindSafe(|| {
        drop(producer.reserve().expect("there is room").fill(ledger.bomb(5)));
    }));
    assert!(caught.is_err(), "the destructor's panic comes out");
    assert_eq!(ledger.dropped(), 5);
    producer.push(ledger.token(6)).expect("there is room");
    for expected in [0, 6] {
        assert_eq!(consumer.read().expect("it is there").number, expected);
    }
    assert!(consumer.read().is_err(), "no more items were committed");
    drop(ledger.token(7));
    ledger.assert_all_dropped_once();
}
every_form!(what_is_not_committed: leaves_no_item(with_geometry));

/// A consumer may panic while it has an item, and the item's destructor may: the item is consumed
/// in either case.
fn panics_consume<P: SlotProducerSide, C: ConsumerSide>(make: impl Fn(Geometry) -> Made<Token, P, C>) {
    let ledger = Ledger::new(10);
    let (mut producer, mut consumer) = make(geometry(2, 1)).expect("memory");
    for number in 0..5 {
        producer.push(ledger.bomb(2 * number)).expect("the panic before has given the entry back");
        producer.push(ledger.token(2 * number + 1)).expect("there is room");
        let dropped = catch_unwind(AssertUnwindSafe(|| drop(consumer.read().expect("it is there"))));
        assert!(dropped.is_err(), "the destructor's panic comes out");
        let used = catch_unwind(AssertUnwindSafe(|| {
            let item = consumer.read().expect("it is there");
            assert_eq!(item.number, usize::MAX, "as the test wants");
        }));
        assert!(used.is_err());
        assert_eq!(ledger.dropped(), 2 * number + 2);
    }
    ledger.assert_all_dropped_once();
}
every_form!(panics: panics_consume(with_geometry));

/// A queue drops what is left in it, once, in order, beside dummies and forgotten ones, in every
/// state of a block.
fn drops_the_rest<P: SlotProducerSide, C: ConsumerSide>(make: impl Fn(Geometry, usize) -> Made<Token, P, C>) {
    for geometry in geometries() {
        for lap in LAPS {
            for (before, forgets, producer_first) in [(0, false, true), (1, true, false), (3, true, true)] {
                let ledger = Ledger::new(before + entries(geometry));
                let (mut producer, mut consumer) = make(geometry, lap).expect("memory");
                for number in 0..before {
                    producer.push(ledger.token(number)).expect("there is room");
                    assert_eq!(consumer.read().expect("it is there").number, number);
                }
                let mut next = before;
                for number in 0..entries(geometry) {
                    let Ok(slot) = producer.reserve() else { break };
                    if number % 3 == 1 {
                        slot.cancel();
                    } else {
                        slot.write(ledger.token(next));
                        next += 1;
                    }
                }
                if forgets {
                    forget(consumer.read().expect("it is there"));
                    let _ = producer.reserve().map(forget);
                }
                if producer_first {
                    drop(producer);
                    drop(consumer);
                } else {
                    drop(consumer);
                    drop(producer);
                }
                (next..before + entries(geometry)).for_each(|number| drop(ledger.token(number)));
                ledger.assert_all_dropped_once();
            }
        }
    }
}
every_form!(drops: drops_the_rest(starting_at));

/// The destructor of a forgotten item panics when its consumer is dropped: the others are dropped
/// once, too.
fn a_forgotten_item_may_panic<P: SlotProducerSide, C: ConsumerSide>(make: impl Fn(Geometry) -> Made<Token, P, C>) {
    for size in [1, 2, 5] {
        for producer_first in [true, false] {
            let ledger = Ledger::new(size + 1);
            let (mut producer, mut consumer) = make(geometry(3, size)).expect("memory");
            producer.push(ledger.bomb(0)).expect("there is room");
            (1..=size).for_each(|number| producer.push(ledger.token(number)).expect("there is room"));
            forget(consumer.read().expect("it is there"));
            let mut producer = Some(producer);
            if producer_first {
                producer = None;
            }
            assert!(catch_unwind(AssertUnwindSafe(|| drop(consumer))).is_err(), "the destructor's panic comes out");
            drop(producer);
            ledger.assert_all_dropped_once();
        }
    }
}
every_form!(forgotten_panics: a_forgotten_item_may_panic(with_geometry));

/// A forgotten slot or item is settled by its handle's next call or its drop. Until then, a read
/// finds `nothing`.
fn is_settled<P: SlotProducerSide, C: ConsumerSide>(make: impl Fn(Geometry) -> Made<Token, P, C>) {
    let nothing = if leaves_dummies::<P>() { PopError::Busy } else { PopError::Empty };
    let ledger = Ledger::new(102);
    let (mut producer, mut consumer) = make(geometry(2, 2)).expect("memory");
    forget(producer.reserve().expect("there is room"));
    assert_eq!(consumer.read().map(drop).err(), Some(nothing), "the forgotten slot is in the way");
    for number in 0..100 {
        producer.push(ledger.token(number)).expect("what was forgotten is out of the way");
        let item = consumer.read().expect("it is there");
        assert_eq!(item.number, number);
        forget(item);
        assert_eq!(ledger.drops(number), 0, "nothing has dropped it yet");
    }
    drop(consumer.read());
    assert_eq!(ledger.drops(99), 1, "a read that finds nothing has dropped it");
    forget(producer.reserve().expect("there is room").fill(ledger.token(100)));
    drop(producer);
    assert_eq!(ledger.drops(100), 0, "an item in a slot that was forgotten is leaked");
    assert!(consumer.is_closed());
    assert_eq!(consumer.read().map(drop).err(), Some(PopError::Empty), "its drop cancelled it");
}
every_form!(forgotten: is_settled(with_geometry));

#[test]
fn capacities_that_cannot_be_are_refused() {
    fn check<P: SlotProducerSide, C: ConsumerSide>(make: impl Fn(usize) -> Made<[u8; 4096], P, C>) {
        assert_eq!(make(0).err(), Some(CapacityError::Zero));
        let huge = make(usize::MAX).err();
        assert!(matches!(huge, Some(CapacityError::TooLarge { asked: usize::MAX, .. })), "{huge:?}");
        let (mut producer, mut consumer) = make(1).expect("memory");
        assert_eq!((producer.capacity(), consumer.capacity(), producer.is_full()), (1, 1, false));
        producer.push([1; 4096]).expect("there is room");
        while producer.push([2; 4096]).is_ok() {}
        assert!(producer.is_full() && !producer.is_closed());
        assert_eq!(consumer.pop().map(|block| block[4095]), Ok(1));
        drop(consumer);
        assert!(producer.is_closed());
    }
    check(slots::spsc::new);
    check(slots::mpsc::new);
    check(slots::spmc::new);
    check(slots::mpmc::new);
}

/// The documented price of many producers, and its end.
#[test]
fn cancelled_slots_of_many_producers_take_room_until_a_consumer_reads() {
    let (mut producer, mut consumer) = slots::mpmc::with_geometry(geometry(2, 2)).expect("memory");
    assert_eq!((0..).take_while(|_| producer.reserve().map(drop).is_ok()).count(), 4);
    assert_eq!(producer.push(1), Err(PushError::Full(1)), "of dummies alone");
    assert_eq!(producer.len(), 4);
    assert_eq!(consumer.read().map(drop), Err(PopError::Empty));
    assert_eq!((producer.push(1), consumer.pop()), (Ok(()), Ok(1)), "the read has passed over them");
    let (mut producer, mut consumer) = slots::spmc::with_geometry(geometry(2, 2)).expect("memory");
    (0..100).for_each(|_| producer.reserve().expect("a single producer gets its room back").cancel());
    assert_eq!((producer.push(1), consumer.pop()), (Ok(()), Ok(1)));
}

#[test]
fn a_slot_holds_up_what_was_reserved_after_it_and_nobody_else() {
    let (mut producer, mut consumer) = slots::mpmc::new(8).expect("memory");
    let (mut other, mut another) = (producer.clone(), consumer.clone());
    producer.push(1).expect("there is room");
    let slot = producer.reserve().expect("there is room");
    other.push(3).expect("there is room");
    assert_eq!(consumer.pop(), Ok(1));
    assert_eq!((consumer.pop(), another.pop()), (Err(PopError::Busy), Err(PopError::Busy)));
    assert!(consumer.is_empty(), "of what can be read");
    slot.write(2);
    let two = another.read().expect("it is there");
    assert_eq!(consumer.pop(), Ok(3), "another consumer's item is in nobody's way");
    assert_eq!(*two, 2);
}

#[test]
fn a_consumer_that_is_forgotten_with_its_item_makes_its_block_busy() {
    let (mut producer, consumer) = slots::mpmc::with_geometry(geometry(2, 1)).expect("memory");
    let mut other = consumer.clone();
    producer.push(1).expect("there is room");
    let mut consumer = Box::new(consumer);
    forget(consumer.read().expect("it is there"));
    forget(consumer);
    producer.push(2).expect("there is room");
    assert_eq!(producer.push(3), Err(PushError::Full(3)), "a whole block is not read yet");
    assert_eq!(other.pop(), Ok(2));
    assert_eq!(producer.push(3), Err(PushError::Busy(3)), "all of it is, or is being");
}

/// All threads use all operations, and some cancel their slots: each item is read whole, once, in
/// its producer's order.
fn threads_pass_items<P, C>(handles: Handles<[u64; 100], P, C>, producers: usize, consumers: usize)
where
    P: SlotProducerSide,
    C: ConsumerSide,
    Many<P, C>: Several<P, C>,
{
    const EACH: u64 = if cfg!(miri) { 20 } else { 500 };
    let (producers, consumers) = Many::<P, C>::several(handles, producers, consumers);
    let total = EACH * producers.len() as u64;
    let left = std::sync::atomic::AtomicU64::new(total);
    thread::scope(|scope| {
        for (lane, mut producer) in producers.into_iter().enumerate() {
            scope.spawn(move || {
                for number in 1..=EACH {
                    if number % 7 == 0 {
                        drop(producer.reserve());
                    }
                    loop {
                        let Ok(slot) = producer.reserve() else {
                            thread::yield_now();
                            continue;
                        };
                        let mut filled = slot.fill([lane as u64; 100]);
                        filled[1..].fill(number);
                        break Filled::commit(filled);
                    }
                }
            });
        }
        let left = &left;
        for mut consumer in consumers {
            scope.spawn(move || {
                let mut last = [0; 4];
                while left.load(std::sync::atomic::Ordering::Relaxed) > 0 {
                    let Ok(mut item) = consumer.read() else {
                        thread::yield_now();
                        continue;
                    };
                    let (lane, number) = (item[0] as usize, item[1]);
                    assert!(item[1..].iter().all(|&word| word == number), "an item came in pieces");
                    assert!(last[lane] < number, "{number} after {} of lane {lane}", last[lane]);
                    last[lane] = number;
                    item.fill(0);
                    drop(item);
                    left.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
                }
            });
        }
    });
}

/// The handles of as many threads as the sides allow.
struct Many<P, C>(std::marker::PhantomData<(P, C)>);

type Ends<P, C> = (Vec<slots::Producer<[u64; 100], P, C>>, Vec<slots::Consumer<[u64; 100], P, C>>);

trait Several<P: SlotProducerSide, C: ConsumerSide> {
    fn several(handles: Handles<[u64; 100], P, C>, producers: usize, consumers: usize) -> Ends<P, C>;
}

macro_rules! several {
    ($($producers:ident, $consumers:ident: $p:expr, $c:expr;)*) => {$(
        impl Several<aqueduct::bbq::$producers, aqueduct::bbq::$consumers>
            for Many<aqueduct::bbq::$producers, aqueduct::bbq::$consumers>
        {
            fn several(
                (producer, consumer): Handles<[u64; 100], aqueduct::bbq::$producers, aqueduct::bbq::$consumers>,
                producers: usize,
                consumers: usize,
            ) -> Ends<aqueduct::bbq::$producers, aqueduct::bbq::$consumers> {
                ($p(producer, producers), $c(consumer, consumers))
            }
        }
    )*};
}

fn one<H>(handle: H, _count: usize) -> Vec<H> {
    vec![handle]
}

fn many<H: Clone>(handle: H, count: usize) -> Vec<H> {
    vec![handle; count]
}

several! {
    Single, Single: one, one;
    Multi, Single: many, one;
    Single, Multi: one, many;
    Multi, Multi: many, many;
}

#[test]
fn threads_pass_items_in_every_form() {
    for geometry in [geometry(2, 3), geometry(3, 20)] {
        threads_pass_items(slots::spsc::starting_at(geometry, LAST_LAP - 2).expect("memory"), 1, 1);
        threads_pass_items(slots::mpsc::starting_at(geometry, LAST_LAP - 2).expect("memory"), 3, 1);
        threads_pass_items(slots::spmc::starting_at(geometry, LAST_LAP - 2).expect("memory"), 1, 3);
        threads_pass_items(slots::mpmc::starting_at(geometry, LAST_LAP - 2).expect("memory"), 3, 3);
    }
}

#[test]
fn guards_move_to_other_threads() {
    let (mut producer, mut consumer) = slots::mpsc::new(4).expect("memory");
    let slot = producer.reserve().expect("there is room");
    thread::scope(|scope| _ = scope.spawn(move || slot.write(String::from("moved"))));
    let item = consumer.read().expect("it is there");
    thread::scope(|scope| _ = scope.spawn(move || assert_eq!(Item::take(item), "moved")));
}

#[test]
fn handles_are_queues_to_generic_code() {
    fn fill(queue: &mut impl Push<Item = u64>, numbers: std::ops::Range<u64>) -> usize {
        numbers.take_while(|&number| queue.push(number).is_ok()).count()
    }
    let (mut producer, mut consumer) = slots::mpsc::new(10).expect("memory");
    assert_eq!(fill(&mut producer, 0..7), 7);
    assert!(consumer.drain().eq(0..7));
    assert_eq!(format!("{producer:?} {consumer:?}"), "Producer { capacity: 10, .. } Consumer { capacity: 10, .. }");
    producer.push(7).expect("there is room");
    assert_eq!(format!("{:?}", consumer.read().expect("it is there")), "Item(7)");
    assert_eq!(format!("{:?}", producer.reserve().expect("there is room").fill(8)), "Filled(8)");
}
