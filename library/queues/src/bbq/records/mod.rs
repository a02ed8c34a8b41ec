//! Queues of records of any length, written and read in place.
//!
//! A producer [reserves](Producer::reserve) a number of bytes, writes them in place, and
//! [commits](Grant::commit) them. A consumer reads them in place, and gives the space back.
//!
//! # Examples
//! ```
//! use aqueduct::bbq::records::{Space, mpmc};
//!
//! let (mut producer, mut consumer) = mpmc::new(Space::for_bytes(1 << 16)?)?;
//! let mut grant = producer.reserve(100)?;
//! grant[..5].copy_from_slice(b"hello");
//! grant.commit(5);
//! drop(producer.reserve(10)?); // Not committed: there is no record.
//! producer.push(b"world")?;
//!
//! assert_eq!(*consumer.read()?, *b"hello");
//! assert_eq!(*consumer.read()?, *b"world");
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
//! | [`drop_old::spmc`], [`drop_old::mpmc`] | one, many | many, overtaken by producers |
//!
//! # Guarantees
//! Records come out whole, in the order in which they were reserved, each once. The other
//! guarantees are those of [BBQ](super#guarantees).
//!
//! # Space
//! A [`Space`] gives the number of blocks, their size in bytes, and the records' alignment. A
//! record never crosses the end of a block. If it does not fit the rest of a block, the rest is
//! filled with a dummy, which consumers pass over, and the record goes to the next block. So the
//! [longest](Space::longest) record fills a block. Each record takes its bytes and a word for its
//! length, rounded up to the alignment (at least that of a word). Beside each such unit lies a word
//! that shows whether a record begins there, and whether it is committed and consumed.
//!
//! # What may be left behind
//! - A [`Grant`] that is dropped without [`commit`](Grant::commit), also by a `?` or a panic, is
//!   cancelled: no consumer sees a record. This holds for a [`Draft`](drop_old::Draft), too.
//! - A single producer gets the space of a cancelled grant back at once, and also the part of a
//!   committed grant that the record does not need. It does not get back the rest of a block in
//!   which a grant did not fit, even if that grant is cancelled.
//! - With many producers, another one may have reserved the next space. Then a cancelled grant
//!   becomes a dummy of the reserved length, and the unneeded part of a committed grant stays
//!   unused. Both take space until a consumer passes them over, which it does when it
//!   [reads](Consumer::read). So producers that cancel again and again can make the queue `Full`
//!   while it has no record, until a consumer tries to read. In [drop-old](drop_old) mode, dummies
//!   overwrite the oldest records as records do.
//! - A grant that is forgotten (`mem::forget`) holds up consumers when they reach it, until its
//!   producer reserves again or is dropped: then it is cancelled. A forgotten [`Record`] is given
//!   back when its consumer reads again or is dropped.
//! - If the handle is forgotten as well, consumers find the queue `Busy` there forever (`Empty`,
//!   with a single producer), or producers find it `Busy` or `Full` when they reach the record's
//!   block again.
//!
//! # Design and proof
//! Records in BBQ's blocks are described in section 4.4 of Wang et al., USENIX ATC 2022. Claims and
//! reservations work as in [`bbq`](super#design-and-proof).

mod bytes;
mod consumer;
pub mod drop_old;
mod lent;
mod producer;
mod space;

pub use consumer::{Consumer, Record};
pub use producer::{Grant, Producer};
pub use space::Space;

use super::consumer::RecordConsumerSide;
use super::producer::ProducerSide;
use super::ring::{FIRST_LAP, Ring};
use super::side::{Multi, Single};
use crate::error::CapacityError;
use crate::hold::Hold;

/// The first handles of a queue of records.
pub type Handles<P, C> = (Producer<P, C>, Consumer<P, C>);

macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident($producers:ident, $consumers:ident);)*) => {$(
        $(#[$doc])*
        pub mod $name {
            use super::{FIRST_LAP, Handles, Space, pair};
            use crate::error::CapacityError;

            /// A producer's handle, with the methods of
            /// [`records::Producer`](crate::bbq::records::Producer).
            pub type Producer = super::Producer<super::$producers, super::$consumers>;

            /// A consumer's handle, with the methods of
            /// [`records::Consumer`](crate::bbq::records::Consumer).
            pub type Consumer = super::Consumer<super::$producers, super::$consumers>;

            /// Makes a queue with this space for its records.
            ///
            /// # Errors
            /// [`CapacityError`] if there is no memory.
            pub fn new(space: Space) -> Result<Handles<super::$producers, super::$consumers>, CapacityError> {
                starting_at(space, FIRST_LAP)
            }

            /// Makes a queue that starts in this lap, for tests near the last one.
            #[doc(hidden)]
            pub fn starting_at(space: Space, lap: usize) -> Result<Handles<super::$producers, super::$consumers>, CapacityError> {
                pair(space, lap)
            }
        }
    )*};
}

forms! {
    /// One producer, one consumer.
    spsc(Single, Single);
    /// Many producers, one consumer.
    mpsc(Multi, Single);
    /// One producer, many consumers.
    spmc(Single, Multi);
    /// Many producers, many consumers.
    mpmc(Multi, Multi);
}

fn pair<P: ProducerSide, C: RecordConsumerSide>(space: Space, lap: usize) -> Result<Handles<P, C>, CapacityError> {
    let ring = Ring::for_space(space, lap)?;
    let first = ring.first();
    let (producer, consumer) = (P::start(&ring, first), C::start(&ring, first));
    let (producing, consuming) = Hold::pair(ring)?;
    Ok((Producer::new(producer, producing), Consumer::new(consumer, consuming)))
}
