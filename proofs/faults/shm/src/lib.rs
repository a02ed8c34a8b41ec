//! The queues of `aqueduct-shm` on the model checker's atomics, with faults: the clients have to find each of them.
//!
//! The build script copies the source and puts in, at the places that `faults.rs` names, code that does the wrong
//! thing if the fault is [switched on](with).

extern crate alloc;

#[path = "../../../under-model/shm/src/sync.rs"]
mod sync;

pub use error::*;
pub use layout::{Expected, Memory, Peer};
pub use pod::Pod;
pub use sync::{Ordering, Word};

include!("../../queues/src/place.rs");
include!("../../queues/src/present.rs");
include!("faults.rs");
/// The lanes under the name of their page.
pub mod mpsc {
    pub use crate::lanes::{Consumer, Producer};
}

include!(concat!(env!("OUT_DIR"), "/modules.rs"));
