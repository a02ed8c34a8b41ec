//! The experiments with queues of many producers and many consumers: see [`Experiment`].
//!
//! Build a [`Plan`], call [`run`], read the [`Record`](aqueduct_measure::record::Record)s, or
//! [`render`] them. All threads are pinned, all wait in the same way (see [`Plan`]), and every run
//! is checked: the number of items that came, and their sum.

mod advice;
pub(crate) mod alone;
mod by_workload;
pub(crate) mod catalogue;
#[cfg(feature = "cpp-peers")]
pub(crate) mod cpp_peers;
mod crowd;
mod drain;
mod fairness;
pub(crate) mod kind;
mod notes;
mod open_loop;
pub(crate) mod ours;
mod parcel;
#[cfg(feature = "peers")]
pub(crate) mod peers;
mod plan;
#[cfg(feature = "published")]
pub(crate) mod published;
mod run;
mod slowest;
pub(crate) mod stream;

mod subject;
mod sweep;
mod table;
mod task;
mod timed;
#[cfg(test)]
pub(crate) mod trial;
mod wide;
mod work;
mod workload;

pub use advice::GUIDE;
pub use alone::{Act, Alone, AloneTime};
pub use aqueduct_measure::times::{Timed, Times, clock_cost_ns};
pub use catalogue::{REFERENCE, selected, subjects};
pub use crowd::Crowd;
pub use fairness::{jain, shares};
pub use kind::{Ends, Item, Kind, Receiver, Sender, kind, receiver, sender};
pub use plan::{Experiment, Plan};
pub use run::{measure, outlook, run};
pub use stream::{Opened, Stream, Streamed, stream_numbers_over};
pub use subject::{Subject, subject_of};
pub use table::render;
pub use workload::{Arrival, Offered, Workload};

pub use aqueduct_measure::rounds::{Fault, Findings, Threads};
