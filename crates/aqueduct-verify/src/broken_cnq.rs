//! CNQ with planted faults, from the library's own source: the clients have to notice each.

use aqueduct_broken as library;
use aqueduct_broken::Fault;

use crate::clients::Client;

use crate::stalls::Subject;

#[path = "cnq/world/mod.rs"]
#[allow(dead_code, reason = "the huge client is for the library that is right")]
pub mod world;

/// CNQ's clients on a library with this fault, or with none.
#[must_use]
pub fn clients(fault: Option<Fault>) -> Vec<Client> {
    world::clients().into_iter().map(|client| client.with_fault(fault)).collect()
}

/// The tubes' clients that are explored by chance, on a library with this fault.
#[must_use]
pub fn walked(fault: Fault) -> Vec<Client> {
    world::walked().into_iter().map(|client| client.with_fault(Some(fault))).collect()
}

/// The queues to be stopped in, with this fault.
#[must_use]
pub fn stalls(fault: Fault) -> Vec<Subject> {
    world::stalls().into_iter().map(|subject| subject.with_fault(fault)).collect()
}
