//! Channels beside their peers, for threads and for tasks: every run is checked, each message comes once.
//!
//! - `blocking`: threads send, other threads receive: million messages per second, over channels with room and without
//!   a limit.
//! - `tasks`: tasks do, on a tokio runtime with two workers.
//! - `pingpong`: a message goes there and one comes back, between two threads, or two tasks, that sleep meanwhile.
//! - `pinball`: balls wander between 13 tasks, each of which has a channel; nobody waits for room. `funnel`: 13 tasks
//!   send to one, eight times side by side. (After the benchmarks of the crate `tachyonix`.)
//! - `bursts`: 16 messages, and then nothing for half a millisecond: how late each is, and what processor time a burst
//!   costs.
//! - `one_core`: a sender and a receiver on one core.
//! - `alone`: one thread sends and receives: what a message costs while nobody waits.
//! - `select`: a thread, or a task, receives from eight channels.
//! - `oneshot`: a channel for one message is made, used and dropped.
//! - `broadcast`: a task sends to 1, 4 and 16 others, each of which receives all messages or counts those that it lost.
//! - `dropped`: tasks drop every other future that is not ready at once.

mod crew;
mod kind;
mod plan;
mod tally;
mod tasks;
mod threads;

use std::sync::atomic::AtomicBool;

use aqueduct_measure::machine;
use aqueduct_measure::rounds::{self, Cell, Findings, Observer, Outlook, check_memory, check_threads};

pub use plan::{Experiment, Plan};

/// What the plan comes to; nothing is measured.
///
/// # Errors
/// A sentence that says what is wrong with the plan.
pub fn outlook(plan: &Plan) -> Result<Outlook, String> {
    Outlook::of(&cells(plan, &machine::cores(&plan.cores)?)?, plan.pace)
}

/// Measures what the plan asks for.
///
/// # Errors
/// A sentence that says what is wrong with the plan.
pub fn run(plan: &Plan, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
    let cores = machine::cores(&plan.cores)?;
    // The crate asks for it: it looks once how many cores there are, and spins accordingly.
    crossfire::detect_backoff_cfg();
    rounds::measure(cells(plan, &cores)?, plan.pace, stop, observer)
}

/// The names of the channels that can be measured.
#[must_use]
pub fn names() -> Vec<&'static str> {
    let (threads, tasks) = (threads::kinds::names(), tasks::kinds::names());
    let mut names = threads.clone();
    names.extend(tasks.into_iter().filter(|name| !threads.contains(name)));
    names.extend(["aqueduct/broadcast", "aqueduct/oneshot", "crossfire/oneshot", "tokio/broadcast", "tokio/oneshot"]);
    names
}

/// The workloads of the plan, if they are possible.
fn cells(plan: &Plan, cores: &[usize]) -> Result<Vec<Cell<'static>>, String> {
    check_threads(&plan.threads)?;
    plan.capacities.iter().try_for_each(|&capacity| check_memory("capacity", capacity))?;
    let mut cells = threads::cells(plan, cores);
    cells.extend(tasks::cells(plan, cores));
    let is_asked = |cell: &Cell<'_>| {
        plan.queues.is_empty() || plan.queues.iter().any(|asked| rounds::is_called(&cell.queue, asked))
    };
    let names = names();
    if let Some(unknown) = plan.queues.iter().find(|asked| !names.iter().any(|name| rounds::is_called(name, asked))) {
        return Err(format!("--queues: there is no channel `{unknown}`; there are: {}", names.join(", ")));
    }
    cells.retain(is_asked);
    // In the order of the experiments; the sort keeps the order of channels.
    cells.sort_by_key(|cell| plan::place_of(&cell.words));
    Ok(cells)
}
