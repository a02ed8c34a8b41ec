//! The zoo: documented concurrency bugs of queues, deques, channels and their waiting code.
//!
//! Each has a broken core, its repaired form, and a client of two or three threads. Every entry is
//! one source file, compiled once for each checker: ours, loom, and shuttle.

mod catalogue;
pub mod command;
mod explored;
pub mod speed;
mod verdict;
mod worlds;

pub use catalogue::{ENTRIES, Entry, Memory};
pub use explored::Explored;
pub use verdict::{Checker, Form, Outcome, Verdict, judge, judge_ours};
