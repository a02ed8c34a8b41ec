//! One measured figure of one queue: every experiment yields records, and every report reads them.

use serde::{Deserialize, Serialize};

use crate::names::{Bench, Queue};
use crate::statistics;
use crate::unit::Unit;

/// Whether an item carries its value in the slot or behind a pointer (the SPSC paper, section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Payload {
    /// The value itself travels through the queue.
    Embedded,
    /// A pointer to a buffer travels; the buffer costs a cache miss of its own.
    Indirect,
}

/// The origin of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// One of aqueduct's queues.
    Ours,
    /// A peer: a queue that is not of this workspace.
    Peer,
    /// A limit of the machine, without a queue.
    Bound,
}

impl Role {
    /// Returns the role of a queue: a peer, or one of aqueduct's.
    #[must_use]
    pub fn of_queue(is_peer: bool) -> Self {
        if is_peer { Self::Peer } else { Self::Ours }
    }

    /// Returns its text in files.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Peer => "peer",
            Self::Bound => "bound",
        }
    }

    /// Returns the group's heading.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Ours => "aqueduct",
            Self::Peer => "peers",
            Self::Bound => "bounds",
        }
    }

    /// The three roles in the order in which reports show them.
    pub const ALL: [Self; 3] = [Self::Ours, Self::Peer, Self::Bound];
}

/// The cores that a run's threads were pinned to, in the order of the threads. Empty if the system
/// placed them, or if it is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    /// Cores of the producers: of the owners, where there are thieves, and of the threads that send
    /// messages.
    pub producers: Vec<usize>,
    /// Cores of the consumers: of the thieves, and of the workers between the threads that send
    /// messages.
    pub consumers: Vec<usize>,
}

/// A figure with all its runs. The keys are equal for every bench, so that one reader reads all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Line")]
pub struct Record {
    /// The measured quantity.
    pub bench: Bench,
    /// The measured queue, or the bound.
    pub queue: Queue,
    /// The origin of the queue.
    pub role: Role,
    /// Number of producing threads.
    pub producers: usize,
    /// Number of consuming threads.
    pub consumers: usize,
    /// Capacity asked for, in items.
    pub capacity: usize,
    /// Items per synchronisation that the interface was asked for; 1 is the single-item interface.
    pub batch: usize,
    /// Whether the interface has no batches, so that the items of each were moved one by one.
    pub item_by_item: bool,
    /// Bytes of an item. Older files have items of a word.
    pub item_bytes: usize,
    /// The place of the value.
    pub payload: Payload,
    /// Emulated work per item on the producer's side, in nanoseconds.
    pub producer_load_ns: u32,
    /// Emulated work per item on the consumer's side, in nanoseconds.
    pub consumer_load_ns: u32,
    /// The threads' cores. Older files lack them.
    pub placement: Placement,
    /// The unit of the figures.
    pub unit: Unit,
    /// Median of `runs`.
    pub median: f64,
    /// Least of `runs`.
    pub min: f64,
    /// Greatest of `runs`.
    pub max: f64,
    /// Every round's figure, in the order of measurement.
    pub runs: Vec<f64>,
}

/// A record as files have it: older files have a field for a peer instead of the role, and mark a
/// bound by its name.
#[derive(Deserialize)]
struct Line {
    bench: Bench,
    queue: Queue,
    role: Option<Role>,
    peer: Option<bool>,
    producers: usize,
    consumers: usize,
    capacity: usize,
    batch: usize,
    #[serde(default)]
    item_by_item: bool,
    #[serde(default = "word")]
    item_bytes: usize,
    payload: Payload,
    producer_load_ns: u32,
    consumer_load_ns: u32,
    #[serde(default)]
    placement: Placement,
    unit: Unit,
    median: f64,
    min: f64,
    max: f64,
    runs: Vec<f64>,
}

impl TryFrom<Line> for Record {
    type Error = &'static str;

    fn try_from(line: Line) -> Result<Self, Self::Error> {
        let role = match (line.role, line.peer) {
            (Some(role), _) => role,
            (None, Some(true)) => Role::Peer,
            (None, Some(false)) if line.queue.name.starts_with("bound/") => Role::Bound,
            (None, Some(false)) => Role::Ours,
            (None, None) => return Err("missing field `role`"),
        };
        let Line {
            bench,
            queue,
            producers,
            consumers,
            capacity,
            batch,
            item_by_item,
            item_bytes,
            payload,
            producer_load_ns,
            consumer_load_ns,
            placement,
            unit,
            median,
            min,
            max,
            runs,
            ..
        } = line;
        Ok(Self {
            role,
            bench,
            queue,
            producers,
            consumers,
            capacity,
            batch,
            item_by_item,
            item_bytes,
            payload,
            producer_load_ns,
            consumer_load_ns,
            placement,
            unit,
            median,
            min,
            max,
            runs,
        })
    }
}

/// Bytes of an item by default.
pub const WORD: usize = size_of::<u64>();

fn word() -> usize {
    WORD
}

/// The place of a figure in a table: threads, capacity and batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Producing threads.
    pub producers: usize,
    /// Consuming threads.
    pub consumers: usize,
    /// Items that the queue can hold.
    pub capacity: usize,
    /// Items per call; 1 is the single-item interface.
    pub batch: usize,
}

impl Place {
    /// Returns the bench with the place, in words.
    pub fn words(self, bench: &str) -> String {
        let Self { producers, consumers, capacity, batch } = self;
        format!("{bench} {producers}x{consumers} by {batch}, capacity {capacity}")
    }
}

impl Record {
    /// Whether the queue is a peer. A bound is not.
    #[must_use]
    pub fn is_peer(&self) -> bool {
        self.role == Role::Peer
    }

    /// Returns the queue's name, with a mark if its items were moved one by one for lack of
    /// batches.
    #[must_use]
    pub fn queue_words(&self) -> String {
        if self.item_by_item { format!("{} (item by item)", self.queue) } else { self.queue.to_string() }
    }

    /// Makes the record of a figure without emulated load, of items that carry their values
    /// themselves.
    #[must_use]
    pub fn of(
        bench: impl Into<Bench>,
        queue: impl Into<Queue>,
        role: Role,
        place: Place,
        unit: Unit,
        runs: Vec<f64>,
    ) -> Self {
        let (min, max) = statistics::extremes(&runs);
        let Place { producers, consumers, capacity, batch } = place;
        Self {
            bench: bench.into(),
            queue: queue.into(),
            role,
            producers,
            consumers,
            capacity,
            batch,
            item_by_item: false,
            item_bytes: WORD,
            payload: Payload::Embedded,
            producer_load_ns: 0,
            consumer_load_ns: 0,
            placement: Placement::default(),
            unit,
            median: statistics::median(&runs),
            min,
            max,
            runs,
        }
    }
}
