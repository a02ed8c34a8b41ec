//! The channels in the model world, with faults: the clients that prove the channels right have to find each of them.
//!
//! The source is that of `aqueduct-channel`. The build script copies it and puts in, at the places that
//! `faults/` names, code that does the wrong thing if the fault is [switched on](with).

include!("../../queues/src/place.rs");
include!("../../queues/src/present.rs");
include!("faults/all.rs");
include!(concat!(env!("OUT_DIR"), "/modules.rs"));

pub use channel::{
    IntoIter, Permit, Receiver, RecvFuture, ReserveFuture, SendFuture, Sender, WeakSender, bounded, handles, mpmc,
    mpsc, records, relaxed, rendezvous, spmc, spsc, unbounded, unbounded_with_block_size,
};
pub use event::{Event, Wait};
pub use select::{IndexSelect, Operation, Select, SelectCase, SelectedOperation};
