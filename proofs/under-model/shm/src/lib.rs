//! The queues of `aqueduct-shm` on the model checker's atomics: their source, with another `sync`
//! module.

extern crate alloc;

#[path = "../../../../library/shm/src/bell.rs"]
mod bell;
#[path = "../../../../library/shm/src/bytes.rs"]
mod bytes;
#[path = "../../../../library/shm/src/cells/mod.rs"]
mod cells;
#[path = "../../../../library/shm/src/drop_old/mod.rs"]
pub mod drop_old;
#[path = "../../../../library/shm/src/error.rs"]
mod error;
#[path = "../../../../library/shm/src/front.rs"]
mod front;
#[path = "../../../../library/shm/src/items/mod.rs"]
pub mod items;
#[path = "../../../../library/shm/src/lanes.rs"]
mod lanes;
#[path = "../../../../library/shm/src/layout.rs"]
mod layout;
#[path = "../../../../library/shm/src/mpmc/mod.rs"]
pub mod mpmc;
#[path = "../../../../library/shm/src/nblfq/mod.rs"]
pub mod nblfq;
#[path = "../../../../library/shm/src/peer.rs"]
mod peer;
#[path = "../../../../library/shm/src/pod.rs"]
mod pod;
#[path = "../../../../library/shm/src/records/mod.rs"]
pub mod records;
mod sync;

pub use error::*;
pub use layout::{Expected, Memory, Peer};
pub use pod::Pod;
pub use sync::{Ordering, Word};

/// The lanes, under the name of their public module.
pub mod mpsc {
    pub use crate::lanes::{Consumer, Producer};
}
