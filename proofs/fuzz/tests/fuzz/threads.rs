//! Threads on both sides: each item arrives once, the items of one producer in its order, and every
//! drop is counted.

use std::any::type_name;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, AtomicU8, AtomicUsize, Ordering};
use std::thread;

use aqueduct::bbq::records::{self, Space};
use aqueduct::bbq::{Geometry, ProducerSide, RecordConsumerSide};
use aqueduct::error::CapacityError;
use aqueduct::nblfq::Capacity;
use aqueduct::queue::{Pop, Push};
use aqueduct::spsc::NonZeroWord;
use aqueduct::{bbq, bwos, cnq, exact, faaq, nblfq, spsc, tube, unbounded};

use crate::common::{EACH, Producer, PushNblfq, Random, many, one, rounds};
use crate::orders::Stealing;

/// An item that is counted while it lives.
#[repr(transparent)]
struct Token(Box<(usize, Arc<AtomicIsize>)>);

// SAFETY: a box is an address, and not zero.
unsafe impl NonZeroWord for Token {}

/// The order in which the items of one producer arrive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Fifo,
    Relaxed,
}

/// An item that has a number.
trait Numbered: Send {
    fn make(account: &Account, number: usize) -> Self;
    fn number(&self) -> usize;
}

impl Numbered for Token {
    fn make(account: &Account, number: usize) -> Self {
        account.live.fetch_add(1, Ordering::Relaxed);
        Self(Box::new((number, account.live.clone())))
    }

    fn number(&self) -> usize {
        self.0.0
    }
}

impl Numbered for u64 {
    fn make(_: &Account, number: usize) -> Self {
        number as Self
    }

    fn number(&self) -> usize {
        *self as usize
    }
}

/// An item of a word of which only the lower bits are used.
impl Numbered for NonZeroUsize {
    fn make(_: &Account, number: usize) -> Self {
        Self::MIN.saturating_add(number)
    }

    fn number(&self) -> usize {
        self.get() - 1
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        self.0.1.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The items that have arrived, and the number of live items.
struct Account {
    seen: Vec<AtomicU8>,
    live: Arc<AtomicIsize>,
    /// The number of producers that are done.
    done: AtomicUsize,
}

impl Account {
    fn new(producers: usize) -> Self {
        let seen = (0..producers * EACH).map(|_| AtomicU8::new(0)).collect();
        Self { seen, live: Arc::default(), done: AtomicUsize::new(0) }
    }

    fn came(&self, number: usize) {
        assert_eq!(self.seen[number].fetch_add(1, Ordering::Relaxed), 0, "item {number} came twice");
    }

    fn assert_all_came(&self, name: &str) {
        let count = self.seen.iter().filter(|seen| seen.load(Ordering::Relaxed) == 1).count();
        assert_eq!(count, self.seen.len(), "{name}: items were lost");
    }
}

/// Producers push all items, consumers pop until all have arrived. In one of three rounds, a
/// consumer is dropped after some items, and the remaining items are dropped with the queue.
fn pass<T, P, C>(random: &mut Random, order: Order, producers: Vec<P>, consumers: Vec<C>) -> Account
where
    T: Numbered,
    P: Producer<Item = T> + Send,
    C: Pop<Item = T> + Send,
{
    let (account, count, name) = (Account::new(producers.len()), producers.len(), type_name::<P>());
    let abandon = random.one_in(3);
    thread::scope(|scope| {
        for (index, mut producer) in producers.into_iter().enumerate() {
            let account = &account;
            scope.spawn(move || {
                'all: for item in 0..EACH {
                    let mut token = T::make(account, index * EACH + item);
                    let mut tries = 0;
                    while let Err(refused) = producer.try_push(token) {
                        token = refused;
                        tries += 1;
                        if abandon && tries > 1000 {
                            break 'all;
                        }
                        thread::yield_now();
                    }
                }
                account.done.fetch_add(1, Ordering::Release);
            });
        }
        for mut consumer in consumers {
            let (account, most) = (&account, if abandon { random.below(EACH) } else { usize::MAX });
            scope.spawn(move || {
                let mut last = vec![None; count];
                let mut came = 0;
                while came < most {
                    let is_over = account.done.load(Ordering::Acquire) == count;
                    match consumer.pop() {
                        Ok(token) => {
                            account.came(token.number());
                            let last = &mut last[token.number() / EACH];
                            assert!(order == Order::Relaxed || *last < Some(token.number()), "{name}: out of order");
                            *last = Some(token.number());
                            came += 1;
                        }
                        Err(_) if is_over => break,
                        Err(_) => thread::yield_now(),
                    }
                }
            });
        }
    });
    if !abandon && order == Order::Fifo {
        account.assert_all_came(name);
    }
    account
}

fn assert_none_lives(name: &str, account: &Account) {
    assert_eq!(account.live.load(Ordering::Relaxed), 0, "{name}: items that were not dropped, or dropped twice");
}

/// Passes items through a queue with handles.
fn handles<P, C>(
    random: &mut Random,
    queue: Result<(P, C), CapacityError>,
    producing: impl FnOnce(P) -> Vec<P>,
    consuming: impl FnOnce(C) -> Vec<C>,
) where
    P: Push<Item: Numbered> + Send,
    C: Pop<Item = P::Item> + Send,
{
    let (producer, consumer) = queue.expect("a small queue");
    let account = pass(random, Order::Fifo, producing(producer), consuming(consumer));
    assert_none_lives(type_name::<P>(), &account);
}

/// Passes items through a queue that threads share as a whole.
fn shared<Q: Sync>(random: &mut Random, queue: Result<Q, CapacityError>, producers: usize, consumers: usize)
where
    for<'q> &'q Q: Push<Item = Token> + Pop<Item = Token>,
{
    let queue = queue.expect("a small queue");
    let account = pass(random, Order::Fifo, vec![&queue; producers], vec![&queue; consumers]);
    drop(queue);
    assert_none_lives(type_name::<Q>(), &account);
}

/// Passes words through an NBLFQ, which may be too small for some words of their type.
fn words<T: Numbered + NonZeroWord, C: Capacity + Sync, const BITS: u32>(
    random: &mut Random,
    queue: nblfq::QueueOf<T, C, BITS>,
    producers: usize,
    consumers: usize,
) {
    let account = pass(random, Order::Fifo, vec![PushNblfq(&queue); producers], vec![&queue; consumers]);
    drop(queue);
    assert_none_lives(type_name::<nblfq::QueueOf<T, C, BITS>>(), &account);
}

fn numbers(random: &mut Random) -> (usize, usize, usize) {
    let most = random.any(&[8, 100]);
    if cfg!(miri) { (2, 2, 3) } else { (1 + random.below(4), 1 + random.below(4), 1 + random.below(most)) }
}

#[test]
fn one_to_one() {
    rounds(5, |random| {
        let (_, _, size) = numbers(random);
        handles(random, spsc::lamport::new::<Token>(size), one, one);
        handles(random, spsc::lazy_lamport::new::<Token>(size), one, one);
        handles(random, spsc::batched_lamport::new::<Token>(size), one, one);
        #[cfg(all(feature = "mirrored", target_os = "linux", not(miri)))]
        handles(random, spsc::batched_lamport::mirrored::<Token>(size), one, one);
        handles(random, spsc::ring::new::<Token>(size), one, one);
        handles(random, spsc::fast_forward::new::<Token>(size), one, one);
        handles(random, spsc::improved_fast_forward::new::<Token>(size), one, one);
        handles(random, spsc::batched_improved_fast_forward::new::<Token>(size), one, one);
    });
}

#[test]
fn blocks() {
    rounds(5, |random| {
        let (producers, consumers, size) = numbers(random);
        let geometry = Geometry::new(2 + random.below(4), size).expect("a small queue");
        handles(random, bbq::spsc::with_geometry::<Token>(geometry), one, one);
        handles(random, bbq::mpsc::with_geometry::<Token>(geometry), many(producers), one);
        handles(random, bbq::spmc::with_geometry::<Token>(geometry), one, many(consumers));
        handles(random, bbq::mpmc::with_geometry::<Token>(geometry), many(producers), many(consumers));
        handles(random, faaq::with_geometry::<Token>(geometry), many(producers), many(consumers));
        shared(random, bbq::Queue::<Token>::with_geometry(geometry), producers, consumers);
        shared(random, faaq::Queue::<Token>::with_geometry(geometry), producers, consumers);
    });
}

#[test]
fn tubes() {
    rounds(5, |random| {
        let (producers, consumers, size) = numbers(random);
        shared(random, tube::Fifo::<Token, tube::SequencedRing>::new(size), producers, consumers);
        shared(random, tube::Fifo::<Token, tube::IndexQueues>::new(size), producers, consumers);
        shared(random, tube::Fifo::<Token, tube::Blocks>::new(size), producers, consumers);
        shared(random, tube::Fifo::<Token, tube::FetchAddBlocks>::new(size), producers, consumers);
    });
}

#[test]
fn words_of_nblfq() {
    rounds(5, |random| {
        let (producers, consumers, _) = numbers(random);
        words(random, nblfq::Queue::<NonZeroUsize, 2>::new(), producers, consumers);
        words(random, nblfq::Queue::<NonZeroUsize, 16>::new(), producers, consumers);
        words(random, nblfq::DynamicQueue::<NonZeroUsize>::new(5).expect("small"), producers, consumers);
        // Some machines lack the exchange of two words.
        if let Ok(queue) = nblfq::wide::Queue::<u64, 8>::new().open() {
            pass(random, Order::Fifo, vec![queue; producers], vec![queue; consumers]);
        }
        // A word of 32 bits has no room for a counter beside an address.
        if usize::BITS == 64 {
            words(random, nblfq::Queue::<Token, 16>::new(), producers, consumers);
            words(random, nblfq::Queue::<Token, 3, 12>::new(), producers, consumers);
        }
    });
}

#[test]
fn slots_of_an_exact_number() {
    rounds(5, |random| {
        let (producers, consumers, size) = numbers(random);
        for capacity in [1, size, 3 * size] {
            shared(random, exact::Queue::<Token>::starting_at(capacity, u64::MAX), producers, consumers);
        }
    });
}

/// Tests blocks that are added and freed.
#[test]
fn chains() {
    rounds(5, |random| {
        let (producers, consumers, size) = numbers(random);
        handles(random, unbounded::with_block_size::<Token>(size), many(producers), many(consumers));
        handles(random, unbounded::with_block_size::<Token>(1), many(producers), many(consumers));
        shared(random, unbounded::Queue::<Token>::with_block_size(size), producers, consumers);
        shared(random, Ok(unbounded::Queue::<Token>::new()), producers, consumers);
    });
}

/// A consumer that finds no more items may leave items in capsules that other consumers hold. They
/// are dropped with the queue.
fn over<U: tube::Tube>(random: &mut Random) {
    let (producers, consumers, size) = numbers(random);
    let geometry = cnq::Geometry::new(2 * (producers + consumers), size, producers, consumers);
    let queue = cnq::Queue::<Token, U>::with_tube(geometry.expect("a small queue")).expect("a small queue");
    let account = pass(
        random,
        Order::Relaxed,
        (0..producers).map(|_| queue.producer().expect("a handle for each thread")).collect(),
        (0..consumers).map(|_| queue.consumer().expect("a handle for each thread")).collect(),
    );
    drop(queue);
    assert_none_lives(type_name::<U>(), &account);
}

#[test]
fn capsules() {
    rounds(5, |random| {
        over::<tube::SequencedRing>(random);
        over::<tube::IndexQueues>(random);
        over::<tube::Blocks>(random);
        over::<tube::FetchAddBlocks>(random);
    });
}

/// Thieves steal in all ways until all of the owner's items have arrived.
fn stolen<O: Stealing<Token>>(random: &mut Random)
where
    bwos::Stealer<Token, O>: Send,
{
    let (_, thieves, size) = numbers(random);
    let geometry = bwos::Geometry::new(2 + random.below(5), size).expect("a small queue");
    let (mut owner, stealer) = O::with_geometry(geometry).expect("a small queue");
    let account = Account::new(1);
    thread::scope(|scope| {
        for thief in 0..thieves {
            let (account, stealer) = (&account, stealer.clone());
            scope.spawn(move || {
                let (mut own, _) = O::new(64).expect("a small queue");
                for turn in thief.. {
                    let is_over = account.done.load(Ordering::Acquire) == 1;
                    let mut items = Vec::new();
                    let got = match turn % 4 {
                        0 => stealer.steal().map(|item| items.push(item)),
                        1 => stealer.steal_to_vec(&mut items, 7).map(drop),
                        2 => stealer.steal_granted().map(|item| items.push(item)),
                        _ => stealer.steal_into(&mut own, 7).map(|_| items.extend(own.drain())),
                    };
                    items.iter().for_each(|item| account.came(item.number()));
                    match got {
                        bwos::Steal::Empty if is_over => break,
                        bwos::Steal::Empty => thread::yield_now(),
                        _ => {}
                    }
                }
            });
        }
        for item in 0..EACH {
            let mut token = Token::make(&account, item);
            while let Err(full) = owner.push(token) {
                token = full.into_inner();
                thread::yield_now();
                let _ = owner.pop().map(|item| account.came(item.number()));
            }
            if item % 3 == 0 {
                let _ = owner.pop().map(|item| account.came(item.number()));
            }
        }
        while let Ok(item) = owner.pop() {
            account.came(item.number());
        }
        drop(owner);
        account.done.fetch_add(1, Ordering::Release);
    });
    account.assert_all_came(type_name::<O>());
    drop(stealer);
    assert_none_lives(type_name::<O>(), &account);
}

#[test]
fn thieves() {
    rounds(5, |random| {
        stolen::<bwos::Lifo>(random);
        stolen::<bwos::Fifo>(random);
    });
}

/// Tests records of many producers, of which some are cancelled and some forgotten.
fn whole_records<P: ProducerSide, C: RecordConsumerSide>(
    random: &mut Random,
    make: fn(Space) -> Result<records::Handles<P, C>, CapacityError>,
    producing: impl FnOnce(records::Producer<P, C>) -> Vec<records::Producer<P, C>>,
    consuming: impl FnOnce(records::Consumer<P, C>) -> Vec<records::Consumer<P, C>>,
) where
    records::Producer<P, C>: Send,
    records::Consumer<P, C>: Send,
{
    let space = Space::new(2 + random.below(4), 32 + random.below(400)).expect("a small space");
    let (producer, consumer) = make(space).expect("a small queue");
    let longest = producer.longest();
    let (producers, consumers) = (producing(producer), consuming(consumer));
    let (account, count) = (Account::new(producers.len()), producers.len());
    thread::scope(|scope| {
        for (index, mut producer) in producers.into_iter().enumerate() {
            let (account, mut random) = (&account, Random::new(random.number()));
            scope.spawn(move || {
                for number in index * EACH..(index + 1) * EACH {
                    let len = 8 + random.below(longest - 7);
                    loop {
                        let Ok(mut grant) = producer.reserve(len) else {
                            thread::yield_now();
                            continue;
                        };
                        grant.fill(number as u8);
                        grant[..8].copy_from_slice(&(number as u64).to_ne_bytes());
                        match random.below(16) {
                            0 => drop(grant),
                            1 => std::mem::forget(grant),
                            _ => break grant.commit(8 + random.below(len - 7)),
                        }
                    }
                }
                drop(producer);
                account.done.fetch_add(1, Ordering::Release);
            });
        }
        for mut consumer in consumers {
            let account = &account;
            scope.spawn(move || {
                loop {
                    let is_over = account.done.load(Ordering::Acquire) == count;
                    match consumer.read() {
                        Ok(record) => {
                            let number = u64::from_ne_bytes(record[..8].try_into().expect("eight")) as usize;
                            assert!(record[8..].iter().all(|&byte| byte == number as u8), "a record in pieces");
                            account.came(number);
                        }
                        Err(_) if is_over => break,
                        Err(_) => thread::yield_now(),
                    }
                }
            });
        }
    });
    account.assert_all_came(type_name::<records::Producer<P, C>>());
}

#[test]
fn records_of_all_forms() {
    rounds(5, |random| {
        let (producers, consumers, _) = numbers(random);
        whole_records(random, records::spsc::new, one, one);
        whole_records(random, records::mpsc::new, many(producers), one);
        whole_records(random, records::spmc::new, one, many(consumers));
        whole_records(random, records::mpmc::new, many(producers), many(consumers));
    });
}
