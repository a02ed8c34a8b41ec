//! Our queues, and those of the NBLFQ paper that are in no registry. [`counted`](super::counted) compiles these files a
//! second time.

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

/// What the second time is another.
mod sync {
    pub(super) use aqueduct::nblfq;

    /// Does nothing: exchanges are not counted here.
    #[inline(always)]
    pub(super) fn note(_succeeded: bool) {}
}
