//! What to measure: the plan that the program's options build and [`run`](super::run()) follows.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// One experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Experiment {
    /// `bbq.throughput`: items per second through the queue, all threads together.
    Throughput,
    /// `bbq.uncontended`: one push and one pop, both on one thread.
    Uncontended,
    /// `bbq.full`: a push that is refused because the queue is full, on one thread.
    Full,
    /// `bbq.empty`: a pop that finds nothing, on one thread.
    Empty,
}

impl Experiment {
    /// All experiments, in the order in which a report shows them.
    pub const ALL: [Self; 4] = [Self::Throughput, Self::Uncontended, Self::Full, Self::Empty];

    /// The name by which the experiment is asked for, without `bbq.`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::Uncontended => "uncontended",
            Self::Full => "full",
            Self::Empty => "empty",
        }
    }

    /// The experiment of that name, with or without `bbq.` before it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let bare = name.strip_prefix("bbq.").unwrap_or(name);
        Self::ALL.into_iter().find(|one| one.name() == bare)
    }
}

/// How many threads there are on either side; written as `2x4`, producers first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Threads {
    /// Producing threads.
    pub producers: usize,
    /// Consuming threads.
    pub consumers: usize,
}

impl Threads {
    /// One on either side.
    pub const PAIR: Self = Self::new(1, 1);

    /// Most threads on one side. A machine with more cores may find that too few.
    pub const MOST: usize = 256;

    /// That many producers and consumers.
    #[must_use]
    pub const fn new(producers: usize, consumers: usize) -> Self {
        Self { producers, consumers }
    }
}

impl fmt::Display for Threads {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}x{}", self.producers, self.consumers)
    }
}

impl FromStr for Threads {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| part.trim().parse().ok().filter(|count| (1..=Self::MOST).contains(count));
        text.split_once('x')
            .and_then(|(producers, consumers)| Some(Self::new(number(producers)?, number(consumers)?)))
            .ok_or_else(|| format!("two numbers between 1 and {} are needed, such as 2x4", Self::MOST))
    }
}

/// What to measure, with which queues and threads, and for how long.
///
/// Producer i runs on core i, consumer i on core i + 1, both modulo the cores that this process may use. A thread that was refused
/// gives the core one `spin_loop` hint, and after every 64 failures in a row offers it to other threads instead; the same for all
/// queues.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Queues to measure, ours and others: full names, the part after the slash, or the crate before it. Empty means all.
    pub queues: Vec<String>,
    /// Whether other crates' queues take part.
    pub peers: bool,
    /// Threads on either side, in `bbq.throughput`. A queue takes part where it can.
    pub threads: Vec<Threads>,
    /// Batch sizes of `bbq.throughput`; 1 is the single-item interface, more is for the queues that take slices.
    pub batches: Vec<usize>,
    /// Items that a queue can hold.
    pub capacity: usize,
    /// How often everything is measured, A B C A B C ...
    pub rounds: usize,
    /// How long one measurement of one queue takes.
    pub slice: Duration,
    /// What a run may take beyond ten slices until it counts as broken.
    pub patience: Duration,
}

impl Plan {
    /// Every experiment, some minutes.
    #[must_use]
    pub fn full() -> Self {
        let threads = [(1, 1), (1, 2), (2, 1), (2, 2), (1, 4), (4, 1), (2, 4), (4, 2), (4, 4)];
        Self {
            experiments: Experiment::ALL.to_vec(),
            queues: Vec::new(),
            peers: true,
            threads: threads.into_iter().map(|(producers, consumers)| Threads::new(producers, consumers)).collect(),
            batches: vec![1, 8, 32],
            capacity: 4096,
            rounds: 5,
            slice: Duration::from_millis(100),
            patience: Duration::from_secs(10),
        }
    }

    /// Every experiment within less than a minute: shorter slices and fewer rounds.
    #[must_use]
    pub fn quick() -> Self {
        Self { rounds: 3, slice: Duration::from_millis(25), ..Self::full() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_read_as_they_are_written() {
        let threads = Threads::new(2, 16);
        assert_eq!(threads.to_string().parse(), Ok(threads));
        for wrong in ["2", "0x1", "1x0", "2x", "2x257", "axb"] {
            let why = wrong.parse::<Threads>().unwrap_err();
            assert!(why.contains("such as 2x4"), "{wrong}: {why}");
        }
    }
}
