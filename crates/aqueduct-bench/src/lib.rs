//! Workloads, peers, statistics and reports: how fast the queues are on this machine.

pub mod cnq;
mod counters;
mod crew;
pub mod drop_old;
pub mod exchange;
mod load;
pub mod machine;
#[cfg(feature = "checkers")]
pub mod model;
pub mod mpmc;
pub mod nblfq;
pub mod record;
pub mod records;
pub mod report;
pub mod rounds;
pub mod spsc;
pub mod statistics;
pub mod steal;
pub mod topology;
pub mod wide;

pub use counters::l1_misses_available;
