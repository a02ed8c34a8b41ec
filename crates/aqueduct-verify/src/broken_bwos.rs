//! BWoS with planted faults, from the library's own source: the clients have to notice each.

use aqueduct_broken as library;
use aqueduct_broken::Fault;

use crate::clients::Client;

#[path = "bwos/world/mod.rs"]
#[allow(dead_code, reason = "the huge client is for the library that is right")]
mod world;

/// BWoS's clients on a library with this fault, or with none.
#[must_use]
pub fn clients(fault: Option<Fault>) -> Vec<Client> {
    world::clients().into_iter().map(|client| client.with_fault(fault)).collect()
}
