//! The queues of `aqueduct`, from their one source, under the model checker `aqueduct-model`.
//!
//! `aqueduct-under-model` is the library's source compiled on the checker's atomics, cells and
//! memory. This crate has:
//!
//! - [`clients`]: small programs on each queue, of which every execution under RC11 is explored.
//!   They are made of [`item`], [`queue`], [`script`], [`seven`] and [`duplex`].
//! - [`bbq`]: the clients of the block-based queue, each form with one to four threads on either
//!   side, and of its drop-old mode. [`many`] is their interface to a queue. `bbq_records`: the
//!   clients of its records.
//! - [`bwos`]: the clients of the block-based work-stealing queues.
//! - [`nblfq`]: the clients of the lock-free queue. [`calls`] is the common part of its clients and
//!   BBQ's.
//! - [`unbounded`]: the clients of the unbounded queue.
//! - [`cnq`]: the clients of CNQ, its k-FIFO specification, and the clients of the tubes alone.
//! - [`tables::counts`]: the exact number of executions of each client.
//! - [`minimal`]: for each ordering in the source that is stronger than `Relaxed`, a client that
//!   fails with a weaker one. [`tables::orderings`] names them.
//! - [`chase_lev`]: a published deque some of whose orderings are known to be stronger than it
//!   needs.
//! - [`broken`], [`broken_bbq`], [`broken_cnq`], [`broken_nblfq`], [`broken_unbounded`]: queues with planted faults,
//!   and the clients that notice them.
//! - [`matrix`]: the operations that complete while the other side has stopped in the middle of
//!   one.
//! - [`stalls`]: which threads wait for which in the queues of many threads.
//! - [`command`]: `aqueduct verify`.
//!
//! `THREADS.md` says how many threads the clients of each queue have, and argues for any number:
//! `crowd` runs threads of their own, and `slow` stops several of them at a time.
//!
//! Three things are not modelled: items without a size are not watched; slots lent as a slice count
//! as read, or written, when they are lent; the doubled mapping of `mirrored` does not exist here.

// BBQ's, CNQ's and NBLFQ's forms and clients are in the library's world, and in that of its broken copy.
#![allow(clippy::duplicate_mod, reason = "the same forms in each world is what this is for")]

use aqueduct_under_model as library;

pub mod bbq;
mod bbq_records;
pub mod broken;
pub mod broken_bbq;
pub mod broken_bwos;
pub mod broken_cnq;
pub mod broken_nblfq;
pub mod broken_unbounded;
pub mod bwos;
pub mod calls;
pub mod chase_lev;
pub mod clients;
pub mod cnq;
pub mod command;
pub(crate) mod crowd;
pub mod duplex;
mod history;
pub mod item;
pub mod many;
pub mod matrix;
pub mod minimal;
pub mod nblfq;
pub mod queue;
mod resume;
pub mod script;
pub mod seven;
pub mod sites;
pub(crate) mod slow;
pub mod stalls;
pub mod tables;
mod told;
pub mod unbounded;

pub use command::VerifyArgs;
