//! Pools beside their peers: the costs of joins and of tasks. Every run's answer is checked.
//!
//! - `nothing`: joins of two closures that do nothing.
//! - `fib`, `nqueens`, `skynet`, `matmul`, `quicksort`, `mergesort`: the common suite of fork-join
//!   pools.
//! - `tree`: sums over trees of 1,023 nodes and of 33 millions (a million where memory is short).
//! - `items`: a sum over small items, by parallel iterators and by joins.
//! - `bursts`: bursts of short jobs with gaps between them: the time of a burst, and the processor
//!   time of all threads.
//! - `spawn`: one task is made and awaited, or a thousand are.
//! - `pingpong`: pairs of tasks that wake each other.
//! - `yields`: two hundred tasks that yield to each other.
//! - `chain`: tasks each of which makes, or wakes, the next one.
//! - `senders`: ten tasks send to one task, over a channel of ours and of tokio's.
//!
//! All pools have equal numbers of threads, on the same cores, on which the system places them.
//! Each run makes its own pool and drops it, so the threads of no other pool disturb the run.

mod advice;
mod bursts;
mod crew;
mod fork;
mod items;
mod plan;
mod programs;
mod tasks;

use std::sync::atomic::AtomicBool;

use aqueduct_measure::machine;
use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{self, Cell, Findings, Observer, Outlook, check_side};

pub use advice::GUIDE;
use crew::Seats;
pub use plan::{Experiment, MOST_THREADS, Plan};

/// Returns the extent of the plan, and measures nothing.
///
/// # Errors
/// A sentence that names the error of the plan.
pub fn outlook(plan: &Plan) -> Result<Outlook, String> {
    Outlook::of(&cells(plan, &machine::cores(&plan.cores)?)?, plan.pace)
}

/// Runs the plan's measurements.
///
/// # Errors
/// A sentence that names the error of the plan.
pub fn run(plan: &Plan, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
    let cores = machine::cores(&plan.cores)?;
    rounds::measure(cells(plan, &cores)?, plan.pace, stop, observer)
}

/// Returns the names of all pools.
#[must_use]
pub fn names() -> Vec<&'static str> {
    struct Names(Vec<&'static str>);

    impl fork::Visit for Names {
        fn visit<P: fork::Pool>(&mut self) {
            self.0.push(P::NAME);
        }
    }

    impl tasks::Visit for Names {
        fn visit<R: tasks::Runtime>(&mut self) {
            self.0.push(R::NAME);
        }
    }

    let mut names = Names(Vec::new());
    fork::visit(&mut names);
    names.0.extend(items::NAMES);
    tasks::visit(&mut names);
    names.0
}

/// Returns the workloads of the plan, if they are possible.
fn cells(plan: &Plan, cores: &[usize]) -> Result<Vec<Cell<'static>>, String> {
    plan.threads.iter().try_for_each(|&threads| check_side("threads", threads))?;
    let names = names();
    if let Some(unknown) = plan.pools.iter().find(|asked| !names.iter().any(|name| rounds::is_called(name, asked))) {
        return Err(format!("--pools: there is no pool `{unknown}`; there are: {}", names.join(", ")));
    }
    let mut cells = Vec::new();
    for threads in plan.numbers_of_threads(cores) {
        let seats = Seats::new(threads, cores);
        programs::add(&mut cells, plan, &seats);
        if plan.wants(Experiment::Items) {
            items::add(&mut cells, &seats);
        }
        if plan.wants(Experiment::Bursts) {
            bursts::add(&mut cells, &seats);
        }
        tasks::add(&mut cells, plan, &seats);
    }
    let is_asked = |cell: &Cell<'_>| plan.pools.iter().any(|asked| rounds::is_called(&cell.queue, asked));
    cells.retain(|cell| (plan.peers || cell.role != Role::Peer) && (plan.pools.is_empty() || is_asked(cell)));
    // In the order of the experiments. The sort keeps the order of pools.
    cells.sort_by_key(|cell| Experiment::place_of(&cell.words));
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use aqueduct_measure::rounds::{Pace, Quiet};

    use super::*;

    fn plan() -> Plan {
        Plan {
            experiments: Experiment::ALL.to_vec(),
            pools: Vec::new(),
            peers: true,
            threads: vec![2],
            cores: Vec::new(),
            pace: Pace::new(1, Duration::from_millis(1)),
        }
    }

    #[test]
    fn every_experiment_has_cells_and_every_pool_is_in_one() {
        let cells = cells(&plan(), &[]).unwrap();
        for experiment in Experiment::ALL {
            let place = Experiment::ALL.iter().position(|&one| one == experiment).unwrap();
            assert!(cells.iter().any(|cell| Experiment::place_of(&cell.words) == place), "{}", experiment.name());
        }
        assert!(cells.is_sorted_by_key(|cell| Experiment::place_of(&cell.words)));
        for name in names() {
            assert!(cells.iter().any(|cell| cell.queue == name), "{name}");
        }
    }

    #[test]
    fn what_is_asked_for_is_measured_with_as_many_threads_as_cores_at_most_sixteen() {
        let of = |pools: &[&str], cores: usize| -> Vec<(String, usize, usize)> {
            let pools = pools.iter().map(|&name| name.to_owned()).collect();
            let plan = Plan { pools, threads: Vec::new(), experiments: vec![Experiment::Fib], ..plan() };
            let cores: Vec<usize> = (0..cores).collect();
            let all = cells(&plan, &cores).unwrap();
            all.iter()
                .map(|cell| (cell.queue.to_string(), cell.place.producers, cell.placement.producers.len()))
                .collect()
        };
        assert_eq!(of(&["rayon", "chili"], 2), [("rayon/join".to_owned(), 2, 2), ("chili/join".to_owned(), 2, 2)]);
        assert_eq!(of(&["aqueduct"], 100), [("aqueduct/join".to_owned(), MOST_THREADS, MOST_THREADS)]);
        let alone = cells(&Plan { peers: false, ..plan() }, &[]).unwrap();
        assert!(alone.iter().all(|cell| cell.role != Role::Peer) && !alone.is_empty());
    }

    #[test]
    fn what_is_not_there_is_refused() {
        let unknown = cells(&Plan { pools: vec!["forte".to_owned()], ..plan() }, &[]).unwrap_err();
        assert!(unknown.starts_with("--pools: there is no pool `forte`; there are: aqueduct/join, "), "{unknown}");
        assert!(cells(&Plan { threads: vec![0], ..plan() }, &[]).unwrap_err().starts_with("--threads: 0"));
    }

    #[test]
    fn a_run_has_a_record_of_each_cell_and_no_fault() {
        let small = vec![Experiment::Nothing, Experiment::Spawn];
        let plan = Plan { experiments: small, ..plan() };
        let findings = run(&plan, &AtomicBool::new(false), &mut Quiet).unwrap();
        assert_eq!(findings.faults.len(), 0, "{:?}", findings.faults);
        assert_eq!(findings.records.len(), 4 + 2 * 3);
    }
}
