//! The cost of a recorded event, beside other recorders and logs.
//!
//! - `latency`: events of 0, 1 and 4 numbers in batches of 20 with a gap between them, after the
//!   hot-path latency of the C++ logger Quill: the time of an event, and the time of the slowest
//!   ones.
//! - `spans`: the start of a span with a number, and its end, in such batches.
//! - `throughput`: events as fast as threads can, and the bytes that an event has in memory.
//! - `vswitch`: packets that the virtual switch forwards, with an event for each packet and without
//!   events.
//! - `hyper`: requests that a server of the crate `hyper` answers, with an event for each request
//!   and without events.
//! - `budget`: one memory for many threads, divided into a ring for each thread or shared by all.
//!
//! Runs of our recorder and of the memories in `budget` are checked: kept and overwritten records
//! add up to all recorded ones.

mod advice;
mod budget;
mod hyper;
mod kinds;
mod latency;
mod plan;
mod threads;
mod throughput;
mod vswitch;

use std::sync::atomic::AtomicBool;

use aqueduct_measure::machine;
use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{self, Cell, Findings, Observer, Outlook, check_side};

pub use advice::GUIDE;
pub use plan::{Experiment, Plan};

use kinds::{Kind, Visit};

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

/// Returns the names of all recorders.
#[must_use]
pub fn names() -> Vec<&'static str> {
    struct Names(Vec<&'static str>);

    impl Visit for Names {
        fn visit<K: Kind>(&mut self) {
            self.0.push(K::NAME);
        }
    }

    let mut names = Names(Vec::new());
    kinds::visit(&mut names);
    names.0.extend(budget::NAMES);
    names.0.push(vswitch::WITHOUT);
    names.0
}

/// Returns the workloads of the plan, if they are possible.
fn cells(plan: &Plan, cores: &[usize]) -> Result<Vec<Cell<'static>>, String> {
    struct Adding<'a>(&'a Plan, &'a [usize], Vec<Cell<'static>>);

    impl Visit for Adding<'_> {
        fn visit<K: Kind>(&mut self) {
            let Self(plan, cores, cells) = self;
            if K::ROLE == Role::Peer && !plan.peers {
                return;
            }
            if plan.wants(Experiment::Latency) {
                latency::add::<K>(cells, plan, cores);
            }
            if plan.wants(Experiment::Spans) {
                latency::add_spans::<K>(cells, plan, cores);
            }
            if plan.wants(Experiment::Throughput) {
                throughput::add::<K>(cells, plan, cores);
            }
        }
    }

    plan.threads.iter().try_for_each(|&threads| check_side("producers", threads))?;
    let mut adding = Adding(plan, cores, Vec::new());
    kinds::visit(&mut adding);
    let Adding(.., mut cells) = adding;
    if plan.wants(Experiment::Vswitch) {
        vswitch::add(&mut cells, plan)?;
    }
    if plan.wants(Experiment::Hyper) {
        hyper::add(&mut cells, plan, cores);
    }
    if plan.wants(Experiment::Budget) {
        budget::add(&mut cells, plan, cores);
    }
    let names = names();
    if let Some(unknown) = plan.queues.iter().find(|asked| !names.iter().any(|name| rounds::is_called(name, asked))) {
        return Err(format!("--recorders: there is no recorder `{unknown}`; there are: {}", names.join(", ")));
    }
    let is_asked = |cell: &Cell<'_>| plan.queues.iter().any(|asked| rounds::is_called(&cell.queue, asked));
    cells.retain(|cell| plan.queues.is_empty() || is_asked(cell));
    // All recorders of a workload side by side. The sort keeps the order of recorders.
    let mut words: Vec<String> = Vec::new();
    cells.sort_by_cached_key(|cell| {
        let known = words.iter().position(|known| *known == cell.words);
        let at = known.unwrap_or_else(|| {
            words.push(cell.words.clone());
            words.len() - 1
        });
        (Experiment::place_of(&cell.words), at)
    });
    Ok(cells)
}
