//! Thieves that seize items of an owner that does nothing, or that is at work meanwhile.

use std::sync::Arc;

use super::super::library::{bwos::Steal, fences};
use super::recorded::{Does, Pop, Push, Spec, pop, push};
use super::{Form, Owns, Shape, Steals, add, add_big};
use crate::clients::Client;
use crate::clients::item::{Boxed, Item};
use aqueduct_model::linearizability::{DequeOp, History, QueueResult};
use aqueduct_model::sync::atomic::{AtomicBool, Ordering};
use aqueduct_model::{await_until, thread};

/// An owner that fills its queue and does `before`, and then does `does` while thieves seize, each
/// a number of times.
#[derive(Clone, Copy)]
struct Plan {
    shape: Shape,
    filled: usize,
    before: &'static [Does],
    does: &'static [Does],
    thieves: &'static [usize],
    /// True if the last thief sends a request before it seizes.
    asks: bool,
}

fn does<F: Form>(history: &History<Spec>, owner: &mut F::Owner, numbers: &mut impl Iterator<Item = u64>, all: &[Does]) {
    for does in all {
        match does {
            Push => push::<F>(history, owner, numbers.next().expect("endless")),
            Pop => _ = pop::<F>(history, owner),
        }
    }
}

fn seize<F: Form>(history: &History<Spec>, stealer: &F::Stealer) {
    history.call(DequeOp::Steal, || match stealer.seize() {
        Steal::Success(item) => QueueResult::Popped(item.number()),
        Steal::Empty => QueueResult::Empty,
        Steal::Retry => QueueResult::Busy,
    });
}

/// A deque that hides nothing explains all calls.
fn run<F: Form>(plan: Plan) {
    let (mut owner, stealer) = F::make(plan.shape);
    let history = Arc::new(History::new(Spec::hiding_nothing::<F>(plan.shape)));
    let mut numbers = 1..;
    (0..plan.filled).for_each(|_| does::<F>(&history, &mut owner, &mut numbers, &[Push]));
    does::<F>(&history, &mut owner, &mut numbers, plan.before);
    let last = plan.thieves.len() - 1;
    let thieves: Vec<_> = plan
        .thieves
        .iter()
        .enumerate()
        .map(|(number, &times)| {
            let (history, stealer) = (Arc::clone(&history), stealer.clone());
            thread::spawn(move || {
                if plan.asks && number == last {
                    stealer.request();
                }
                (0..times).for_each(|_| seize::<F>(&history, &stealer));
            })
        })
        .collect();
    drop(stealer);
    does::<F>(&history, &mut owner, &mut numbers, plan.does);
    thieves.into_iter().for_each(|thief| thief.join().expect("a model thread that fails ends the execution"));
    while pop::<F>(&history, &mut owner) {}
    history.check();
}

/// Thieves get all items of an owner that does nothing more, each in one attempt if no other thief
/// is faster.
///
/// By `steal`, it takes more attempts, until the thief sees that the owner does nothing.
fn idle<F: Form<Item = Boxed>>(shape: Shape, items: usize, popped: usize, thieves: usize, seizes: bool) {
    let (mut owner, stealer) = F::make(shape);
    (1..=(items + popped) as u64).for_each(|number| assert!(owner.push(Boxed::new(number))));
    (0..popped).for_each(|_| drop(owner.pop().expect("there are items")));
    let rob = move |stealer: F::Stealer| {
        let (mut came, mut lost) = (0, 0);
        loop {
            match if seizes { stealer.seize() } else { stealer.steal() } {
                Steal::Success(_) => came += 1,
                Steal::Empty => return (came, lost),
                Steal::Retry => lost += 1,
            }
        }
    };
    let others: Vec<_> = (1..thieves)
        .map(|_| {
            let stealer = stealer.clone();
            thread::spawn(move || rob(stealer))
        })
        .collect();
    let (mut came, lost) = rob(stealer);
    assert!(thieves > 1 || lost <= usize::from(!seizes), "{lost} attempts were in vain");
    came += others.into_iter().map(|thief| thief.join().expect("ends").0).sum::<usize>();
    assert_eq!(came, items, "each pushed item is stolen");
    assert!(owner.pop().is_none(), "nothing is left");
    assert!(owner.push(Boxed::new(100)) && owner.pop().is_some_and(|item| item.number() == 100), "the owner is back");
}

/// An owner that is dropped while a thief seizes leaves all the rest.
fn left<F: Form<Item = Boxed>>(shape: Shape, items: usize) {
    let (mut owner, stealer) = F::make(shape);
    (1..=items as u64).for_each(|number| assert!(owner.push(Boxed::new(number))));
    let other = stealer.clone();
    let thief = thread::spawn(move || usize::from(other.seize().success().is_some()));
    drop(owner);
    let mut came = std::iter::from_fn(|| stealer.steal_granted().success()).count();
    came += thief.join().expect("a model thread that fails ends the execution");
    came += std::iter::from_fn(|| stealer.seize().success()).count();
    assert_eq!(came, items, "left by the owner");
}

/// An owner that has lent a part of its block, with some of it stolen, also leaves the part that it
/// kept.
fn left_lent<F: Form<Item = Boxed>>(shape: Shape, items: u64, pops: usize) {
    let (mut owner, stealer) = F::make(shape);
    (1..items).for_each(|number| assert!(owner.push(Boxed::new(number))));
    stealer.request();
    assert!(owner.push(Boxed::new(items)));
    let other = stealer.clone();
    let thief = thread::spawn(move || (0..2).filter(|_| other.steal().is_success()).count());
    let mut came = (0..pops).filter(|_| owner.pop().is_some()).count();
    drop(owner);
    came += thief.join().expect("a model thread that fails ends the execution");
    // One item is left to the last handle.
    let left = items as usize - came;
    came += (1..left).filter(|_| stealer.steal().is_success()).count();
    assert!(came + 1 >= items as usize, "{came} of {items} items came");
}

/// Another thief claims the items that a thief has seized and not claimed.
fn rest<F: Form<Item = Boxed>>(shape: Shape) {
    let (mut owner, stealer) = F::make(shape);
    // One item is enough to be seized; for later items, only the thief orders the third thread.
    let before = if F::NEWEST { 0 } else { 1 };
    (0..before).for_each(|_| assert!(owner.push(Boxed::new(1))));
    let other = stealer.clone();
    let thief = thread::spawn(move || drop(other.seize()));
    let third = thread::spawn(move || drop(if F::NEWEST { stealer.steal_granted() } else { stealer.seize() }));
    (before..2).for_each(|_| assert!(owner.push(Boxed::new(2))));
    thief.join().expect("a model thread that fails ends the execution");
    third.join().expect("a model thread that fails ends the execution");
    while owner.pop().is_some() {}
}

/// The owner answers a request in the first of its `pops`, a thief takes what it gave, and another
/// one seizes the rest meanwhile.
fn answered<F: Form<Item = Boxed>>(shape: Shape, pops: usize) {
    let (mut owner, stealer) = F::make(shape);
    (1..=3).for_each(|number| assert!(owner.push(Boxed::new(number))));
    stealer.request();
    let other = stealer.clone();
    let thief = thread::spawn(move || drop(other.steal_granted()));
    let third = thread::spawn(move || drop(stealer.seize()));
    (0..pops).for_each(|_| drop(owner.pop()));
    thief.join().expect("a model thread that fails ends the execution");
    third.join().expect("a model thread that fails ends the execution");
    while owner.pop().is_some() {}
}

/// The owner answers a request, all that it gave is stolen, and the items that it kept are seized,
/// or left when it is dropped.
///
/// Another thief that comes to the rest sees the answer through the block's word alone.
fn answered_rest<F: Form<Item = Boxed>>(shape: Shape, goes: bool) {
    let (mut owner, stealer) = F::make(shape);
    assert!(owner.push(Boxed::new(1)));
    stealer.request();
    let other = stealer.clone();
    let thief = thread::spawn(move || {
        let mut items = Vec::new();
        _ = other.steal_to_vec(&mut items, 2);
        items.len()
    });
    assert!(owner.push(Boxed::new(2)));
    let mut came = usize::from(stealer.steal_granted().is_success());
    if goes {
        drop(owner);
    } else {
        came += usize::from(stealer.seize().is_success());
    }
    came += thief.join().expect("a model thread that fails ends the execution");
    came += std::iter::from_fn(|| stealer.seize().success()).count();
    assert_eq!(came, 2, "each pushed item is stolen");
}

/// A thief that finds nothing sleeps until it is woken; an owner that has pushed wakes it if it has
/// registered as a sleeper.
///
/// So a pool needs notifications of pushes alone: a thief that is awake finds every item of a
/// queue.
fn sleeps<F: Form<Item = Boxed>>(shape: Shape, pops: usize) {
    let (mut owner, stealer) = F::make(shape);
    (0..pops).for_each(|_| assert!(owner.push(Boxed::new(1)) && owner.pop().is_some()));
    let flags: [_; 3] = std::array::from_fn(|_| Arc::new(AtomicBool::new(false)));
    let [sleeps, is_woken, has_pushed] = flags.clone();
    let thief = thread::spawn(move || {
        sleeps.store(true, Ordering::Relaxed);
        fences::heavy();
        match stealer.seize() {
            Steal::Success(item) => return Some(item.number()),
            Steal::Empty => await_until(|| is_woken.load(Ordering::Acquire)),
            // The thief stays awake, and tries again once the owner has completed its operation.
            Steal::Retry => await_until(|| has_pushed.load(Ordering::Acquire)),
        }
        stealer.seize().success().map(|item| item.number())
    });
    let [sleeps, is_woken, has_pushed] = flags;
    assert!(owner.push(Boxed::new(100)));
    has_pushed.store(true, Ordering::Release);
    fences::light();
    if sleeps.load(Ordering::Relaxed) {
        is_woken.store(true, Ordering::Release);
    }
    let stolen = thief.join().expect("a model thread that fails ends the execution");
    assert_eq!(stolen, Some(100), "an item pushed before a thief was woken is found");
}

pub(super) fn clients<F: Form<Item = Boxed>>(list: &mut Vec<Client>) {
    let plan = Plan { shape: Shape::new(2, 2), filled: 1, before: &[], does: &[], thieves: &[1], asks: false };
    let single = Plan { shape: Shape::new(2, 1), ..plan };
    let full = Plan { filled: 2, ..plan };
    let mut record = |name: &str, plan: Plan| add::<F>(list, name, move || run::<F>(plan));
    record("seized-push", Plan { filled: 0, does: &[Push, Push], ..plan });
    record("seized-pop", Plan { does: &[Pop], ..plan });
    record("seized-pops", Plan { does: &[Pop, Pop], thieves: &[2], ..full });
    record("seized-turn", Plan { does: &[Pop, Push, Pop], ..plan });
    record("seized-advance", Plan { does: &[Push, Push], thieves: &[2], ..plan });
    record("seized-advance-single", Plan { does: &[Push, Pop], thieves: &[2], ..single });
    record("seized-retreat", Plan { filled: 3, does: &[Pop, Pop], ..plan });
    record("seized-retreat-single", Plan { filled: 2, does: &[Pop, Pop], thieves: &[2], ..single });
    record(
        "seized-below",
        Plan { shape: Shape::new(3, 2), filled: 3, before: &[Pop, Pop, Push], thieves: &[2, 1], ..plan },
    );
    record("seized-lap", Plan { does: &[Push, Push], thieves: &[2], filled: 2, ..single });
    record(
        "seized-calm",
        Plan { filled: 3, does: &[Pop, Pop], thieves: &[1], asks: true, shape: Shape::new(2, 4), ..plan },
    );
    record("seized-calm-asked", Plan { does: &[Pop], thieves: &[1, 0], asks: true, ..full });
    let twice = Plan { does: &[Pop], thieves: &[1, 1], ..plan };
    if F::NEWEST {
        record("seized-twice-single", twice);
    }
    add::<F>(list, "seized-answered", || answered::<F>(Shape::new(2, 4), 1));
    let pops = || answered::<F>(Shape::new(2, 4), 2);
    if F::NEWEST {
        add::<F>(list, "seized-answered-pops", pops);
    } else {
        add_big::<F>(list, "seized-answered-pops", pops);
    }
    add::<F>(list, "seized-rest", || rest::<F>(Shape::new(2, 2)));
    add::<F>(list, "sleeps", || sleeps::<F>(Shape::new(2, 2), 0));
    add::<F>(list, "sleeps-popped", || sleeps::<F>(Shape::new(2, 2), 1));
    add::<F>(list, "sleeps-advance", || sleeps::<F>(Shape::new(2, 1), 1));
    let mut record = |name: &str, plan: Plan| add_big::<F>(list, name, move || run::<F>(plan));
    record("seized-turns", Plan { does: &[Pop, Push, Pop], thieves: &[2], ..plan });
    record("seized-advances", Plan { does: &[Push, Push, Pop], thieves: &[2], ..plan });
    record("seized-calm-pushed", Plan { filled: 2, does: &[Push, Pop], thieves: &[1, 0], asks: true, ..plan });
    record("seized-twice", Plan { filled: 2, ..twice });
    if !F::NEWEST {
        record("seized-twice-single", twice);
    }
    add::<F>(list, "seized-answered-rest", || answered_rest::<F>(Shape::new(2, 4), false));
    add::<F>(list, "seized-answered-left", || answered_rest::<F>(Shape::new(2, 4), true));
    add::<F>(list, "left-lent", || left_lent::<F>(Shape::new(2, 4), 4, 0));
    add::<F>(list, "left-lent-popped", || left_lent::<F>(Shape::new(2, 4), 4, 1));
    add::<F>(list, "left-lent-next", || left_lent::<F>(Shape::new(2, 4), 6, 0));
    let two = [("", Shape::new(2, 1)), ("-wide", Shape::new(2, 2))];
    for (what, shape) in two {
        add::<F>(list, &format!("seized-left{what}"), move || left::<F>(shape, shape.size + 1));
        add::<F>(list, &format!("idle-one{what}"), move || idle::<F>(shape, 1, 0, 1, true));
        add::<F>(list, &format!("idle{what}"), move || idle::<F>(shape, 2 * shape.size, 0, 1, true));
        add::<F>(list, &format!("idle-asked{what}"), move || idle::<F>(shape, 2 * shape.size, 0, 1, false));
        add::<F>(list, &format!("idle-popped{what}"), move || idle::<F>(shape, 1, 1, 1, true));
    }
    add::<F>(list, "idle-thieves-wide", move || idle::<F>(Shape::new(2, 2), 2, 0, 2, true));
    add_big::<F>(list, "idle-thieves", move || idle::<F>(Shape::new(2, 1), 2, 0, 2, true));
}
