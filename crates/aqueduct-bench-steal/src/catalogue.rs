//! Every queue that can be measured, and which of them a plan wants.

use super::plan::Plan;
use super::subject::Subject;
use super::{bounds, ours};
use aqueduct_measure::rounds::select;

/// All that this build can measure: ours, the bounds, then the peers.
#[must_use]
pub fn subjects() -> Vec<Box<dyn Subject>> {
    let mut all = ours::all();
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
    select(
        subjects(),
        &plan.queues,
        |subject| subject.name().into(),
        |subject| (plan.peers || !subject.is_peer()) && (plan.bounds || subject.has_thieves()),
    )
}
