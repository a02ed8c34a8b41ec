//! `aqueduct-pool` under rayon-core's name, for `[patch.crates-io]`: the interface of version 1.13.
//!
//! The names and their meaning are rayon-core's, and its documentation holds. The pool is that of
//! [`aqueduct_pool`], whose documentation describes it.
//!
//! ```
//! let (a, b) = rayon_core::join(|| 1 + 1, || 2 + 2);
//! assert_eq!((a, b), (2, 4));
//! ```

mod configuration;

pub use aqueduct_pool::{
    BroadcastContext, FnContext, Scope, ScopeFifo, ThreadBuilder, ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder,
    Yield, broadcast, current_num_threads, current_thread_has_pending_tasks, current_thread_index, in_place_scope,
    in_place_scope_fifo, join, join_context, max_num_threads, scope, scope_fifo, spawn, spawn_broadcast, spawn_fifo,
    yield_local, yield_now,
};

#[allow(deprecated, reason = "they are a part of the interface")]
pub use configuration::{Configuration, initialize};
