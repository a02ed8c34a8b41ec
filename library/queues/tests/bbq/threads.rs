//! Many threads: each consumer gets each producer's items in order, none is lost, none is popped
//! twice.

use std::sync::atomic::{AtomicUsize, Ordering};

use aqueduct::bbq::Geometry;
use aqueduct::error::PopError;

use crate::common::{Form, LAST_LAP, Ledger, PopEnd, PushEnd, Random, SliceForm, Token, Tracked, every_form, geometry};
use aqueduct::queue::{Pop, PopSlice, Push, PushSlice};

/// Item number `number` of a producer.
fn item(producer: usize, number: usize) -> u64 {
    ((producer as u64) << 32) | number as u64
}

/// Pushes a producer's items, one by one and in slices.
fn produce(handle: &mut (impl PushEnd<u64> + PushSlice), producer: usize, items: usize, random: &mut Random) {
    let mut next = 0;
    while next < items {
        let pushed = match random.below(2) {
            0 => usize::from(handle.push(item(producer, next)).is_ok()),
            _ => {
                let most = (1 + random.below(20)).min(items - next);
                handle.push_slice(&(next..next + most).map(|number| item(producer, number)).collect::<Vec<_>>())
            }
        };
        next += pushed;
        random.pause();
        if pushed == 0 {
            std::thread::yield_now();
        }
    }
}

/// Pops in all ways until no producer is at work and nothing is left; returns the popped items.
fn consume(handle: &mut (impl PopEnd<u64> + PopSlice), at_work: &AtomicUsize, random: &mut Random) -> Vec<u64> {
    let (mut all, mut slice) = (Vec::new(), [u64::MAX; 20]);
    loop {
        // Read before the pops: an item pushed before the last producer was done is visible to a
        // pop after this.
        let last_look = at_work.load(Ordering::Acquire) == 0;
        let most = 1 + random.below(slice.len());
        let before = all.len();
        match random.below(3) {
            0 => all.extend(handle.pop()),
            1 => all.extend(handle.drain().take(most)),
            _ => {
                let count = handle.pop_slice(&mut slice[..most]);
                all.extend_from_slice(&slice[..count]);
            }
        }
        random.pause();
        if all.len() == before {
            match handle.pop() {
                Ok(item) => all.push(item),
                Err(PopError::Empty) if last_look => return all,
                Err(error) => assert!(!last_look, "{error:?}, and nobody pushes"),
            }
            std::thread::yield_now();
        }
    }
}

/// Asserts that the consumers got what the producers sent.
fn check(got: Vec<Vec<u64>>, producers: usize, items: usize) {
    for here in &got {
        let mut next = vec![0; producers];
        for &item in here {
            let (producer, number) = ((item >> 32) as usize, item as u32);
            assert!(number >= next[producer], "number {number} of producer {producer} came after {}", next[producer]);
            next[producer] = number + 1;
        }
    }
    let mut all = got.concat();
    all.sort_unstable();
    let sent = (0..producers).flat_map(|producer| (0..items).map(move |number| item(producer, number)));
    assert!(all.iter().copied().eq(sent), "{} of {} items came, or one came twice", all.len(), producers * items);
}

/// `count` handles of a side, or as many as it can have.
fn handles<H>(first: H, count: usize, another: impl Fn(&H) -> Option<H>) -> Vec<H> {
    let mut handles: Vec<_> = (1..count).map_while(|_| another(&first)).collect();
    handles.push(first);
    handles
}

fn stress<F: SliceForm<u64>>(queue: (F::Producer, F::Consumer), (producers, consumers): (usize, usize), items: usize) {
    let producers = handles(queue.0, producers, PushEnd::another);
    let consumers = handles(queue.1, consumers, PopEnd::another);
    let count = producers.len();
    let items = items / count;
    let at_work = &AtomicUsize::new(count);
    let got = std::thread::scope(|scope| {
        for (number, mut producer) in producers.into_iter().enumerate() {
            scope.spawn(move || {
                produce(&mut producer, number, items, &mut Random::new(number as u64));
                at_work.fetch_sub(1, Ordering::Release);
            });
        }
        let consuming = consumers.into_iter().enumerate().map(|(number, mut consumer)| {
            scope.spawn(move || consume(&mut consumer, at_work, &mut Random::new(100 + number as u64)))
        });
        let consuming: Vec<_> = consuming.collect();
        consuming.into_iter().map(|consumer| consumer.join().expect("popped")).collect()
    });
    check(got, count, items);
}

/// Threads on either side. A side that is of one has one.
const THREADS: [(usize, usize); 5] = [(1, 1), (2, 2), (4, 1), (1, 4), (4, 3)];

fn in_geometry<F: SliceForm<u64>>(geometry: Geometry, items: usize) {
    for (lap, threads) in THREADS.into_iter().enumerate() {
        // Lap numbers wrap sooner or later.
        stress::<F>(F::starting_at(geometry, LAST_LAP - lap * 10).expect("a small queue"), threads, items);
    }
}

fn two_of_one<F: SliceForm<u64>>() {
    in_geometry::<F>(geometry(2, 1), 5_000);
}
every_form!(least: two_of_one);

fn two_of_two<F: SliceForm<u64>>() {
    in_geometry::<F>(geometry(2, 2), 8_000);
}
every_form!(small: two_of_two);

fn three_of_seven<F: SliceForm<u64>>() {
    in_geometry::<F>(geometry(3, 7), 20_000);
}
every_form!(seven: three_of_seven);

fn default_geometries<F: SliceForm<u64>>() {
    for (capacity, threads) in [(10, (2, 2)), (100, (1, 1)), (100, (3, 2)), (1000, (2, 4)), (5000, (1, 1))] {
        stress::<F>(F::new(capacity).expect("a small queue"), threads, 20_000);
    }
}
every_form!(default: default_geometries);

/// Producers push their items and are dropped; a consumer that observes that the last one is gone
/// finds all items that are left.
fn producers_go<F: SliceForm<u64>>() {
    for round in 0..60 {
        let (producer, mut consumer) = F::divided(geometry(2, 1 + round % 5)).expect("a small queue");
        if consumer.is_closed().is_none() {
            return;
        }
        let producers = handles(producer, 1 + round % 3, PushEnd::another);
        let (count, items) = (producers.len(), 20 + round);
        let got = std::thread::scope(|scope| {
            for (number, mut producer) in producers.into_iter().enumerate() {
                scope.spawn(move || produce(&mut producer, number, items, &mut Random::new(round as u64)));
            }
            let mut got = Vec::new();
            loop {
                // Read before the pops: an item pushed before the producer was dropped is visible
                // to a pop after this.
                let last_look = consumer.is_closed() == Some(true);
                let before = got.len();
                got.extend(consumer.drain());
                if last_look {
                    break got;
                }
                if before == got.len() {
                    std::thread::yield_now();
                }
            }
        });
        check(vec![got], count, items);
    }
}
every_form!(producers_go: producers_go);

/// Consumers take a few items and are dropped; the producers then find the queue full and are
/// dropped, too. Nothing is dropped twice or forgotten.
fn consumers_go<T: Tracked, F: Form<T>>() {
    for round in 0..40 {
        let (producer, consumer) = F::divided(geometry(2 + round % 2, 1 + round % 5)).expect("a small queue");
        if consumer.is_closed().is_none() {
            return;
        }
        let producers = handles(producer, 1 + round % 3, PushEnd::another);
        let consumers = handles(consumer, 1 + round / 2 % 3, PopEnd::another);
        let (taken, most) = (AtomicUsize::new(0), 10 * consumers.len());
        let ledger = Ledger::new(1000 * producers.len());
        std::thread::scope(|scope| {
            for (number, mut producer) in producers.into_iter().enumerate() {
                let ledger = &ledger;
                scope.spawn(move || {
                    for token in 1000 * number..1000 * (number + 1) {
                        let mut token = T::hold(ledger.token(token));
                        // When nobody takes them any more they go into the queue as long as there
                        // is room.
                        while let Err(back) = producer.push(token) {
                            token = back.into_inner();
                            if producer.is_closed() == Some(true) {
                                break;
                            }
                            std::thread::yield_now();
                        }
                    }
                });
            }
            for mut consumer in consumers {
                let taken = &taken;
                scope.spawn(move || {
                    for _ in 0..10 {
                        while consumer.pop().map(drop).is_err() {
                            std::thread::yield_now();
                        }
                        taken.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(taken.into_inner(), most);
        ledger.assert_all_dropped_once();
    }
}
every_form!(consumers_go: consumers_go::<Token>);

/// One item in flight, back and forth: neither side may wait for room or an item that it cannot
/// see.
fn there_and_back<F: Form<u64>>() {
    let (mut request, mut requests) = F::new(1).expect("a small queue");
    let (mut reply, mut replies) = F::new(1).expect("a small queue");
    let rounds = 2_000;
    fn wait(consumer: &mut impl PopEnd<u64>) -> u64 {
        loop {
            match consumer.pop() {
                Ok(item) => break item,
                Err(_) => std::thread::yield_now(),
            }
        }
    }
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for _ in 0..rounds {
                reply.push(wait(&mut requests)).expect("one in flight");
            }
        });
        for round in 0..rounds {
            request.push(round).expect("one in flight");
            assert_eq!(wait(&mut replies), round);
        }
    });
}
every_form!(there_and_back: there_and_back);
