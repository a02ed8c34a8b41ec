//! A fork-join thread pool with the interface of rayon-core.
//!
//! ```
//! fn sum(numbers: &[u64]) -> u64 {
//!     if numbers.len() < 1000 {
//!         return numbers.iter().sum();
//!     }
//!     let (left, right) = numbers.split_at(numbers.len() / 2);
//!     let (a, b) = aqueduct_pool::join(|| sum(left), || sum(right));
//!     a + b
//! }
//! let numbers: Vec<u64> = (1..=10_000).collect();
//! assert_eq!(sum(&numbers), 50_005_000);
//! ```
//!
//! | you need | take |
//! | --- | --- |
//! | two closures side by side | [`join`], [`join_context`] |
//! | any number of jobs that borrow | [`scope`], [`in_place_scope`], [`scope_fifo`] |
//! | jobs without a result | [`spawn()`], [`spawn_fifo`] |
//! | futures that run on the workers, and timers for them | [`task`], [`time`] |
//! | a call on each worker | [`broadcast()`], [`spawn_broadcast`] |
//! | workers of your own | [`ThreadPoolBuilder`], [`ThreadPool`] |
//! | workers on certain cores | [`ThreadPoolBuilder::cores`] |
//! | to hold a lock while you wait | [`undisturbed`] |
//! | a program that uses rayon to run on this pool | `drop-in/rayon-core` in the repository |
//!
//! # Guarantees
//! - Each job runs once, as long as the pool exists. Another worker can steal each pushed job at
//!   once, also while its owner is busy.
//! - A worker runs its own jobs first, the newest first. It looks at injected jobs (of threads that
//!   are not workers, or that found a deque full) at least before every 62nd job that it takes
//!   while it waits.
//! - Idle workers sleep. A new job wakes one of them, unless another worker searches for work
//!   already; at most half of the workers search at a time.
//! - A join allocates nothing. It costs two operations of the worker's own deque, which have no
//!   fence, a check whether any worker sleeps, and a few stores in the stack frame.
//! - Panics arrive in place of the result.
//!
//! # When not to use it
//! A theft from a worker that is busy with a long job, and has pushed few jobs, takes longer than
//! in other pools ([`aqueduct::bwos`]), which pay for a fence in each operation instead. Programs
//! with few and long jobs do not notice either.
//!
//! # How it works
//! A job is one word, the address of a stack frame or box whose first field is the function that
//! runs it. Each worker has a deque of [`aqueduct::bwos::lifo`], and a queue of broadcasts; an
//! unbounded queue takes the injected jobs. `sleep.rs` has the rules of sleeping and waking, and
//! explains why no job is forgotten.
//!
//! A worker that waits runs other jobs meanwhile, within
//! [bounds](ThreadPoolBuilder::max_nested_jobs). `worker/wait.rs` has the rules, and explains why
//! waits within waits end. `worker/body.rs` has the rules of [`undisturbed`].

mod broadcast;
mod builder;
mod error;
mod global;
mod handlers;
#[doc(hidden)]
pub mod internal;
mod job;
mod join;
mod latch;
mod pool;
mod registry;
mod scope;
mod seat;
mod sleep;
mod spawn;
mod start;
mod sync;
pub mod task;
mod thread;
pub mod time;
mod unwind;
mod worker;

pub use broadcast::{BroadcastContext, broadcast, spawn_broadcast};
pub use builder::ThreadPoolBuilder;
pub use error::ThreadPoolBuildError;
pub use join::{FnContext, join, join_context, undisturbed};
pub use pool::{
    Counts, ThreadPool, current_num_threads, current_thread_has_pending_tasks, current_thread_index, max_num_threads,
    yield_local, yield_now,
};
pub use scope::{Scope, ScopeFifo, in_place_scope, in_place_scope_fifo, scope, scope_fifo};
pub use spawn::{spawn, spawn_fifo};
pub use sync::parked::Parked;
pub use thread::{CustomSpawn, DefaultSpawn, ThreadBuilder, ThreadSpawn};
pub use worker::Yield;

/// The README's program, which the doc tests run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
