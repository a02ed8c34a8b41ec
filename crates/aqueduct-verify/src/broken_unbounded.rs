//! The unbounded queue with planted faults, from the library's own source: the clients have to notice each.

use aqueduct_broken as library;
use aqueduct_broken::Fault;

use crate::clients::Client;
use crate::stalls::Subject;

#[path = "unbounded/world.rs"]
pub mod world;

/// The unbounded queue's clients on a library with this fault, or with none.
#[must_use]
pub fn clients(fault: Option<Fault>) -> Vec<Client> {
    world::clients().into_iter().map(|client| client.with_fault(fault)).collect()
}

/// The unbounded queue's forms, to be stopped in, with this fault.
#[must_use]
pub fn stalls(fault: Fault) -> Vec<Subject> {
    world::stalls().into_iter().map(|subject| subject.with_fault(fault)).collect()
}
