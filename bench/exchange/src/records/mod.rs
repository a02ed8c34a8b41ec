//! The measurement of queues of records: `records.throughput`, million records per second.
//!
//! A record has 8 to [`LONGEST`] bytes, its number first, then one byte repeated. Its length and
//! that byte are functions of the number. Producers write it, in place if the queue can, and
//! consumers check each byte of it. Every run is checked: the number of undamaged records, and the
//! sum of their numbers.

mod advice;
mod content;
mod contestant;
#[cfg(feature = "published")]
mod published;
mod queues;

use std::sync::atomic::AtomicBool;

use aqueduct_measure::machine;
use aqueduct_measure::rounds::{
    self, Cell, Findings, Observer, Outlook, Pace, Threads, check_memory_of, check_threads, select,
};

pub use advice::GUIDE;
pub use content::LONGEST;
pub use contestant::Contestant;

/// The measurements of a run: their queues, threads and durations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Queues to measure, ours and others: full names, the part after the slash, or the crate
    /// before it. Empty means all.
    pub queues: Vec<String>,
    /// Whether other crates' queues take part.
    pub peers: bool,
    /// The numbers of producers and consumers.
    pub threads: Vec<Threads>,
    /// Bytes that a queue has for records. A queue of pointers has room for as many records of mean
    /// length.
    pub capacity: usize,
    /// The cores of the threads, in their order. An empty list means
    /// [`cores`](aqueduct_measure::machine::cores).
    pub cores: Vec<usize>,
    /// The number of rounds, and their duration.
    pub pace: Pace,
}

/// Returns all queues of this build: ours, then the peers.
#[must_use]
pub fn contestants() -> Vec<Contestant> {
    queues::all()
}

/// Runs the plan's measurements.
///
/// # Errors
/// A sentence that names the error of the plan.
pub fn run(plan: &Plan, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
    measure(plan, &selected(plan)?, stop, observer)
}

/// Measures like [`run`], with these queues instead of the plan's.
fn measure(
    plan: &Plan,
    contestants: &[Contestant],
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Findings, String> {
    rounds::measure(cells(plan, contestants)?, plan.pace, stop, observer)
}

/// Returns the extent of the plan, and measures nothing.
///
/// # Errors
/// The errors of [`run`].
pub fn outlook(plan: &Plan) -> Result<Outlook, String> {
    Outlook::of(&cells(plan, &selected(plan)?)?, plan.pace)
}

fn selected(plan: &Plan) -> Result<Vec<Contestant>, String> {
    select(contestants(), &plan.queues, |one| one.name.into(), |one| plan.peers || !one.peer)
}

fn cells(plan: &Plan, contestants: &[Contestant]) -> Result<Vec<Cell<'static>>, String> {
    /// A block holds several of the longest records, and a queue has several blocks.
    const LEAST: usize = 64 * LONGEST;
    /// Each unit of a word has another word for its state.
    const BYTES_PER_BYTE: usize = 4;
    if plan.capacity < LEAST {
        return Err(format!("--capacity: {} bytes are too few for records here; {LEAST} are the least", plan.capacity));
    }
    check_memory_of("capacity", plan.capacity, BYTES_PER_BYTE)?;
    check_threads(&plan.threads)?;
    let cores = machine::cores(&plan.cores)?;
    let of = |&threads: &Threads| {
        let takers = contestants.iter().filter(move |one| one.can(threads));
        let cores = &cores;
        takers.map(move |one| one.cell(threads, plan.capacity, cores))
    };
    let cells: Vec<_> = plan.threads.iter().flat_map(of).collect();
    if cells.is_empty() {
        return Err("--threads: none of the queues serves these numbers; 1x1 is served by all".to_owned());
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::content::{SHORTEST, read, shape, write};
    use super::contestant::contestant;
    use super::*;
    use aqueduct_bench_mpmc::mpmc::{Ends, Fault, Item, Kind, Receiver, Sender};
    use aqueduct_measure::rounds::Quiet;

    fn plan(threads: Threads) -> Plan {
        let pace = Pace::new(1, Duration::from_millis(1));
        Plan { queues: Vec::new(), peers: true, threads: vec![threads], capacity: 1 << 14, cores: Vec::new(), pace }
    }

    #[test]
    fn every_queue_passes_records_on_with_all_threads_that_it_serves() {
        for threads in [Threads::PAIR, Threads::new(2, 1), Threads::new(2, 2)] {
            let findings = run(&plan(threads), &AtomicBool::new(false), &mut Quiet).expect("the plan is sound");
            assert_eq!(findings.faults, []);
            let able: Vec<_> = contestants().iter().filter(|one| one.can(threads)).map(|one| one.name).collect();
            assert_eq!(findings.records.iter().map(|record| &record.queue.name).collect::<Vec<_>>(), able);
        }
    }

    /// Cuts one record short.
    struct Cutting;
    struct End(std::sync::Arc<std::sync::Mutex<Vec<Vec<u8>>>>);

    impl Kind for Cutting {
        const NAME: &'static str = "test/cutting";
        const MOST_PRODUCERS: usize = 1;
        const MOST_CONSUMERS: usize = 1;
        type Sender = End;
        type Receiver = End;

        fn open(_capacity: usize, _threads: Threads) -> Result<Ends<Self>, String> {
            let records = std::sync::Arc::default();
            Ok((vec![End(std::sync::Arc::clone(&records))], vec![End(records)]))
        }
    }

    impl Sender for End {
        fn push(&mut self, number: Item) -> bool {
            let mut bytes = vec![0; shape(number).0];
            write(number, &mut bytes);
            bytes.truncate(if number.get() == 7 { SHORTEST - 1 } else { LONGEST });
            self.0.lock().expect("no panic").push(bytes);
            true
        }
    }

    impl Receiver for End {
        fn pop(&mut self) -> Option<Item> {
            self.0.lock().expect("no panic").pop().map(|bytes| read(&bytes))
        }
    }

    #[test]
    fn a_damaged_record_is_caught() {
        let cutting = [contestant::<Cutting>()];
        let findings = measure(&plan(Threads::PAIR), &cutting, &AtomicBool::new(false), &mut Quiet).expect("it begins");
        assert!(matches!(findings.faults[..], [(_, _, Fault::WrongItems { .. })]), "{findings:?}");
    }

    #[test]
    fn plans_that_cannot_be_followed_are_refused() {
        let small = Plan { capacity: 100, ..plan(Threads::PAIR) };
        assert!(outlook(&small).is_err_and(|why| why.starts_with("--capacity: 100 bytes are too few")));
        let crowd = Plan { queues: vec!["records_spsc".to_owned()], ..plan(Threads::new(2, 2)) };
        assert!(outlook(&crowd).is_err_and(|why| why.starts_with("--threads: ")));
    }
}
