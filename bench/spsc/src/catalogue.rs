//! Every queue and every bound that can be measured, and the selection of a plan.

use super::plan::Plan;
use super::subject::Subject;
use super::{bounds, ours, wide};
use aqueduct_measure::record::{Role, WORD};

/// Returns all queues of this build: ours, then the peers, then the bounds.
#[must_use]
pub fn subjects() -> Vec<Box<dyn Subject>> {
    let mut all = ours::all();
    #[cfg(feature = "peers")]
    all.extend(super::peers::all());
    all.extend(bounds::all());
    all
}

/// Returns the queues of the plan.
#[must_use]
pub fn selected(plan: &Plan) -> Vec<Box<dyn Subject>> {
    let all = if plan.item_bytes == WORD { subjects() } else { wide::all(plan.item_bytes) };
    all.into_iter().filter(|subject| wanted(plan, subject.as_ref())).collect()
}

fn wanted(plan: &Plan, subject: &dyn Subject) -> bool {
    let named =
        |filter: &[String]| filter.is_empty() || filter.iter().any(|part| subject.name().contains(part.as_str()));
    match subject.role() {
        Role::Ours => named(&plan.queues),
        Role::Peer => plan.peers && named(&plan.peer_filter),
        Role::Bound => plan.bounds,
    }
}
