//! The queues of `aqueduct-shm` on the model checker's atomics: their source, with another seam.

extern crate alloc;

#[path = "../../../crates/aqueduct-shm/src/bell.rs"]
mod bell;
#[path = "../../../crates/aqueduct-shm/src/bytes.rs"]
mod bytes;
#[path = "../../../crates/aqueduct-shm/src/cells/mod.rs"]
mod cells;
#[path = "../../../crates/aqueduct-shm/src/drop_old/mod.rs"]
pub mod drop_old;
#[path = "../../../crates/aqueduct-shm/src/error.rs"]
mod error;
#[path = "../../../crates/aqueduct-shm/src/front.rs"]
mod front;
#[path = "../../../crates/aqueduct-shm/src/items/mod.rs"]
pub mod items;
#[path = "../../../crates/aqueduct-shm/src/lanes.rs"]
mod lanes;
#[path = "../../../crates/aqueduct-shm/src/layout.rs"]
mod layout;
#[path = "../../../crates/aqueduct-shm/src/mpmc/mod.rs"]
pub mod mpmc;
#[path = "../../../crates/aqueduct-shm/src/nblfq/mod.rs"]
pub mod nblfq;
#[path = "../../../crates/aqueduct-shm/src/peer.rs"]
mod peer;
#[path = "../../../crates/aqueduct-shm/src/pod.rs"]
mod pod;
#[path = "../../../crates/aqueduct-shm/src/records/mod.rs"]
pub mod records;
mod sync;

pub use error::*;
pub use layout::{Expected, Memory, Peer};
pub use pod::Pod;
pub use sync::{Ordering, Word};

/// The lanes under the name of their page.
pub mod mpsc {
    pub use crate::lanes::{Consumer, Producer};
}
