//! A mirror of the library on simulated cores, which counts what its queues cost many of them.
//!
//! A machine with many cores is not always at hand, and a clock does not say why a queue is slow. Here each access of
//! an atomic or a cell goes to a [`machine`] of as many cores as asked for, which keeps the state of every cache line:
//! which core owns it, which ones share it, and when it arrives. So transfers of lines and locked instructions are
//! counted exactly, for each line of the source, and from their times follows a throughput.
//!
//! # What it is and is not
//! The counts are those of the library's own source under an interleaving in which every core does what it can as soon
//! as it can. They depend on a few numbers ([`Costs`](machine::Costs)): the time of a transfer, of a locked instruction
//! and of a spin hint. The throughput is a model's. It has one distance between all cores, cores that wait for each
//! load that misses, and store buffers without an end; it knows nothing of bandwidth, of the caches' sizes, or of the
//! operating system. Compare two queues with it, or one queue at two numbers of threads, and not with a clock.

extern crate alloc;

pub mod machine;
pub mod streams;
mod sync;

include!(concat!(env!("OUT_DIR"), "/modules.rs"));
