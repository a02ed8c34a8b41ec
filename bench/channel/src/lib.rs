//! Channels beside their peers, for threads and for tasks. Every run is checked: each message
//! arrives once.
//!
//! - `blocking`: threads send, other threads receive: million messages per second, over bounded and
//!   unbounded channels.
//! - `tasks`: messages per second between tasks, on a tokio runtime with two workers.
//! - `pingpong`: a message goes there and one comes back, between two threads, or two tasks, that
//!   sleep meanwhile.
//! - `pinball`: balls wander between 13 tasks, each of which has a channel; no task waits for room.
//!   `funnel`: 13 tasks send to one, eight times side by side. (After the benchmarks of the crate
//!   `tachyonix`.)
//! - `bursts`: 16 messages, and then nothing for half a millisecond: the lateness of each, and the
//!   processor time of a burst.
//! - `open_loop`: a message is due every 20 and every 2 microseconds: its lateness when it is
//!   received.
//! - `one_core`: a sender and a receiver on one core.
//! - `alone`: one thread sends and receives: the cost of a message without any waiting.
//! - `select`: a thread, or a task, receives from eight channels.
//! - `oneshot`: a channel for one message is made, used and dropped.
//! - `broadcast`: a task sends to 1, 4 and 16 others, each of which receives all messages or counts
//!   those that it lost.
//! - `latest`: a task sends values, of which 1, 4 and 16 others follow the newest one.
//! - `dropped`: tasks drop by chance half of the futures that are not ready at once.

mod advice;
mod crew;
mod kind;
mod open_loop;
mod plan;
mod tally;
mod tasks;
mod threads;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use aqueduct_measure::machine;
use aqueduct_measure::rounds::{self, Cell, Findings, Observer, Outlook, check_memory, check_threads};

pub use advice::GUIDE;
pub use plan::{Experiment, Plan};

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
    // The crate requires this call, which counts the cores once and sets its spinning.
    crossfire::detect_backoff_cfg();
    rounds::measure(cells(plan, &cores)?, plan.pace, stop, observer)
}

/// Sends `messages` messages over each channel of the plan while futures are dropped. The plan's
/// experiments do not matter. Calls `say` for each channel with the number of received messages,
/// and the time. On success, no channel has lost a message.
///
/// # Errors
/// A sentence that names the error of the plan, or the channel that has lost a message.
pub fn lose_nothing(
    plan: &Plan,
    messages: u64,
    stop: &AtomicBool,
    say: &mut dyn FnMut(&str, &str, u64, Duration),
) -> Result<(), String> {
    /// Messages over one channel, before a new one replaces it.
    const OF_ONE: u64 = 500_000;

    let plan = Plan { experiments: vec![Experiment::Dropped], ..plan.clone() };
    for cell in cells(&plan, &machine::cores(&plan.cores)?)? {
        let (mut came, mut elapsed) = (0, Duration::ZERO);
        // Ordering: relaxed; a flag that carries no data.
        while came < messages && !stop.load(Ordering::Relaxed) {
            let measured = (cell.run)((messages - came).min(OF_ONE))
                .map_err(|fault| format!("{} in {}, after {came} messages: {fault}", cell.queue, cell.words))?;
            came += measured.done;
            elapsed += measured.elapsed;
        }
        say(&cell.queue, &cell.words, came, elapsed);
    }
    Ok(())
}

/// Returns the names of the channels that can be measured.
#[must_use]
pub fn names() -> Vec<&'static str> {
    let (threads, tasks) = (threads::kinds::names(), tasks::kinds::names());
    let mut names = threads.clone();
    names.extend(tasks.into_iter().filter(|name| !threads.contains(name)));
    names.extend(["aqueduct/broadcast", "aqueduct/latest", "aqueduct/oneshot", "crossfire/oneshot"]);
    names.extend(["tokio/broadcast", "tokio/oneshot", "tokio/watch"]);
    names
}

/// Returns the workloads of the plan, if they are possible.
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
    cells.sort_by_key(|cell| Experiment::place_of(&cell.words));
    Ok(cells)
}
