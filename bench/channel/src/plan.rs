//! The plan of measurements.

use aqueduct_measure::rounds::{Pace, Threads, experiments};

experiments! {
    "channel":
    /// `channel.blocking`: messages per second between threads.
    Blocking = "blocking",
    /// `channel.tasks`: messages per second between tasks.
    Tasks = "tasks",
    /// `channel.pingpong`: round trips of a message.
    PingPong = "pingpong",
    /// `channel.pinball`: messages that wander between tasks.
    Pinball = "pinball",
    /// `channel.funnel`: many tasks send to one.
    Funnel = "funnel",
    /// `channel.bursts`: messages after idle times.
    Bursts = "bursts",
    /// `channel.open_loop`: messages that are due at fixed times.
    OpenLoop = "open_loop",
    /// `channel.one_core`: all on one core.
    OneCore = "one_core",
    /// `channel.alone`: sends and receives of one thread.
    Alone = "alone",
    /// `channel.select`: receives from several channels.
    Select = "select",
    /// `channel.oneshot`: channels for one message.
    Oneshot = "oneshot",
    /// `channel.broadcast`: messages that every receiver gets.
    Broadcast = "broadcast",
    /// `channel.latest`: values, of which receivers need only the newest one.
    Latest = "latest",
    /// `channel.dropped`: futures that are dropped by chance before they are ready.
    Dropped = "dropped",
}

/// The measurements of a run, and their durations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Channels to measure, ours and others: full names, the part after the slash, or the crate
    /// before it. Empty means all.
    pub queues: Vec<String>,
    /// Whether others' channels take part.
    pub peers: bool,
    /// Numbers of senders and receivers.
    pub threads: Vec<Threads>,
    /// Messages for which a channel has room, in `blocking` and `tasks`; 0 is a rendezvous.
    pub capacities: Vec<usize>,
    /// Whether channels without a limit take part.
    pub unbounded: bool,
    /// The cores of the threads, in their order. An empty list means
    /// [`cores`](aqueduct_measure::machine::cores).
    pub cores: Vec<usize>,
    /// The number of rounds, and their duration.
    pub pace: Pace,
}

impl Plan {
    pub(crate) fn wants(&self, experiment: Experiment) -> bool {
        self.experiments.contains(&experiment)
    }
}
