//! An exhaustive model checker for concurrent Rust under the RC11 weak memory model.
//!
//! A program is a closure that uses this crate's atomics, cells, threads, locks and memory. They
//! have the paths, names and signatures of `loom`'s, and of `core`'s and `std`'s where loom has
//! none. [`model`](fn@model) explores every execution of it: every value that each read may get and
//! every order of the writes that RC11 allows, each combination once. It panics when one fails,
//! with the execution as a table and a string that replays it.
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
//!
//! The attribute [`model`](macro@model) makes a test of a function, whose body is the program.
//!
//! [`Config`] has the options, and [`Config::check`] returns a [`Report`] instead of panicking.
//! [`minimal`] finds the orderings that a program needs.
//!
//! # Errors that it finds
//!
//! - Panics and failed assertions.
//! - Data races on [`cell::UnsafeCell`] and on memory of [`alloc`].
//! - Uses of such memory before it is allocated or after it is freed, double frees, leaks, and
//!   reads of memory that nothing has written.
//! - Threads that join each other, and waits that nothing ends ([`await_until`]).
//!
//! On request, three more: failures when freed addresses are allocated again
//! ([`Config::reuse_addresses`]); failures when an interrupt handler runs in the middle
//! ([`interrupt`]); and threads that wait forever when another thread stops or dies in the middle
//! ([`Config::suspend`], [`Config::kill`]).
//!
//! Fences of both kinds are modelled: core's, and pairs of asymmetric ones
//! ([`sync::atomic::light_fence`], [`sync::atomic::heavy_fence`]). One side of a pair is free on
//! systems with `membarrier` or a similar call.
//!
//! # How a program has to be
//!
//! - Deterministic except for the scheduling: no clocks, no random numbers, no hash maps with
//!   random seeds, no state that one execution leaves for the next. Deviations are reported.
//! - Finite: a loop that waits uses [`await_until`] or [`hint::spin_loop`]. Loops with
//!   operations that run away hit [`Config::max_events`]; loops without any operation hang.
//! - At most [`MAX_THREADS`] threads, which all end.
//! - Objects are handed to threads by `spawn`, or through atomics with the orderings that this
//!   needs: the checker verifies that an atomic's first value was published only in memory of
//!   [`alloc`].
//!
//! # Effects on the program
//!
//! Most runs of the closure lead to no execution of their own: they are blocked, or repeat another
//! one. In these the threads run to their ends as on one core, so that no thread is unwound and
//! nothing leaks; nothing there counts, not even a panic. A program that counts or collects
//! something over executions calls [`on_record`]. The threads of an execution that fails stay as
//! they are.
//!
//! # When there are too many executions
//!
//! [`Config::max_preemptions`] leaves out executions that need many preemptions.
//!
//! [`Config::random`] runs some that are chosen at random, biased to rare ones: old values, writes
//! that are overtaken, threads that lag behind. That finds bugs in programs that are far too big to
//! explore. It proves nothing, and the report is not `exhaustive`.
//!
//! [`Config::estimate`] estimates their number, with an interval.
//!
//! [`Config::check_saving`] explores all of them, for hours or days, and can be interrupted: a file
//! holds the remaining work. [`Config::plan`] divides the work into task files, which any number of
//! machines explore by [`Config::check_task`]; [`merge`] adds up their results.
//!
//! # Failures as pictures
//!
//! A [`Failure`] has its execution as plain data, an [`ExecutionGraph`]:
//! [`ExecutionGraph::to_html`] draws it in one page, [`ExecutionGraph::to_dot`] writes it for
//! Graphviz. The race, or the cycle that no interleaving has, is in red.
//!
//! # Limits of the model
//!
//! - Load buffering: RC11 has no cycles in program order and reads-from. So the checker does not
//!   explore an execution in which a load reads a value that depends on a later store of its own
//!   thread, though hardware may show it for relaxed accesses.
//! - Accesses of different sizes to one atomic, and uses of a reference from
//!   [`cell::ConstPtr::deref`] after other operations.
//! - `Consume` ordering and other processes.
//! - A second spurious failure in a row of a weak compare-exchange in a loop that never gives up:
//!   what follows differs only if the loop keeps count ([`Config::all_spurious_failures`]).
//! - Memory that `std` allocates: a program that compares addresses of freed boxes is deterministic
//!   only under [`allocator::DistinctAddresses`].
//! - Behaviour that needs more than 20,000 rounds of a spin loop that see nothing new, or 1,000 if
//!   another loop at its place has had no end ([`Config::spin_bound`]).
//! - Threads of [`std::thread::spawn`]: one that uses an object of an execution fails the check
//!   ([`FailureKind::UnknownThread`]).
//! - The standard library's own synchronization: its `Mutex`, `Arc` and channels work, but order
//!   nothing for the checker, and a lock that blocks stops everything. A program whose threads
//!   communicate through them is not deterministic ([`Config::nondeterminism_fails`]).
//!
//! # Inside
//!
//! `graph` holds one execution and its axioms. `explore` goes from one graph to the next. `runtime`
//! runs the program against a graph on coroutines. `check` shares the work among operating system
//! threads, and saves the remaining work. `report` describes the result. `minimal` makes many
//! checks with other orderings. `graph` uses none of the others, `explore` uses `graph`,
//! `runtime` uses both. A run describes an error by facts, and `report` makes the text when the run
//! is over. Only `runtime` uses coroutines.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../FROM_SHUTTLE.md")]
#[doc = include_str!("../TESTS.md")]
struct Pages;

pub mod alloc;
pub mod allocator;
mod buffering;
pub mod cell;
mod check;
mod config;
mod explore;
pub mod future;
mod graph;
pub mod hint;
pub mod interrupt;
pub mod lazy_static;
pub mod linearizability;
pub mod minimal;
pub mod model;
mod report;
mod runtime;
pub mod sync;
pub mod thread;

/// Makes a test of a function: each execution of its body is explored.
///
/// # Examples
///
/// ```
/// use aqueduct_model::sync::Arc;
/// use aqueduct_model::sync::atomic::{AtomicUsize, Ordering::Relaxed};
/// use aqueduct_model::{model, thread};
///
/// #[model]
/// fn two_threads_count() {
///     let count = Arc::new(AtomicUsize::new(0));
///     let other = Arc::clone(&count);
///     let thread = thread::spawn(move || other.fetch_add(1, Relaxed));
///     count.fetch_add(1, Relaxed);
///     thread.join().unwrap();
///     assert_eq!(count.load(Relaxed), 2);
/// }
/// ```
///
/// A test that passes if an execution fails:
///
/// ```
/// # use aqueduct_model::{cell::UnsafeCell, model, thread};
/// #[model(fails = "data race")]
/// fn two_threads_write() {
///     // ..
/// }
/// ```
///
/// # Errors of the compiler
///
/// Parameters:
/// ```compile_fail
/// #[aqueduct_model::model]
/// fn test(number: usize) {}
/// ```
/// A function that is `async`, `const` or `unsafe`:
/// ```compile_fail
/// #[aqueduct_model::model]
/// async fn test() {}
/// ```
/// An option that does not exist, or that comes twice:
/// ```compile_fail
/// #[aqueduct_model::model(fail)]
/// fn test() {}
/// ```
/// A second `#[test]`:
/// ```compile_fail
/// #[aqueduct_model::model]
/// #[test]
/// fn test() {}
/// ```
///
/// # The test
///
pub use aqueduct_model_macros::model;
pub use buffering::BufferedLoad;
pub use check::{Estimate, Merged, PartError, ResumeError, TaskFailure, merge, program_of};
pub use config::{Config, Override, Scheduler};
pub use graph::clock::MAX_THREADS;
#[doc(hidden)]
pub use graph::rules::Fault;
pub use graph::rules::{MemoryModel, ReleaseSequences};
pub use hint::await_until;
pub use model::by_hand::{explore, skip_branch, stop_exploring};
#[doc(inline)]
pub use model::{model, on_record};
pub use report::{
    EdgeKind, ExecutionGraph, Failure, FailureKind, GraphEdge, GraphEvent, Report, SiteReport, ThreadReport,
};
