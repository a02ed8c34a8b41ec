//! Every queue that can be measured, and which of them a plan wants.

use super::plan::Plan;
use super::subject::Subject;
use super::{bounds, ours, strong};
use crate::mpmc::catalogue::is_called;

/// All that this build can measure: ours, the same with strong orderings, the bounds, then the peers.
#[must_use]
pub fn subjects() -> Vec<Box<dyn Subject>> {
    let mut all = ours::all();
    all.extend(strong::all());
    all.extend(bounds::all());
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
    let names = all.iter().map(|subject| subject.name()).collect::<Vec<_>>().join(", ");
    for asked in &plan.queues {
        if !all.iter().any(|subject| is_called(subject.name(), asked)) {
            return Err(format!("there is no queue `{asked}`; there are: {names}"));
        }
    }
    let is_wanted = |subject: &dyn Subject| {
        let is_asked = plan.queues.is_empty() || plan.queues.iter().any(|asked| is_called(subject.name(), asked));
        is_asked && (plan.peers || !subject.is_peer()) && (plan.bounds || subject.has_thieves())
    };
    let left: Vec<_> = all.into_iter().filter(|subject| is_wanted(subject.as_ref())).collect();
    if left.is_empty() {
        return Err(format!("no queue is left to measure; there are: {names}"));
    }
    Ok(left)
}
