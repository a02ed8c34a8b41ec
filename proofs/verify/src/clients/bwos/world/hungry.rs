//! Thieves that find nothing get work from an owner that has two items, after a single one of its
//! operations.

use std::sync::Arc;

use super::super::library::bwos::Steal;
use super::{Form, Owns, Shape, Steals, add};
use crate::clients::Client;
use crate::clients::item::{Boxed, Item};
use aqueduct_model::sync::atomic::{AtomicBool, Ordering};
use aqueduct_model::{await_until, thread};

/// The owner's operation after a request.
#[derive(Clone, Copy)]
enum Does {
    Push,
    Pop,
}

/// The thief sees `items` items, steals what it can, and sends a request. Whatever the owner does
/// next, the thief can steal an item afterwards, if two items were in the queue.
fn fed<F: Form<Item = Boxed>>(shape: Shape, items: usize, does: Does) {
    let (mut owner, stealer) = F::make(shape);
    (1..=items as u64).for_each(|number| assert!(owner.push(Boxed::new(number))));
    let asked = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
    let flags = Arc::clone(&asked);
    let thief = thread::spawn(move || {
        while stealer.steal().success().is_some() {}
        flags[0].store(true, Ordering::Release);
        await_until(|| flags[1].load(Ordering::Acquire));
        (stealer.steal().success().map(|item| item.number()), stealer)
    });
    await_until(|| asked[0].load(Ordering::Acquire));
    let popped = match does {
        Does::Push => {
            assert!(owner.push(Boxed::new(100)));
            None
        }
        Does::Pop => Some(owner.pop().expect("the thief left some").number()),
    };
    asked[1].store(true, Ordering::Release);
    let (stolen, stealer) = thief.join().expect("a model thread that fails ends the execution");
    let stolen = stolen.expect("the thief has asked, and the owner has two items");
    assert_ne!(Some(stolen), popped, "it came twice");
    drop(stealer);
    while owner.pop().is_some() {}
}

/// A thief has sent a request to an empty queue. The owner's push gives it the item, and its pop
/// takes the item back if the thief has not claimed it.
fn fed_single<F: Form<Item = Boxed>>(shape: Shape) {
    let (mut owner, stealer) = F::make(shape);
    assert!(stealer.steal().is_empty(), "nothing was pushed");
    let pushed = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&pushed);
    let thief = thread::spawn(move || {
        await_until(|| flag.load(Ordering::Acquire));
        stealer.steal_granted()
    });
    assert!(owner.push(Boxed::new(1)));
    pushed.store(true, Ordering::Release);
    let popped = owner.pop();
    match thief.join().expect("a model thread that fails ends the execution") {
        Steal::Success(item) => assert!(item.number() == 1 && popped.is_none(), "it came twice"),
        Steal::Empty | Steal::Retry => assert!(popped.is_some(), "it is lost"),
    }
}

/// The owner has given its single item on request. One thief takes the item, another one seizes,
/// and the owner adds an item: each item comes once.
fn fed_single_seized<F: Form<Item = Boxed>>(shape: Shape) {
    let (mut owner, stealer) = F::make(shape);
    assert!(stealer.steal().is_empty(), "nothing was pushed");
    assert!(owner.push(Boxed::new(1)));
    let other = stealer.clone();
    let thief = thread::spawn(move || usize::from(other.steal_granted().is_success()));
    let third = thread::spawn(move || usize::from(stealer.seize().is_success()));
    assert!(owner.push(Boxed::new(2)));
    let stolen = [thief, third].map(|thread| thread.join().expect("a model thread that fails ends the execution"));
    let popped = std::iter::from_fn(|| owner.pop()).count();
    assert_eq!(stolen[0] + stolen[1] + popped, 2, "an item is lost, or came twice");
}

/// A thief sends requests at any time, and takes what it gets, while the owner works.
fn asks<F: Form<Item = Boxed>>(shape: Shape, filled: usize, steals: usize, pushes: usize, pops: usize) {
    let (mut owner, stealer) = F::make(shape);
    (1..=filled as u64).for_each(|number| assert!(owner.push(Boxed::new(number))));
    let thief = thread::spawn(move || {
        stealer.request();
        (0..steals).for_each(|_| drop(stealer.steal_granted()));
    });
    for number in 0..pushes.max(pops) {
        if number < pops {
            drop(owner.pop());
        }
        if number < pushes {
            owner.push(Boxed::new(100 + number as u64));
        }
    }
    thief.join().expect("a model thread that fails ends the execution");
    while owner.pop().is_some() {}
}

/// A thief sends two requests: the granted part of a block grows while another thief takes items of
/// it.
fn asked_twice<F: Form<Item = Boxed>>(shape: Shape) {
    let (mut owner, stealer) = F::make(shape);
    (1..=3).for_each(|number| assert!(owner.push(Boxed::new(number))));
    let other = stealer.clone();
    let thief = thread::spawn(move || {
        for _ in 0..2 {
            if let Steal::Success(item) = other.steal_granted() {
                assert!(item.number() > 0);
            }
        }
    });
    stealer.request();
    assert!(owner.push(Boxed::new(4)));
    stealer.request();
    assert!(owner.push(Boxed::new(5)));
    thief.join().expect("a model thread that fails ends the execution");
    while owner.pop().is_some() {}
}

pub(super) fn clients<F: Form<Item = Boxed>>(list: &mut Vec<Client>) {
    let wide = Shape::new(2, 4);
    add::<F>(list, "fed-single", move || fed_single::<F>(wide));
    add::<F>(list, "fed-single-seized", move || fed_single_seized::<F>(wide));
    add::<F>(list, "fed-push", move || fed::<F>(wide, 1, Does::Push));
    add::<F>(list, "fed-push-more", move || fed::<F>(wide, 3, Does::Push));
    add::<F>(list, "fed-pop", move || fed::<F>(wide, 2, Does::Pop));
    add::<F>(list, "fed-pop-more", move || fed::<F>(wide, 4, Does::Pop));
    add::<F>(list, "fed-next", move || fed::<F>(Shape::new(3, 2), 4, Does::Pop));
    add::<F>(list, "asked-pop", move || asks::<F>(wide, 3, 1, 0, 2));
    add::<F>(list, "asked", move || asks::<F>(Shape::new(2, 2), 2, 1, 2, 2));
    add::<F>(list, "asked-lap", move || asks::<F>(Shape::new(2, 2), 2, 2, 3, 1));
    add::<F>(list, "asked-twice", move || asked_twice::<F>(Shape::new(2, 8)));
}
