//! The queues.

include!("../present.rs");
include!("faults/all.rs");
include!(concat!(env!("OUT_DIR"), "/queues.rs"));
