//! Sides that leave: the other one gets all items and then observes it, no side observes it too
//! early, and no wake is lost.

use std::mem::ManuallyDrop;
use std::sync::atomic::Ordering::Relaxed;

use super::WAS_KILLED;
use super::kinds::{Items, Kind, TIME, Words, unless_empty};
use super::many::Many;
use super::mpmc::Mpmc;
use super::overwritten::Overwritten;
use crate::library::{Peer, mpsc};
use aqueduct_model::thread;

/// A queue of numbers whose producers may leave.
pub(crate) trait Leaves: 'static {
    type Producer: 'static;
    type Consumer: 'static;
    fn words() -> usize;
    /// Makes this number of producers, and a consumer.
    fn make(words: Words, producers: usize) -> (Vec<Self::Producer>, Self::Consumer);
    fn push(producer: &mut Self::Producer, number: u64);
    fn pop(consumer: &mut Self::Consumer) -> Option<u64>;
    fn sleep(consumer: &mut Self::Consumer);
    fn arm(consumer: &mut Self::Consumer) -> bool;
    fn peer(consumer: &Self::Consumer) -> Peer;
}

/// A queue of one producer and one consumer.
pub(crate) struct OfOne<K>(K);

impl<K: Kind> Leaves for OfOne<K> {
    type Producer = K::Producer;
    type Consumer = K::Consumer;

    fn words() -> usize {
        K::words()
    }

    fn make(words: Words, producers: usize) -> (Vec<K::Producer>, K::Consumer) {
        assert_eq!(producers, 1);
        let queue = K::create(words);
        (Vec::from_iter(K::producer(&queue, false)), K::consumer(&queue, false).expect("free"))
    }

    fn push(producer: &mut K::Producer, number: u64) {
        assert!(K::push(producer, number), "there is room for all");
    }

    fn pop(consumer: &mut K::Consumer) -> Option<u64> {
        K::pop(consumer)
    }

    fn sleep(consumer: &mut K::Consumer) {
        K::sleep_unless_left(consumer);
    }

    fn arm(consumer: &mut K::Consumer) -> bool {
        K::arm_consumer(consumer)
    }

    fn peer(consumer: &K::Consumer) -> Peer {
        K::peer(consumer)
    }
}

/// A queue of many producers and consumers.
pub(crate) struct OfMany<M>(M);

impl<M: Many> Leaves for OfMany<M> {
    type Producer = M::Producer;
    type Consumer = M::Consumer;

    fn words() -> usize {
        M::words([2, 1], 2)
    }

    fn make(words: Words, producers: usize) -> (Vec<M::Producer>, M::Consumer) {
        let queue = M::create(words, [2, 1], 2);
        ((0..producers).map(|_| M::producer(&queue)).collect(), M::consumer(&queue))
    }

    fn push(producer: &mut M::Producer, number: u64) {
        assert!(M::push(producer, number), "there is room for all");
    }

    fn pop(consumer: &mut M::Consumer) -> Option<u64> {
        M::pop(consumer)
    }

    fn sleep(consumer: &mut M::Consumer) {
        M::sleep_unless_left(consumer);
    }

    fn arm(consumer: &mut M::Consumer) -> bool {
        M::arm_consumer(consumer)
    }

    fn peer(consumer: &M::Consumer) -> Peer {
        M::peer(consumer)
    }
}

/// A queue that overwrites the oldest numbers.
pub(crate) struct Read<K>(K);

impl<K: Overwritten> Leaves for Read<K> {
    type Producer = K::Producer;
    type Consumer = K::Reader;

    fn words() -> usize {
        K::words()
    }

    fn make(words: Words, producers: usize) -> (Vec<K::Producer>, K::Reader) {
        let queue = K::create(words);
        ((0..producers).map(|_| K::producer(&queue)).collect(), K::reader(&queue))
    }

    fn push(producer: &mut K::Producer, number: u64) {
        K::push(producer, number);
    }

    fn pop(consumer: &mut K::Reader) -> Option<u64> {
        K::read(consumer)
    }

    fn sleep(consumer: &mut K::Reader) {
        K::sleep_unless_left(consumer);
    }

    fn arm(consumer: &mut K::Reader) -> bool {
        K::arm(consumer)
    }

    fn peer(consumer: &K::Reader) -> Peer {
        K::peer(consumer)
    }
}

/// A lane for each producer.
pub(crate) struct Lanes;

impl Leaves for Lanes {
    type Producer = mpsc::Producer<u64, Words, Words>;
    type Consumer = mpsc::Consumer<u64, Words, Words>;

    fn words() -> usize {
        Items::<1>::words()
    }

    fn make(words: Words, producers: usize) -> (Vec<Self::Producer>, Self::Consumer) {
        let lanes: Vec<_> = (0..producers).map(|_| Items::<1>::create(words.beside(Self::words()))).collect();
        let consumer = mpsc::Consumer::new(lanes.iter().map(|lane| lane.consumer().expect("free")), words.clone());
        let producer = |lane| Items::<1>::producer(lane, false).expect("free");
        (lanes.iter().map(|lane| mpsc::Producer::new(producer(lane), words.clone())).collect(), consumer)
    }

    fn push(producer: &mut Self::Producer, number: u64) {
        assert!(producer.push(number).is_ok(), "there is room for all");
    }

    fn pop(consumer: &mut Self::Consumer) -> Option<u64> {
        unless_empty(consumer.pop())
    }

    fn sleep(consumer: &mut Self::Consumer) {
        consumer.wait_unless_left(TIME);
    }

    fn arm(consumer: &mut Self::Consumer) -> bool {
        consumer.arm()
    }

    fn peer(consumer: &Self::Consumer) -> Peer {
        consumer.peer()
    }
}

/// Way in which a consumer waits for producers that leave.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    Asleep,
    ForTheEvent,
}

/// A producer that pushes a number, does not wake, and leaves. The consumer gets the number, and
/// then observes that it has left.
pub(super) fn producer_leaves<L: Leaves>(how: How) {
    let words = Words::new(L::words());
    let (mut producers, mut consumer) = L::make(words.clone(), 1);
    let mut producer = producers.pop().expect("one");
    let pushing = thread::spawn(move || L::push(&mut producer, 7));
    let mut numbers = Vec::new();
    loop {
        words.clear_event(0);
        let waits = how == How::Asleep || L::arm(&mut consumer);
        let peer = L::peer(&consumer);
        if let Some(number) = L::pop(&mut consumer) {
            numbers.push(number);
            continue;
        }
        if peer == Peer::Left {
            break;
        }
        match how {
            How::Asleep => L::sleep(&mut consumer),
            How::ForTheEvent if waits => words.await_event(0),
            How::ForTheEvent => {}
        }
    }
    assert_eq!(numbers, [7]);
    pushing.join().unwrap();
}

/// Two producers push a number each and leave. If the consumer observes that all have left, both
/// numbers are in the queue.
pub(super) fn both_leave<L: Leaves>() {
    let (producers, mut consumer) = L::make(Words::new(L::words()), 2);
    let threads: Vec<_> = (0..)
        .zip(producers)
        .map(|(which, mut producer)| thread::spawn(move || L::push(&mut producer, 10 * which)))
        .collect();
    let has_left = L::peer(&consumer) == Peer::Left;
    let count = (0..2).filter(|_| L::pop(&mut consumer).is_some()).count();
    assert!(!has_left || count == 2, "{count}");
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(L::peer(&consumer), Peer::Left);
}

/// Two producers leave while a consumer sleeps.
pub(super) fn both_leave_a_sleeper<L: Leaves>() {
    let (producers, mut consumer) = L::make(Words::new(L::words()), 2);
    let threads: Vec<_> = producers.into_iter().map(|producer| thread::spawn(move || drop(producer))).collect();
    while L::peer(&consumer) != Peer::Left {
        L::sleep(&mut consumer);
    }
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// A consumer leaves while the producer waits for room.
pub(super) fn consumer_leaves<K: Kind>() {
    let queue = K::create(Words::new(K::words()));
    let mut producer = K::producer(&queue, false).expect("free");
    while K::push(&mut producer, 0) {}
    let consumer = K::consumer(&queue, false).expect("free");
    let leaving = thread::spawn(move || drop(consumer));
    while K::peer_of_producer(&producer) != Peer::Left {
        K::producer_sleeps_unless_left(&mut producer);
    }
    leaving.join().unwrap();
}

/// The consumer of many leaves while a producer waits for room.
pub(super) fn consumer_of_many_leaves<M: Many>() {
    let queue = M::create(Words::new(M::words([1, 1], M::FEWEST)), [1, 1], M::FEWEST);
    let (mut producer, consumer) = (M::producer(&queue), M::consumer(&queue));
    while M::push(&mut producer, 0) {}
    let leaving = thread::spawn(move || drop(consumer));
    while M::peer_of_producer(&producer) != Peer::Left {
        M::producer_sleeps_unless_left(&mut producer);
    }
    leaving.join().unwrap();
}

/// A thread replaces its producer `turns` times: it takes the other place before it leaves its own.
/// So there is always a producer, and the consumer never observes that all have left.
pub(super) fn producers_take_turns(turns: usize) {
    let queue = super::many::queue::<Mpmc>([2, 1], 1);
    let (first, mut last) = (Mpmc::producer(&queue), Mpmc::producer(&queue));
    drop(first);
    let consumer = Mpmc::consumer(&queue);
    let working = thread::spawn(move || {
        for _ in 0..turns {
            last = Mpmc::producer(&queue);
        }
        last
    });
    assert_ne!(Mpmc::peer(&consumer), Peer::Left, "one is there");
    drop(working.join().unwrap());
    assert_eq!(Mpmc::peer(&consumer), Peer::Left);
}

/// A producer that is killed while it pushes or leaves. If it has left, all its numbers are in the
/// queue.
pub(crate) fn leaver_is_killed<L: Leaves>() {
    let (mut producers, mut consumer) = L::make(Words::new(L::words()), 1);
    let mut producer = ManuallyDrop::new(producers.pop().expect("one"));
    let leaving = thread::spawn(move || {
        L::push(&mut producer, 0);
        drop(ManuallyDrop::into_inner(producer));
    });
    let was_killed = leaving.join().is_err();
    if was_killed {
        WAS_KILLED.store(true, Relaxed);
    }
    let peer = L::peer(&consumer);
    let number = L::pop(&mut consumer);
    assert!(peer == Peer::Left && number == Some(0) || peer == Peer::Unknown && was_killed, "{peer:?}, {number:?}");
    if peer == Peer::Left {
        // The consumer does not wait for a producer that has left.
        L::sleep(&mut consumer);
    }
}
