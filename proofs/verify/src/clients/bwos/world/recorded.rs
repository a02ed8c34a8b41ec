//! Clients whose recorded calls a deque with stealing has to explain.

use std::sync::Arc;

use super::super::library::bwos::Steal;
use super::{Form, Owns, Shape, Steals, add};
use crate::clients::Client;
use crate::clients::item::{Boxed, Item};
use aqueduct_model::linearizability::{self as sequential, Deque, DequeOp, History, QueueResult};
use aqueduct_model::thread;

/// A deque in one of two orders. In one, the owner takes the newest item and thieves take the
/// oldest, except up to a block of items that the owner keeps to itself. In the other, the owner
/// takes the oldest item and thieves take any, except those of the oldest item's block and of the
/// block that was pushed to last. A push may return `Full` from `least` items on: from the capacity
/// on if the owner takes the newest item; always if it takes the oldest, because items stolen from
/// the middle leave no room.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Spec {
    deque: Deque<u64>,
    /// The items, each with its block: blocks are filled one after the other.
    items: Vec<(u64, usize)>,
    pushed: usize,
    size: usize,
    least: usize,
    /// True if thieves find nothing in the owner's blocks.
    hides: bool,
}

impl Spec {
    pub(super) fn new<F: Form>(shape: Shape) -> Self {
        let (deque, least) = match F::NEWEST {
            true => (Deque::lifo().hides(shape.size), shape.geometry().capacity()),
            false => (Deque::fifo().steals_anywhere().hides(2 * shape.size), 0),
        };
        Self { deque, items: Vec::new(), pushed: 0, size: shape.size, least, hides: true }
    }

    /// Makes the specification for thieves that seize: `Empty` means that there is no item.
    pub(super) fn hiding_nothing<F: Form>(shape: Shape) -> Self {
        let deque = if F::NEWEST { Deque::lifo() } else { Deque::fifo().steals_anywhere() };
        Self { deque, hides: false, ..Self::new::<F>(shape) }
    }

    /// Whether thieves need not find any item of a queue whose owner takes the oldest one.
    fn hides_all(&self) -> bool {
        let last = self.pushed.saturating_sub(1) / self.size;
        let first = self.items.first().map_or(last, |&(_, block)| block);
        self.items.iter().all(|&(_, block)| block == first || block == last)
    }
}

impl sequential::Spec for Spec {
    type Input = DequeOp<u64>;
    type Output = QueueResult<u64>;

    fn apply(&mut self, input: &DequeOp<u64>, output: &QueueResult<u64>) -> bool {
        match (input, output) {
            (_, QueueResult::Full) => return matches!(input, DequeOp::Push(_)) && self.items.len() >= self.least,
            (DequeOp::Push(item), QueueResult::Pushed) => {
                self.items.push((*item, self.pushed / self.size));
                self.pushed += 1;
            }
            (_, QueueResult::Popped(item)) => self.items.retain(|(other, _)| other != item),
            (DequeOp::Steal, QueueResult::Empty) if self.hides && self.least == 0 && !self.hides_all() => return false,
            _ => {}
        }
        sequential::Spec::apply(&mut self.deque, input, output)
    }

    /// A thread may read an old state if nothing orders the calls, as in store buffering.
    fn excused_by_overlap(&self, _input: &DequeOp<u64>, output: &QueueResult<u64>) -> bool {
        matches!(output, QueueResult::Full | QueueResult::Empty | QueueResult::Busy)
    }
}

pub(super) fn push<F: Form>(history: &History<Spec>, owner: &mut F::Owner, number: u64) {
    history.call(DequeOp::Push(number), || match owner.push(F::Item::new(number)) {
        true => QueueResult::Pushed,
        false => QueueResult::Full,
    });
}

pub(super) fn pop<F: Form>(history: &History<Spec>, owner: &mut F::Owner) -> bool {
    let result = history.call(DequeOp::Pop, || owner.pop().map(|item| item.number()).into());
    matches!(result, QueueResult::Popped(_))
}

fn steal<F: Form>(history: &History<Spec>, stealer: &F::Stealer) {
    history.call(DequeOp::Steal, || match stealer.steal_granted() {
        Steal::Success(item) => QueueResult::Popped(item.number()),
        Steal::Empty => QueueResult::Empty,
        Steal::Retry => QueueResult::Busy,
    });
}

/// An operation of the owner.
#[derive(Clone, Copy)]
pub(super) enum Does {
    Push,
    Pop,
}
pub(super) use Does::{Pop, Push};

#[derive(Clone, Copy)]
struct Plan {
    shape: Shape,
    /// The number of items in the queue when the thieves begin.
    filled: usize,
    does: &'static [Does],
    /// The number of times that each thief steals.
    thieves: &'static [usize],
}

fn run<F: Form>(plan: Plan) {
    let (mut owner, stealer) = F::make(plan.shape);
    let history = Arc::new(History::new(Spec::new::<F>(plan.shape)));
    let mut numbers = 1..;
    let mut number = || numbers.next().expect("endless");
    (0..plan.filled).for_each(|_| push::<F>(&history, &mut owner, number()));
    let thieves: Vec<_> = plan
        .thieves
        .iter()
        .map(|&steals| {
            let (history, stealer) = (Arc::clone(&history), stealer.clone());
            thread::spawn(move || (0..steals).for_each(|_| steal::<F>(&history, &stealer)))
        })
        .collect();
    drop(stealer);
    for does in plan.does {
        match does {
            Push => push::<F>(&history, &mut owner, number()),
            Pop => _ = pop::<F>(&history, &mut owner),
        }
    }
    thieves.into_iter().for_each(|thief| thief.join().expect("a model thread that fails ends the execution"));
    while pop::<F>(&history, &mut owner) {}
    history.check();
}

/// Thieves take the items that they find, the owner is dropped meanwhile, and the last handle drops
/// the rest.
fn dropped<F: Form<Item = Boxed>>(plan: Plan) {
    let (mut owner, stealer) = F::make(plan.shape);
    (1..=plan.filled as u64).for_each(|number| _ = owner.push(Boxed::new(number)));
    for &steals in plan.thieves {
        let stealer = stealer.clone();
        thread::spawn(move || (0..steals).for_each(|_| drop(stealer.steal())));
    }
    for does in plan.does {
        match does {
            Push => _ = owner.push(Boxed::new(100)),
            Pop => drop(owner.pop()),
        }
    }
}

/// Steals until nothing is granted, without requests. Returns the stolen numbers.
fn rob<F: Form<Item = Boxed>>(stealer: &F::Stealer) -> Vec<u64> {
    std::iter::from_fn(|| stealer.steal_granted().success()).map(|item| item.number()).collect()
}

/// An owner that is dropped leaves all its items to the thieves.
fn left<F: Form<Item = Boxed>>(shape: Shape, items: usize) {
    let (mut owner, stealer) = F::make(shape);
    (1..=items as u64).for_each(|number| assert!(owner.push(Boxed::new(number))));
    thread::spawn(move || drop(owner)).join().expect("ends");
    let mut came = rob::<F>(&stealer);
    if !F::NEWEST {
        came.sort_unstable();
    }
    assert!(came.into_iter().eq(1..=items as u64), "left by the owner");
}

/// Thieves that found nothing while the owner gave items are no reason for others to find nothing
/// afterwards.
fn found<F: Form<Item = Boxed>>(shape: Shape, items: usize, thieves: usize) {
    let (mut owner, stealer) = F::make(shape);
    let look = |stealer: F::Stealer| thread::spawn(move || stealer.steal_granted().success().map(|item| item.number()));
    let looks: Vec<_> = (0..thieves).map(|_| look(stealer.clone())).collect();
    (1..=items as u64).for_each(|number| assert!(owner.push(Boxed::new(number))));
    let mut came: Vec<u64> = looks.into_iter().filter_map(|look| look.join().expect("ends")).collect();
    came.extend(rob::<F>(&stealer));
    came.sort_unstable();
    // Where the owner takes the oldest item, the oldest item's block is its own, and so is the
    // block of its last push.
    let kept = if F::NEWEST { 0 } else { shape.size as u64 };
    assert!(came.into_iter().eq(kept + 1..=(items - shape.size) as u64), "the given items are found");
    while owner.pop().is_some() {}
}

/// A part of a block that is given twice can be found, though a thief found nothing in between.
fn found_again<F: Form<Item = Boxed>>() {
    let (mut owner, stealer) = F::make(Shape::new(2, 4));
    let mut give = |number: u64| {
        stealer.request();
        assert!(owner.push(Boxed::new(number)));
    };
    (1..=5).for_each(&mut give);
    let other = stealer.clone();
    let thief = thread::spawn(move || rob::<F>(&other));
    give(6);
    let mut came = thief.join().expect("a model thread that fails ends the execution");
    came.extend(rob::<F>(&stealer));
    assert!(came.contains(&5) && (F::NEWEST || came.contains(&6)), "the given items are found: {came:?}");
}

/// A block that was stolen from is stolen from again in the next lap, and reused once more
/// meanwhile. (If the owner takes the newest item, every reused block was stolen from: `lap` has
/// that.)
fn stolen_again<F: Form<Item = Boxed>>() {
    let (mut owner, stealer) = F::make(Shape::new(3, 1));
    let mut numbers = 1..;
    let mut push = |owner: &mut F::Owner| owner.push(Boxed::new(numbers.next().expect("endless")));
    while push(&mut owner) {}
    assert!(stealer.steal_granted().success().is_some(), "what a block before the last one holds can be stolen");
    while owner.pop().is_some() {}
    while push(&mut owner) {}
    let thief = thread::spawn(move || drop(stealer.steal_granted()));
    for _ in 0..3 {
        drop(owner.pop());
        push(&mut owner);
    }
    thief.join().expect("a model thread that fails ends the execution");
}

/// Two thieves steal all of a block, and the owner reaches it again while one of them may still be
/// reading.
fn stolen_together<F: Form<Item = Boxed>>() {
    let (mut owner, stealer) = F::make(Shape::new(3, 2));
    (1..=6).for_each(|number| assert!(owner.push(Boxed::new(number))));
    let other = stealer.clone();
    let thief = thread::spawn(move || drop(other.steal_granted()));
    drop(stealer.steal_granted());
    while owner.pop().is_some() {}
    (7..=10).for_each(|number| _ = owner.push(Boxed::new(number)));
    thief.join().expect("ends");
    while owner.pop().is_some() {}
}

pub(super) fn clients<F: Form<Item = Boxed>>(list: &mut Vec<Client>) {
    let plan = Plan { shape: Shape::new(2, 1), filled: 2, does: &[Pop, Push, Pop], thieves: &[2] };
    let wide = Plan { shape: Shape::new(2, 2), filled: 4, ..plan };
    let three = Plan { shape: Shape::new(3, 1), filled: 3, ..plan };
    add::<F>(list, "steal", move || run::<F>(plan));
    add::<F>(list, "steal-wide", move || run::<F>(wide));
    add::<F>(list, "steal-three", move || run::<F>(three));
    add::<F>(list, "lap", move || run::<F>(Plan { does: &[Push, Push, Push, Pop], ..plan }));
    add::<F>(list, "lap-wide", move || run::<F>(Plan { does: &[Push, Push, Pop, Pop, Push], ..wide }));
    add::<F>(list, "lap-three", move || run::<F>(Plan { does: &[Push, Pop, Push, Push], ..three }));
    add::<F>(list, "laps", move || run::<F>(Plan { does: &[Push, Push, Pop, Pop, Push, Push, Push, Pop], ..plan }));
    add::<F>(list, "thieves", move || run::<F>(Plan { does: &[Pop, Push], thieves: &[1, 1], ..plan }));
    add::<F>(list, "thieves-wide", move || run::<F>(Plan { does: &[Pop, Pop, Push], thieves: &[1, 1], ..wide }));
    add::<F>(list, "thieves-lap", move || run::<F>(Plan { does: &[Push, Push], thieves: &[1, 2], ..plan }));
    // Three and four thieves: at one block's entries, at one that is used up, and at one that the
    // owner reaches a lap later.
    let block = Plan { shape: Shape::new(2, 3), filled: 6, does: &[Pop, Push, Push], thieves: &[1, 1, 1] };
    let four = Plan { shape: Shape::new(2, 4), filled: 8, does: &[], thieves: &[1, 1, 1, 1] };
    add::<F>(list, "three-thieves", move || run::<F>(Plan { does: &[Pop, Push], thieves: &[1, 1, 1], ..plan }));
    add::<F>(list, "three-thieves-wide", move || run::<F>(Plan { does: &[Pop, Push], thieves: &[1, 1, 1], ..wide }));
    add::<F>(list, "three-thieves-lap", move || run::<F>(Plan { does: &[Push, Push], thieves: &[1, 1, 1], ..three }));
    add::<F>(list, "three-thieves-block", move || run::<F>(block));
    add::<F>(list, "four-thieves", move || run::<F>(four));
    add::<F>(list, "drop", move || dropped::<F>(Plan { does: &[Push], thieves: &[1], ..plan }));
    add::<F>(list, "drop-wide", move || dropped::<F>(Plan { does: &[Pop, Push], thieves: &[2], ..wide }));
    add::<F>(list, "drop-clones", move || dropped::<F>(Plan { does: &[], thieves: &[1, 1], ..wide }));
    add::<F>(list, "found", move || found::<F>(Shape::new(3, 1), 3, 1));
    add::<F>(list, "found-wide", move || found::<F>(Shape::new(4, 2), 8, 1));
    add::<F>(list, "found-thieves", move || found::<F>(Shape::new(4, 1), 4, 2));
    add::<F>(list, "found-again", found_again::<F>);
    if !F::NEWEST {
        add::<F>(list, "stolen-again", stolen_again::<F>);
        add::<F>(list, "stolen-together", stolen_together::<F>);
    }
    add::<F>(list, "left", move || left::<F>(Shape::new(3, 2), 5));
}

/// Three and four thieves that each steal for more than a lap: too many executions to explore them
/// all.
pub(super) fn walks<F: Form<Item = Boxed>>(list: &mut Vec<Client>) {
    let does = &[Push, Pop, Push, Push, Pop, Push, Push, Pop, Pop, Push, Push];
    for (blocks, shape) in [("", Shape::new(3, 1)), ("-two", Shape::new(2, 2)), ("-three", Shape::new(2, 3))] {
        let plan = Plan { shape, filled: shape.size, does, thieves: &[2, 2, 3] };
        add::<F>(list, &format!("walk-three{blocks}"), move || run::<F>(plan));
        add::<F>(list, &format!("walk-four{blocks}"), move || run::<F>(Plan { thieves: &[1, 1, 2, 2], ..plan }));
    }
}
