//! BWoS in both orders: the owner's items come in its order, each stolen item comes once, and
//! thieves get the oldest item if the order promises that.

use std::collections::VecDeque;

use aqueduct::bwos::{Fifo, Geometry, Lifo, Steal};

use crate::common::{AlignedNothing, Big, Heap, Item, Random, assert_none_is_left, rounds, steps};
use crate::orders::Stealing;

fn geometry(random: &mut Random) -> Geometry {
    let (blocks, size) = match random.below(3) {
        0 => (2, 1),
        1 => (2 + random.below(4), 1 + random.below(4)),
        _ => (2 + random.below(10), 1 + random.below(40)),
    };
    Geometry::new(blocks, size).expect("a small queue")
}

/// Removes a stolen item from the model. Thieves of a LIFO queue take the oldest; those of a FIFO
/// queue a whole block that the owner left.
fn stolen<T: Item>(model: &mut VecDeque<u64>, item: &T, oldest: bool) {
    let at = model.iter().position(|&number| item.is(number)).expect("stolen twice, or never pushed");
    assert!(!oldest || at == 0, "not the oldest");
    model.remove(at);
}

fn beside_a_deque<T: Item, O: Stealing<T>>(random: &mut Random) {
    let start = random.index();
    let (mut owner, stealer) = O::starting_at(geometry(random), start).expect("a small queue");
    let (mut other, _their_stealer) = O::new(20).expect("a small queue");
    let (mut stealers, mut model, mut next) = (vec![stealer], VecDeque::new(), 1_u64);
    for _ in 0..steps(300) {
        let one = random.below(stealers.len());
        let got = match random.below(15) {
            0..=4 => {
                match owner.push(T::make(next)) {
                    Ok(()) => {
                        model.push_back(next);
                        next += 1;
                    }
                    Err(full) => assert!(full.into_inner().is(next)),
                }
                continue;
            }
            5..=7 => {
                let expected = if O::LIFO { model.pop_back() } else { model.pop_front() };
                match (owner.pop(), expected) {
                    (Ok(item), Some(number)) => assert!(item.is(number), "not item {number}"),
                    (item, expected) => assert!(item.is_err() && expected.is_none()),
                }
                continue;
            }
            8 => stealers[one].steal().map(|item| stolen(&mut model, &item, O::LIFO)),
            9 => stealers[one].steal_granted().map(|item| stolen(&mut model, &item, O::LIFO)),
            10 => {
                let (mut items, most) = (Vec::new(), random.below(50));
                let got = stealers[one].steal_to_vec(&mut items, most);
                assert!(items.len() <= most);
                items.iter().for_each(|item| stolen(&mut model, item, O::LIFO));
                got.map(|count| assert_eq!(count, items.len()))
            }
            11 => {
                let most = random.below(50);
                stealers[one].steal_into(&mut other, most).map(|count| {
                    let mut items: Vec<_> = other.drain().collect();
                    assert_eq!(count, items.len());
                    if O::LIFO {
                        items.reverse();
                    }
                    items.iter().for_each(|item| stolen(&mut model, item, O::LIFO));
                })
            }
            12 => {
                // A queue steals from itself: it is emptied, to check that no item is lost or
                // doubled.
                stealers[one].steal_into(&mut owner, random.below(20)).map(|_| {
                    while let Ok(item) = owner.pop() {
                        stolen(&mut model, &item, false);
                    }
                    assert!(model.is_empty());
                })
            }
            13 => {
                stealers[one].request();
                let told = format!("{owner:?} {:?}", stealers[one]);
                assert!(told.contains("Owner") && told.contains("Stealer"), "{told}");
                continue;
            }
            _ => {
                if random.one_in(2) && stealers.len() < 4 {
                    let another = stealers[one].clone();
                    stealers.push(another);
                } else if stealers.len() > 1 {
                    stealers.swap_remove(one);
                }
                continue;
            }
        };
        // No other thread works on the queue, and the owner has got a steal request for items of
        // its block.
        assert!(!matches!(got, Steal::Retry) || !model.is_empty(), "there is nothing to try again for");
    }
    if random.one_in(2) {
        drop(owner);
        assert!(stealers[0].is_closed());
        for _ in 0..random.below(10) {
            let _ = stealers[0].steal().map(|item| stolen(&mut model, &item, O::LIFO));
        }
    } else {
        drop(stealers);
        assert!(owner.is_closed());
        (0..random.below(10)).for_each(|_| drop(owner.pop()));
    }
}

fn both_orders<T: Item>(random: &mut Random) {
    beside_a_deque::<T, Lifo>(random);
    beside_a_deque::<T, Fifo>(random);
    assert_none_is_left();
}

/// Tests that no more items come out than went in, where items cannot be told apart.
fn counted<O: Stealing<AlignedNothing>>(random: &mut Random) {
    let (mut owner, stealer) = O::with_geometry(geometry(random)).expect("a small queue");
    let (mut there, mut next) = (0_usize, 0);
    for _ in 0..steps(300) {
        let taken = match random.below(4) {
            0 | 1 => {
                there += usize::from(owner.push(AlignedNothing::make(next)).is_ok());
                next += 1;
                0
            }
            2 => usize::from(owner.pop().is_ok_and(|item| item.is(0))),
            _ => {
                let mut items = Vec::new();
                let _ = stealer.steal_to_vec(&mut items, random.below(20));
                assert!(items.iter().all(|item: &AlignedNothing| item.is(0)));
                items.len()
            }
        };
        there = there.checked_sub(taken).expect("no more come than went");
    }
}

#[test]
fn items_on_the_heap() {
    rounds(60, both_orders::<Heap>);
}

#[test]
fn items_of_several_lines() {
    rounds(30, both_orders::<Big>);
}

#[test]
fn words() {
    rounds(30, both_orders::<u64>);
}

#[test]
fn items_without_bytes_with_much_alignment() {
    rounds(30, |random| {
        counted::<Lifo>(random);
        counted::<Fifo>(random);
        assert_none_is_left();
    });
}
