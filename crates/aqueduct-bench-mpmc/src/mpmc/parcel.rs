//! The complex workload: allocations travel, and each operation is followed by some instructions that do nothing.

use super::kind::Item;
use super::work::{Consuming, Producing, Work};
use aqueduct_measure::run::Run;

/// Most instructions that do nothing, for each operation.
const MOST_NOPS: u32 = 100;

/// The target of an item's pointer in the complex workload.
struct Parcel {
    number: u64,
    /// When it was pushed, where that is measured.
    stamp: u64,
}

/// Allocates the parcel `number`.
#[inline]
fn wrap(number: u64) -> Item {
    let address = Box::into_raw(Box::new(Parcel { number, stamp: 0 })).expose_provenance();
    Item::new(address as u64).expect("an allocation has an address")
}

/// Returns the parcel of which `item` is the address.
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
    // SAFETY: by the caller, the box is alive and nobody else's.
    let parcel = unsafe { Box::from_raw(parcel(item)) };
    parcel.number
}

/// Notes on the parcel when it is pushed. To be called only by the producer that has just made it.
#[inline]
pub(super) fn stamp(item: Item, ticks: u64) {
    // SAFETY: `item` is from `wrap`, and until it is pushed the caller is the only one that knows it.
    unsafe { (*parcel(item)).stamp = ticks };
}

/// Returns the time at which the parcel was pushed. Only the consumer that has just popped it may call
/// this.
#[inline]
pub(super) fn stamp_of(item: Item) -> u64 {
    // SAFETY: as in `Opening::take`, which has not been called yet.
    unsafe { (*parcel(item)).stamp }
}

/// [`Workload::Complex`](super::work::Workload::Complex).
pub(super) struct Complex;

/// A producer's part.
pub(super) struct Wrapping(Idler);

/// A consumer's part.
pub(super) struct Opening(Idler);

impl Work for Complex {
    type Producing<'r> = Wrapping;
    type Consuming<'r> = Opening;

    fn producing(&self, _run: &Run, thread: usize) -> Wrapping {
        Wrapping(Idler::new(2 * thread))
    }

    fn consuming(&self, _run: &Run, thread: usize) -> Opening {
        Opening(Idler::new(2 * thread + 1))
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
        // SAFETY: the queue was given items from `wrap`, and a queue gives out each item once; `stream` lets a queue
        // that does not fail on numbers first.
        let number = unsafe { unwrap(item) };
        self.0.idle();
        number
    }
}

/// Idles for random times, by Marsaglia's xorshift from a fixed `seed`.
struct Idler {
    state: u64,
}

impl Idler {
    fn new(thread: usize) -> Self {
        // Not 0, as xorshift needs it: a product of odd numbers.
        Self { state: 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(2 * thread as u64 + 1) }
    }

    #[inline]
    fn idle(&mut self) {
        for _ in 0..self.next() {
            nop();
        }
    }

    /// Returns a random number from 0 to [`MOST_NOPS`].
    #[inline]
    fn next(&mut self) -> u32 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        // The upper half times the number of outcomes: no division, and hardly a bias.
        (((self.state >> 32) * u64::from(MOST_NOPS + 1)) >> 32) as u32
    }
}

/// Runs an instruction that does nothing and is not optimised away.
#[inline(always)]
fn nop() {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    // SAFETY: the instruction touches nothing.
    unsafe {
        std::arch::asm!("nop", options(nomem, nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    std::hint::black_box(());
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

    #[test]
    fn idling_is_random_within_its_bounds_and_the_same_each_time() {
        let draw = |thread: usize| {
            let mut idler = Idler::new(thread);
            std::iter::repeat_with(move || idler.next()).take(10_000).collect::<Vec<_>>()
        };
        let drawn = draw(0);
        assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&0), Some(&MOST_NOPS)));
        let mean = drawn.iter().map(|&nops| f64::from(nops)).sum::<f64>() / 10_000.0;
        assert!((45.0..55.0).contains(&mean), "{mean}");
        assert_eq!(drawn, draw(0));
        assert_ne!(drawn, draw(1));
    }
}
