//! The complex workload: allocations travel, and each operation is followed by some instructions
//! that do nothing.

use super::kind::Item;
use super::work::{Consuming, Producing, Work};
use aqueduct_measure::chance::Idler;
use aqueduct_measure::run::Run;

/// The target of an item's pointer in the complex workload.
struct Parcel {
    number: u64,
    /// The time of its push, where that is measured.
    stamp: u64,
}

/// Allocates the parcel `number`.
#[inline]
fn wrap(number: u64) -> Item {
    let address = Box::into_raw(Box::new(Parcel { number, stamp: 0 })).expose_provenance();
    Item::new(address as u64).expect("an allocation has an address")
}

/// Returns the parcel at the address in `item`.
#[inline]
fn parcel(item: Item) -> *mut Parcel {
    std::ptr::with_exposed_provenance_mut(item.get() as usize)
}

/// Frees the parcel and returns its number.
///
/// # Safety
/// `item` comes from [`wrap`], and this is its only use from now on.
#[inline]
unsafe fn unwrap(item: Item) -> u64 {
    // SAFETY: by the caller, the box is alive, and no other thread has it.
    let parcel = unsafe { Box::from_raw(parcel(item)) };
    parcel.number
}

/// Notes on the parcel when it is pushed. To be called only by the producer that has just made it.
#[inline]
pub(super) fn stamp(item: Item, ticks: u64) {
    // SAFETY: `item` is from `wrap`, and until it is pushed, only the caller has it.
    unsafe { (*parcel(item)).stamp = ticks };
}

/// Returns the time at which the parcel was pushed. Only the consumer that has just popped it may
/// call this.
#[inline]
pub(super) fn stamp_of(item: Item) -> u64 {
    // SAFETY: as in `Opening::take`, which has not been called yet.
    unsafe { (*parcel(item)).stamp }
}

/// [`Workload::Complex`](super::workload::Workload::Complex).
pub(super) struct Complex;

/// A producer's part.
pub(super) struct Wrapping(Idler);

/// A consumer's part.
pub(super) struct Opening(Idler);

impl Work for Complex {
    type Producing<'r> = Wrapping;
    type Consuming<'r> = Opening;

    fn producing(&self, _run: &Run, thread: usize) -> Wrapping {
        Wrapping(Idler::of_thread(2 * thread))
    }

    fn consuming(&self, _run: &Run, thread: usize) -> Opening {
        Opening(Idler::of_thread(2 * thread + 1))
    }
}

impl Producing for Wrapping {
    #[inline]
    fn make(&mut self, number: u64) -> Item {
        self.0.idle();
        wrap(number)
    }
}

impl Consuming for Opening {
    #[inline]
    fn take(&mut self, item: Item) -> u64 {
        // SAFETY: the queue was given items from `wrap`, and a queue gives out each item once;
        // `stream` first runs a trial with numbers, and stops there if the queue fails.
        let number = unsafe { unwrap(item) };
        self.0.idle();
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parcel_comes_back_as_it_was_sent() {
        let item = wrap(42);
        stamp(item, 7);
        assert_eq!(stamp_of(item), 7);
        // SAFETY: the item is from `wrap`, and not used again.
        assert_eq!(unsafe { unwrap(item) }, 42);
    }
}
