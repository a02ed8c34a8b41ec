//! Our queues, and those of the NBLFQ paper that are in no registry.

#[cfg(all(feature = "peers", target_arch = "x86_64"))]
pub(super) mod lcrq;
#[cfg(feature = "peers")]
mod link;
#[cfg(feature = "peers")]
pub(super) mod michael_scott;
pub(super) mod ncq;
pub(super) mod ours;
#[cfg(target_arch = "x86_64")]
pub(crate) mod pair;
#[cfg(target_arch = "x86_64")]
pub(super) mod scqp;
#[cfg(test)]
mod tests;
