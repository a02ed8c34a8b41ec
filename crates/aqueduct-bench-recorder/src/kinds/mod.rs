//! What records events: ours, others, and what the machine allows.

mod bound;
mod dial9;
mod loggers;
pub(crate) mod ours;
pub(crate) mod queues;
mod quicklog;
pub(crate) mod tracing;

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Fault;

/// The bytes of memory of each recorder whose memory has a limit.
pub(crate) const MEMORY: usize = 1 << 20;

/// What a thread records with.
pub(crate) trait Handle {
    /// Records an event without a number.
    fn none(&mut self);
    /// Records an event with a number.
    fn one(&mut self, number: u64);
    /// Records an event with four numbers.
    fn four(&mut self, numbers: [u64; 4]);
    /// Records the start of a span with a number, and its end. Only where [`Kind::HAS_SPANS`] says so.
    fn span(&mut self, number: u64);
}

/// Something that records events.
pub(crate) trait Kind: 'static {
    const NAME: &'static str;
    const ROLE: Role;
    const HAS_SPANS: bool;
    /// The most threads that may record.
    const MOST_THREADS: usize = usize::MAX;
    /// Records that a span leaves.
    const SPAN_RECORDS: u64 = 2;
    /// What all threads of a run share.
    type Shared: Sync;
    /// A thread's part, made in the thread.
    type Handle<'s>: Handle;

    /// Begins a run.
    ///
    /// # Errors
    /// If it cannot be made.
    fn open() -> Result<Self::Shared, Fault>;

    fn enter(shared: &Self::Shared) -> Self::Handle<'_>;

    /// Ends a run in which so many records were made. Returns the bytes of memory for each, where that is known.
    ///
    /// # Errors
    /// If records are missing.
    fn close(shared: Self::Shared, records: u64) -> Result<Option<f64>, Fault>;
}

/// Does something with each kind.
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
