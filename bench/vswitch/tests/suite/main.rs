//! The switch, its captures and its workloads, in one program: each further program would link all
//! queues once more.

mod capture;
#[path = "../common/mod.rs"]
mod common;
mod replay;
mod switch;
mod workloads;
