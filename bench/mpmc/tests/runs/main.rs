//! Measurements, in one program: each further program would link all queues once more.

mod cnq;
#[path = "../common/mod.rs"]
mod common;
mod mpmc;
mod nblfq;
mod workloads;
