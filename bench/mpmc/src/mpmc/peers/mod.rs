//! Other crates' queues for many producers or many consumers, each called as its own documentation
//! recommends for speed.
//!
//! Where a crate waits, parks or spins inside a call, its non-blocking call is used, so that all
//! queues wait in the same way. A crate that has a queue of its own for a single consumer or a
//! single producer is measured with that one too. None has an interface for several items on both
//! sides; `gil`'s sharded queues and others that give up the order of items are not here.

mod channels;
pub(crate) mod heapless;
pub(crate) mod queues;
#[cfg(feature = "rivals")]
mod rivals;

use super::subject::{Subject, subject_of};

/// Returns all peers of this build: queues first, then channels, which could also block.
pub(super) fn all() -> Vec<Box<dyn Subject>> {
    #[cfg_attr(not(feature = "rivals"), expect(unused_mut, reason = "rivals come after them"))]
    let mut all = vec![
        subject_of::<queues::ArrayQueue>(),
        subject_of::<queues::ConcurrentQueue>(),
        subject_of::<heapless::Heapless>(),
        subject_of::<queues::GilMpmc>(),
        subject_of::<queues::GilMpsc>(),
        subject_of::<queues::GilSpmc>(),
        subject_of::<channels::CrossbeamChannel>(),
        subject_of::<channels::Flume>(),
        subject_of::<channels::Kanal>(),
        subject_of::<channels::StdSyncChannel>(),
    ];
    #[cfg(feature = "rivals")]
    all.extend(rivals::all());
    all
}
