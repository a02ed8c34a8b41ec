//! Each queue gives every item to one thread, in its order, while thieves are at it.

use std::sync::atomic::{AtomicBool, Ordering};

use aqueduct::bwos::Steal;
use aqueduct::bwos::policy::Victim;

use super::super::kind::{drain, item, sum_to};
use super::*;

/// Items that the owner pushes.
const ITEMS: u64 = 200_000;

/// Two thieves take items, one singly and one up to four at a time, while the owner pushes one or
/// more and pops one.
fn steals<K: Kind>() {
    let (mut owner, thief) = K::open(8.into()).expect("a small queue");
    let over = &AtomicBool::new(false);
    let rob = |batch: usize| {
        let mut thief = thief.another();
        move || {
            let (mut items, mut count, mut sum) = (vec![Item::MIN; batch], 0, 0_u64);
            while !over.load(Ordering::Relaxed) {
                let got = match batch {
                    1 => thief.steal_one().map_or(0, |item| {
                        items[0] = item;
                        1
                    }),
                    _ => thief.steal_batch(&mut items),
                };
                count += got as u64;
                sum = items[..got].iter().fold(sum, |sum, item| sum.wrapping_add(item.get()));
            }
            (count, sum)
        }
    };
    let (came, sum) = std::thread::scope(|scope| {
        let batch = if K::BATCHES { 4 } else { 1 };
        let thieves = [scope.spawn(rob(1)), scope.spawn(rob(batch))];
        let (mut pushed, mut popped, mut sum) = (0, 0, 0_u64);
        while pushed < ITEMS {
            for _ in 0..=pushed % 5 {
                pushed += u64::from(owner.push(item(pushed + 1)));
            }
            if let Some(item) = owner.pop() {
                (popped, sum) = (popped + 1, sum.wrapping_add(item.get()));
            }
        }
        over.store(true, Ordering::Relaxed);
        let stolen = thieves.map(|thief| thief.join().expect("a thief does not panic"));
        let (left, of_left) = drain(&mut owner);
        let last = (popped + left, sum.wrapping_add(of_left), pushed);
        let all = stolen.into_iter().fold((last.0, last.1), |all, one| (all.0 + one.0, all.1.wrapping_add(one.1)));
        assert_eq!(all, (last.2, sum_to(last.2)), "{}", K::NAME);
        all
    });
    assert!(came >= ITEMS && sum > 0);
}

#[test]
fn every_item_goes_to_one_thread() {
    steals::<Growing>();
    steals::<Bounded>();
    steals::<Tokio>();
    steals::<Go>();
    steals::<GoNext>();
    steals::<Bbq>();
}

#[test]
fn each_holds_what_it_says_and_gives_thieves_the_oldest() {
    fn check<K: Kind>(most: Option<u64>) {
        let (mut owner, mut thief) = K::open(8.into()).expect("a small queue");
        assert_eq!((owner.pop(), thief.steal_one(), thief.steal_granted()), (None, None, Steal::Empty));
        let pushed = (1..=100).take_while(|&number| owner.push(item(number))).count() as u64;
        assert_eq!(pushed, most.unwrap_or(100), "{}", K::NAME);
        let estimate = if K::ESTIMATES { pushed as usize } else { 0 };
        assert_eq!(thief.granted(0), estimate, "{}", K::NAME);
        assert_eq!(thief.steal_one(), Some(item(1)), "{}", K::NAME);
        let own = if K::NEWEST_FIRST { pushed } else { 2 };
        assert_eq!(owner.pop(), Some(item(own)), "{}", K::NAME);
        if K::BATCHES {
            let mut items = [Item::MIN; 8];
            // Of the six or seven that are left, those in Go's ring count.
            let first = if K::NEWEST_FIRST { 2 } else { 3 };
            let got = thief.steal_batch(&mut items);
            assert_eq!(&items[..got], [0, 1, 2, 3].map(|number| item(first + number)).split_at(got).0, "{}", K::NAME);
            assert!((3..=4).contains(&got), "half: {got}");
        }
    }
    check::<Growing>(None);
    check::<Bounded>(Some(8));
    check::<Tokio>(Some(8));
    check::<Go>(Some(8));
    check::<GoNext>(Some(9));
    check::<Bbq>(Some(8));
}

#[test]
fn more_items_than_are_possible_are_refused() {
    let refused = Tokio::open((MOST_ITEMS + 1).into()).err().expect("it is too large");
    assert!(refused.contains(&format!("up to {MOST_ITEMS}")), "{refused}");
}
