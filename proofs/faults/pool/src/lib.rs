//! The pool under the model, with faults: the clients that prove the pool right have to find each of them.
//!
//! The source is that of `aqueduct-pool`. The build script copies it. At the places that `faults.rs` names, it
//! puts in code that does the wrong thing if the fault is [switched on](with).

include!("../../queues/src/place.rs");
include!("../../queues/src/present.rs");
include!("faults.rs");
include!(concat!(env!("OUT_DIR"), "/modules.rs"));

pub use broadcast::{BroadcastContext, broadcast, spawn_broadcast};
pub use builder::{CustomSpawn, DefaultSpawn, ThreadBuilder, ThreadPoolBuilder, ThreadSpawn};
pub use error::ThreadPoolBuildError;
pub use join::{FnContext, join, join_context, undisturbed};
pub use parked::Parked;
pub use pool::{
    Counts, ThreadPool, Yield, current_num_threads, current_thread_has_pending_tasks, current_thread_index,
    max_num_threads, yield_local, yield_now,
};
pub use scope::{Scope, ScopeFifo, in_place_scope, in_place_scope_fifo, scope, scope_fifo};
pub use spawn::{spawn, spawn_fifo};
