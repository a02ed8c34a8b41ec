//! The families of queues that `aqueduct compare` measures, each by a short plan of its bench.

use std::fmt::Display;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use aqueduct_bench_exchange::{drop_old, exchange, records};
use aqueduct_bench_mpmc::{cnq, mpmc, nblfq};
use aqueduct_bench_spsc as spsc;
use aqueduct_bench_steal as steal;
use aqueduct_measure::record::{Payload, WORD};
use aqueduct_measure::report::sheet::Setting;
use aqueduct_measure::rounds::{Findings, Limit, Observer, Outlook, Pace, Threads};

/// The fewest rounds of a family, unless the run is interrupted. With fewer there is no advice.
pub(super) const FEWEST_ROUNDS: usize = 3;
/// The most rounds of a family.
const MOST_ROUNDS: usize = 15;
/// The number of rounds for which the length of a measurement is chosen.
const ROUNDS: u32 = 6;
/// The minimum and the maximum length of a measurement.
const SLICES: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(20)];

/// The common options of the plans.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    /// The requested cores; empty for all.
    pub(super) wanted: Vec<usize>,
    /// The number of cores for the threads.
    pub(super) cores: usize,
    /// Bytes of an item in the families of single items and batches.
    pub(super) item_bytes: usize,
}

/// A plan of some bench.
pub(super) trait Plan {
    fn outlook(&self) -> Result<Outlook, String>;
    fn run(&self, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings<String>, String>;
}

macro_rules! plans {
    ($($bench:ident),*) => {$(
        impl Plan for $bench::Plan {
            fn outlook(&self) -> Result<Outlook, String> {
                $bench::outlook(self)
            }

            fn run(&self, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings<String>, String> {
                $bench::run(self, stop, observer).map(in_words)
            }
        }
    )*};
}

plans!(cnq, drop_old, exchange, mpmc, nblfq, records, spsc, steal);

/// Returns the findings with their faults as sentences.
fn in_words<F: Display>(findings: Findings<F>) -> Findings<String> {
    let Findings { records, faults, notes, rounds } = findings;
    let faults = faults.into_iter().map(|(bench, queue, fault)| (bench, queue, fault.to_string())).collect();
    Findings { records, faults, notes, rounds }
}

/// A family of queues.
pub(super) struct Family {
    /// The family's name in the output.
    pub(super) name: &'static str,
    /// The family's part of the time, relative to the others'.
    pub(super) weight: u32,
    /// The comparisons that the terminal shows; the page shows all.
    pub(super) shows: fn(&Setting) -> bool,
    plan: fn(&Setup, Pace) -> Box<dyn Plan>,
}

/// All families, in the order in which they are measured.
///
/// Those that take few seconds come first, so that there is a table soon. The last one has the most
/// to measure, in the time that the others leave.
pub(super) const FAMILIES: [Family; 11] = [
    Family { name: "many to many", weight: 3, shows: |_| true, plan: many_to_many },
    Family { name: "many to one", weight: 2, shows: |_| true, plan: many_to_one },
    Family { name: "one to many", weight: 2, shows: |_| true, plan: one_to_many },
    Family { name: "batches", weight: 2, shows: |_| true, plan: batches },
    Family {
        name: "drop-old",
        weight: 1,
        shows: |setting| setting.bench == "drop-old.written" && setting.consumers > 0,
        plan: overwriting,
    },
    Family { name: "records", weight: 2, shows: |_| true, plan: of_records },
    Family {
        name: "work stealing",
        weight: 3,
        shows: |setting| setting.bench.name.starts_with("steal.stolen"),
        plan: work_stealing,
    },
    Family { name: "k-relaxed", weight: 3, shows: |_| true, plan: k_relaxed },
    Family { name: "lock-free", weight: 2, shows: |setting| setting.bench == "nblfq.pairs", plan: lock_free },
    Family { name: "requests and responses", weight: 2, shows: |_| true, plan: requests },
    Family {
        name: "one to one",
        weight: 4,
        shows: |setting| ["spsc.throughput", "spsc.pingpong"].iter().any(|bench| setting.bench == *bench),
        plan: one_to_one,
    },
];

impl Family {
    /// Returns the plan that takes about that time, whatever the family's measurements are.
    ///
    /// # Errors
    /// A sentence about the error in the setup.
    pub(super) fn plan(&self, setup: &Setup, time: Duration) -> Result<Box<dyn Plan>, String> {
        let [least, most] = SLICES;
        let measurements = (self.plan)(setup, Pace::new(FEWEST_ROUNDS, most)).outlook()?.measurements;
        let measurements = u32::try_from(measurements).unwrap_or(u32::MAX).saturating_mul(ROUNDS).max(1);
        let slice = (time / measurements).clamp(least, most);
        let limit = Some(Limit { time, least_rounds: FEWEST_ROUNDS });
        Ok((self.plan)(setup, Pace { rounds: MOST_ROUNDS, slice, limit }))
    }
}

impl Setup {
    /// Returns the greatest of the numbers of threads that has a core for each thread, or else the
    /// first.
    fn threads<const COUNT: usize>(&self, choices: [(usize, usize); COUNT]) -> Threads {
        let fits = |&&(producers, consumers): &&(usize, usize)| producers + consumers <= self.cores;
        let (producers, consumers) = choices.iter().rev().find(fits).copied().unwrap_or(choices[0]);
        Threads::new(producers, consumers)
    }

    fn many_to_many(&self) -> Threads {
        self.threads([(2, 2), (4, 4), (8, 8)])
    }
}

fn names<const COUNT: usize>(names: [&str; COUNT]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

fn one_to_one(setup: &Setup, pace: Pace) -> Box<dyn Plan> {
    Box::new(spsc::Plan {
        experiments: vec![spsc::Experiment::Throughput, spsc::Experiment::PingPong, spsc::Experiment::Uncontended],
        peer_filter: names([
            "rtrb/",
            "ringbuf/",
            "crossbeam-queue/",
            "crossbeam-channel/",
            "std/mpsc_sync",
            "heapless/",
        ]),
        item_bytes: setup.item_bytes,
        cores: setup.wanted.clone(),
        payloads: vec![Payload::Embedded, Payload::Indirect],
        rounds: pace.rounds,
        slice: pace.slice,
        limit: pace.limit,
        ..spsc::Plan::full()
    })
}

const FIFO: [&str; 11] = [
    "bbq_mpmc",
    "bbq_mpsc",
    "bbq_spmc",
    "bbq_queue",
    "faaq",
    "array_queue",
    "concurrent-queue",
    "crossbeam-channel",
    "flume",
    "kanal",
    "std",
];

/// Returns a plan for the throughput of FIFO queues with these threads.
fn fifo(setup: &Setup, pace: Pace, threads: Threads, batches: Vec<usize>) -> Box<dyn Plan> {
    Box::new(mpmc::Plan {
        experiments: vec![mpmc::Experiment::Throughput],
        // For wide items, only the queues that people use are measured.
        queues: if setup.item_bytes == WORD { names(FIFO) } else { Vec::new() },
        item_bytes: setup.item_bytes,
        threads: vec![threads],
        batches,
        cores: setup.wanted.clone(),
        rounds: pace.rounds,
        slice: pace.slice,
        limit: pace.limit,
        ..mpmc::Plan::full()
    })
}

fn many_to_one(setup: &Setup, pace: Pace) -> Box<dyn Plan> {
    fifo(setup, pace, setup.threads([(2, 1), (4, 1), (8, 1)]), vec![1])
}

fn one_to_many(setup: &Setup, pace: Pace) -> Box<dyn Plan> {
    fifo(setup, pace, setup.threads([(1, 2), (1, 4), (1, 8)]), vec![1])
}

fn many_to_many(setup: &Setup, pace: Pace) -> Box<dyn Plan> {
    fifo(setup, pace, setup.many_to_many(), vec![1])
}

fn batches(setup: &Setup, pace: Pace) -> Box<dyn Plan> {
    fifo(setup, pace, setup.many_to_many(), vec![32])
}

fn overwriting(setup: &Setup, pace: Pace) -> Box<dyn Plan> {
    let cores = setup.wanted.clone();
    Box::new(drop_old::Plan {
        experiments: vec![drop_old::Experiment::Written],
        producers: vec![1, 2],
        batches: vec![1],
        peers: true,
        capacity: 4096,
        cores,
        pace,
    })
}

fn of_records(setup: &Setup, pace: Pace) -> Box<dyn Plan> {
    Box::new(records::Plan {
        queues: Vec::new(),
        peers: true,
        threads: vec![Threads::PAIR, setup.many_to_many()],
        capacity: 1 << 18,
        cores: setup.wanted.clone(),
        pace,
    })
}

fn work_stealing(setup: &Setup, pace: Pace) -> Box<dyn Plan> {
    Box::new(steal::Plan {
        experiments: vec![steal::Experiment::Alone, steal::Experiment::Stolen],
        queues: names(["aqueduct", "bound", "crossbeam-deque", "st3"]),
        percents: vec![10],
        batches: vec![1],
        cores: setup.wanted.clone(),
        rounds: pace.rounds,
        slice: pace.slice,
        limit: pace.limit,
        ..steal::Plan::full()
    })
}

fn k_relaxed(setup: &Setup, pace: Pace) -> Box<dyn Plan> {
    Box::new(cnq::Plan {
        experiments: vec![cnq::Experiment::Throughput],
        queues: Vec::new(),
        peers: true,
        threads: vec![setup.many_to_many()],
        batches: vec![1],
        capacity: 65_536,
        orders: vec![1000],
        p99: None,
        sweep: Vec::new(),
        cores: setup.wanted.clone(),
        pace,
    })
}

fn lock_free(setup: &Setup, pace: Pace) -> Box<dyn Plan> {
    Box::new(nblfq::Plan {
        experiments: vec![nblfq::Experiment::Pairs, nblfq::Experiment::Alone],
        queues: Vec::new(),
        peers: true,
        threads: vec![setup.many_to_many().producers],
        workers: 1,
        capacity: 1024,
        cores: setup.wanted.clone(),
        pace,
    })
}

fn requests(setup: &Setup, pace: Pace) -> Box<dyn Plan> {
    Box::new(exchange::Plan {
        experiments: vec![exchange::Experiment::IoUring],
        peers: true,
        submissions: vec![256],
        sides: Vec::new(),
        events: 4096,
        cores: setup.wanted.clone(),
        pace,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_threads_as_have_a_core_each_and_at_least_the_fewest() {
        let of = |cores| Setup { wanted: Vec::new(), cores, item_bytes: WORD }.many_to_many().to_string();
        assert_eq!([1, 2, 4, 7, 8, 15, 16, 64].map(of), ["2x2", "2x2", "2x2", "2x2", "4x4", "4x4", "8x8", "8x8"]);
    }

    #[test]
    fn every_family_can_be_measured_in_any_time() {
        for family in &FAMILIES {
            // Wider items need the feature `workloads`.
            let [wide, wider] = if cfg!(feature = "workloads") { [64, 256] } else { [WORD; 2] };
            for (time, item_bytes) in [(Duration::ZERO, WORD), (Duration::from_secs(9), wide), (Duration::MAX, wider)] {
                let setup = Setup { wanted: Vec::new(), cores: 2, item_bytes };
                let plan = family.plan(&setup, time).unwrap_or_else(|why| panic!("{}: {why}", family.name));
                let outlook = plan.outlook().unwrap_or_else(|why| panic!("{}: {why}", family.name));
                assert!(outlook.measurements > 0 && outlook.rounds >= FEWEST_ROUNDS, "{}: {outlook}", family.name);
            }
        }
    }
}
