//! Queues that move data and work between cores, and come with their proof.
//!
//! - [`spsc`]: one producer, one consumer. Six published algorithms (Lamport's and FastForward's families)
//!   and a seventh of our own; [`spsc::ring`] is the one to start with.
//! - [`bbq`]: a block-based queue for one or many producers and consumers; [`bbq::drop_old`] overwrites what is not read in time;
//!   [`bbq::records`] carries bytes of any length, written and read in place.
//! - [`faaq`]: the same with consumers that try at most twice for an entry of a filled block.
//! - [`bwos`]: work-stealing queues, LIFO and FIFO, for one owner and any number of thieves.
//! - [`cnq`]: many producers and consumers at the speed of one of each, for an order that is wrong by less than `k` items.
//! - [`tube`]: queues in three phases, which are queues of their own and what others are made of.
//! - [`nblfq`]: lock-free in the strict sense, without allocation: many producers and consumers, signal handlers among them.
//!
//! Every queue is written once, against one small private module, `sync`, the only place that names atomics
//! and cells; what that module stands for is chosen at compile time, so that the source that ships is the
//! source that is checked.
//!
//! The crate is `no_std` with `alloc`. The feature `std` (default) is needed only by `mirrored`, which maps the
//! pages of a ring twice (Linux) so that every run of slots is one slice.

#![no_std]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod array;
pub mod bbq;
pub mod bwos;
pub mod cnq;
pub mod error;
pub mod faaq;
mod heap;
mod hold;
mod isolated;
pub mod nblfq;
mod plain;
pub mod spsc;
mod sync;
pub mod tube;
mod unwind;
mod word;

#[doc(no_inline)]
pub use bbq::{mpmc, mpsc, spmc};
