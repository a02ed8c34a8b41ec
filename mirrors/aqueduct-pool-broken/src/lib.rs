//! The pool in the model world, with faults: the clients that prove the pool right have to find each of them.
//!
//! The source is that of `aqueduct-pool`. The build script copies it and puts in, at the places that `faults.rs` names,
//! code that does the wrong thing if the fault is [switched on](with).

include!("../../aqueduct-broken/src/place.rs");
include!("../../aqueduct-broken/src/present.rs");
include!("faults.rs");
include!(concat!(env!("OUT_DIR"), "/modules.rs"));

pub use builder::{ThreadBuilder, ThreadPoolBuilder};
pub use join::join;
pub use pool::ThreadPool;
pub use spawn::spawn;
