//! The recorder's ring and requests under the model, with faults: its clients have to find each of them.
//!
//! The build script copies the source. At the places that `faults.rs` names, it puts in code that does the
//! wrong thing if the fault is [switched on](with).

#[path = "../../../under-model/recorder/src/sync.rs"]
mod sync;

include!("../../queues/src/place.rs");
include!("../../queues/src/present.rs");
include!("faults.rs");
include!(concat!(env!("OUT_DIR"), "/modules.rs"));
