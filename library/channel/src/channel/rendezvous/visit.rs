//! A caller at the lists of a rendezvous, and its waker.

use crate::select::{Case, Stay};
use crate::wake::{Wake, Woken};

/// What a visit comes to, and the waiters to be woken; nothing if the caller's waker has to be cloned before.
pub(super) type Visited<R> = Option<(R, Woken)>;

/// A caller, with what is cloned before the lock is taken, and dropped when it is open: both are user's code.
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
    /// For a caller that is in no list yet, or for one that is.
    #[inline(always)]
    pub(super) fn new(stay: Stay<'a>, case: Case<'a>, is_new: bool) -> Self {
        let mut visit = Self { stay, case, fresh: None, old: None };
        if is_new {
            visit.clone_waker();
        }
        visit
    }

    /// Clones the caller's waker. No lock is held.
    pub(super) fn clone_waker(&mut self) {
        if let Stay::Listed(caller) = self.stay {
            self.fresh = Some(caller.wake());
        }
    }

    /// Makes an entry wake the caller, if the caller waits. Fails if its waker has to be cloned for that.
    pub(super) fn moves_to(&mut self, wake: &mut Option<Wake>) -> Option<()> {
        if let Stay::Listed(caller) = self.stay
            && !wake.as_ref().is_some_and(|wake| wake.is_of(caller))
        {
            self.old = wake.replace(self.fresh.take()?);
        }
        Some(())
    }
}
