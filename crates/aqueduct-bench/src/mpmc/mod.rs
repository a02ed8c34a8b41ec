//! The experiments with queues of many producers and many consumers: `bbq.throughput`, `bbq.uncontended`, `bbq.full` and
//! `bbq.empty`.
//!
//! Build a [`Plan`], call [`run`], read the [`Record`](crate::record::Record)s, or [`render`] them. All threads are pinned, all
//! wait in the same way (see [`Plan`]), and every run is checked: how many items came, and their sum.

mod alone;
pub(crate) mod catalogue;
mod fault;
mod kind;
mod ours;
#[cfg(feature = "peers")]
mod peers;
mod plan;
mod run;
mod stream;
mod subject;
mod table;
mod task;
pub(crate) mod wait;

pub use alone::{Act, Alone, AloneTime};
pub use catalogue::{REFERENCE, selected, subjects};
pub use fault::Fault;
pub use kind::{Ends, Item, Kind, Receiver, Sender};
pub use plan::{Experiment, Plan, Threads};
pub use run::{Findings, measure, run};
pub use stream::{Stream, Streamed};
pub use subject::{Subject, subject_of};
pub use table::render;
