//! Every queue that can be measured, and the choice of a plan.

use super::plan::Plan;
use super::subject::Subject;
use super::{ours, wide};
use aqueduct_measure::record::WORD;
use aqueduct_measure::rounds::select;

/// The queue that reports compare every other with, besides the best peer.
pub const REFERENCE: &str = "crossbeam-queue/array_queue";

/// Returns all queues of this build: ours, also those that are not offered, then published ones,
/// then peers.
#[must_use]
pub fn subjects() -> Vec<Box<dyn Subject>> {
    let mut all = ours::all();
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
    let all = if plan.item_bytes == WORD { subjects() } else { wide::all(plan.item_bytes) };
    select(all, &plan.queues, |subject| subject.name().into(), |subject| plan.peers || !subject.is_peer())
}
