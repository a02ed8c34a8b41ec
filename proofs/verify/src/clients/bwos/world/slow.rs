//! Clients with several slow thieves: each stops once, anywhere, and meanwhile the owner goes
//! around, and another thief steals.

use std::cell::{Cell, RefCell};

use super::super::library::bwos::Steal;
use super::recorded::Spec;
use super::{Form, Owns, Shape, Steals, add};
use crate::clients::Client;
use crate::clients::item::{Boxed, Item};
use crate::clients::threads::slow::Timeline;
use aqueduct_model::interrupt::with_handler;
use aqueduct_model::linearizability::{DequeOp, QueueResult};

struct Scene<F: Form> {
    line: Timeline<Spec>,
    owner: RefCell<F::Owner>,
    stealer: F::Stealer,
    next: Cell<u64>,
    slow: usize,
    /// Whether the thieves seize.
    seizes: bool,
}

impl<F: Form> Scene<F> {
    fn push(&self) -> bool {
        let number = self.next.replace(self.next.get() + 1);
        let mut owner = self.owner.borrow_mut();
        let pushed = self.line.call(DequeOp::Push(number), || match owner.push(F::Item::new(number)) {
            true => QueueResult::Pushed,
            false => QueueResult::Full,
        });
        pushed == QueueResult::Pushed
    }

    fn pop(&self) -> bool {
        let mut owner = self.owner.borrow_mut();
        let popped = self.line.call(DequeOp::Pop, || owner.pop().map(|item| item.number()).into());
        matches!(popped, QueueResult::Popped(_))
    }

    fn steal(&self) {
        self.line.call(DequeOp::Steal, || {
            match if self.seizes { self.stealer.seize() } else { self.stealer.steal_granted() } {
                Steal::Success(item) => QueueResult::Popped(item.number()),
                Steal::Empty => QueueResult::Empty,
                Steal::Retry => QueueResult::Busy,
            }
        });
    }

    /// Runs the slow thieves from this one on; then a theft, and the owner empties the queue and
    /// fills it, twice.
    fn from(&self, number: usize) {
        if number < self.slow {
            with_handler(|| self.from(number + 1), || self.steal());
            return;
        }
        for _ in 0..2 {
            self.steal();
            while self.pop() {}
            while self.push() {}
            if self.seizes {
                while self.pop() {}
                self.push();
            }
        }
    }
}

/// Runs `slow` slow thieves and the others' operations meanwhile, on a full queue or on one with an
/// item that thieves can only seize.
fn run<F: Form>(shape: Shape, slow: usize, seizes: bool) {
    let (owner, stealer) = F::make(shape);
    let (line, owner, next) = (Timeline::new(), RefCell::new(owner), Cell::new(1));
    let scene = Scene::<F> { line, owner, stealer, next, slow, seizes };
    while scene.push() && !seizes {}
    scene.from(0);
    while scene.pop() {}
    scene.line.check(if seizes { Spec::hiding_nothing::<F>(shape) } else { Spec::new::<F>(shape) });
}

pub(super) fn clients<F: Form<Item = Boxed>>(list: &mut Vec<Client>) {
    let scenes = [("slow-thieves", 2, false), ("slow-three-thieves", 3, false), ("slow-seizers", 2, true)];
    for (what, slow, seizes) in scenes {
        for (blocks, shape) in [("", Shape::new(3, 1)), ("-two", Shape::new(3, 2)), ("-three", Shape::new(2, 3))] {
            add::<F>(list, &format!("{what}{blocks}"), move || run::<F>(shape, slow, seizes));
        }
    }
}
