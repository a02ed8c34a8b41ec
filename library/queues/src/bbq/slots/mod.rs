//! Queues of large items, written and read in place.
//!
//! **Unstable**: a release may change this module, or remove it.
//!
//! A producer [reserves](Producer::reserve) a slot, writes the item into the queue's memory, and
//! commits it. A consumer [reads](Consumer::read) the item there, changes it if it likes, and drops
//! it there or takes it out. So an item of kilobytes is written once, and never copied.
//!
//! # Examples
//! ```
//! use aqueduct::bbq::slots::mpsc;
//!
//! struct Packet {
//!     len: usize,
//!     bytes: [u8; 1500],
//! }
//!
//! let (mut producer, mut consumer) = mpsc::new::<Packet>(64)?;
//! let mut packet = producer.reserve()?.fill(Packet { len: 0, bytes: [0; 1500] });
//! packet.len = packet.bytes.iter_mut().zip(b"hello").map(|(to, &from)| *to = from).count();
//! aqueduct::bbq::slots::Filled::commit(packet);
//! drop(producer.reserve()?); // Not committed: there is no item.
//!
//! let packet = consumer.read()?;
//! assert_eq!(packet.bytes[..packet.len], *b"hello");
//! drop(packet);
//! assert!(consumer.read().is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | producers | consumers |
//! | --- | --- | --- |
//! | [`spsc`] | one | one |
//! | [`mpsc`] | many | one |
//! | [`spmc`] | one | many |
//! | [`mpmc`] | many | many |
//!
//! # When to use it
//! Use it for items of one type that are expensive to move: packets, blocks of a file, frames.
//! Items of a few words are faster in the queues of [`bbq`](super), and bytes of different lengths
//! need less space in [`records`](super::records).
//!
//! # Guarantees
//! Items come out in the order in which their slots were reserved, each once: it is read, taken or
//! dropped by one consumer, or dropped with the queue. The other guarantees are those of
//! [BBQ](super#guarantees), with a slot in place of a push and a read in place of a pop:
//! - Consumers cannot pass a slot that is neither committed nor dropped. They find the queue `Busy`
//!   there, or `Empty` if there is a single producer.
//! - Producers cannot reuse the block of an item that is being read. They find the queue `Full` or
//!   `Busy` when they reach it again, a lap later.
//!
//! # What may be left behind
//! - A [`Slot`] that is dropped without an item, also by a `?` or a panic, is cancelled, and so is
//!   a [`Filled`] slot that is not committed, whose item is dropped. No consumer sees an item.
//! - A single producer gets the entry of a cancelled slot back at once. With many producers,
//!   another one may have reserved the next entry. Then the entry becomes a dummy, which consumers
//!   pass over when they read. It takes an entry's room until then. So producers that cancel again
//!   and again can make the queue `Full` while it has no item, until a consumer tries to read.
//! - An [`Item`] that is dropped, also by a panic, is consumed: its destructor runs in place, and
//!   then its entry is given back, even if the destructor panics.
//! - A slot that is forgotten (`mem::forget`) holds up consumers when they reach it, until its
//!   producer reserves again or is dropped: then it is cancelled. The item of a forgotten
//!   [`Filled`] slot is leaked. A forgotten [`Item`] is dropped, in place, when its consumer reads
//!   again or is dropped.
//! - If the handle is forgotten as well, consumers find the queue `Busy` there forever (`Empty`,
//!   with a single producer), or producers find it `Busy` or `Full` when they reach the item's
//!   block again.
//!
//! # Design and proof
//! The entries lie in the [blocks of BBQ](super#design-and-proof) as those of its other queues do,
//! and slots are allocated and reserved by the same code. The two steps of a push, the allocation
//! of an entry and the mark that commits it, are two operations here; and so are the two steps of a
//! pop.
//!
//! A dummy is a second value of the mark that an entry of many producers has in any case. So it
//! costs no memory and no further write, and the items have no header. After its reservation, the
//! consumer reads the mark again, which it has found committed before, to check whether it is a
//! dummy's.

mod consumer;
mod producer;

pub use consumer::{Consumer, Item};
pub use producer::{Filled, Producer, Slot};

use super::consumer::ConsumerSide;
use super::items::Items;
use super::memory::Geometry;
use super::producer::{ProducerSide, SlotProducerSide};
use super::ring::{FIRST_LAP, Ring};
use super::side::{Multi, Single};
use crate::error::CapacityError;
use crate::hold::Hold;

/// The ring of a queue of slots.
type Slots<T, P, C> = Ring<Items<T, <P as SlotProducerSide>::Entries, C>>;

/// The state of a producer of slots.
type StateOf<P> = <<P as SlotProducerSide>::Entries as ProducerSide>::State;

/// The first handles of a queue of slots.
pub type Handles<T, P, C> = (Producer<T, P, C>, Consumer<T, P, C>);

macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident($producers:ident, $consumers:ident);)*) => {$(
        $(#[$doc])*
        pub mod $name {
            use super::{FIRST_LAP, Geometry, Handles, Items, Ring, pair};
            use crate::error::CapacityError;

            /// A producer's handle, with the methods of
            /// [`slots::Producer`](crate::bbq::slots::Producer).
            pub type Producer<T> = super::Producer<T, super::$producers, super::$consumers>;

            /// A consumer's handle, with the methods of
            /// [`slots::Consumer`](crate::bbq::slots::Consumer).
            pub type Consumer<T> = super::Consumer<T, super::$producers, super::$consumers>;

            /// Makes a queue for at least `capacity` items.
            ///
            /// # Errors
            /// [`CapacityError`] if `capacity` is 0 or too large, or there is no memory.
            pub fn new<T: Send>(capacity: usize) -> Result<Handles<T, super::$producers, super::$consumers>, CapacityError> {
                pair(Ring::for_capacity(Items::new(), capacity, FIRST_LAP)?)
            }

            /// Makes a queue with the blocks and entries of `geometry`.
            ///
            /// # Errors
            /// [`CapacityError`] if the geometry is too large, or there is no memory.
            pub fn with_geometry<T: Send>(
                geometry: Geometry,
            ) -> Result<Handles<T, super::$producers, super::$consumers>, CapacityError> {
                starting_at(geometry, FIRST_LAP)
            }

            /// Makes a queue that starts in this lap, for tests near the last one.
            #[doc(hidden)]
            pub fn starting_at<T: Send>(
                geometry: Geometry,
                lap: usize,
            ) -> Result<Handles<T, super::$producers, super::$consumers>, CapacityError> {
                pair(Ring::new(Items::new(), geometry, geometry.capacity(), lap)?)
            }
        }
    )*};
}

forms! {
    /// One producer, one consumer: wait-free on both sides.
    spsc(Single, Single);
    /// Many producers, one consumer.
    mpsc(Multi, Single);
    /// One producer, many consumers.
    spmc(Single, Multi);
    /// Many producers, many consumers.
    mpmc(Multi, Multi);
}

fn pair<T, P: SlotProducerSide, C: ConsumerSide>(ring: Slots<T, P, C>) -> Result<Handles<T, P, C>, CapacityError> {
    let first = ring.first();
    let (producer, consumer) = (P::Entries::start(&ring, first), C::start(&ring, first));
    let (producing, consuming) = Hold::pair(ring)?;
    Ok((Producer::new(producer, producing), Consumer::new(consumer, consuming)))
}
