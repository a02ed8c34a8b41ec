//! How fast queues of many producers and many consumers are on this machine.
//!
//! [`mpmc`] has the subjects, the workloads and the skeleton of all measurements with many threads; the others measure
//! by it what is particular to their queues.

pub mod cnq;
pub mod mpmc;
pub mod nblfq;
