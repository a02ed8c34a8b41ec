//! The queues with a fault put in: an operation that reads and writes is a load and a store,
//! between which others may come.

#[path = "../../../src/mpmc/cr_turn.rs"]
mod cr_turn;
#[path = "../../../src/mpmc/hazards.rs"]
mod hazards;
#[path = "../../../../mpmc/src/nblfq/queues/loo.rs"]
mod loo;
#[path = "../pair.rs"]
mod pair;
#[path = "../programs.rs"]
pub(crate) mod programs;

#[path = "../../../src/mpmc/wcq/mod.rs"]
mod wcq;
#[path = "../../../src/mpmc/ymc/mod.rs"]
mod ymc;

#[path = "../../../src/relaxed/block_fifo.rs"]
mod block_fifo;
#[path = "../../../src/relaxed/dice.rs"]
mod dice;
#[path = "../../../src/relaxed/epochs.rs"]
mod epochs;
#[path = "../../../src/relaxed/list.rs"]
mod list;
#[path = "../../../src/relaxed/random_dequeue.rs"]
mod random_dequeue;
#[path = "../../../src/relaxed/segment_queue.rs"]
mod segment_queue;
#[path = "../../../src/relaxed/segments.rs"]
mod segments;
#[path = "../../../src/relaxed/time_stamped.rs"]
mod time_stamped;
#[path = "../../../src/relaxed/unbounded_segments.rs"]
mod unbounded_segments;
#[path = "../../../src/relaxed/words.rs"]
mod words;

mod sync {
    use std::ptr;

    use aqueduct_model::sync::atomic;
    pub(super) use aqueduct_model::sync::atomic::{Ordering, fence};

    pub(super) use super::super::memory::{GIVEN_UP_FOR_HELD, Slot, barrier_of_locked, free, make};
    pub(super) use super::pair::Pair;

    /// Does `change` in two steps; `None` means no change.
    macro_rules! in_two_steps {
        ($word:expr, $change:expr) => {{
            let before = $word.load(Ordering::SeqCst);
            if let Some(after) = $change(before) {
                $word.store(after, Ordering::SeqCst);
            }
            before
        }};
    }

    macro_rules! torn_integer {
        ($torn:ident of $number:ty) => {
            #[derive(Debug)]
            pub(super) struct $torn(atomic::$torn);

            impl $torn {
                pub(super) fn new(value: $number) -> Self {
                    Self(atomic::$torn::new(value))
                }

                pub(super) fn load(&self, ordering: Ordering) -> $number {
                    self.0.load(ordering)
                }

                pub(super) fn store(&self, value: $number, ordering: Ordering) {
                    self.0.store(value, ordering);
                }

                pub(super) fn fetch_add(&self, more: $number, _ordering: Ordering) -> $number {
                    in_two_steps!(self.0, |before: $number| Some(before.wrapping_add(more)))
                }

                pub(super) fn compare_exchange(
                    &self,
                    expected: $number,
                    new: $number,
                    _success: Ordering,
                    _failure: Ordering,
                ) -> Result<$number, $number> {
                    let before = in_two_steps!(self.0, |before: $number| (before == expected).then_some(new));
                    if before == expected { Ok(before) } else { Err(before) }
                }
            }
        };
    }

    torn_integer!(AtomicU64 of u64);
    torn_integer!(AtomicI64 of i64);

    impl AtomicU64 {
        pub(super) fn fetch_or(&self, bits: u64, _ordering: Ordering) -> u64 {
            in_two_steps!(self.0, |before: u64| Some(before | bits))
        }
    }

    impl AtomicI64 {
        pub(super) fn fetch_sub(&self, less: i64, _ordering: Ordering) -> i64 {
            in_two_steps!(self.0, |before: i64| Some(before - less))
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
