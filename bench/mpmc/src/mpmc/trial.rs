//! A check of each queue before it is measured.

use std::sync::atomic::{AtomicU64, Ordering};

use super::kind::{Item, Kind, Receiver, Sender};
use aqueduct_measure::rounds::Threads;

/// Items of each producer.
const EACH: u64 = 20_000;

/// Returns the producer's number and the item's, which is never 0.
fn item(producer: usize, number: u64) -> Item {
    Item::new((producer as u64) << 32 | number).expect("numbers start with 1")
}

/// Checks that a consumer gets every producer's numbers in order. Returns how many, and their sum.
fn consume(mut receiver: impl Receiver, producers: usize, left: &AtomicU64) -> (u64, u64) {
    let (mut last, mut count, mut sum) = (vec![0; producers], 0, 0);
    while left.load(Ordering::Relaxed) > 0 {
        let Some(item) = receiver.pop() else {
            std::thread::yield_now();
            continue;
        };
        let (producer, number) = ((item.get() >> 32) as usize, item.get() & u64::from(u32::MAX));
        assert!(number > last[producer], "{number} after {} of producer {producer}", last[producer]);
        last[producer] = number;
        left.fetch_sub(1, Ordering::Relaxed);
        (count, sum) = (count + 1, sum + number);
    }
    (count, sum)
}

/// Checks that every item comes once, and each producer's in order, with one and two threads on
/// either side.
///
/// Numbers of threads that the kind does not take are left out.
pub(crate) fn exchanges<K: Kind>() {
    let all = [Threads::PAIR, Threads::new(2, 1), Threads::new(1, 2), Threads::new(2, 2)];
    let is_served =
        |threads: &Threads| threads.producers <= K::MOST_PRODUCERS && threads.consumers <= K::MOST_CONSUMERS;
    all.into_iter().filter(is_served).for_each(exchange::<K>);
}

fn exchange<K: Kind>(threads: Threads) {
    let (senders, receivers) = K::open(16, threads).expect("a small queue");
    let producers = threads.producers;
    let left = &AtomicU64::new(EACH * producers as u64);
    let totals: Vec<(u64, u64)> = std::thread::scope(|scope| {
        for (producer, mut sender) in senders.into_iter().enumerate() {
            scope.spawn(move || {
                for number in 1..=EACH {
                    while !sender.push(item(producer, number)) {
                        std::thread::yield_now();
                    }
                }
            });
        }
        let consumers: Vec<_> =
            receivers.into_iter().map(|receiver| scope.spawn(move || consume(receiver, producers, left))).collect();
        consumers.into_iter().map(|consumer| consumer.join().expect("items in order")).collect()
    });
    assert_eq!(totals.iter().map(|total| total.0).sum::<u64>(), EACH * producers as u64);
    assert_eq!(totals.iter().map(|total| total.1).sum::<u64>(), EACH * (EACH + 1) / 2 * producers as u64);
}

/// Fills the queue and empties it, several laps, and returns how many items it held each time.
pub(crate) fn laps<K: Kind>(capacity: usize) -> Vec<u64> {
    let (mut senders, mut receivers) = K::open(capacity, Threads::PAIR).expect("a small queue");
    let (sender, receiver) = (&mut senders[0], &mut receivers[0]);
    let lap = |_| {
        let held = (1..).take_while(|&number| sender.push(item(0, number))).last().unwrap_or(0);
        assert!((1..=held).all(|number| receiver.pop() == Some(item(0, number))), "in order");
        assert_eq!(receiver.pop(), None);
        held
    };
    (0..7).map(lap).collect()
}
