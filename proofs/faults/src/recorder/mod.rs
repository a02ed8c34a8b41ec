//! The recorder's ring and requests.

#[path = "../../../under-model/recorder/src/sync.rs"]
mod sync;

include!("../present.rs");
include!("faults.rs");
include!(concat!(env!("OUT_DIR"), "/recorder.rs"));
