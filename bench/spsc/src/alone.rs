//! The uncontended measurement: one thread pushes an item and pops it, again and again.

use std::hint::black_box;
use std::mem::ManuallyDrop;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use super::kind::{Kind, Receiver, Sender};
use super::pair::Fault;
use aqueduct_measure::crew::{self, step, task};
use aqueduct_measure::machine::{self, Cores};

/// One uncontended measurement.
#[derive(Clone, Copy, Debug)]
pub struct Alone {
    /// Items that the queue can hold.
    pub capacity: usize,
    /// Pairs of one push and one pop before the clock starts.
    pub warm_up: u64,
    /// Pairs that are measured.
    pub pairs: u64,
    /// The thread runs on the producer's core.
    pub cores: Cores,
}

/// The result of an uncontended measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AloneTime {
    /// Pairs that were measured.
    pub pairs: u64,
    /// The time that they took.
    pub elapsed: Duration,
    /// The share of the time for which the thread had its core.
    pub on_core: f64,
}

impl AloneTime {
    /// Nanoseconds for one push and one pop.
    #[must_use]
    pub fn ns_per_pair(&self) -> f64 {
        self.elapsed.as_nanos() as f64 / self.pairs.max(1) as f64
    }
}

/// Runs the measurement on a fresh queue of that kind.
pub(super) fn alone<K: Kind>(spec: &Alone) -> Result<AloneTime, Fault> {
    let handles = K::open::<NonZeroU64>(spec.capacity).map_err(Fault::Refused)?;
    clock_pairs(spec, handles, |(sender, receiver), item| {
        let pushed = sender.push(item);
        let mut came = None;
        receiver.pop(&mut |item| came = Some(item));
        if pushed { came } else { None }
    })
}

/// Measures the time of `pair`, which gets the queue's handles and an item to push, and returns the
/// item that it popped.
pub(super) fn clock_pairs<H: Send>(
    spec: &Alone,
    handles: H,
    pair: impl Fn(&mut H, NonZeroU64) -> Option<NonZeroU64> + Send,
) -> Result<AloneTime, Fault> {
    // The handles move through each stretch in a local, which the compiler can keep in registers,
    // as in a user's loop.
    let stretch = move |handles: H, from: u64, count: u64| {
        let mut local = ManuallyDrop::new(handles);
        let mut difference = 0;
        for number in from..from + count {
            let item = NonZeroU64::MIN.saturating_add(black_box(number));
            difference |= pair(&mut local, item).map_or(0, NonZeroU64::get) ^ item.get();
        }
        let handles = ManuallyDrop::into_inner(local);
        if difference == 0 { Ok(handles) } else { Err(Fault::WrongItems { sum: 0, expected: 0 }) }
    };
    let timed = move || {
        machine::pin(spec.cores.producer);
        let handles = stretch(handles, 0, spec.warm_up)?;
        let begin = Instant::now();
        let (done, on_core) = machine::share_on_core(step(|| stretch(handles, spec.warm_up, spec.pairs)));
        done.map(|_| AloneTime { pairs: spec.pairs, elapsed: begin.elapsed(), on_core })
    };
    crew::apart(task(timed))
}
