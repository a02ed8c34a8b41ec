//! Workloads, peers, statistics and reports: how fast the queues are on this machine.

pub mod record;
pub mod report;
