//! The queues with a fault put in: an operation that reads and writes is a load and a store, between which others may
//! come.

#[path = "../../../src/mpmc/baselines/cr_turn.rs"]
mod cr_turn;
#[path = "../../../src/mpmc/baselines/hazards.rs"]
mod hazards;
#[path = "../../../src/mpmc/baselines/loo.rs"]
mod loo;
#[path = "../programs.rs"]
pub(crate) mod programs;

mod sync {
    use std::ptr;

    use aqueduct_model::sync::atomic;
    pub(super) use aqueduct_model::sync::atomic::Ordering;

    pub(super) use super::super::memory::{GIVEN_UP_FOR_HELD, free, make};

    /// Does `change` in two steps; nothing is no change.
    macro_rules! in_two_steps {
        ($word:expr, $change:expr) => {{
            let before = $word.load(Ordering::SeqCst);
            if let Some(after) = $change(before) {
                $word.store(after, Ordering::SeqCst);
            }
            before
        }};
    }

    #[derive(Debug)]
    pub(super) struct AtomicU64(atomic::AtomicU64);

    impl AtomicU64 {
        pub(super) fn new(value: u64) -> Self {
            Self(atomic::AtomicU64::new(value))
        }

        pub(super) fn load(&self, ordering: Ordering) -> u64 {
            self.0.load(ordering)
        }

        pub(super) fn fetch_add(&self, more: u64, _ordering: Ordering) -> u64 {
            in_two_steps!(self.0, |before: u64| Some(before.wrapping_add(more)))
        }

        pub(super) fn compare_exchange(
            &self,
            expected: u64,
            new: u64,
            _success: Ordering,
            _failure: Ordering,
        ) -> Result<u64, u64> {
            let before = in_two_steps!(self.0, |before: u64| (before == expected).then_some(new));
            if before == expected { Ok(before) } else { Err(before) }
        }
    }

    #[derive(Debug)]
    pub(super) struct AtomicPtr<T>(atomic::AtomicPtr<T>);

    impl<T> AtomicPtr<T> {
        pub(super) fn new(value: *mut T) -> Self {
            Self(atomic::AtomicPtr::new(value))
        }

        pub(super) fn load(&self, ordering: Ordering) -> *mut T {
            self.0.load(ordering)
        }

        pub(super) fn store(&self, value: *mut T, ordering: Ordering) {
            self.0.store(value, ordering);
        }

        pub(super) fn compare_exchange(
            &self,
            expected: *mut T,
            new: *mut T,
            _success: Ordering,
            _failure: Ordering,
        ) -> Result<*mut T, *mut T> {
            let before = in_two_steps!(self.0, |before: *mut T| ptr::eq(before, expected).then_some(new));
            if ptr::eq(before, expected) { Ok(before) } else { Err(before) }
        }
    }
}
