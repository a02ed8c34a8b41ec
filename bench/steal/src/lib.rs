//! The experiments with work-stealing queues: `steal.alone`, `steal.stolen`, `steal.looked`,
//! `steal.lines`, `steal.blocks`, `steal.hungry`, `steal.pool`, `steal.join` and `steal.tree`.
//!
//! Build a [`Plan`], call [`run`], read the [`Record`](aqueduct_measure::record::Record)s. The
//! owner is pinned to the first core, the thief to the second. Every run is checked: how many items
//! came out, and their sum.
//!
//! A record's bench ends in the order in which the owner takes items, `.lifo` or `.fifo`: so a
//! report compares stacks with stacks.

mod advice;
mod alone;
mod bounds;
mod catalogue;
#[cfg(feature = "cpp-peers")]
mod cpp_peers;
mod divided;
mod hungry;
mod join;
mod kind;
mod lines;
mod ours;
mod pair;
#[cfg(feature = "peers")]
mod peers;
mod plan;
mod pool;
#[cfg(feature = "published")]
mod published;
mod run;
mod stolen;
mod subject;
mod task;
mod tree;

pub use advice::GUIDE;
pub use alone::{Alone, Drained};
pub use aqueduct_measure::items::Item;
pub use aqueduct_measure::rounds::{Fault, Findings};
pub use catalogue::{selected, subjects};
pub use hungry::{Fed, Hungry};
pub use join::{Join, Joined, Shape};
pub use kind::{Kind, Order, Owner, Room, Thief};
pub use plan::{Experiment, Plan};
pub use pool::{Policy, Pool, Pooled};
pub use run::{measure, outlook, run};
pub use stolen::{Shared, Stolen};
pub use subject::{Subject, subject_of};
pub use tree::{Files, Hashed, Tree};
