//! The published queues with a fault put in: an exchange is a load and a store, between which
//! others may come.

#[path = "../../../src/deque/chase_lev.rs"]
#[allow(dead_code, reason = "lengths are only estimates")]
mod chase_lev;
#[path = "../../../src/deque/go.rs"]
#[allow(dead_code, reason = "lengths are only estimates")]
mod go;
#[path = "../programs.rs"]
pub(crate) mod programs;
#[path = "../../../src/deque/steal.rs"]
mod steal;
#[path = "../../../src/deque/tokio.rs"]
#[allow(dead_code, reason = "lengths are only estimates")]
mod tokio;

mod sync {
    use aqueduct_model::sync::atomic;
    pub(super) use aqueduct_model::sync::atomic::{AtomicPtr, Ordering, fence};

    pub(super) use super::super::slot::Slot;

    macro_rules! torn {
        ($atomic:ident, $number:ty) => {
            #[derive(Debug)]
            pub(super) struct $atomic(atomic::$atomic);

            impl $atomic {
                pub(super) fn new(value: $number) -> Self {
                    Self(atomic::$atomic::new(value))
                }

                pub(super) fn load(&self, ordering: Ordering) -> $number {
                    self.0.load(ordering)
                }

                pub(super) fn store(&self, value: $number, ordering: Ordering) {
                    self.0.store(value, ordering);
                }

                pub(super) fn compare_exchange(
                    &self,
                    expected: $number,
                    new: $number,
                    _success: Ordering,
                    _failure: Ordering,
                ) -> Result<$number, $number> {
                    let now = self.0.load(Ordering::SeqCst);
                    if now != expected {
                        return Err(now);
                    }
                    self.0.store(new, Ordering::SeqCst);
                    Ok(now)
                }
            }
        };
    }

    torn!(AtomicI64, i64);
    torn!(AtomicU32, u32);
    torn!(AtomicU64, u64);
}
