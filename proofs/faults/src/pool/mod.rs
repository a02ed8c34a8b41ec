//! The pool, over queues without faults.

include!("../present.rs");
include!("faults.rs");
include!(concat!(env!("OUT_DIR"), "/pool.rs"));
