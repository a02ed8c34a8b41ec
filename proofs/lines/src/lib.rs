//! A mirror of the library on simulated cores, which counts the costs of its queues on many cores.
//!
//! A machine with many cores is not always at hand, and a clock does not tell why a queue is slow.
//! Here each access of an atomic or a cell goes to a [`machine`] with any number of cores, which
//! keeps the state of every cache line: the core that owns it, the cores that share it, and when it
//! arrives. So transfers of lines and locked instructions are counted exactly, for each line of the
//! source, and their times yield a throughput.
//!
//! # What it is and is not
//! The counts are those of the library's own source under an interleaving in which every core acts
//! as soon as it can. They depend on a few numbers ([`Costs`](machine::Costs)): the time of a
//! transfer, of a locked instruction and of a spin hint. The throughput is a model's. The model has
//! one distance between all cores, cores that wait for each load that misses, and unbounded store
//! buffers; it has no bandwidth, no cache sizes, and no operating system. Compare two queues with
//! it, or one queue at two numbers of threads, and do not compare it with a clock.

extern crate alloc;

pub mod machine;
pub mod streams;
mod sync;

include!(concat!(env!("OUT_DIR"), "/queues.rs"));
