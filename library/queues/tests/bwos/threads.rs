//! Threads at work: no item is lost, and none is taken twice.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use aqueduct::bwos::Steal;

use crate::common::{Dice, Form, Owns, SHAPES, Steals, both};
use aqueduct::queue::{Pop, Push};

const ITEMS: u64 = if cfg!(miri) { 300 } else { 60_000 };

fn every_item_comes_once<F: Form<Box<u64>>>() {
    for (blocks, size) in SHAPES {
        let (mut owner, stealer) = F::starting_at(blocks, size, usize::MAX - 1);
        let done = &AtomicBool::new(false);
        let thief = |stealer: F::Stealer, batch: bool| {
            let mut came = Vec::new();
            loop {
                let finished = done.load(Ordering::Acquire);
                let stolen = match batch {
                    true => stealer.steal_to_vec(&mut came, size),
                    false => stealer.steal().map(|item| came.push(item)).map(|()| 1),
                };
                match stolen {
                    Steal::Empty if finished => return came,
                    Steal::Success(_) => {}
                    Steal::Empty | Steal::Retry => thread::yield_now(),
                }
            }
        };
        let mut all: Vec<u64> = thread::scope(|scope| {
            let thieves = [(stealer.clone(), false), (stealer, true)];
            let thieves = thieves.map(|(stealer, batch)| scope.spawn(move || thief(stealer, batch)));
            let (mut dice, mut came, mut next) = (Dice(7), Vec::new(), 0);
            while next < ITEMS {
                for _ in 0..=dice.below(2 * blocks * size) {
                    match owner.push(Box::new(next)) {
                        Ok(()) => next += 1,
                        Err(_) => break,
                    }
                }
                came.extend((0..dice.below(2 * blocks * size)).map_while(|_| owner.pop().ok()));
            }
            came.extend(std::iter::from_fn(|| owner.pop().ok()));
            drop(owner);
            done.store(true, Ordering::Release);
            came.extend(thieves.into_iter().flat_map(|thief| thief.join().expect("a thief does not panic")));
            came.into_iter().map(|item| *item).collect()
        });
        all.sort_unstable();
        assert_eq!(
            all.len() as u64,
            all.last().map_or(0, |last| last + 1),
            "{blocks}x{size}: some were lost, or came twice"
        );
        assert!(all.iter().copied().eq(0..all.len() as u64));
    }
}
both!(once: every_item_comes_once);

/// Owners that steal from each other straight into their own queues.
fn a_pool_balances_itself<F: Form<u64>>() {
    let (mut first, from_first) = F::make(8, 16);
    let (mut second, from_second) = F::make(8, 16);
    let count = first.fill(0..100) as u64;
    let sums = thread::scope(|scope| {
        let work = |owner: &mut F::Owner, victim: &F::Stealer| {
            let (mut sum, mut done, mut idle) = (0, 0, 0);
            while idle < 10_000 {
                if let Ok(item) = owner.pop() {
                    (sum, done, idle) = (sum + item, done + 1, 0);
                } else if !matches!(victim.steal_into(owner, 8), Steal::Success(1..)) {
                    idle += 1;
                    thread::yield_now();
                }
            }
            (sum, done)
        };
        let other = scope.spawn(move || work(&mut second, &from_first));
        let one = work(&mut first, &from_second);
        let other = other.join().expect("it does not panic");
        (one.0 + other.0, one.1 + other.1)
    });
    assert_eq!(sums, ((0..count).sum(), count));
}
both!(pool: a_pool_balances_itself);
