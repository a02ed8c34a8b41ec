//! Every queue that can be measured, and the choice of a plan.

use super::contestant::{Contestant, Promise, contestant};
use super::plan::Plan;
use super::queues;
use crate::mpmc::ours;
use aqueduct_measure::rounds::{is_called, select};

/// Returns all queues of this build, with these orders: ours, our strict queues, the bound, the
/// published ones, peers.
#[must_use]
pub fn contestants(orders: &[usize]) -> Vec<Contestant> {
    let mut all = queues::cnq(orders);
    all.extend([
        contestant::<ours::Mpmc>(Promise::Fifo),
        contestant::<ours::Faaq>(Promise::Fifo),
        queues::sequenced_ring(),
        queues::rings(),
    ]);
    #[cfg(feature = "published")]
    all.extend(super::relaxed::all(orders));
    #[cfg(all(feature = "peers", target_arch = "x86_64"))]
    all.push(contestant::<crate::nblfq::Lcrq>(Promise::Fifo));
    #[cfg(feature = "peers")]
    {
        use crate::mpmc::peers::queues as others;
        all.push(contestant::<others::ArrayQueue>(Promise::Fifo));
        all.push(contestant::<others::GilMpmc>(Promise::Fifo));
        all.push(queues::gil_sharded());
    }
    #[cfg(feature = "cpp-peers")]
    {
        all.push(contestant::<crate::mpmc::cpp_peers::moodycamel::Queue>(Promise::PerProducer));
        all.extend(queues::kfifo(orders));
    }
    all
}

/// Returns the queues of the plan.
///
/// # Errors
/// If the plan names an unknown queue, or no queue is left. The text lists the known ones.
pub fn selected(plan: &Plan) -> Result<Vec<Contestant>, String> {
    select(contestants(&plan.orders), &plan.queues, |one| one.queue.to_string().into(), |one| plan.peers || !one.peer)
}

/// Returns our queues with the orders of the sweep, and the C++ peer that has one, if the plan
/// selects them.
pub(super) fn swept(plan: &Plan) -> Vec<Contestant> {
    #[cfg_attr(not(feature = "cpp-peers"), expect(unused_mut, reason = "the only peer is of C++"))]
    let mut all = queues::cnq(&plan.sweep);
    #[cfg(feature = "cpp-peers")]
    all.extend(queues::kfifo(&plan.sweep).into_iter().filter(|_| plan.peers));
    let is_asked = |one: &Contestant| {
        plan.queues.is_empty() || plan.queues.iter().any(|asked| is_called(&one.queue.to_string(), asked))
    };
    all.into_iter().filter(is_asked).collect()
}
