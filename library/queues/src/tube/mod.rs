//! Tubes: queues that hand out slots in order. [`cnq`](crate::cnq) is built on one.
//!
//! **Unstable**: a release may change this module, or remove it.
//!
//! Programs rarely name a tube, because [`cnq::Queue`](crate::cnq::Queue) has a default.
//!
//! A producer *allocates* a slot, fills it, and *produces* it. A consumer *reserves* the oldest
//! produced slot, empties it, and *consumes* it. Between its two phases, a slot belongs to one
//! thread alone. The content of the slots is not the tube's concern: in [`Fifo`] slots hold items,
//! which makes a plain queue of any tube; in [`cnq`](crate::cnq) they hold whole queues of one
//! producer and one consumer.
//!
//! - [`SequencedRing`]: one ring with a sequence number in each slot (Vyukov). It replaces the ring
//!   of the Data Plane Development Kit, whose threads wait for each other.
//! - [`IndexQueues`]: two queues of indices (Nikolaev's NCQ), and the slots in an array.
//! - [`Blocks`], [`FetchAddBlocks`]: the blocks of [BBQ](crate::bbq) and of [FAAQ](crate::faaq).
//! - Your own: [`raw`].
//!
//! # Positions and slots
//! A ticket has a position and a slot. The *position* is the ticket's place in the order: each
//! position is taken once, and consumers reach positions in order. The *slot* is where the content
//! is. In a ring, the position determines the slot. In a tube whose free slots come from a queue of
//! their own, it does not.
//!
//! # Design and proof
//! Sections 3.3.1 and 3.7 of J. Wang's thesis (TU Dresden, 2024) describe tubes. Its tubes have
//! `allocate_at` and `reserve_at`, which take a given position or none, so that CNQ can inspect the
//! tube's entry a certain number of positions earlier. That turns a fetch-and-add into a
//! compare-exchange again. Here a tube takes the position that it gets, and reports it to CNQ: in
//! `produce`, before any consumer can reserve the slot; in `reserve`, before it takes the position,
//! if the tube can determine it then. CNQ itself keeps the state that it needs of other positions.

mod blocks;
mod fifo;
mod index_queues;
pub mod raw;
mod sequenced_ring;

pub use fifo::Fifo;
pub use index_queues::IndexQueues;
pub use sequenced_ring::SequencedRing;

/// [BBQ](crate::bbq)'s blocks, for many producers and consumers.
pub type Blocks = blocks::Slots<crate::bbq::Multi>;

/// [FAAQ](crate::faaq)'s blocks, for many producers and consumers.
pub type FetchAddBlocks = blocks::Slots<crate::bbq::Adding>;

/// A queue of slots. [This module](self) lists the library's tubes; [`raw`] describes how to make
/// another one.
pub trait Tube: raw::RawTube + core::fmt::Debug {}
