//! Queues with planted faults: the clients have to find each.
//!
//! [`clients`], [`walked`] and [`progress`] are those of `crate::clients` on `aqueduct-faults`, the
//! library's source with faults that can be switched on. [`ring`] and [`deque`] are small queues
//! for faults that have no place in the library.

pub mod deque;
pub mod ring;

use aqueduct_faults::queues as library;
use aqueduct_faults::queues::Fault;

use crate::clients::Client;
use crate::progress::many_threads::Subject;

#[path = "../clients/bbq/world/mod.rs"]
pub mod bbq;
#[path = "../clients/bbq_records/mod.rs"]
#[allow(dead_code, reason = "walks are for the library that is right")]
mod bbq_records;
#[path = "../clients/bbq_slots/mod.rs"]
mod bbq_slots;
#[path = "../clients/bwos/world/mod.rs"]
#[allow(dead_code, reason = "the huge client and the walks are for the library that is right")]
mod bwos;
#[path = "../clients/cnq/world/mod.rs"]
#[allow(dead_code, reason = "the huge client is for the library that is right")]
pub mod cnq;
#[path = "../clients/ends.rs"]
pub mod ends;
#[path = "../clients/exact/world.rs"]
pub mod exact;
#[path = "../clients/nblfq/world.rs"]
pub mod nblfq;
#[path = "../clients/unbounded/world.rs"]
pub mod unbounded;

/// Returns the clients on a library with this fault, or with none.
#[must_use]
pub fn clients(fault: Option<Fault>) -> Vec<Client> {
    let queues = [
        bbq::clients(),
        bbq::faaq_clients(),
        bbq_records::clients(),
        bbq_slots::clients(),
        bwos::clients(),
        cnq::clients(),
        nblfq::clients(),
        exact::clients(),
        unbounded::clients(),
    ];
    queues.into_iter().flatten().map(|client| client.with_fault(fault)).collect()
}

/// Returns the clients that are explored by random executions, on a library with this fault.
#[must_use]
pub fn walked(fault: Fault) -> Vec<Client> {
    let queues = [bbq::walked(), cnq::walked(), nblfq::walked(), exact::walked()];
    queues.into_iter().flatten().map(|client| client.with_fault(Some(fault))).collect()
}

/// Returns the queues whose threads are stopped, with this fault.
#[must_use]
pub fn progress(fault: Fault) -> Vec<Subject> {
    let queues = [bbq::stalls(), cnq::stalls(), nblfq::stalls(), exact::stalls(), unbounded::stalls()];
    queues.into_iter().flatten().map(|subject| subject.with_fault(fault)).collect()
}
