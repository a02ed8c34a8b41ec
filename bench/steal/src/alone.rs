//! The owner alone: it fills the queue, then drains it, again and again.
//!
//! The addresses of so short a loop and of its memory affect its speed, with any queue. So the
//! program has several copies of the loop, each after some more instructions, and each copy gets
//! its own queue. The fastest copy counts, for bounds and queues alike.

use std::hint::black_box;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::kind::{Kind, Owner, Room, all_came, drain};
use aqueduct_measure::crew::{self, task};
use aqueduct_measure::items::Item;
use aqueduct_measure::machine;
use aqueduct_measure::rounds::Fault;
use aqueduct_measure::run::panic_text;

/// One measurement of the owner alone.
#[derive(Clone, Copy, Debug)]
pub struct Alone {
    /// Items of a filling: what the queue can hold.
    pub capacity: usize,
    /// The number of blocks, for a queue whose number of blocks can be chosen.
    pub blocks: Option<usize>,
    /// The number of times that it is filled and drained, by all copies of the loop together.
    pub times: u64,
    /// The owner's core.
    pub core: Option<usize>,
}

/// The result of a measurement of the owner alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drained {
    /// Items that went through the queue.
    pub items: u64,
    /// The time that it took.
    pub elapsed: Duration,
    /// Million items per second, through the fastest copy of the loop.
    pub mitems_per_second: f64,
}

/// Runs the measurement on fresh queues of that kind.
pub(super) fn alone<K: Kind>(spec: &Alone) -> Result<Drained, Fault> {
    let copies = [time::<K::Owner, 0>, time::<K::Owner, 1>, time::<K::Owner, 2>, time::<K::Owner, 3>];
    let mut all = Drained { items: 0, elapsed: Duration::ZERO, mitems_per_second: 0.0 };
    for (copy, number) in copies.into_iter().zip(0..) {
        let times = (spec.times + number) / copies.len() as u64;
        let elapsed = on_its_core::<K>(spec, |owner| copy(&Alone { times, ..*spec }, K::NEWEST_FIRST, owner))?;
        let items = spec.capacity as u64 * times;
        all.items += items;
        all.elapsed += elapsed;
        all.mitems_per_second = all.mitems_per_second.max(items as f64 / elapsed.as_secs_f64().max(1e-9) / 1e6);
    }
    Ok(all)
}

/// Runs an action on the owner of a fresh queue, on a thread of its own.
fn on_its_core<K: Kind>(
    spec: &Alone,
    work: impl FnOnce(K::Owner) -> Result<Duration, Fault> + Send,
) -> Result<Duration, Fault> {
    let (owner, thief) = K::open(Room { blocks: spec.blocks, ..Room::from(spec.capacity) }).map_err(Fault::Refused)?;
    let timed = move || {
        machine::pin(spec.core);
        catch_unwind(AssertUnwindSafe(|| work(owner)))
            .unwrap_or_else(|panic| Err(Fault::Panicked(panic_text(panic.as_ref()))))
    };
    let outcome = crew::apart(task(timed));
    drop(thief);
    outcome
}

/// Returns the time that the owner needs with that copy of the loop.
#[inline(never)]
fn time<O: Owner, const COPY: usize>(spec: &Alone, newest_first: bool, owner: O) -> Result<Duration, Fault> {
    // The instructions before the loop, which give it another address.
    for step in 0..COPY {
        black_box(step);
    }
    // The handle lives in a local, where it can live in registers, as in a user's loop.
    let mut owner = ManuallyDrop::new(owner);
    let filling = spec.capacity as u64;
    let begin = Instant::now();
    for _ in 0..spec.times {
        let (popped, sum, first) = fill_and_drain(&mut *owner, filling);
        all_came(filling, (popped, sum))?;
        let expected = if newest_first { 1 } else { filling };
        if first != expected {
            return Err(Fault::WrongAnswer("the first item that the owner took was not the one of its order"));
        }
    }
    let elapsed = begin.elapsed();
    drop(ManuallyDrop::into_inner(owner));
    Ok(elapsed)
}

/// Returns the number of popped items, their sum, and the first of them. They are pushed from the
/// greatest on: to count down to zero is one instruction, and a range that includes its end takes
/// longer than the pushes do.
#[inline(always)]
fn fill_and_drain(owner: &mut impl Owner, filling: u64) -> (u64, u64, u64) {
    let mut number = filling;
    while let Some(item) = Item::new(number)
        && owner.push(item)
    {
        number -= 1;
    }
    let Some(first) = owner.pop() else { return (0, 0, 0) };
    let (popped, sum) = drain(owner);
    (popped + 1, sum.wrapping_add(first.get()), first.get())
}
