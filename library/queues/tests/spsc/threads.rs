//! Two threads: every item arrives once and in order, whatever the two sides do.

use std::num::NonZeroUsize;

use crate::common::{Ending, Kind, Number, PopEnd, PushEnd, Random, Setup, SliceKind, every_queue};
use aqueduct::queue::{Closed, Len, Pop, PopSlice, Push, PushSlice};

type Item = NonZeroUsize;

/// Pushes numbers 1 to `last` in random ways.
fn produce<P: PushEnd<Item> + PushSlice>(producer: &mut P, last: u64, random: &mut Random) {
    let mut next = 1;
    while next <= last {
        let most = (1 + random.below(40) as u64).min(last + 1 - next);
        let mut items = (next..next + most).map(Item::of);
        let pushed = match random.below(4) {
            0 => usize::from(producer.push(Item::of(next)).is_ok()),
            1 => producer.push_iter(&mut items),
            2 => producer.push_slice(&items.collect::<Vec<_>>()),
            _ => {
                let mut added = 0;
                producer.batch(most as usize, Ending::Drop, &mut |batch| added = batch.fill(&mut items));
                added
            }
        };
        next += pushed as u64;
        random.pause();
        if pushed == 0 {
            std::thread::yield_now();
        }
    }
}

/// Pops in random ways until the producer is gone, and passes every number to `check`.
fn consume<C: PopEnd<Item> + PopSlice>(consumer: &mut C, random: &mut Random, mut check: impl FnMut(u64)) {
    let mut slice = [Item::MAX; 40];
    loop {
        // `is_closed` comes before the pop: items that were pushed before the producer went are
        // then visible.
        let last_look = consumer.is_closed();
        let most = 1 + random.below(40);
        let mut popped = 0;
        let mut took = |item: Item| {
            check(item.number());
            popped += 1;
        };
        match random.below(5) {
            0 => consumer.pop().into_iter().for_each(took),
            1 => consumer.drain().take(most).for_each(took),
            2 => {
                let count = consumer.pop_slice(&mut slice[..most]);
                slice[..count].iter().copied().for_each(took);
            }
            3 => consumer.fold_batch(most).into_iter().flatten().for_each(took),
            _ => {
                consumer.batch(most, Ending::Say, &mut |batch| {
                    // It leaves the batch before its end now and then.
                    (0..random.below(60)).map_while(|_| batch.pop()).for_each(&mut took);
                });
            }
        }
        if last_look && consumer.is_empty() {
            assert!(consumer.pop().is_err(), "is_empty, and an item came");
            return;
        }
        random.pause();
        if popped == 0 {
            std::thread::yield_now();
        }
    }
}

fn stream<K: SliceKind<Item>>(setup: Setup, items: u64, seed: u64) {
    let (mut producer, mut consumer) = K::make(setup).expect("a small queue");
    let (mut count, mut sum) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(move || produce(&mut producer, items, &mut Random::new(2 * seed)));
        consume(&mut consumer, &mut Random::new(2 * seed + 1), |number| {
            count += 1;
            sum += number;
            assert_eq!(number, count, "{setup:?}");
        });
    });
    assert_eq!((count, sum), (items, items * (items + 1) / 2), "{setup:?}");
}

fn all_arrives_in_order<K: SliceKind<Item>>() {
    for (seed, (capacity, items)) in
        [(1, 15_000), (2, 20_000), (3, 25_000), (7, 50_000), (64, 100_000)].into_iter().enumerate()
    {
        stream::<K>(Setup::plain(capacity), items, seed as u64);
        stream::<K>(Setup { index: usize::MAX - 9_999, ..Setup::tight(capacity) }, items, seed as u64 + 100);
    }
}
every_queue!(order: all_arrives_in_order);

/// One item goes back and forth: neither side may wait for a slot or an item that it cannot see.
fn ping_pong<K: Kind<Item>>() {
    let (mut request, mut requests) = K::make(Setup::tight(1)).expect("one item");
    let (mut reply, mut replies) = K::make(Setup::tight(1)).expect("one item");
    let rounds = 5_000;
    let wait = |consumer: &mut K::Consumer| {
        loop {
            match consumer.pop() {
                Ok(item) => break item,
                Err(_) => std::thread::yield_now(),
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for _ in 0..rounds {
                reply.push(wait(&mut requests)).expect("one in flight");
            }
        });
        for round in 1..=rounds {
            request.push(Item::of(round)).expect("one in flight");
            assert_eq!(wait(&mut replies).number(), round);
        }
    });
}
every_queue!(there_and_back: ping_pong);

/// A consumer that waits until a whole batch has come gets it: `available` never gets stuck below.
fn waiting_for_a_batch_ends<K: SliceKind<Item>>() {
    let (mut producer, mut consumer) = K::make(Setup::tight(16)).expect("sixteen items");
    if consumer.available(1).is_none() {
        return;
    }
    std::thread::scope(|scope| {
        scope.spawn(move || produce(&mut producer, 8 * 2_000, &mut Random::new(5)));
        for round in 0..2_000 {
            while consumer.available(8).is_some_and(|available| available < 8) {
                std::thread::yield_now();
            }
            let items = consumer.fold_batch(8).into_iter().flatten().map(Item::get);
            assert!(items.eq(8 * round + 1..8 * round + 9), "round {round}");
        }
    });
}
every_queue!(waiting: waiting_for_a_batch_ends);

/// The lengths that each side sees while the other is at work stay within what the queue can hold.
fn lengths_stay_in_bounds<K: Kind<Item>>() {
    let setup = Setup::tight(7);
    let most = setup.capacity + K::surplus(setup);
    let (mut producer, consumer) = K::make(setup).expect("seven items");
    std::thread::scope(|scope| {
        // A panic drops it here, so that the producer does not wait forever.
        let mut consumer = consumer;
        scope.spawn(move || {
            for number in 1..=20_000 {
                while producer.push(Item::of(number)).is_err() {
                    if producer.is_closed() {
                        return;
                    }
                    std::thread::yield_now();
                }
                assert!(producer.len() <= most, "{} of {most}", producer.len());
            }
        });
        for number in 1..=20_000 {
            while consumer.is_empty() {
                std::thread::yield_now();
            }
            let len = consumer.len();
            assert!((1..=most).contains(&len), "{len} of {most}");
            assert_eq!(consumer.pop().map(Item::get), Ok(number), "not empty, so a pop succeeds");
        }
    });
}
every_queue!(lengths: lengths_stay_in_bounds);
