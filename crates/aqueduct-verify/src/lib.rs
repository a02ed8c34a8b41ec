//! The queues of `aqueduct`, from the same source, under the model checker `aqueduct-model`.
//!
//! `aqueduct-under-model` is the library's source compiled on the checker's atomics, cells and memory. Here are:
//!
//! - [`clients`]: small programs on each queue, of which every execution under RC11 is explored. [`item`], [`queue`],
//!   [`script`], [`seven`] and [`duplex`] are what they are made of.
//! - [`bbq`]: the clients of the block-based queue, each form with one to two threads on either side; its drop-old mode, too.
//!   [`many`] is what they ask of a queue.
//!   `bbq_records`: those of its records.
//! - [`bwos`]: those of the block-based work-stealing queues.
//! - [`nblfq`]: the clients of the lock-free queue. [`calls`] is what its clients and BBQ's have in common.
//! - [`cnq`]: those of CNQ, its k-FIFO specification, and those of the tubes alone.
//! - [`expected`]: how many executions each client has, exactly.
//! - [`minimal`]: for each ordering in the source that is stronger than `Relaxed`, a client that fails with a weaker one. [`needs`] names them.
//! - [`chase_lev`]: a published deque some of whose orderings are known to be stronger than it needs.
//! - [`broken`], [`broken_bbq`], [`broken_cnq`], [`broken_nblfq`]: queues that are wrong on purpose, and the clients that say so.
//! - [`matrix`]: which operations complete while the other side has stopped in the middle of one.
//! - [`stalls`]: who waits for whom in the queues of many threads.
//! - [`command`]: `aqueduct verify`.
//!
//! What is not modelled: items without a size are not watched; slots lent as a slice count as read, or written, when
//! they are lent; the doubled mapping of `mirrored` does not exist here.

// BBQ's, CNQ's and NBLFQ's forms and clients are in the library's world, and in that of its broken copy.
#![allow(clippy::duplicate_mod, reason = "the same forms in each world is what this is for")]

pub mod bbq;
mod bbq_records;
pub mod broken;
pub mod broken_bbq;
pub mod broken_bwos;
pub mod broken_cnq;
pub mod broken_nblfq;
pub mod bwos;
pub mod calls;
pub mod chase_lev;
pub mod clients;
pub mod cnq;
pub mod command;
pub mod duplex;
pub mod expected;
mod history;
pub mod item;
pub mod many;
pub mod matrix;
pub mod minimal;
pub mod nblfq;
pub mod needs;
pub mod queue;
mod resume;
pub mod script;
pub mod seven;
pub mod sites;
pub mod stalls;

pub use command::VerifyArgs;
