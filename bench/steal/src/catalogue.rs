//! Every queue that can be measured, and the choice of a plan.

use super::plan::Plan;
use super::subject::Subject;
use super::{bounds, ours};
use aqueduct_measure::rounds::select;

/// Returns all queues of this build: ours, the bounds, the published queues, then the peers.
#[must_use]
pub fn subjects() -> Vec<Box<dyn Subject>> {
    let mut all = ours::all();
    all.extend(bounds::all());
    #[cfg(feature = "published")]
    all.extend(super::published::all());
    #[cfg(feature = "peers")]
    all.extend(super::peers::all());
    #[cfg(feature = "cpp-peers")]
    all.extend(super::cpp_peers::all());
    all
}

/// Returns the queues of the plan.
///
/// # Errors
/// If the plan names an unknown queue, or no queue is left. The text lists the known ones.
pub fn selected(plan: &Plan) -> Result<Vec<Box<dyn Subject>>, String> {
    select(
        subjects(),
        &plan.queues,
        |subject| subject.name().into(),
        |subject| (plan.peers || !subject.is_peer()) && (plan.bounds || subject.has_thieves()),
    )
}
