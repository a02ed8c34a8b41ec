//! The owner alone: it fills the queue, then drains it, again and again.

use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::Fault;
use super::kind::{Kind, Order, Owner, Room, all_came, drain, item};
use crate::machine;
use crate::mpmc::wait::panic_text;

/// One measurement of the owner alone.
#[derive(Clone, Copy, Debug)]
pub struct Alone {
    /// Items of a filling: what the queue can hold.
    pub capacity: usize,
    /// In how many blocks, if it has any and is to be told.
    pub blocks: Option<usize>,
    /// How often it is filled and drained.
    pub times: u64,
    /// The owner's core.
    pub core: Option<usize>,
}

/// What a measurement of the owner alone found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drained {
    /// Items that went through the queue.
    pub items: u64,
    /// The time that it took.
    pub elapsed: Duration,
}

impl Drained {
    /// Million items per second.
    #[must_use]
    pub fn mitems_per_second(&self) -> f64 {
        self.items as f64 / self.elapsed.as_secs_f64().max(1e-9) / 1e6
    }
}

/// Runs the measurement on a fresh queue of that kind, on a thread of its own.
pub(super) fn alone<K: Kind>(spec: &Alone) -> Result<Drained, Fault> {
    let (owner, thief) = K::open(Room { capacity: spec.capacity, blocks: spec.blocks }).map_err(Fault::Refused)?;
    let timed = move || {
        machine::pin(spec.core);
        catch_unwind(AssertUnwindSafe(|| time(spec, K::ORDER, owner)))
            .unwrap_or_else(|panic| Err(Fault::Panicked(panic_text(panic.as_ref()))))
    };
    let outcome = std::thread::scope(|scope| scope.spawn(timed).join().expect("it catches panics"));
    drop(thief);
    outcome
}

fn time(spec: &Alone, order: Order, owner: impl Owner) -> Result<Drained, Fault> {
    // The handle lives in a local, where it can live in registers, as in a user's loop.
    let mut owner = ManuallyDrop::new(owner);
    let filling = spec.capacity as u64;
    let begin = Instant::now();
    for _ in 0..spec.times {
        let (popped, sum, first) = fill_and_drain(&mut *owner, filling);
        all_came(filling, (popped, sum))?;
        let expected = if order == Order::Lifo { filling } else { 1 };
        if first != expected {
            return Err(Fault::WrongAnswer("the first item that the owner took was not the one of its order"));
        }
    }
    let elapsed = begin.elapsed();
    drop(ManuallyDrop::into_inner(owner));
    Ok(Drained { items: filling * spec.times, elapsed })
}

/// How many items came, their sum, and the first of them.
#[inline(always)]
fn fill_and_drain(owner: &mut impl Owner, filling: u64) -> (u64, u64, u64) {
    for number in 1..=filling {
        if !owner.push(item(number)) {
            break;
        }
    }
    let Some(first) = owner.pop() else { return (0, 0, 0) };
    let (popped, sum) = drain(owner);
    (popped + 1, sum.wrapping_add(first.get()), first.get())
}
