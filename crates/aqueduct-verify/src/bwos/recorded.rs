//! Clients whose calls are recorded, and explained by a deque with stealing.

use std::sync::Arc;

use aqueduct_model::linearizability::{self as sequential, Deque, DequeOp, History, QueueResult};
use aqueduct_model::thread;
use aqueduct_under_model::bwos::Steal;

use super::{Form, Owns, Shape, Steals, add};
use crate::clients::Client;
use crate::item::{Boxed, Item};

/// A deque whose owner keeps up to a block to itself. It takes the newest item, and thieves the oldest one; or the oldest one, and
/// thieves any. A push may say `Full` from `least` items on: from the capacity on where the owner takes the newest item; always where
/// it takes the oldest one, for items that were stolen from the middle leave no room.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Spec {
    deque: Deque<u64>,
    len: usize,
    least: usize,
}

impl Spec {
    fn new<F: Form>(shape: Shape) -> Self {
        let (deque, least) = match F::NEWEST {
            true => (Deque::lifo(), shape.geometry().capacity()),
            false => (Deque::fifo().steals_anywhere(), 0),
        };
        Self { deque: deque.hides(shape.size), len: 0, least }
    }
}

impl sequential::Spec for Spec {
    type Input = DequeOp<u64>;
    type Output = QueueResult<u64>;

    fn apply(&mut self, input: &DequeOp<u64>, output: &QueueResult<u64>) -> bool {
        match output {
            QueueResult::Full => return matches!(input, DequeOp::Push(_)) && self.len >= self.least,
            QueueResult::Pushed => self.len += 1,
            QueueResult::Popped(_) => self.len = self.len.saturating_sub(1),
            _ => {}
        }
        sequential::Spec::apply(&mut self.deque, input, output)
    }

    /// One thread looks at an old state if nothing tells it better, as in store buffering.
    fn excused_by_overlap(&self, _input: &DequeOp<u64>, output: &QueueResult<u64>) -> bool {
        matches!(output, QueueResult::Full | QueueResult::Empty | QueueResult::Busy)
    }
}

fn push<F: Form>(history: &History<Spec>, owner: &mut F::Owner, number: u64) {
    history.call(DequeOp::Push(number), || match owner.push(F::Item::new(number)) {
        true => QueueResult::Pushed,
        false => QueueResult::Full,
    });
}

fn pop<F: Form>(history: &History<Spec>, owner: &mut F::Owner) -> bool {
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

/// What the owner does.
#[derive(Clone, Copy)]
enum Does {
    Push,
    Pop,
}
use Does::{Pop, Push};

#[derive(Clone, Copy)]
struct Plan {
    shape: Shape,
    /// Items that are in the queue when the thieves begin.
    filled: usize,
    does: &'static [Does],
    /// How often each thief steals.
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

/// Thieves take what they find, the owner goes in the middle of it, and the last one drops what is left.
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

/// An owner that is gone leaves all it has to the thieves.
fn left<F: Form<Item = Boxed>>(shape: Shape, items: usize) {
    let (mut owner, stealer) = F::make(shape);
    (1..=items as u64).for_each(|number| assert!(owner.push(Boxed::new(number))));
    thread::spawn(move || drop(owner)).join().expect("ends");
    for number in 1..=items as u64 {
        let stolen = stealer.steal().success().map(|item| item.number());
        assert_eq!(stolen, Some(number), "left by the owner");
    }
    assert!(stealer.steal().is_empty());
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
    add::<F>(list, "drop", move || dropped::<F>(Plan { does: &[Push], thieves: &[1], ..plan }));
    add::<F>(list, "drop-wide", move || dropped::<F>(Plan { does: &[Pop, Push], thieves: &[2], ..wide }));
    add::<F>(list, "drop-clones", move || dropped::<F>(Plan { does: &[], thieves: &[1, 1], ..wide }));
    add::<F>(list, "left", move || left::<F>(Shape::new(3, 2), 5));
}
