//! The queues between processes.

#[path = "../../../under-model/shm/src/sync.rs"]
mod sync;

pub use sync::{Ordering, Word};

include!("../present.rs");
include!("faults.rs");
include!(concat!(env!("OUT_DIR"), "/shm.rs"));
