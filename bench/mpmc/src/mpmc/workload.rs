//! The workloads, by name.

/// The workloads of the BBQ paper's section 6.2, and those that its experiments need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Workload {
    /// Numbers travel, as fast as they can.
    Simple,
    /// The address of a fresh allocation travels, and the consumer frees it. Before each push and
    /// after each pop the thread does nothing for up to 100 instructions. Their number is random,
    /// and equal in each run.
    Complex,
    /// The complex one, with the clock read before and after each call.
    Latency,
    /// The simple one, until the first producer has pushed all its items: then all stop.
    Fairness,
    /// The simple one, in two parts: when the producers have filled the queue, and only then, the
    /// consumers empty it. The time is theirs.
    Drain,
    /// Numbers travel at a fixed rate: 10,000 a second from each producer, 1,000 to each consumer.
    /// The clock is read before and after each push.
    Profiling,
    /// Numbers travel when they are due, at a fixed rate that does not depend on the queue. The
    /// consumer reads how long ago an item was due.
    OpenLoop(Offered),
}

impl Workload {
    /// Whether this build has all workloads, or the simple one alone.
    pub(super) const ALL_ARE_BUILT: bool = cfg!(feature = "workloads");

    /// Whether the words that travel are addresses of allocations.
    pub(super) fn carries_addresses(self) -> bool {
        matches!(self, Self::Complex | Self::Latency)
    }
}

/// The distribution of items in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arrival {
    /// One by one, with exponentially distributed gaps: a Poisson process.
    Poisson,
    /// [`BURST`](Self::BURST) at once from one producer, with exponentially distributed gaps
    /// between the bursts.
    Bursts,
}

impl Arrival {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Poisson, Self::Bursts];

    /// Items of a burst.
    pub const BURST: u64 = 32;

    /// Returns its name in benches.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Poisson => "poisson",
            Self::Bursts => "bursts",
        }
    }

    pub(super) fn at_once(self) -> u64 {
        match self {
            Self::Poisson => 1,
            Self::Bursts => Self::BURST,
        }
    }
}

/// The rate of items, and their distribution in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Offered {
    /// Items that are due in a second, all producers together; 1 at least.
    pub per_second: u64,
    /// Their distribution in time.
    pub arrival: Arrival,
}
