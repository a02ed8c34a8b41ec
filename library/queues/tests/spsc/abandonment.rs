//! One side is dropped at any moment: the other detects it, no item is lost, none is dropped twice.

use std::num::NonZeroUsize;

use crate::common::{Ending, Kind, Ledger, Number, PopEnd, PushEnd, Random, Setup, Token, Tracked, every_queue};
use aqueduct::queue::{Closed, Len, Pop, Push, PushIter};

fn is_seen_by_either_side<K: Kind<NonZeroUsize>>() {
    let (mut producer, mut consumer) = K::with_capacity(4);
    assert!(!producer.is_closed() && !consumer.is_closed());
    assert!(producer.push(NonZeroUsize::of(5)).is_ok());
    drop(producer);
    assert!(consumer.is_closed() && !consumer.is_empty(), "the pushed item is still there");
    assert_eq!(consumer.pop().map(|item| item.number()), Ok(5));
    assert!(consumer.pop().is_err() && consumer.is_closed());

    let (mut producer, consumer) = K::with_capacity(4);
    drop(consumer);
    assert!(producer.is_closed());
    assert!(producer.push_iter(&mut (1..).map(NonZeroUsize::of)) >= 4, "pushes go on until the queue is full");
    assert!(producer.push(NonZeroUsize::MIN).is_err() && producer.is_closed());
}
every_queue!(seen: is_seen_by_either_side);

/// Items that were pushed before the producer's drop are visible to a consumer that has observed
/// the drop.
fn comes_after_the_last_item<K: Kind<NonZeroUsize>>() {
    let rounds = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 300 } else { 60 };
    for round in 1..=rounds {
        let (mut producer, mut consumer) = K::make(Setup::tight(5)).expect("five items");
        std::thread::scope(|scope| {
            scope.spawn(move || producer.push_iter(&mut (1..=round % 6).map(NonZeroUsize::of)));
            while !consumer.is_closed() {
                std::hint::spin_loop();
            }
            assert!(consumer.drain().map(|item| item.number()).eq(1..=round % 6), "round {round}");
        });
    }
}
every_queue!(last_items: comes_after_the_last_item);

/// Pushes tokens until there is no more, or the other side is gone, or `stop_after` have been
/// pushed.
fn produce<T: Tracked, P: PushEnd<T>>(mut producer: P, mut tokens: impl Iterator<Item = T>, random: &mut Random) {
    let stop_after = random.below(150);
    let mut pushed = 0;
    while pushed < stop_after && !producer.is_closed() {
        let wanted = 1 + random.below(9);
        let mut some = tokens.by_ref().take(wanted);
        let mut added = 0;
        if random.below(2) == 0 || !producer.batch(wanted, Ending::Drop, &mut |batch| added = batch.fill(&mut some)) {
            added = producer.push_iter(&mut some);
        }
        pushed += added.max(usize::from(some.size_hint().1 == Some(0)));
        random.pause();
    }
}

/// Pops until the other side is gone and the queue is empty, or `stop_after` have been popped.
fn consume<T: Tracked, C: PopEnd<T>>(mut consumer: C, random: &mut Random) -> usize {
    let stop_after = random.below(150);
    let mut popped = 0;
    while popped < stop_after {
        let last_look = consumer.is_closed();
        let before = popped;
        let mut check = |item: T| {
            assert_eq!(item.number(), popped, "in order");
            popped += 1;
        };
        let most = 1 + random.below(9);
        let left_open = random.below(9);
        if random.below(2) == 0
            || !consumer.batch(most, Ending::Drop, &mut |batch| {
                (0..left_open).map_while(|_| batch.pop()).for_each(&mut check);
            })
        {
            consumer.drain().take(most).for_each(check);
        }
        if popped == before && last_look && consumer.is_empty() {
            break;
        }
        random.pause();
    }
    popped
}

fn happens_at_any_moment<T: Tracked, K: Kind<T>>() {
    for seed in 0..60 {
        let capacity = [1, 2, 3, 7, 64][seed as usize % 5];
        let (producer, consumer) = K::make(Setup::tight(capacity)).expect("a small queue");
        let made = std::sync::atomic::AtomicUsize::new(0);
        let ledger = Ledger::new(100_000);
        let tokens = std::iter::repeat_with(|| {
            let number = made.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            T::hold(ledger.token(number))
        });
        let popped = std::thread::scope(|scope| {
            let side = scope.spawn(move || consume(consumer, &mut Random::new(2 * seed)));
            produce(producer, tokens, &mut Random::new(2 * seed + 1));
            side.join().expect("the consumer's assertions hold")
        });
        let made = made.into_inner();
        assert!(popped <= made);
        assert_eq!(ledger.dropped(), made, "all that were made are dropped, seed {seed}");
    }
}
every_queue!(any_moment: happens_at_any_moment::<Box<Token>>);
