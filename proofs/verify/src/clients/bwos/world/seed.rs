//! The client of J. Wang's thesis (TU Dresden, 2024, Fig. 4.8).
//!
//! Items are powers of two, and the items that went in are those that came out.

use std::num::NonZeroU64;

use super::super::library::bwos::Steal;
use super::{Form, Owns, Shape, Steals, add, add_big};
use crate::clients::Client;
use aqueduct_model::thread;

/// A thief's calls.
#[derive(Clone, Copy)]
enum Theft {
    /// Steals an item, this number of times.
    Single(usize),
    /// Steals as much of a block at once.
    Batch(usize),
    /// Steals as much of a block at once into a queue of its own.
    Into(usize),
    /// Moves half of what can be stolen into a queue of its own, over several blocks.
    Half,
    /// Reads the number of items in each block.
    Looks,
}

/// Steals, and tries again if another thread was faster. Returns the sum of the stolen numbers.
///
/// A thief that sends requests gets `Retry` for as long as the owner does not answer; two attempts
/// are enough to seize.
fn steal<F: Form<Item = NonZeroU64>>(stealer: &F::Stealer, asks: bool) -> u64 {
    for attempt in 0.. {
        match if asks { stealer.steal() } else { stealer.steal_granted() } {
            Steal::Success(item) => return item.get(),
            Steal::Empty => return 0,
            Steal::Retry if asks && attempt == 1 => return 0,
            Steal::Retry => {}
        }
    }
    unreachable!("endless")
}

fn theft<F: Form<Item = NonZeroU64>>(stealer: &F::Stealer, shape: Shape, theft: Theft, asks: bool) -> u64 {
    match theft {
        Theft::Single(times) => (0..times).map(|_| steal::<F>(stealer, asks)).sum(),
        Theft::Batch(most) => {
            let mut items = Vec::new();
            let stolen = stealer.steal_to_vec(&mut items, most);
            assert_eq!(stolen.success().unwrap_or(0), items.len());
            items.iter().map(|item| item.get()).sum()
        }
        Theft::Into(most) => into::<F>(shape, |own| F::steal_into(stealer, own, most).success().unwrap_or(0)),
        Theft::Half => into::<F>(shape, |own| F::steal_half_into(stealer, own)),
        Theft::Looks => {
            let most = (0..shape.blocks).map(|block| stealer.granted(block)).max();
            assert!(most <= Some(shape.size), "{most:?} items in a block");
            0
        }
    }
}

/// Steals into a queue of the thief's own. Returns the sum of the stolen numbers.
fn into<F: Form<Item = NonZeroU64>>(shape: Shape, steal: impl FnOnce(&mut F::Owner) -> usize) -> u64 {
    let (mut own, _) = F::make(shape);
    let stolen = steal(&mut own);
    let came: Vec<u64> = std::iter::from_fn(|| own.pop()).map(NonZeroU64::get).collect();
    assert_eq!(came.len(), stolen);
    came.iter().sum()
}

/// The thesis' program, with other numbers: how many items the owner pushes and pops in each of its
/// turns, and the thieves' calls.
#[derive(Clone, Copy)]
struct Plan {
    shape: Shape,
    turns: &'static [(usize, usize)],
    thefts: &'static [Theft],
    asks: bool,
}

fn run<F: Form<Item = NonZeroU64>>(plan: Plan) {
    let (mut owner, stealer) = F::make(plan.shape);
    let thieves: Vec<_> = plan
        .thefts
        .iter()
        .map(|&what| {
            let stealer = stealer.clone();
            thread::spawn(move || theft::<F>(&stealer, plan.shape, what, plan.asks))
        })
        .collect();
    drop(stealer);
    let (mut put, mut got, mut next) = (0, 0, 1);
    for &(puts, gets) in plan.turns {
        for _ in 0..puts {
            if owner.push(NonZeroU64::new(next).expect("a power of two")) {
                put += next;
            }
            next <<= 1;
        }
        for _ in 0..gets {
            got += owner.pop().map_or(0, NonZeroU64::get);
        }
    }
    let stolen: u64 =
        thieves.into_iter().map(|thief| thief.join().expect("a model thread that fails ends the execution")).sum();
    got += std::iter::from_fn(|| owner.pop()).map(NonZeroU64::get).sum::<u64>();
    assert_eq!(put, got + stolen, "the sum pushed, and the sums popped and stolen");
}

use Theft::{Batch, Half, Into, Looks, Single};

/// The thesis' own program.
fn whole() -> Plan {
    let turns = &[(3, 2), (4, 3), (5, 4)];
    Plan { shape: Shape::new(2, 2), turns, thefts: &[Single(1), Single(2)], asks: false }
}

/// The thesis' own program, where its exploration has never been completed: FIFO, with thieves that
/// read three words and not two; and with one thief more.
pub(super) fn huge<F: Form<Item = NonZeroU64>>(list: &mut Vec<Client>) {
    if !F::NEWEST {
        add_big::<F>(list, "seed", move || run::<F>(whole()));
    }
    let more = Plan { thefts: &[Single(1), Single(2), Single(1)], ..whole() };
    add_big::<F>(list, "seed-one-thief-more", move || run::<F>(more));
}

pub(super) fn clients<F: Form<Item = NonZeroU64>>(list: &mut Vec<Client>) {
    let plan = whole();
    let first = Plan { turns: &[(3, 2), (4, 3)], ..plan };
    let few = Plan { turns: &[(3, 3), (3, 1)], ..plan };
    let hungry = Plan { turns: &[(1, 1)], thefts: &[Single(1)], asks: true, ..few };
    // If the owner takes the oldest item, thieves that send no request do not see so few items.
    let wide = Plan { shape: Shape::new(3, 2), turns: &[(5, 3), (3, 1)], ..plan };
    let (few, one) = if F::NEWEST { (few, few) } else { (wide, Plan { turns: &[(5, 3)], ..wide }) };
    add::<F>(list, "seed-1", move || run::<F>(Plan { thefts: &[Single(1)], ..plan }));
    add::<F>(list, "seed-2", move || run::<F>(Plan { thefts: &[Single(2)], ..plan }));
    // A batch that finds nothing sends a request, or seizes.
    let short = Plan { turns: &[(3, 2)], ..plan };
    add::<F>(list, "batch", move || run::<F>(Plan { thefts: &[Batch(2)], ..short }));
    let batches = Plan { turns: &[(3, 1)], thefts: &[Single(1), Batch(2)], ..plan };
    add::<F>(list, "batches", move || run::<F>(batches));
    add::<F>(list, "into", move || run::<F>(Plan { thefts: &[Into(2)], ..short }));
    // Three entries of two blocks, or two blocks and a part of the owner's.
    let half = Plan { shape: Shape::new(4, 2), turns: &[(7, 1)], thefts: &[Half], ..plan };
    add::<F>(list, "half", move || run::<F>(half));
    add::<F>(list, "half-thieves", move || run::<F>(Plan { thefts: &[Half, Single(1)], turns: &[(5, 1)], ..half }));
    add::<F>(list, "looks", move || run::<F>(Plan { thefts: &[Single(1), Looks], ..few }));
    add::<F>(list, "asks", move || run::<F>(hungry));
    add::<F>(list, "asks-pushed", move || run::<F>(Plan { turns: &[(2, 0)], ..hungry }));
    add_big::<F>(list, "seed-first", move || run::<F>(first));
    // With more turns, the exploration of thieves that seize has never been run to completion.
    add_big::<F>(list, "seed-asks", move || run::<F>(Plan { turns: &[(2, 2)], ..hungry }));
    add_big::<F>(list, "seed-batches", move || run::<F>(Plan { turns: &[(3, 3)], ..batches }));
    add_big::<F>(list, "seed-looks", move || run::<F>(Plan { thefts: &[Single(1), Single(1), Looks], ..few }));
    add_big::<F>(list, "seed-thieves", move || run::<F>(Plan { thefts: &[Single(1), Single(1), Single(1)], ..one }));
    if F::NEWEST {
        add_big::<F>(list, "seed", move || run::<F>(plan));
    }
}
