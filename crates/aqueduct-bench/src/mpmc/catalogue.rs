//! Every queue that can be measured, and which of them a plan wants.

use super::plan::Plan;
use super::subject::Subject;
use super::{baselines, ours};

/// The queue that reports compare every other with, besides the best peer.
pub const REFERENCE: &str = "crossbeam-queue/array_queue";

/// All that this build can measure: ours, then the baselines, then the peers.
#[must_use]
pub fn subjects() -> Vec<Box<dyn Subject>> {
    let mut all = ours::all();
    all.extend(baselines::all());
    #[cfg(feature = "peers")]
    all.extend(super::peers::all());
    #[cfg(feature = "cpp-peers")]
    all.extend(super::cpp_peers::all());
    all
}

/// Those that the plan wants.
///
/// # Errors
/// If there is no queue of a name in the plan, or none is left; says which there are.
pub fn selected(plan: &Plan) -> Result<Vec<Box<dyn Subject>>, String> {
    let all = subjects();
    let names = || all.iter().map(|subject| subject.name()).collect::<Vec<_>>().join(", ");
    for asked in &plan.queues {
        if !all.iter().any(|subject| is_called(subject.name(), asked)) {
            return Err(format!("there is no queue `{asked}`; there are: {}", names()));
        }
    }
    let is_asked = |subject: &dyn Subject| {
        plan.queues.is_empty() || plan.queues.iter().any(|asked| is_called(subject.name(), asked))
    };
    let left: Vec<_> = (subjects().into_iter())
        .filter(|subject| is_asked(subject.as_ref()) && (plan.peers || !subject.is_peer()))
        .collect();
    if left.is_empty() {
        return Err(format!("no queue is left to measure; there are: {}", names()));
    }
    Ok(left)
}

/// Whether `asked` is the queue's name, the part after its slash, or the crate before it.
pub(crate) fn is_called(name: &str, asked: &str) -> bool {
    let asked = asked.trim();
    name == asked || name.split_once('/').is_some_and(|(before, after)| before == asked || after == asked)
}
