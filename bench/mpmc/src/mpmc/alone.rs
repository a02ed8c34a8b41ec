//! Measurements on one thread: the uncontended cost of calls.

use std::hint::black_box;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::kind::{Item, Kind, Receiver, Sender};
use aqueduct_measure::crew::{self, task};
use aqueduct_measure::machine;
use aqueduct_measure::rounds::{Fault, Threads};
use aqueduct_measure::run::panic_text;

/// The thread's repeated operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    /// Pushes an item and pops it.
    PushAndPop,
    /// Pushes to a full queue, which refuses the item.
    PushToFull,
    /// Pops from an empty queue, which returns nothing.
    PopFromEmpty,
}

/// One measurement on one thread.
#[derive(Clone, Copy, Debug)]
pub struct Alone {
    /// The operation.
    pub act: Act,
    /// Items that the queue can hold.
    pub capacity: usize,
    /// The number of times that it is done before the clock starts.
    pub warm_up: u64,
    /// The number of times that it is done.
    pub times: u64,
    /// The thread's core.
    pub core: Option<usize>,
}

/// The result of a measurement on one thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AloneTime {
    /// The number of times that it was done.
    pub times: u64,
    /// The time that it took.
    pub elapsed: Duration,
}

impl AloneTime {
    /// Nanoseconds for each time.
    #[must_use]
    pub fn ns_each(&self) -> f64 {
        self.elapsed.as_nanos() as f64 / self.times.max(1) as f64
    }
}

/// Runs the measurement on a fresh queue of that kind, on a thread of its own.
pub(crate) fn alone<K: Kind>(spec: &Alone) -> Result<AloneTime, Fault> {
    let (mut senders, mut receivers) = K::open(spec.capacity, Threads::PAIR).map_err(Fault::Refused)?;
    let (Some(sender), Some(receiver)) = (senders.pop(), receivers.pop()) else {
        return Err(Fault::Refused("the queue came without handles".to_owned()));
    };
    let timed = move || {
        machine::pin(spec.core);
        catch_unwind(AssertUnwindSafe(|| time(spec, sender, receiver)))
            .unwrap_or_else(|panic| Err(Fault::Panicked(panic_text(panic.as_ref()))))
    };
    crew::apart(task(timed))
}

fn time<S: Sender, R: Receiver>(spec: &Alone, mut sender: S, receiver: R) -> Result<AloneTime, Fault> {
    match spec.act {
        Act::PushAndPop => {
            let wrong = "a pushed item did not come back";
            let pair = |(sender, receiver): &mut (S, R), item| {
                let pushed = sender.push(item);
                receiver.pop() == Some(item) && pushed
            };
            clock(spec, (sender, receiver), wrong, pair).map(|(time, _)| time)
        }
        Act::PopFromEmpty => {
            let (time, _receiver) = time_empty_pop(spec, receiver)?;
            drop(sender);
            Ok(time)
        }
        Act::PushToFull => {
            let filled = fill(spec, &mut sender);
            let (time, _sender) = time_refused_push(spec, sender)?;
            check_filling(receiver, filled)?;
            Ok(time)
        }
    }
}

/// Pushes to a queue that is full. Returns the handle as well.
pub(super) fn time_refused_push<S: Sender>(spec: &Alone, sender: S) -> Result<(AloneTime, S), Fault> {
    clock(spec, sender, "a full queue took an item", |sender, item| !sender.push(item))
}

/// Pops from a queue that is empty. Returns the handle as well.
pub(super) fn time_empty_pop<R: Receiver>(spec: &Alone, receiver: R) -> Result<(AloneTime, R), Fault> {
    clock(spec, receiver, "an empty queue gave an item", |receiver, _| receiver.pop().is_none())
}

/// Repeats `act`, the number of times of the measurement. `act` gets the handles and an item, and
/// returns whether the result was right.
fn clock<H>(
    spec: &Alone,
    handles: H,
    wrong: &'static str,
    act: impl Fn(&mut H, Item) -> bool,
) -> Result<(AloneTime, H), Fault> {
    // The handles move through each stretch in a local, where they can live in registers, as in a
    // user's loop.
    let stretch = |handles: H, count: u64| {
        let mut local = ManuallyDrop::new(handles);
        let mut right = true;
        for number in 0..count {
            right &= act(&mut local, Item::MIN.saturating_add(black_box(number)));
        }
        (ManuallyDrop::into_inner(local), right)
    };
    let (handles, warm) = stretch(handles, spec.warm_up);
    let begin = Instant::now();
    let (handles, right) = stretch(handles, spec.times);
    let elapsed = begin.elapsed();
    if warm && right { Ok((AloneTime { times: spec.times, elapsed }, handles)) } else { Err(Fault::WrongAnswer(wrong)) }
}

/// Pushes 1, 2, 3, ... until the queue refuses, and returns the number of accepted items.
pub(super) fn fill(spec: &Alone, sender: &mut impl Sender) -> u64 {
    // A queue may hold more than was asked for, but not any number.
    let most = 4 * spec.capacity as u64 + 1024;
    (1..=most).take_while(|&number| Item::new(number).is_some_and(|item| sender.push(item))).count() as u64
}

/// Whether the items that come out are 1, 2, 3, ... up to `filled`.
pub(super) fn check_filling(mut receiver: impl Receiver, filled: u64) -> Result<(), Fault> {
    let (mut popped, mut sum) = (0, 0);
    while popped <= filled
        && let Some(item) = receiver.pop()
    {
        popped += 1;
        sum += item.get();
    }
    let expected = filled * (filled + 1) / 2;
    if (popped, sum) == (filled, expected) {
        Ok(())
    } else {
        Err(Fault::WrongItems { popped, wanted: filled, sum, expected })
    }
}
