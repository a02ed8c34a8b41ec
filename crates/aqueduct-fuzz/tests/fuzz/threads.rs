//! Threads on both sides: each item arrives once, the items of one producer in its order, and every drop is
//! counted.

#![allow(
    unused_mut,
    reason = "one macro for handles, which need it, and for queues that are shared as a whole, which do not"
)]

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, AtomicU8, AtomicUsize, Ordering};
use std::thread;

use aqueduct::bbq::Geometry;
use aqueduct::bbq::records::{self, Space};
use aqueduct::{bbq, bwos, cnq, faaq, nblfq, spsc, tube, unbounded};

use crate::common::{Random, rounds};

/// The number of items of one producer: fewer under Miri, which is a thousand times slower.
const EACH: usize = if cfg!(miri) { 12 } else { 2000 };

/// An item that is counted while it lives.
#[repr(transparent)]
struct Token(Box<(usize, Arc<AtomicIsize>)>);

// SAFETY: a box is an address, and not zero.
unsafe impl spsc::NonZeroWord for Token {}

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

/// This word uses only its lower bits.
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

/// Producers push all items, consumers pop until all have arrived. With `abandon`, a consumer is dropped after
/// some items, and the remaining items are dropped with the queue.
macro_rules! pass {
    ($name:expr, $random:ident, $producers:expr, $consumers:expr, in_order: $in_order:literal) => {{
        let (producers, consumers): (Vec<_>, Vec<_>) = ($producers, $consumers);
        let (account, count) = (Account::new(producers.len()), producers.len());
        let abandon = $random.one_in(3);
        thread::scope(|scope| {
            for (index, mut producer) in producers.into_iter().enumerate() {
                let account = &account;
                scope.spawn(move || {
                    'all: for item in 0..EACH {
                        let mut token = Numbered::make(account, index * EACH + item);
                        let mut tries = 0;
                        while let Err(refused) = producer.push(token) {
                            token = refused.into_inner();
                            tries += 1;
                            if abandon && tries > 1000 {
                                break 'all;
                            }
                            thread::yield_now();
                        }
                    }
                    let _ = producer;
                    account.done.fetch_add(1, Ordering::Release);
                });
            }
            for mut consumer in consumers {
                let (account, most) = (&account, if abandon { $random.below(EACH) } else { usize::MAX });
                scope.spawn(move || {
                    let mut last = vec![None; count];
                    let mut came = 0;
                    while came < most {
                        let is_over = account.done.load(Ordering::Acquire) == count;
                        match consumer.pop() {
                            Ok(token) => {
                                account.came(token.number());
                                let last = &mut last[token.number() / EACH];
                                assert!(!$in_order || *last < Some(token.number()), "{}: out of order", $name);
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
        if !abandon && $in_order {
            account.assert_all_came($name);
        }
        account
    }};
}

fn assert_none_lives(name: &str, account: &Account) {
    assert_eq!(account.live.load(Ordering::Relaxed), 0, "{name}: items that were not dropped, or dropped twice");
}

macro_rules! handles {
    ($random:ident, $make:expr, $producers:expr, $consumers:expr) => {{
        let (producer, consumer) = $make.expect("a small queue");
        let account = pass!(
            stringify!($make),
            $random,
            $producers(producer),
            $consumers(consumer),
            in_order: true
        );
        assert_none_lives(stringify!($make), &account);
    }};
}

macro_rules! shared {
    ($random:ident, $make:expr, $producers:ident, $consumers:ident) => {{
        let queue = $make;
        let account = pass!(
            stringify!($make),
            $random,
            vec![&queue; $producers],
            vec![&queue; $consumers],
            in_order: true
        );
        drop(queue);
        assert_none_lives(stringify!($make), &account);
    }};
}

fn one<T>(handle: T) -> Vec<T> {
    vec![handle]
}

fn many<T: Clone>(count: usize) -> impl Fn(T) -> Vec<T> {
    move |handle| vec![handle; count]
}

fn numbers(random: &mut Random) -> (usize, usize, usize) {
    let most = random.any(&[8, 100]);
    if cfg!(miri) { (2, 2, 3) } else { (1 + random.below(4), 1 + random.below(4), 1 + random.below(most)) }
}

#[test]
fn one_to_one() {
    rounds(5, |random| {
        let (_, _, size) = numbers(random);
        handles!(random, spsc::lamport::new::<Token>(size), one, one);
        handles!(random, spsc::lazy_lamport::new::<Token>(size), one, one);
        handles!(random, spsc::batched_lamport::new::<Token>(size), one, one);
        #[cfg(all(feature = "mirrored", target_os = "linux", not(miri)))]
        handles!(random, spsc::batched_lamport::mirrored::<Token>(size), one, one);
        handles!(random, spsc::ring::new::<Token>(size), one, one);
        handles!(random, spsc::fast_forward::new::<Token>(size), one, one);
        handles!(random, spsc::improved_fast_forward::new::<Token>(size), one, one);
        handles!(random, spsc::batched_improved_fast_forward::new::<Token>(size), one, one);
    });
}

#[test]
fn blocks() {
    rounds(5, |random| {
        let (producers, consumers, size) = numbers(random);
        let geometry = Geometry::new(2 + random.below(4), size).expect("a small queue");
        handles!(random, bbq::spsc::with_geometry::<Token>(geometry), one, one);
        handles!(random, bbq::mpsc::with_geometry::<Token>(geometry), many(producers), one);
        handles!(random, bbq::spmc::with_geometry::<Token>(geometry), one, many(consumers));
        handles!(random, bbq::mpmc::with_geometry::<Token>(geometry), many(producers), many(consumers));
        handles!(random, faaq::with_geometry::<Token>(geometry), many(producers), many(consumers));
        let (bbq, faaq) = (bbq::Queue::<Token>::with_geometry(geometry), faaq::Queue::<Token>::with_geometry(geometry));
        shared!(random, bbq.expect("a small queue"), producers, consumers);
        shared!(random, faaq.expect("a small queue"), producers, consumers);
    });
}

#[test]
fn tubes_and_words() {
    rounds(5, |random| {
        let (producers, consumers, size) = numbers(random);
        shared!(
            random,
            tube::Fifo::<Token, tube::SequencedRing>::new(size).expect("a small queue"),
            producers,
            consumers
        );
        shared!(
            random,
            tube::Fifo::<Token, tube::IndexQueues>::new(size).expect("a small queue"),
            producers,
            consumers
        );
        shared!(random, tube::Fifo::<Token, tube::Blocks>::new(size).expect("a small queue"), producers, consumers);
        shared!(
            random,
            tube::Fifo::<Token, tube::FetchAddBlocks>::new(size).expect("a small queue"),
            producers,
            consumers
        );
        shared!(random, nblfq::Queue::<NonZeroUsize, 2>::new(), producers, consumers);
        shared!(random, nblfq::Queue::<NonZeroUsize, 16>::new(), producers, consumers);
        shared!(random, nblfq::DynamicQueue::<NonZeroUsize>::new(5).expect("small"), producers, consumers);
        // Some machines lack the exchange of two words.
        if let Ok(queue) = nblfq::wide::Queue::<u64, 8>::new().open() {
            pass!("nblfq::wide", random, vec![queue; producers], vec![queue; consumers], in_order: true);
        }
        // A word of 32 bits has no room for a counter beside an address.
        if usize::BITS == 64 {
            shared!(random, nblfq::Queue::<Token, 16>::new(), producers, consumers);
            shared!(random, nblfq::Queue::<Token, 3, 12>::new(), producers, consumers);
        }
    });
}

/// Tests blocks that are added and freed.
#[test]
fn chains() {
    rounds(5, |random| {
        let (producers, consumers, size) = numbers(random);
        handles!(random, unbounded::with_block_size::<Token>(size), many(producers), many(consumers));
        handles!(random, unbounded::with_block_size::<Token>(1), many(producers), many(consumers));
        shared!(random, unbounded::Queue::<Token>::with_block_size(size).expect("small"), producers, consumers);
        shared!(random, unbounded::Queue::<Token>::new(), producers, consumers);
    });
}

/// A consumer that finds no more items may leave items in capsules that other consumers hold. They are dropped
/// with the queue.
#[test]
fn capsules() {
    fn over<U: tube::Tube>(random: &mut Random) {
        let (producers, consumers, size) = numbers(random);
        let geometry = cnq::Geometry::new(2 * (producers + consumers), size, producers, consumers);
        let queue = cnq::Queue::<Token, U>::with_tube(geometry.expect("a small queue")).expect("a small queue");
        let account = pass!(
            "cnq",
            random,
            (0..producers).map(|_| queue.producer().expect("a handle for each thread")).collect(),
            (0..consumers).map(|_| queue.consumer().expect("a handle for each thread")).collect(),
            in_order: false
        );
        drop(queue);
        assert_none_lives("cnq", &account);
    }
    rounds(5, |random| {
        over::<tube::SequencedRing>(random);
        over::<tube::IndexQueues>(random);
        over::<tube::Blocks>(random);
        over::<tube::FetchAddBlocks>(random);
    });
}

macro_rules! stolen {
    ($random:ident, $order:ident) => {{
        let (_, thieves, size) = numbers($random);
        let geometry = bwos::Geometry::new(2 + $random.below(5), size).expect("a small queue");
        let (mut owner, stealer) = bwos::$order::with_geometry::<Token>(geometry).expect("a small queue");
        let account = Account::new(1);
        thread::scope(|scope| {
            for thief in 0..thieves {
                let (account, stealer) = (&account, stealer.clone());
                scope.spawn(move || {
                    let (mut own, _) = bwos::$order::new::<Token>(64).expect("a small queue");
                    for turn in thief.. {
                        let is_over = account.done.load(Ordering::Acquire) == 1;
                        let mut items = Vec::new();
                        let got = match turn % 4 {
                            0 => stealer.steal().map(|item| items.push(item)),
                            1 => stealer.steal_to_vec(&mut items, 7).map(drop),
                            2 => stealer.steal_granted().map(|item| items.push(item)),
                            _ => stealer
                                .steal_into(&mut own, 7)
                                .map(|_| items.extend(std::iter::from_fn(|| own.pop().ok()))),
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
        account.assert_all_came(stringify!($order));
        drop(stealer);
        assert_none_lives(stringify!($order), &account);
    }};
}

#[test]
fn thieves() {
    rounds(5, |random| {
        stolen!(random, lifo);
        stolen!(random, fifo);
    });
}

/// Tests records of many producers, of which some are cancelled and some forgotten.
macro_rules! whole_records {
    ($random:ident, $make:path, $producers:expr, $consumers:expr) => {{
        let space = Space::new(2 + $random.below(4), 32 + $random.below(400)).expect("a small space");
        let (producer, consumer) = $make(space).expect("a small queue");
        let longest = producer.longest();
        let (producers, consumers) = ($producers(producer), $consumers(consumer));
        let (account, count) = (Account::new(producers.len()), producers.len());
        thread::scope(|scope| {
            for (index, mut producer) in producers.into_iter().enumerate() {
                let (account, mut random) = (&account, Random::new($random.next()));
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
        account.assert_all_came(stringify!($make));
    }};
}

#[test]
fn records_of_all_forms() {
    rounds(5, |random| {
        let (producers, consumers, _) = numbers(random);
        whole_records!(random, records::spsc::new, one, one);
        whole_records!(random, records::mpsc::new, many(producers), one);
        whole_records!(random, records::spmc::new, one, many(consumers));
        whole_records!(random, records::mpmc::new, many(producers), many(consumers));
    });
}
