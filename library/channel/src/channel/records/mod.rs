//! Channels of records: bytes of any length, written and read in place.
//!
//! **Unstable**: a release may change this module, or remove it.
//!
//! A sender [reserves](Sender::reserve) a number of bytes, writes them in place, and
//! [commits](Grant::commit) them. A receiver reads them in place. Both wait, in threads and tasks:
//! a sender for room, a receiver for a record. The queue is [`aqueduct::bbq::records`], whose page
//! describes how long records can be and what space they take.
//!
//! ```
//! use aqueduct_channel::records::{Space, mpsc};
//!
//! let (mut sender, mut receiver) = mpsc::bounded(Space::for_bytes(1 << 16)?)?;
//! let mut other = sender.clone();
//! std::thread::spawn(move || sender.send(b"copied"));
//! std::thread::spawn(move || {
//!     let mut grant = other.reserve(100).expect("there is a receiver");
//!     grant[..8].copy_from_slice(b"in place");
//!     grant.commit(8);
//! });
//! let mut lengths = Vec::new();
//! while let Ok(record) = receiver.recv() {
//!     lengths.push(record.len());
//! }
//! lengths.sort();
//! assert_eq!(lengths, [6, 8]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # In place
//! - Records come in the order in which they were reserved. While a [`Grant`] is held, receivers
//!   wait for it, even if later records are committed: `try_recv` returns `Empty` then.
//! - While a [`Record`] is held, senders that reach its block wait: `try_reserve` returns
//!   `Full` then.
//! - A thread that holds a grant or a record and waits at the other end of the same channel may
//!   wait for itself.
//! - A grant that is dropped is cancelled: there is no record.
//!
//! # The end
//! The channel is closed when the last sender or the last receiver is dropped. A record committed
//! before the last sender was dropped is received. A grant can be committed when no receiver is
//! left; that record is never read.

mod ends;
mod recv;
mod send;

pub use aqueduct::bbq::records::Space;
pub use ends::Reading;
pub use recv::{Receiver, Record, RecvFuture};
pub use send::{Grant, ReserveFuture, Sender};

use aqueduct::bbq::records::{Consumer, Producer};
use aqueduct::bbq::{ProducerSide, RecordConsumerSide};

use super::core::Core;
use crate::sync::Arc;

/// A channel over a queue of records.
fn over<P: ProducerSide, C: RecordConsumerSide>(
    (producer, consumer): (Producer<P, C>, Consumer<P, C>),
) -> (Sender<P, C>, Receiver<P, C>) {
    let core = Arc::new(Core::new());
    (Sender::new(producer, Arc::clone(&core)), Receiver::new(consumer, core))
}

macro_rules! sides {
    ($($(#[$doc:meta])* $name:ident($producers:ident, $consumers:ident);)*) => {$(
        $(#[$doc])*
        pub mod $name {
            use aqueduct::bbq::records::{Space, $name as queue};
            use aqueduct::bbq::{$producers as Producers, $consumers as Consumers};
            use aqueduct::error::CapacityError;

            /// Sends records.
            pub type Sender = super::Sender<Producers, Consumers>;

            /// Receives records.
            pub type Receiver = super::Receiver<Producers, Consumers>;

            /// Makes a channel with this space for its records.
            ///
            /// # Errors
            /// [`CapacityError`] if there is no memory.
            pub fn bounded(space: Space) -> Result<(Sender, Receiver), CapacityError> {
                queue::new(space).map(super::over)
            }
        }
    )*};
}

sides! {
    /// One sender, one receiver.
    spsc(Single, Single);
    /// Many senders, one receiver.
    mpsc(Multi, Single);
    /// One sender, many receivers: each record goes to one of them.
    spmc(Single, Multi);
    /// Many senders, many receivers: each record goes to one of them.
    mpmc(Multi, Multi);
}
