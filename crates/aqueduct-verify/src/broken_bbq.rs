//! BBQ with planted faults, from the library's own source: the clients have to notice each.

use aqueduct_broken as library;
use aqueduct_broken::Fault;

use crate::clients::Client;
use crate::stalls::Subject;

#[path = "bbq/world/mod.rs"]
pub mod world;

/// BBQ's clients on a library with this fault, or with none.
#[must_use]
pub fn clients(fault: Option<Fault>) -> Vec<Client> {
    (world::clients().into_iter()).chain(world::faaq_clients()).map(|client| client.with_fault(fault)).collect()
}

/// BBQ's forms, to be stopped in, with this fault.
#[must_use]
pub fn stalls(fault: Fault) -> Vec<Subject> {
    world::stalls().into_iter().map(|subject| subject.with_fault(fault)).collect()
}
