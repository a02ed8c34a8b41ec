//! The plan of measurements.

use std::path::PathBuf;

use aqueduct_measure::rounds::{Pace, Threads, experiments};

use crate::message;

experiments! {
    "shm":
    /// `shm.round_trip`: a message goes to the other process, and comes back.
    RoundTrip = "round_trip",
    /// `shm.throughput`: messages go to the other process as fast as they can.
    Throughput = "throughput",
    /// `shm.many`: messages of several producers to several consumers, each a process, by one
    /// queue.
    Many = "many",
    /// `shm.drop_old`: messages overwrite the oldest ones as fast as they can; a reader in the
    /// other process gets a part.
    DropOld = "drop_old",
    /// `shm.c_call`: a push and a pop on one thread, in C and in Rust.
    CCall = "c_call",
}

/// A side's behaviour while it has to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The side tries again.
    Spin,
    /// The side calls the waiting function of its queue, or of the system.
    Sleep,
}

impl Wait {
    /// Both ways.
    pub const ALL: [Self; 2] = [Self::Spin, Self::Sleep];

    /// Returns its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Spin => "spin",
            Self::Sleep => "sleep",
        }
    }
}

impl std::str::FromStr for Wait {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|wait| wait.name() == name);
        found.ok_or_else(|| "there is no such way to wait; there are: spin, sleep".to_owned())
    }
}

/// The sizes of messages that can be measured, in bytes.
pub const SIZES: [usize; 3] = message::SIZES;

/// The program that is the other process: it calls [`follow`](crate::follow).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Follower {
    /// The program; `None` is this one.
    pub program: Option<PathBuf>,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// The measurements of a run, and their durations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Transports to measure, ours and others: full names, the part after the slash, or the crate
    /// before it. Empty means all.
    pub queues: Vec<String>,
    /// Whether other crates' transports take part.
    pub peers: bool,
    /// Sizes of messages, in bytes: some of [`SIZES`].
    pub bytes: Vec<usize>,
    /// A side's behaviour while it has to wait.
    pub waits: Vec<Wait>,
    /// Messages for which a queue has room, where that can be chosen.
    pub capacity: usize,
    /// Numbers of producing and consuming processes, in [`Many`](Experiment::Many).
    pub processes: Vec<Threads>,
    /// The cores of the two sides. An empty list means the first two of
    /// [`cores`](aqueduct_measure::machine::cores).
    pub cores: Vec<usize>,
    /// The number of rounds, and their duration.
    pub pace: Pace,
    /// The other process.
    pub follower: Follower,
}

impl Plan {
    pub(crate) fn wants(&self, experiment: Experiment) -> bool {
        self.experiments.contains(&experiment)
    }
}
