//! Our queues, and lock-free ones that are in no registry, written after their papers: the crates
//! that people use have none.

#[cfg(target_arch = "x86_64")]
mod entries;
#[cfg(all(feature = "peers", target_arch = "x86_64"))]
pub(super) mod lcrq;
#[cfg(feature = "peers")]
mod link;
mod loo;
pub(super) mod looping;
mod memory;
#[cfg(feature = "peers")]
pub(super) mod michael_scott;
pub(super) mod ncq;
pub(super) mod ours;
#[cfg(target_arch = "x86_64")]
#[allow(dead_code, reason = "a queue of `aqueduct-bench-published` uses the rest")]
pub(crate) mod pair;
#[cfg(target_arch = "x86_64")]
pub(super) mod scqp;
mod sync;
#[cfg(test)]
mod tests;
