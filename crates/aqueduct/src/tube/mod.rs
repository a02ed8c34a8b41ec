//! Tubes: queues in three phases, which hand out *slots* and leave to others what lies in them.
//!
//! "The seed" in these pages is the thesis that [`cnq`](crate::cnq) is from; its sections 3.3.1 and 3.7 are about tubes. A producer
//! *allocates* a slot, fills it, and *produces* it; a consumer *reserves* the oldest slot that was produced, empties it, and
//! *consumes* it. Between its two phases, the slot is its owner's alone. What the slots are is decided elsewhere: in [`Fifo`] they
//! are items, which makes a plain queue of any tube; under [`cnq`](crate::cnq) they are whole queues of one producer and one
//! consumer.
//!
//! - [`SequencedRing`]: one ring with a sequence number in each slot (Vyukov). It takes the place of the ring of the Data Plane
//!   Development Kit, whose threads wait for each other.
//! - [`IndexQueues`]: two queues of indices (Nikolaev's NCQ), and the slots in an array.
//! - [`Blocks`], [`FetchAddBlocks`]: the blocks of [BBQ](crate::bbq) and of [FAAQ](crate::faaq).
//!
//! Programs rarely name a tube: [`cnq::Queue`](crate::cnq::Queue) has a default.
//!
//! # Positions and slots
//! A ticket says two things. Its *position* is where it stands in the order: each position is taken once, and consumers
//! come to them in their order. Its *slot* is where its content lies. In a ring, the slot follows from the position; where free slots
//! come from a queue of their own, it does not.
//!
//! # What differs from the seed
//! The seed's tubes have `allocate_at` and `reserve_at`, which take a given position or none, so that CNQ can see to the tube's
//! entry a certain number of positions before. That makes a fetch-and-add a compare-exchange again. Here a tube takes the
//! position that it gets, and tells CNQ: `produce` before anybody can reserve the slot, `reserve` before it
//! takes a position, if the tube can tell. What CNQ has to know of other positions it keeps itself.

mod fifo;
mod index_queues;
pub(crate) mod raw;
mod sequenced_ring;

pub use fifo::Fifo;
pub use index_queues::IndexQueues;
pub use sequenced_ring::SequencedRing;

/// [BBQ](crate::bbq)'s blocks, with many producers and consumers.
pub type Blocks = crate::bbq::Slots<crate::bbq::Multi>;

/// [FAAQ](crate::faaq)'s blocks.
pub type FetchAddBlocks = crate::bbq::Slots<crate::bbq::Adding>;

/// A queue in three phases. Sealed: [these](self) are all.
pub trait Tube: raw::Tube + core::fmt::Debug {}
