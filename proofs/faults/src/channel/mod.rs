//! The channels, over queues without faults.

include!("../present.rs");
include!("faults/all.rs");
include!(concat!(env!("OUT_DIR"), "/channel.rs"));
