//! Owners that do nothing more, and are not dropped: every item that was pushed can be stolen.
//!
//! This holds however the items came into the queue, and whatever thieves were doing then.

use std::num::NonZeroU64;
use std::sync::Arc;

use super::super::library::bwos::Steal;
use super::{Form, Owns, Shape, Steals, add, add_big};
use crate::clients::Client;
use aqueduct_model::sync::atomic::{AtomicBool, Ordering};
use aqueduct_model::{await_until, thread};

/// An operation of the owner.
#[derive(Clone, Copy)]
enum Does {
    Push,
    Pop,
    /// Pushes this number of items by `push_slice`.
    Slice(usize),
    /// Steals up to this number of items from another queue.
    Into(usize),
    /// Steals up to this number of items from another queue, and takes the first.
    IntoPop(usize),
    /// Answers a request by a push.
    Answers,
    /// Answers a request by a push; all that it gives is stolen.
    Gives,
}
use Does::{Answers, Gives, Into, IntoPop, Pop, Push, Slice};

/// The attempts of a thief while the owner is at work.
#[derive(Clone, Copy)]
enum Tries {
    Steals(usize),
    Seizes(usize),
}
use Tries::{Seizes, Steals as By};

#[derive(Clone, Copy)]
struct Plan {
    shape: Shape,
    /// The owner's operations before there are thieves.
    before: &'static [Does],
    /// The owner's operations beside the thieves; then it does nothing more.
    does: &'static [Does],
    thieves: &'static [Tries],
    /// Whether the queue always has an item that thieves may take, so that none may find it empty.
    never_empty: bool,
    /// Whether the thieves steal the rest, each when it sees that the owner does nothing more.
    waits: bool,
}

/// An owner, and the queue from which it steals.
struct Worker<F: Form> {
    owner: F::Owner,
    stealer: F::Stealer,
    source: F::Stealer,
    /// The number of the next item to push.
    next: u64,
    /// The numbers of the items that the owner or a thief has taken.
    came: Vec<u64>,
}

/// Items of the other queue: their numbers are greater than those that the owner pushes.
const OTHERS: std::ops::Range<u64> = 101..105;

fn item(number: u64) -> NonZeroU64 {
    NonZeroU64::new(number).expect("not 0")
}

impl<F: Form<Item = NonZeroU64>> Worker<F> {
    fn new(owner: F::Owner, stealer: F::Stealer) -> Self {
        let (mut other, source) = F::make(Shape::new(2, OTHERS.count()));
        OTHERS.for_each(|number| assert!(other.push(item(number))));
        Self { owner, stealer, source, next: 1, came: Vec::new() }
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    fn does(&mut self, does: Does) {
        match does {
            Push => {
                if !self.owner.push(item(self.next)) {
                    return;
                }
                self.number();
            }
            Pop => self.came.extend(self.owner.pop().map(NonZeroU64::get)),
            Slice(count) => {
                let items: Vec<_> = (self.next..).take(count).map(item).collect();
                self.next += F::push_slice(&mut self.owner, &items) as u64;
            }
            Into(most) => _ = F::steal_into(&self.source, &mut self.owner, most),
            IntoPop(most) => {
                let came = F::steal_batch_and_pop(&self.source, &mut self.owner, most);
                self.came.extend(came.success().map(NonZeroU64::get));
            }
            Answers => {
                self.stealer.request();
                self.does(Push);
            }
            Gives => {
                self.does(Answers);
                let given = std::iter::from_fn(|| self.stealer.steal_granted().success());
                self.came.extend(given.map(NonZeroU64::get));
            }
        }
    }
}

/// Makes a thief's attempts, while the owner may be at work.
fn attempt<F: Form<Item = NonZeroU64>>(stealer: &F::Stealer, tries: Tries, never_empty: bool) -> Vec<u64> {
    let (times, seizes) = match tries {
        By(times) => (times, false),
        Seizes(times) => (times, true),
    };
    let mut came = Vec::new();
    for _ in 0..times {
        match if seizes { stealer.seize() } else { stealer.steal() } {
            Steal::Success(item) => came.push(item.get()),
            Steal::Empty => assert!(!never_empty, "there is an item, and was when the attempt began"),
            Steal::Retry => {}
        }
    }
    came
}

/// Steals until the queue is empty: the only thief has an item in its third attempt at the latest.
fn rest<F: Form<Item = NonZeroU64>>(stealer: &F::Stealer, is_alone: bool) -> Vec<u64> {
    let (mut came, mut lost) = (Vec::new(), 0);
    loop {
        match stealer.steal() {
            Steal::Success(item) => {
                came.push(item.get());
                lost = 0;
            }
            Steal::Empty => return came,
            Steal::Retry => lost += 1,
        }
        assert!(lost <= 2 || !is_alone, "{lost} attempts in vain");
    }
}

fn run<F: Form<Item = NonZeroU64>>(plan: Plan) {
    let (owner, stealer) = F::make(plan.shape);
    let mut worker = Worker::<F>::new(owner, stealer.clone());
    plan.before.iter().for_each(|&does| worker.does(does));
    let is_done = Arc::new(AtomicBool::new(false));
    let thieves: Vec<_> = plan
        .thieves
        .iter()
        .map(|&tries| {
            let (stealer, is_done) = (stealer.clone(), Arc::clone(&is_done));
            thread::spawn(move || {
                let mut came = attempt::<F>(&stealer, tries, plan.never_empty);
                if plan.waits {
                    await_until(|| is_done.load(Ordering::Acquire));
                    came.extend(rest::<F>(&stealer, plan.thieves.len() == 1));
                }
                came
            })
        })
        .collect();
    plan.does.iter().for_each(|&does| worker.does(does));
    // The owner does nothing from here on.
    is_done.store(true, Ordering::Release);
    let mut came = std::mem::take(&mut worker.came);
    for thief in thieves {
        came.extend(thief.join().expect("a model thread that fails ends the execution"));
    }
    came.extend(rest::<F>(&stealer, true));
    came.sort_unstable();
    // Items that the owner has not moved are still in the other queue.
    let mut went: Vec<u64> = (1..worker.next).chain(OTHERS).collect();
    while let Some(item) = worker.source.steal_granted().success().or_else(|| worker.source.seize().success()) {
        went.retain(|&number| number != item.get());
    }
    assert_eq!(came, went, "each pushed item is stolen, or was popped");
}

/// An owner whose queue is full tries to push until there is room, and does nothing else: thieves
/// make the room.
fn spins<F: Form<Item = NonZeroU64>>(shape: Shape, turns: u64) {
    let (mut owner, stealer) = F::make(shape);
    let mut numbers = 1..;
    let mut came = Vec::new();
    for _ in 0..turns {
        let mut lost = 0;
        while owner.push(item(numbers.start)) {
            numbers.next();
        }
        while !owner.push(item(numbers.start)) {
            match stealer.steal() {
                Steal::Success(item) => {
                    came.push(item.get());
                    lost = 0;
                }
                Steal::Empty => panic!("a full queue is not empty"),
                Steal::Retry => lost += 1,
            }
            assert!(lost <= 2, "{lost} attempts in vain");
        }
        numbers.next();
    }
    came.extend(rest::<F>(&stealer, true));
    came.sort_unstable();
    assert!(came.into_iter().eq(1..numbers.start), "each pushed item is stolen");
}

/// An owner tries to push while a slow thief keeps the next block: another thief gets what the
/// owner has.
fn spins_beside<F: Form<Item = NonZeroU64>>(shape: Shape) {
    let (mut owner, stealer) = F::make(shape);
    let pushed = (1..).take_while(|&number| owner.push(item(number))).count();
    let other = stealer.clone();
    let slow = thread::spawn(move || usize::from(other.steal_granted().is_success()));
    let (mut came, mut lost) = (0, 0);
    while came + 1 < pushed && !owner.push(item(100)) {
        match stealer.steal() {
            Steal::Success(_) => (came, lost) = (came + 1, 0),
            Steal::Empty => break,
            Steal::Retry => lost += 1,
        }
        // One failed attempt is the slow thief's.
        assert!(lost <= 3, "{lost} attempts in vain");
    }
    came += slow.join().expect("a model thread that fails ends the execution");
    assert!(came > 0, "nothing was stolen of a full queue");
}

pub(super) fn clients<F: Form<Item = NonZeroU64>>(list: &mut Vec<Client>) {
    let plan = Plan {
        shape: Shape::new(2, 2),
        before: &[],
        does: &[],
        thieves: &[Seizes(1)],
        never_empty: false,
        waits: false,
    };
    let mut parks = |name: &str, plan: Plan| add::<F>(list, &format!("parked-{name}"), move || run::<F>(plan));
    let [one, two, four] = [Shape::new(2, 1), Shape::new(2, 2), Shape::new(2, 4)];
    let three = Shape::new(3, 2);
    // After pushes, and after pops.
    parks("push", Plan { before: &[Push], does: &[Push], ..plan });
    parks("push-steals", Plan { before: &[Push], does: &[Push], thieves: &[By(2)], ..plan });
    parks("push-first", Plan { does: &[Push], thieves: &[By(2)], ..plan });
    parks("push-single", Plan { shape: one, before: &[Push], does: &[Push], ..plan });
    parks("push-four", Plan { shape: four, before: &[Push], does: &[Push, Push], ..plan });
    parks("push-next", Plan { before: &[Push, Push], does: &[Push], thieves: &[By(2)], ..plan });
    parks("push-full", Plan { shape: one, before: &[Push, Push], does: &[Push], thieves: &[By(2)], ..plan });
    parks("pop", Plan { before: &[Push, Push, Push], does: &[Pop], ..plan });
    parks("pop-nothing", Plan { before: &[Push], does: &[Pop, Pop], thieves: &[By(2)], ..plan });
    parks("pop-push", Plan { before: &[Push, Push], does: &[Pop, Push], ..plan });
    parks("slice", Plan { shape: four, before: &[Push], does: &[Slice(2)], ..plan });
    parks("slice-next", Plan { before: &[Push], does: &[Slice(2)], ..plan });
    // After another queue was stolen from.
    parks("into", Plan { shape: four, before: &[Push], does: &[Into(2)], ..plan });
    parks("into-steals", Plan { shape: four, before: &[Into(1)], does: &[Into(2)], thieves: &[By(2)], ..plan });
    parks("into-next", Plan { before: &[Into(1)], does: &[Into(2), Into(1)], ..plan });
    parks("into-pop", Plan { shape: four, before: &[Push], does: &[IntoPop(3)], ..plan });
    // After a request that was answered.
    parks("lent", Plan { shape: four, before: &[Push, Push, Push], does: &[Push], thieves: &[By(4)], ..plan });
    parks("given", Plan { shape: four, before: &[Push, Gives], does: &[Push], thieves: &[By(2)], ..plan });
    // The owner need not have seen yet that its thief has requested more.
    parks("given-late", Plan { shape: four, before: &[Push, Answers], does: &[Push], thieves: &[Seizes(2)], ..plan });
    parks("given-into", Plan { shape: four, before: &[Push, Gives], does: &[Into(2)], ..plan });
    // In a lap that is not the first.
    let lap: &[Does] = &[Push, Push, Pop, Pop, Push, Push, Pop, Pop, Push];
    parks("lap", Plan { before: lap, does: &[Push], ..plan });
    parks("lap-single", Plan { shape: one, before: lap, does: &[Push], ..plan });
    parks("lap-pop", Plan { before: lap, does: &[Push, Pop], thieves: &[By(2)], ..plan });
    // Two thieves.
    let both: &[Tries] = &[Seizes(1), By(1)];
    parks("thieves", Plan { before: &[Push], does: &[Push], thieves: both, ..plan });
    parks("waits", Plan { before: &[Push], does: &[Push], waits: true, ..plan });
    parks("waits-thieves", Plan { does: &[Push], thieves: &[Seizes(1), By(0)], waits: true, ..plan });
    parks("into-waits", Plan { shape: four, before: &[Into(1)], does: &[Into(2)], waits: true, ..plan });
    // A thief that finds nothing is right.
    let kept = Plan { never_empty: true, ..plan };
    let mut keeps = |name: &str, plan: Plan| add::<F>(list, &format!("kept-{name}"), move || run::<F>(plan));
    keeps("advance", Plan { before: &[Push, Push], does: &[Push], thieves: &[By(1)], ..kept });
    keeps("advance-single", Plan { shape: one, before: &[Push], does: &[Push], thieves: &[By(1)], ..kept });
    keeps(
        "advance-three",
        Plan { shape: three, before: &[Push, Push, Push, Push], does: &[Push], thieves: &[By(2)], ..kept },
    );
    keeps("pop", Plan { before: &[Push, Push], does: &[Pop], thieves: &[By(1)], ..kept });
    // The owner goes to an empty block when it is about to steal.
    let goes: &[Does] = &[Push, Into(0)];
    keeps(
        "empty-next",
        Plan { shape: three, before: &[Push, Push, Push, Pop, Pop], does: goes, thieves: &[By(1)], ..kept },
    );
    keeps("pop-next", Plan { before: &[Push, Push, Push, Push], does: &[Pop, Pop, Pop], thieves: &[By(1)], ..kept });
    keeps("pop-single", Plan { shape: one, before: &[Push, Push], does: &[Pop], thieves: &[By(1)], ..kept });
    keeps("retreat", Plan { before: &[Push, Push, Push], does: &[Pop, Pop], thieves: &[By(1)], ..kept });
    keeps("turn", Plan { before: &[Push, Push], does: &[Pop, Push], thieves: &[By(1)], ..kept });
    for (what, shape) in [("-single", one), ("", two), ("-four", four)] {
        add::<F>(list, &format!("spins{what}"), move || spins::<F>(shape, 2));
        add::<F>(list, &format!("spins-beside{what}"), move || spins_beside::<F>(shape));
    }
    let mut parks = |name: &str, plan: Plan| add_big::<F>(list, &format!("parked-{name}"), move || run::<F>(plan));
    parks("pushes", Plan { before: &[Push], does: &[Push, Push], thieves: &[Seizes(2)], ..plan });
    let mut keeps = |name: &str, plan: Plan| add_big::<F>(list, &format!("kept-{name}"), move || run::<F>(plan));
    keeps("thieves", Plan { before: &[Push, Push], does: &[Push], thieves: &[By(1), By(1)], ..kept });
}
