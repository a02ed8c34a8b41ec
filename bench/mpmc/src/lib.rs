//! Measurements of queues with many producers and many consumers.
//!
//! [`mpmc`] has the subjects, the workloads and the skeleton of all measurements with many threads;
//! the other modules use it for measurements that only their queues have.

pub mod cnq;
pub mod mpmc;
pub mod nblfq;
