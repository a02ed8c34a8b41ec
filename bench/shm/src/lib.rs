//! The cost of messages between two processes, beside other transports.
//!
//! - `round_trip`: a message goes to the other process and comes back, one at a time.
//! - `throughput`: messages go to the other process as fast as they can.
//! - `many`: messages of several producers to several consumers, each a process, by one queue.
//! - `drop_old`: messages overwrite the oldest ones as fast as they can come: the share that a
//!   reader in the other process gets.
//! - `c_call`: a push and a pop on one thread, by the C interface and in Rust.
//!
//! Sides wait in two ways: they try again (`spin`), or call the waiting function of their queue or
//! of the system (`sleep`). Two controls run between threads of one process: `aqueduct-shm`'s queue
//! over the same regions, and the library's own queue with pointers.
//!
//! boost.interprocess takes part if the program was built where its headers are (Debian's
//! `libboost-dev`), and moodycamel's C interface if `AQUEDUCT_MOODYCAMEL` named a folder with its
//! source.
//!
//! Each run has a process of its own. It is the measuring program, started once more, which calls
//! [`follow`]. Each message is checked, in its order and in each of its bytes.

mod advice;
mod c_call;
mod control;
mod kinds;
mod link;
mod many;
mod message;
mod notes;
mod overwrite;
mod plan;
mod process;
mod threads;
mod work;

use std::sync::atomic::AtomicBool;

use aqueduct_measure::machine;
use aqueduct_measure::names::{Bench, Facet};
use aqueduct_measure::record::{Placement, Role};
use aqueduct_measure::rounds::{
    self, Cell, Fault, Figure, Findings, Measured, Observer, Outlook, Place, Threads, check_memory_of,
};
use aqueduct_measure::unit::Unit;

pub use advice::GUIDE;
pub use plan::{Experiment, Follower, Plan, SIZES, Wait};
pub use process::follow;

use kinds::{Kind, Visit};
use many::{Shared, VisitShared};
use process::Cores;
use work::{Led, Task};

/// The queues of a measurement, and a queue's bytes for a message besides the message.
const QUEUES: usize = 2;
const HEAD: usize = 16;

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
    let mut findings = rounds::measure(cells(plan, &cores)?, plan.pace, stop, observer)?;
    findings.notes.extend(notes::of(&findings.records));
    if plan.wants(Experiment::CCall) {
        findings.notes.extend(c_call::missing().map(str::to_owned));
    }
    Ok(findings)
}

/// Returns the names of all transports and controls of this build.
#[must_use]
pub fn names() -> Vec<&'static str> {
    struct Names(Vec<&'static str>);

    impl Visit for Names {
        fn visit<K: Kind>(&mut self) {
            self.0.push(K::NAME);
        }
    }

    let mut names = Names(threads::CONTROLS.iter().map(|(name, _)| *name).collect());
    kinds::visit(&mut names);
    names.0.extend(overwrite::names());
    names.0.extend(c_call::names());
    names.0
}

/// Returns the workloads of the plan, if they are possible.
fn cells(plan: &Plan, cores: &[usize]) -> Result<Vec<Cell<'static>>, String> {
    check(plan)?;
    let (all_cores, cores) = (cores, Cores::first_two(cores));
    let mut cells = Vec::new();
    let between_sides = [Experiment::RoundTrip, Experiment::Throughput];
    for experiment in between_sides.into_iter().filter(|one| plan.wants(*one)) {
        for wait in Wait::ALL.into_iter().filter(|wait| plan.waits.contains(wait)) {
            for bytes in SIZES.into_iter().filter(|bytes| plan.bytes.contains(bytes)) {
                let task = Task { experiment, wait, bytes, capacity: plan.capacity, amount: 0 };
                add(&mut cells, plan, task, cores);
            }
        }
    }
    if plan.wants(Experiment::Many) {
        add_many(&mut cells, plan, all_cores);
    }
    if plan.wants(Experiment::DropOld) && plan.waits.contains(&Wait::Spin) {
        for bytes in SIZES.into_iter().filter(|bytes| plan.bytes.contains(bytes)) {
            let (experiment, wait) = (Experiment::DropOld, Wait::Spin);
            overwrite::add(
                &mut cells,
                plan,
                Task { experiment, wait, bytes, capacity: plan.capacity, amount: 0 },
                cores,
            );
        }
    }
    if plan.wants(Experiment::CCall) {
        let asked = |cell: &Cell<'_>| is_asked(plan, &cell.queue) && (cell.role != Role::Peer || plan.peers);
        cells.extend(c_call::cells(plan.capacity, cores.ours).filter(asked));
    }
    Ok(cells)
}

fn check(plan: &Plan) -> Result<(), String> {
    if plan.capacity == 0 {
        return Err("--capacity: a queue has room for at least 1 message".to_owned());
    }
    let longest = plan.bytes.iter().max().map_or(0, |bytes| bytes + HEAD);
    check_memory_of("capacity", plan.capacity, QUEUES * longest)?;
    let names = names();
    match plan.queues.iter().find(|asked| !names.iter().any(|name| rounds::is_called(name, asked))) {
        Some(unknown) => Err(format!("--queues: there is no way `{unknown}`; there are: {}", names.join(", "))),
        None => Ok(()),
    }
}

/// Adds the cells of a task: one for each transport that can do it.
fn add(cells: &mut Vec<Cell<'static>>, plan: &Plan, task: Task, cores: Cores) {
    struct Adding<'a> {
        cells: &'a mut Vec<Cell<'static>>,
        plan: &'a Plan,
        task: Task,
        cores: Cores,
    }

    impl Visit for Adding<'_> {
        fn visit<K: Kind>(&mut self) {
            let Self { cells, plan, task, cores } = self;
            let is_possible = K::WAITS.contains(&task.wait)
                && task.bytes <= K::LONGEST
                && (task.experiment == Experiment::RoundTrip || !K::ROUND_TRIPS_ONLY);
            if !is_possible || !is_asked(plan, K::NAME) || K::ROLE == Role::Peer && !plan.peers {
                return;
            }
            let (follower, cores) = (plan.follower.clone(), *cores);
            let run = move |task| process::measure::<K>(task, cores, &follower);
            cells.push(cell(K::NAME, K::ROLE, *task, Threads::PAIR, cores.placement(), run));
        }
    }

    for (name, waits) in threads::CONTROLS {
        if waits.contains(&task.wait) && is_asked(plan, name) {
            let run = move |task| threads::measure(name, task, cores);
            cells.push(cell(name, Role::Ours, task, Threads::PAIR, cores.placement(), run));
        }
    }
    kinds::visit(&mut Adding { cells, plan, task, cores });
}

/// Adds the cells of several producers and consumers.
fn add_many(cells: &mut Vec<Cell<'static>>, plan: &Plan, cores: &[usize]) {
    struct Adding<'a> {
        cells: &'a mut Vec<Cell<'static>>,
        plan: &'a Plan,
        task: Task,
        processes: Threads,
        cores: &'a [usize],
    }

    impl VisitShared for Adding<'_> {
        fn visit<K: Shared>(&mut self) {
            let Self { cells, plan, task, processes, cores } = self;
            if task.bytes > K::LONGEST || !is_asked(plan, K::NAME) || K::ROLE == Role::Peer && !plan.peers {
                return;
            }
            let (follower, processes, placement) = (plan.follower.clone(), *processes, processes.placement(cores));
            let cores = cores.to_vec();
            let run = move |task| many::measure::<K>(task, processes, &cores, &follower);
            cells.push(cell(K::NAME, K::ROLE, *task, processes, placement, run));
        }
    }

    for processes in plan.processes.iter().copied() {
        for wait in Wait::ALL.into_iter().filter(|wait| plan.waits.contains(wait)) {
            for bytes in SIZES.into_iter().filter(|bytes| plan.bytes.contains(bytes)) {
                let task = Task { experiment: Experiment::Many, wait, bytes, capacity: plan.capacity, amount: 0 };
                kinds::visit_shared(&mut Adding { cells, plan, task, processes, cores });
            }
        }
    }
}

fn is_asked(plan: &Plan, name: &str) -> bool {
    plan.queues.is_empty() || plan.queues.iter().any(|asked| rounds::is_called(name, asked))
}

/// Returns the cell of a task. `run` performs the requested number of operations.
fn cell(
    name: &'static str,
    role: Role,
    task: Task,
    processes: Threads,
    placement: Placement,
    run: impl Fn(Task) -> Result<Led, Fault> + 'static,
) -> Cell<'static> {
    let bench = bench(task);
    let Threads { producers, consumers } = processes;
    let place = Place { producers, consumers, capacity: task.capacity, batch: 1 };
    let cell = Cell::new(place.words(&bench), name, role, place, move |amount| {
        let led = run(Task { amount, ..task })?;
        Ok(measured(&bench, amount, &led))
    });
    Cell { first: first(task), ..cell.on(placement) }
}

/// Returns the number of messages of the first run, which take some milliseconds: each run also
/// pays for a new process.
fn first(task: Task) -> u64 {
    match (task.experiment, task.wait) {
        (Experiment::Throughput | Experiment::Many | Experiment::DropOld, _) => 8000,
        (_, Wait::Spin) => 2000,
        (_, Wait::Sleep) => 300,
    }
}

/// Returns the bench of a task: the experiment, how the sides wait, and the bytes of a message.
fn bench(task: Task) -> String {
    format!("shm.{}.{}.{}", task.experiment.name(), task.wait.name(), task.bytes)
}

fn measured(bench: &str, done: u64, led: &Led) -> Measured {
    let elapsed = led.over.saturating_sub(led.began);
    let written = || Figure::new(bench, Unit::Mitems, done as f64 / elapsed.as_secs_f64().max(1e-9) / 1e6);
    let figures = match (&led.times, led.read) {
        (_, Some(read)) => {
            vec![written(), Figure::new(format!("{bench}.read"), Unit::Percent, 100.0 * read as f64 / done as f64)]
        }
        (Some(times), None) => [(Facet::P50, 0.5), (Facet::P99, 0.99), (Facet::P999, 0.999)]
            .map(|(facet, fraction)| Figure::new(Bench::side(bench, facet), Unit::Ns, times.quantile_ns(fraction)))
            .into(),
        (None, None) => vec![written()],
    };
    Measured { figures, done, elapsed }
}
