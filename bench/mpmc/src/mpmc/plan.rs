//! The plan of measurements, which the program's options build and [`run`](super::run()) follows.

use std::time::Duration;

use aqueduct_measure::record::WORD;
use aqueduct_measure::rounds::{Limit, Threads, experiments};

experiments! {
    "mpmc", "bench mpmc" has Throughput, Oversubscription without workloads:
    /// `mpmc.throughput`: items per second through the queue, all threads together.
    Throughput = "throughput",
    /// `mpmc.drain`: items per second of consumers that empty a queue that was filled before.
    Drain = "drain",
    /// `mpmc.uncontended`: one push and one pop, both on one thread.
    Uncontended = "uncontended",
    /// `mpmc.full`: a push that is refused because the queue is full, on one thread.
    Full = "full",
    /// `mpmc.empty`: a pop that finds nothing, on one thread.
    Empty = "empty",
    /// `mpmc.complex`: items per second where each is allocated and freed, with work of random
    /// length between the calls.
    Complex = "complex",
    /// `mpmc.profiling`: the time of a push at 10,000 a second from each producer.
    Profiling = "profiling",
    /// `mpmc.latency`: an item's time in the queue, and the times of a push and of a pop.
    Latency = "latency",
    /// `mpmc.open-loop`: the time from an item's due time to its pop, at a fixed rate.
    OpenLoop = "open-loop",
    /// `mpmc.fairness`: the evenness of the threads' shares of a side's operations.
    Fairness = "fairness",
    /// `mpmc.oversubscription`: throughput with one to five times as many threads as there are
    /// cores.
    Oversubscription = "oversubscription",
    /// `mpmc.sweep`: throughput over the number of blocks and their size, of our queues.
    Sweep = "sweep",
    /// `mpmc.sweep-latency`: an item's time in the queue over the number of blocks and their size,
    /// in the complex workload.
    SweepLatency = "sweep-latency",
}

/// The measurements of a run: their queues, threads and durations.
///
/// While there are cores, each thread has one of its own, and producers and consumers alternate. A
/// refused thread executes one `spin_loop` hint, and after every 64 failures in a row yields its
/// core instead. This holds for all queues.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Queues to measure, ours and others: full names, the part after the slash, or the crate
    /// before it. Empty means all.
    pub queues: Vec<String>,
    /// Whether other crates' queues take part.
    pub peers: bool,
    /// Threads on either side, in all experiments but `mpmc.uncontended`; `mpmc.full` takes those
    /// with one consumer, `mpmc.empty` those with one producer. A queue takes part where it can. An
    /// empty list means those that each experiment has of its own:
    /// [`threads_of`](Self::threads_of).
    pub threads: Vec<Threads>,
    /// Whether the experiments have more numbers of threads of their own.
    pub thorough: bool,
    /// Batch sizes of `mpmc.throughput` and `mpmc.drain`; 1 is the single-item interface, more is
    /// for the queues that take slices.
    pub batches: Vec<usize>,
    /// Bytes of an item: one of [`ITEM_BYTES`](aqueduct_measure::items::ITEM_BYTES). Items of more
    /// than a word have `mpmc.throughput` only.
    pub item_bytes: usize,
    /// Items that a queue can hold, except in `mpmc.drain`, `mpmc.latency` and `mpmc.sweep`.
    pub capacity: usize,
    /// Items that a queue can hold in `mpmc.drain`: many, because the consumers do not start at
    /// exactly the same time, but no more than all queues can hold.
    pub drain_capacity: usize,
    /// Items that a queue can hold in `mpmc.latency`: few, because an item stays for as long as it
    /// takes to pop those before it.
    pub latency_capacity: usize,
    /// The rates that producers offer in `mpmc.open-loop`, in per cent of the throughput of the
    /// slowest queue.
    pub loads: Vec<u32>,
    /// Numbers of blocks in `mpmc.sweep`.
    pub blocks: Vec<usize>,
    /// Entries of a block in `mpmc.sweep`.
    pub block_sizes: Vec<usize>,
    /// The cores of the threads, in their order. An empty list means
    /// [`cores`](aqueduct_measure::machine::cores).
    pub cores: Vec<usize>,
    /// The number of rounds, each of which measures everything once: A B C A B C ...
    pub rounds: usize,
    /// The duration of one measurement of one queue.
    pub slice: Duration,
    /// The time after which no further round begins; `None` means no limit.
    pub limit: Option<Limit>,
    /// The time beyond ten slices after which a run counts as broken.
    pub patience: Duration,
}

/// Returns those numbers of producers and consumers.
fn pairs<const COUNT: usize>(pairs: [(usize, usize); COUNT]) -> Vec<Threads> {
    pairs.into_iter().map(|(producers, consumers)| Threads::new(producers, consumers)).collect()
}

impl Experiment {
    /// Whether it measures queues with a given division into blocks.
    pub(super) fn divides(self) -> bool {
        matches!(self, Self::Sweep | Self::SweepLatency)
    }
}

impl Plan {
    /// Most threads for each core, in `mpmc.oversubscription` (the BBQ paper, section 6.2).
    const MOST_PER_CORE: usize = 5;

    /// Makes a plan of every experiment, which takes some minutes.
    #[must_use]
    pub fn full() -> Self {
        Self {
            experiments: Experiment::built(),
            queues: Vec::new(),
            peers: true,
            threads: Vec::new(),
            thorough: true,
            batches: vec![1, 8, 32],
            item_bytes: WORD,
            capacity: 4096,
            drain_capacity: 1 << 15,
            latency_capacity: 128,
            loads: vec![10, 30, 60, 90],
            blocks: vec![2, 4, 8, 16, 32, 64],
            block_sizes: vec![8, 32, 128, 512, 2048],
            cores: Vec::new(),
            rounds: 5,
            slice: Duration::from_millis(100),
            limit: None,
            patience: Duration::from_secs(10),
        }
    }

    /// Makes a plan of every experiment within a minute: shorter slices, fewer rounds and numbers
    /// of threads.
    #[must_use]
    pub fn quick() -> Self {
        Self {
            rounds: 3,
            slice: Duration::from_millis(25),
            limit: Some(Limit::QUICK),
            thorough: false,
            loads: vec![30, 90],
            blocks: vec![2, 4, 8, 16],
            block_sizes: vec![8, 32, 128, 512],
            ..Self::full()
        }
    }

    /// Returns the numbers of threads with which `experiment` is done on a machine of `cores`
    /// cores.
    #[must_use]
    pub fn threads_of(&self, experiment: Experiment, cores: usize) -> Vec<Threads> {
        let mut own = match experiment {
            Experiment::Uncontended => return vec![Threads::PAIR],
            // One side is at work, the other one has a handle.
            Experiment::Full => return self.of_one_side(|threads| threads.consumers == 1),
            Experiment::Empty => return self.of_one_side(|threads| threads.producers == 1),
            _ if !self.threads.is_empty() => return self.threads.clone(),
            Experiment::Throughput => {
                return pairs([(1, 1), (1, 2), (2, 1), (2, 2), (1, 4), (4, 1), (2, 4), (4, 2), (4, 4)]);
            }
            Experiment::Oversubscription => return oversubscribed(cores),
            Experiment::Drain => return pairs([(1, 1), (1, 2), (1, 4)]),
            Experiment::Complex | Experiment::Latency => pairs([(1, 1), (2, 2), (4, 1), (1, 4)]),
            Experiment::OpenLoop => pairs([(1, 1), (4, 4), (4, 1), (1, 4)]),
            Experiment::Profiling => pairs([(1, 1), (4, 1), (4, 4)]),
            Experiment::Fairness => pairs([(2, 2), (4, 4), (4, 1), (1, 4)]),
            Experiment::Sweep | Experiment::SweepLatency => pairs([(2, 2), (4, 1)]),
        };
        if !self.thorough {
            own.truncate(if experiment.divides() { 1 } else { 2 });
        }
        own
    }

    /// Returns the wanted numbers of threads for which `is_one_sided` is true; one thread if there
    /// are none.
    fn of_one_side(&self, is_one_sided: impl Fn(&Threads) -> bool) -> Vec<Threads> {
        let asked: Vec<Threads> = self.threads.iter().copied().filter(is_one_sided).collect();
        if asked.is_empty() { vec![Threads::PAIR] } else { asked }
    }
}

/// Returns one to five times as many threads as cores, half of them producers.
fn oversubscribed(cores: usize) -> Vec<Threads> {
    let of_all = |all: usize| Threads::new((all / 2).clamp(1, Threads::MOST), all.div_ceil(2).clamp(1, Threads::MOST));
    let mut levels: Vec<Threads> = (1..=Plan::MOST_PER_CORE).map(|times| of_all(times * cores.max(1))).collect();
    levels.dedup();
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_one_to_five_threads_for_each_core() {
        let levels = |cores| oversubscribed(cores).iter().map(Threads::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(levels(2), "1x1 2x2 3x3 4x4 5x5");
        assert_eq!(levels(16), "8x8 16x16 24x24 32x32 40x40");
        assert_eq!(levels(1), "1x1 1x2 2x2 2x3", "one thread alone cannot do it");
    }

    #[test]
    fn threads_that_were_asked_for_are_those_of_each_experiment_with_several() {
        let plan = Plan { threads: vec![Threads::new(3, 2)], ..Plan::quick() };
        for experiment in Experiment::ALL {
            let own = Plan::quick().threads_of(experiment, 2);
            // On one thread, or on one side, which three producers and two consumers are not.
            let alone = own == [Threads::PAIR];
            let asked = plan.threads_of(experiment, 2);
            assert_eq!(asked, if alone { own } else { vec![Threads::new(3, 2)] }, "{experiment:?}");
        }
        let plan = Plan { threads: pairs([(1, 1), (4, 1), (1, 3), (2, 2)]), ..Plan::quick() };
        assert_eq!(plan.threads_of(Experiment::Full, 2), pairs([(1, 1), (4, 1)]));
        assert_eq!(plan.threads_of(Experiment::Empty, 2), pairs([(1, 1), (1, 3)]));
        assert_eq!(plan.threads_of(Experiment::Uncontended, 2), [Threads::PAIR]);
        assert!(
            Plan::full().threads_of(Experiment::Latency, 2).len()
                > Plan::quick().threads_of(Experiment::Latency, 2).len()
        );
    }
}
