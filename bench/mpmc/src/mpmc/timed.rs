//! The workloads that read the clock around single calls: latency and profiling.

use quanta::Clock;

use super::kind::{Item, Receiver, Sender};
use super::parcel::{self, Complex, Opening, Wrapping};
use super::work::{Consuming, Producing, Work, item};
use aqueduct_measure::rate::Rate;
use aqueduct_measure::run::Run;
use aqueduct_measure::times::{Timed, Times};

/// [`Workload::Latency`](super::workload::Workload::Latency).
pub(super) struct Latency {
    clock: Clock,
}

impl Latency {
    pub(super) fn new() -> Self {
        Self { clock: Clock::new() }
    }
}

/// A producer that times its pushes and stamps its parcels.
pub(super) struct Stamping {
    wrapping: Wrapping,
    clock: Clock,
    push: Times,
}

/// A consumer that times its pops, and reads how long the parcels have been in the queue.
pub(super) struct Reading {
    opening: Opening,
    clock: Clock,
    pop: Times,
    in_queue: Times,
}

impl Work for Latency {
    type Producing<'r> = Stamping;
    type Consuming<'r> = Reading;

    fn producing(&self, run: &Run, thread: usize) -> Stamping {
        let clock = self.clock.clone();
        Stamping { wrapping: Complex.producing(run, thread), push: Times::new(&clock), clock }
    }

    fn consuming(&self, run: &Run, thread: usize) -> Reading {
        let clock = self.clock.clone();
        let (pop, in_queue) = (Times::new(&clock), Times::new(&clock));
        Reading { opening: Complex.consuming(run, thread), clock, pop, in_queue }
    }
}

impl Producing for Stamping {
    #[inline]
    fn make(&mut self, number: u64) -> Item {
        self.wrapping.make(number)
    }

    #[inline]
    fn push(&mut self, sender: &mut impl Sender, item: Item) -> bool {
        let begin = self.clock.raw();
        parcel::stamp(item, begin);
        let pushed = sender.push(item);
        let end = self.clock.raw();
        if pushed {
            self.push.add(end.saturating_sub(begin));
        }
        pushed
    }

    fn timed(self) -> Timed {
        Timed { push: Some(self.push), ..Timed::default() }
    }
}

impl Consuming for Reading {
    #[inline]
    fn pop(&mut self, receiver: &mut impl Receiver) -> Option<Item> {
        let begin = self.clock.raw();
        let popped = receiver.pop();
        let end = self.clock.raw();
        if let Some(item) = popped {
            self.pop.add(end.saturating_sub(begin));
            // Where the cores' counters are apart by more than an item stays, it counts as 0.
            self.in_queue.add(end.saturating_sub(parcel::stamp_of(item)));
        }
        popped
    }

    #[inline]
    fn take(&mut self, item: Item) -> u64 {
        self.opening.take(item)
    }

    fn timed(self) -> Timed {
        Timed { pop: Some(self.pop), in_queue: Some(self.in_queue), ..Timed::default() }
    }
}

/// [`Workload::Profiling`](super::workload::Workload::Profiling).
pub(super) struct Profiling {
    clock: Clock,
}

impl Profiling {
    pub(super) fn new() -> Self {
        Self { clock: Clock::new() }
    }

    /// Pushes of a producer in a second.
    pub(super) const PUSHES_PER_SECOND: u64 = 10_000;
    /// Pops of a consumer in a second.
    pub(super) const POPS_PER_SECOND: u64 = 1_000;
}

/// A producer with a fixed rate that times its pushes.
pub(super) struct PacedProducing<'r> {
    pace: Rate<'r>,
    push: Times,
}

/// A consumer with a fixed rate, as long as there are producers.
pub(super) struct PacedConsuming<'r>(Rate<'r>);

impl Work for Profiling {
    type Producing<'r> = PacedProducing<'r>;
    type Consuming<'r> = PacedConsuming<'r>;

    fn producing<'r>(&self, run: &'r Run, _thread: usize) -> PacedProducing<'r> {
        PacedProducing { pace: Rate::new(run, &self.clock, Self::PUSHES_PER_SECOND), push: Times::new(&self.clock) }
    }

    fn consuming<'r>(&self, run: &'r Run, _thread: usize) -> PacedConsuming<'r> {
        PacedConsuming(Rate::new(run, &self.clock, Self::POPS_PER_SECOND))
    }
}

impl Producing for PacedProducing<'_> {
    fn continues(&mut self) -> bool {
        !self.pace.run().is_over()
    }

    fn make(&mut self, number: u64) -> Item {
        self.pace.wait();
        item(number)
    }

    #[inline]
    fn push(&mut self, sender: &mut impl Sender, item: Item) -> bool {
        let begin = self.pace.clock().raw();
        let pushed = sender.push(item);
        let end = self.pace.clock().raw();
        if pushed {
            self.push.add(end.saturating_sub(begin));
        }
        pushed
    }

    fn complete(&mut self) {
        self.pace.run().end();
    }

    fn timed(self) -> Timed {
        Timed { push: Some(self.push), ..Timed::default() }
    }
}

impl Consuming for PacedConsuming<'_> {
    #[inline]
    fn pop(&mut self, receiver: &mut impl Receiver) -> Option<Item> {
        self.0.wait();
        receiver.pop()
    }

    fn take(&mut self, item: Item) -> u64 {
        item.get()
    }
}
