//! A caller at the lists of a rendezvous, and its waker.

use crate::select::{Case, Stay};
use crate::wake::{Wake, Woken};

/// Result of a visit, and the waiters to be woken; `None` if the caller's waker has to be cloned
/// before.
pub(super) type Visited<R> = Option<(R, Woken)>;

/// A caller with its wakers. They are cloned before the lock is taken, and dropped after it is
/// released: both run user code.
#[derive(Debug)]
pub(super) struct Visit<'a> {
    pub(super) stay: Stay<'a>,
    pub(super) case: Case<'a>,
    /// The caller's waker, outside of the lists.
    pub(super) fresh: Option<Wake>,
    /// A waker that another one has replaced.
    old: Option<Wake>,
}

impl<'a> Visit<'a> {
    /// Makes a visit of a caller that is in no list yet (`is_new`), or of one that is.
    #[inline(always)]
    pub(super) fn new(stay: Stay<'a>, case: Case<'a>, is_new: bool) -> Self {
        let mut visit = Self { stay, case, fresh: None, old: None };
        if is_new {
            visit.clone_waker();
        }
        visit
    }

    /// Clones the caller's waker. Called without a lock.
    pub(super) fn clone_waker(&mut self) {
        if let Stay::Listed(caller) = self.stay {
            self.fresh = Some(caller.wake());
        }
    }

    /// Makes an entry wake the caller, if the caller waits. Returns `None` if its waker has to be
    /// cloned for that.
    pub(super) fn moves_to(&mut self, wake: &mut Option<Wake>) -> Option<()> {
        if let Stay::Listed(caller) = self.stay
            && !wake.as_ref().is_some_and(|wake| wake.is_of(caller))
        {
            self.old = wake.replace(self.fresh.take()?);
        }
        Some(())
    }
}
