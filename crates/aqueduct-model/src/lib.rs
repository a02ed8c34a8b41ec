//! An exhaustive model checker for concurrent Rust under the RC11 weak memory model.
//!
//! ```
//! use aqueduct_model::sync::atomic::{AtomicUsize, Ordering};
//! use aqueduct_model::{model, thread};
//! use std::sync::Arc;
//!
//! model(|| {
//!     let x = Arc::new(AtomicUsize::new(0));
//!     let other = Arc::clone(&x);
//!     let handle = thread::spawn(move || other.fetch_add(1, Ordering::Relaxed));
//!     x.fetch_add(1, Ordering::Relaxed);
//!     handle.join().unwrap();
//!     assert_eq!(x.load(Ordering::Relaxed), 2);
//! });
//! ```

pub mod alloc;
pub mod cell;
mod check;
mod config;
mod explore;
mod graph;
pub mod hint;
mod report;
mod runtime;
pub mod sync;
pub mod thread;

pub use check::model;
#[doc(hidden)]
pub use config::Fault;
pub use config::{Builder, Config, MemoryModel, ReleaseSequences, Scheduler};
pub use graph::clock::MAX_THREADS;
pub use hint::await_until;
pub use report::{Failure, FailureKind, Override, Report, SiteReport};
