//! Against a deque: items come out once, the owner's in its order, thieves' as documented, in any
//! mix of operations and at any lap.

use std::collections::VecDeque;

use aqueduct::bwos::Steal;
use aqueduct::error::PopError;

use crate::common::{Dice, Form, LAPS, Owns, SHAPES, Steals, both};
use aqueduct::queue::{Len, Pop, PopSlice, Push, PushSlice};

fn mixed_operations_agree_with_a_deque<F: Form<u64>>() {
    for (blocks, size) in SHAPES {
        for (seed, lap) in (1..).zip(LAPS) {
            let mut dice = Dice(seed * 0x9E37_79B9);
            let (mut owner, stealer) = F::starting_at(blocks, size, lap);
            let (mut items, mut next) = (VecDeque::<u64>::new(), 0);
            // Phases in which pushes, or pops, prevail, so that the queue is full and empty again
            // and again.
            for step in 0..6000 {
                let leaning = (step / (3 * blocks * size)) % 2;
                match dice.below(10) {
                    0 | 1 => match stealer.steal() {
                        Steal::Success(item) if F::NEWEST => assert_eq!(items.pop_front(), Some(item)),
                        Steal::Success(item) => {
                            let at = items.iter().position(|&other| other == item).expect("it is in there");
                            items.remove(at);
                        }
                        Steal::Empty => assert!(items.is_empty(), "{} items are hidden", items.len()),
                        // The owner is asked first, for items that are in blocks of its own.
                        Steal::Retry => {
                            let most = if F::NEWEST { size } else { 2 * size };
                            assert!((1..=most).contains(&items.len()), "{} items of blocks of {size}", items.len());
                        }
                    },
                    2 => {
                        let mut batch = Vec::new();
                        let count = stealer.steal_to_vec(&mut batch, 1 + dice.below(size + 1)).success().unwrap_or(0);
                        assert!(count == batch.len() && count <= size);
                        for item in batch {
                            let at = items.iter().position(|&other| other == item).expect("it is in there");
                            assert!(!F::NEWEST || at == 0, "thieves take the oldest");
                            items.remove(at);
                        }
                    }
                    choice if (choice < 8) == (leaning == 0) => match owner.push(next) {
                        Ok(()) => {
                            items.push_back(next);
                            next += 1;
                        }
                        Err(refused) => {
                            assert_eq!(refused.into_inner(), next);
                            assert!(!F::NEWEST || items.len() >= owner.capacity(), "{} items", items.len());
                        }
                    },
                    _ => assert_eq!(owner.pop().ok(), if F::NEWEST { items.pop_back() } else { items.pop_front() }),
                }
            }
        }
    }
}
both!(mixed: mixed_operations_agree_with_a_deque);

fn slices_are_as_single_operations<F: Form<u64, Owner: PushSlice + PopSlice>>() {
    for (blocks, size) in SHAPES {
        let (mut owner, _stealer) = F::starting_at(blocks, size, usize::MAX);
        let items: Vec<u64> = (0..2 * (blocks * size) as u64).collect();
        let pushed = owner.push_slice(&items);
        assert!(pushed >= owner.capacity() && pushed <= blocks * size, "{pushed}");
        let mut came = vec![u64::MAX; items.len()];
        assert_eq!(owner.pop_slice(&mut came), pushed);
        came.truncate(pushed);
        if F::NEWEST {
            came.reverse();
        }
        assert_eq!(came, items[..pushed]);
        assert_eq!(owner.pop(), Err(PopError::Empty));
    }
}
both!(slices: slices_are_as_single_operations);

fn a_block_can_be_stolen_at_once<F: Form<u64, Owner: PushSlice>>() {
    let (mut owner, stealer) = F::make(3, 4);
    assert_eq!(owner.push_slice(&(0..10).collect::<Vec<_>>()), 10);
    let mut slice = [u64::MAX; 10];
    let first = stealer.steal_slice(&mut slice).success().expect("there is a block");
    assert_eq!(first, 4);
    let (mut other, _) = F::make(3, 4);
    let into = stealer.steal_into(&mut other, 10).success().expect("there is more");
    let mut came: Vec<u64> = slice[..first].to_vec();
    came.extend(std::iter::from_fn(|| other.pop().ok()));
    assert_eq!(came.len(), first + into);
    came.extend(std::iter::from_fn(|| owner.pop().ok()));
    came.sort_unstable();
    assert_eq!(came, (0..10).collect::<Vec<_>>());
}
both!(batches: a_block_can_be_stolen_at_once);

fn a_full_queue_takes_nothing<F: Form<u64>>() {
    let (mut owner, stealer) = F::make(3, 2);
    let (mut other, _keep) = F::make(2, 1);
    other.fill(0..2);
    owner.fill(0..4);
    assert_eq!(stealer.steal_into(&mut other, 4), Steal::Success(0));
    assert_eq!(owner.fill(4..100), 2, "nothing was stolen");
    assert_eq!((0..6).map(|_| owner.pop()).filter(Result::is_ok).count(), 6);
}
both!(full: a_full_queue_takes_nothing);

fn what_is_granted_can_be_seen<F: Form<u64>>() {
    let (mut owner, stealer) = F::make(4, 8);
    let seen = |stealer: &F::Stealer| (0..4).map(|block| stealer.granted(block)).sum::<usize>();
    assert_eq!(seen(&stealer), 0);
    owner.fill(0..20);
    assert_eq!(seen(&stealer), if F::NEWEST { 16 } else { 8 });
    stealer.request();
    owner.fill(20..21);
    // What thieves ask for is added: the older half of the owner's, or all of those that they were
    // not told of.
    assert_eq!(seen(&stealer), if F::NEWEST { 19 } else { 13 });
    assert_eq!(stealer.granted(1), stealer.granted(5), "blocks are counted around");
}
both!(granted: what_is_granted_can_be_seen);
