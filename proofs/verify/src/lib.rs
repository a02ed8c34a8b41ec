//! The queues of `aqueduct`, from their one source, under the model checker `aqueduct-model`.
//!
//! `aqueduct-under-model` is the library's source compiled on the checker's atomics, cells and
//! memory. This crate has:
//!
//! - [`clients`]: small programs on each queue, explored in every execution under RC11; a folder
//!   for each queue. [`clients::threads`] is common to the queues of many threads.
//!   [`clients::channels`] lists the clients of `aqueduct-channel`, whose faults and orderings are
//!   checked in the mirrors of that package.
//! - [`faults`]: queues with planted faults: the clients find each.
//! - [`progress`]: the operations that complete while other threads have stopped in the middle of
//!   one.
//! - [`orderings`]: the need for each ordering in the source that is stronger than `Relaxed`: a
//!   client fails with a weaker one.
//! - [`tables`]: the exact number of executions of each client, and the clients that need each
//!   ordering.
//! - [`command`]: `aqueduct verify`.
//!
//! `THREADS.md` lists how many threads the clients of each queue have, and argues for any number:
//! [`clients::threads`] runs threads of their own, and stops several of them at a time.
//!
//! Three things are not modelled. Items without a size are not watched. Slots that a handle lends
//! as a slice count as read, or written, at that moment. The doubled mapping of `mirrored` does not
//! exist here.

// BBQ's, CNQ's and NBLFQ's forms and clients are compiled on the library and on its broken copy.
#![allow(clippy::duplicate_mod, reason = "the same forms in each world is what this is for")]

pub mod clients;
pub mod command;
pub mod faults;
pub mod orderings;
pub mod progress;
pub mod tables;

pub use command::VerifyArgs;
