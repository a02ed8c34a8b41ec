//! The queues once more, with exchanges that are counted.

#![allow(clippy::duplicate_mod, reason = "that is the purpose: nothing of the queues is written twice")]

#[cfg(target_arch = "x86_64")]
#[path = "../queues/entries.rs"]
mod entries;
#[cfg(all(feature = "peers", target_arch = "x86_64"))]
#[path = "../queues/lcrq.rs"]
pub(super) mod lcrq;
#[cfg(feature = "peers")]
#[path = "../queues/link.rs"]
mod link;
#[cfg(feature = "peers")]
#[path = "../queues/michael_scott.rs"]
pub(super) mod michael_scott;
#[path = "../queues/ncq.rs"]
pub(super) mod ncq;
#[path = "../queues/ours.rs"]
pub(super) mod ours;
#[cfg(target_arch = "x86_64")]
#[path = "../queues/pair.rs"]
#[allow(dead_code, reason = "a queue that is not counted uses the rest")]
mod pair;
#[cfg(feature = "published")]
#[allow(unreachable_pub, reason = "it is public in its package")]
#[path = "../../../../published/src/mpmc/scqd.rs"]
mod scqd;
#[cfg(target_arch = "x86_64")]
#[path = "../queues/scqp.rs"]
pub(super) mod scqp;

/// The modules that differ here.
mod sync {
    pub(super) use aqueduct_counted::{nblfq, note};
    #[cfg(feature = "published")]
    pub(super) use {aqueduct_bench_published::Slot, aqueduct_counted::AtomicU64, std::sync::atomic::Ordering};
}

#[cfg(feature = "published")]
pub(super) use published::Scqd;

#[cfg(feature = "published")]
mod published {
    use std::sync::Arc;

    use super::scqd;
    use crate::mpmc::Item;
    use crate::nblfq::concurrent::Concurrent;

    /// [`ScqWithData`](crate::mpmc::published::shared::ScqWithData).
    #[derive(Clone)]
    pub(in crate::nblfq) struct Scqd(Arc<scqd::Scqd<Item>>);

    impl Concurrent for Scqd {
        const NAME: &'static str = "published/scqd";

        fn open(capacity: usize) -> Result<Self, String> {
            Ok(Self(Arc::new(scqd::Scqd::new(capacity))))
        }

        #[inline(always)]
        fn push(&self, item: Item) -> bool {
            self.0.push(item)
        }

        #[inline(always)]
        fn pop(&self) -> Option<Item> {
            self.0.pop()
        }
    }
}
