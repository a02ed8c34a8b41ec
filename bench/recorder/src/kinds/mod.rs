//! Recorders of events: ours, peers, and the machine's bound.

mod bound;
mod dial9;
mod loggers;
pub(crate) mod ours;
pub(crate) mod queues;
mod quicklog;
pub(crate) mod tracing;

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Fault;

/// The bytes of memory of each recorder with a limit.
pub(crate) const MEMORY: usize = 1 << 20;

/// A thread's handle of a recorder.
pub(crate) trait Handle {
    /// Records an event without a number.
    fn none(&mut self);
    /// Records an event with a number.
    fn one(&mut self, number: u64);
    /// Records an event with four numbers.
    fn four(&mut self, numbers: [u64; 4]);
    /// Records the start of a span with a number, and its end. Only called if [`Kind::HAS_SPANS`].
    fn span(&mut self, number: u64);
}

/// A recorder of events.
pub(crate) trait Kind: 'static {
    const NAME: &'static str;
    const ROLE: Role;
    const HAS_SPANS: bool;
    /// The greatest number of recording threads.
    const MOST_THREADS: usize = usize::MAX;
    /// The number of records of a span.
    const SPAN_RECORDS: u64 = 2;
    /// The shared state of the threads of a run.
    type Shared: Sync;
    /// A thread's handle, made in the thread.
    type Handle<'s>: Handle;

    /// Begins a run.
    ///
    /// # Errors
    /// If the recorder cannot be made.
    fn open() -> Result<Self::Shared, Fault>;

    fn enter(shared: &Self::Shared) -> Self::Handle<'_>;

    /// Ends a run of `records` records. Returns the bytes of memory per record, if they are known.
    ///
    /// # Errors
    /// If records are missing.
    fn close(shared: Self::Shared, records: u64) -> Result<Option<f64>, Fault>;
}

/// An action on each kind.
pub(crate) trait Visit {
    fn visit<K: Kind>(&mut self);
}

pub(crate) fn visit(visitor: &mut impl Visit) {
    visitor.visit::<ours::Recorder>();
    visitor.visit::<ours::Layer>();
    visitor.visit::<queues::SharedRing>();
    visitor.visit::<queues::Mutexed>();
    visitor.visit::<tracing::FlightRecorder>();
    visitor.visit::<tracing::Chrome>();
    visitor.visit::<tracing::Appender>();
    visitor.visit::<loggers::Spdlog>();
    visitor.visit::<loggers::Ftlog>();
    visitor.visit::<quicklog::Quicklog>();
    visitor.visit::<dial9::Dial9>();
    visitor.visit::<tracing::Alone>();
    visitor.visit::<bound::Clock>();
}
