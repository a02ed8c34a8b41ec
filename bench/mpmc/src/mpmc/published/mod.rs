//! The queues of `aqueduct-bench-published` for many producers and many consumers, as kinds.

pub(crate) mod ends;
pub(crate) mod shared;
#[cfg(test)]
mod tests;

use super::subject::{Subject, subject_of};

/// Returns all of them that have a bound. (Some workloads here fill a queue.)
pub(super) fn all() -> Vec<Box<dyn Subject>> {
    vec![
        subject_of::<shared::BbqByFetchAndAdd>(),
        subject_of::<shared::BbqByCompareExchange>(),
        subject_of::<shared::BbqSingle>(),
        subject_of::<shared::ScqWithData>(),
        #[cfg(target_arch = "x86_64")]
        subject_of::<ends::Wcq>(),
        subject_of::<shared::LockedCircularBuffer>(),
    ]
}
