//! Embedded and indirect payload: the producer makes item number n, and the consumer checks it.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use super::kind::Word;

/// Bytes of a lent buffer: a page, across which no prefetcher guesses (the SPSC paper, section
/// 5.1).
pub const BUFFER_BYTES: usize = 4096;

/// A buffer that is lent to the consumer; only its first four bytes are ever touched.
#[derive(Debug)]
#[repr(C, align(4096))]
pub struct Buffer {
    number: AtomicU32,
    _untouched: [u8; BUFFER_BYTES - size_of::<AtomicU32>()],
}

/// A payload: makes items from their numbers, and checks items against them.
pub(super) trait Carrier: 'static {
    /// Whether this build has measurements with emulated load.
    const LOADS: bool = cfg!(feature = "workloads");
    /// The type of the items.
    type Item: Word;
    /// The data from which the producer makes items.
    type Source: Copy + Send + Sync;

    /// The data that a measurement borrows, and returns when it is dropped.
    type Pool;

    /// Borrows for a measurement with queues of this capacity, which hold `most` items at most.
    fn pool(capacity: usize, most: usize) -> Self::Pool;
    /// Returns the producer's initial state.
    fn source(pool: &Self::Pool) -> Self::Source;
    /// Makes item `number`.
    fn make(source: &mut Self::Source, number: NonZeroU64) -> Self::Item;
    /// Returns the number that the item carries. Indirect payload has 32 bits for it.
    fn number(item: Self::Item) -> u64;
    /// Returns the part of a number that an item can carry.
    fn visible(number: u64) -> u64;
    /// Whether both are the same item, without a look into a buffer.
    fn same(one: Self::Item, other: Self::Item) -> bool;
}

/// The number itself travels.
pub(super) type Embedded = Number<true>;

/// The number travels, and there are no measurements with emulated load, which would double the
/// code.
pub(super) type Unloaded = Number<false>;

/// A number, with or without measurements with emulated load.
pub(super) struct Number<const LOADS: bool>;

impl<const LOADS: bool> Carrier for Number<LOADS> {
    const LOADS: bool = LOADS && cfg!(feature = "workloads");
    type Item = NonZeroU64;
    type Source = ();
    type Pool = ();

    fn pool(_capacity: usize, _most: usize) -> Self::Pool {}

    fn source((): &Self::Pool) -> Self::Source {}

    #[inline]
    fn make((): &mut Self::Source, number: NonZeroU64) -> NonZeroU64 {
        number
    }

    #[inline]
    fn number(item: NonZeroU64) -> u64 {
        item.get()
    }

    #[inline]
    fn visible(number: u64) -> u64 {
        number
    }

    #[inline]
    fn same(one: NonZeroU64, other: NonZeroU64) -> bool {
        one == other
    }
}

/// A pointer to a buffer that holds the number travels.
pub(super) struct Indirect;

/// The producer's place in the circle of buffers.
#[derive(Clone, Copy)]
pub(super) struct Lender {
    buffers: &'static [Buffer],
    next: usize,
}

impl Carrier for Indirect {
    type Item = &'static Buffer;
    type Source = Lender;
    type Pool = Pool;

    fn pool(capacity: usize, most: usize) -> Pool {
        Pool::borrow(capacity, most)
    }

    fn source(pool: &Pool) -> Lender {
        Lender { buffers: pool.0, next: 0 }
    }

    #[inline]
    fn make(source: &mut Lender, number: NonZeroU64) -> &'static Buffer {
        let buffer = &source.buffers[source.next & (source.buffers.len() - 1)];
        source.next = source.next.wrapping_add(1);
        // Ordering: relaxed; the queue that carries the pointer makes the write visible with it.
        buffer.number.store(number.get() as u32, Ordering::Relaxed);
        buffer
    }

    #[inline]
    fn number(item: &'static Buffer) -> u64 {
        // Ordering: relaxed; the queue that carried the pointer has made the write visible.
        u64::from(item.number.load(Ordering::Relaxed))
    }

    #[inline]
    fn visible(number: u64) -> u64 {
        u64::from(number as u32)
    }

    #[inline]
    fn same(one: &'static Buffer, other: &'static Buffer) -> bool {
        std::ptr::eq(one, other)
    }
}

/// A circle of 2N buffers for queues of N items, for one measurement alone.
///
/// Twice the capacity, so that the producer does not fill the buffer that the consumer has just
/// taken out and still reads (the SPSC paper, section 5.1); more if the queue can hold more items.
/// A buffer may sit in any queue, so circles are never freed; the next measurement of an equal
/// capacity borrows the circle again.
pub(super) struct Pool(&'static [Buffer]);

/// Unused circles, by their number of buffers.
static IDLE: Mutex<BTreeMap<usize, Vec<&'static [Buffer]>>> = Mutex::new(BTreeMap::new());

impl Pool {
    fn borrow(capacity: usize, most: usize) -> Self {
        let count = (2 * capacity.next_power_of_two()).max((most + 2).next_power_of_two());
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        Self(idle.entry(count).or_default().pop().unwrap_or_else(|| fresh(count)))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        idle.entry(self.0.len()).or_default().push(self.0);
    }
}

fn fresh(count: usize) -> &'static [Buffer] {
    let fresh = || Buffer { number: AtomicU32::new(0), _untouched: [0; _] };
    let mut buffers = Vec::with_capacity(count);
    prefer_huge_pages(&buffers);
    buffers.extend(std::iter::repeat_with(fresh).take(count));
    buffers.leak()
}

/// Asks for huge pages under the buffers, to avoid misses of the address translation.
#[cfg(target_os = "linux")]
fn prefer_huge_pages(buffers: &Vec<Buffer>) {
    let bytes = buffers.capacity() * BUFFER_BYTES;
    // SAFETY: the range is a live allocation of ours, aligned to pages by `Buffer`'s alignment. The
    // advice changes no byte of it, and a refusal is harmless.
    unsafe {
        libc::madvise(buffers.as_ptr().cast_mut().cast(), bytes, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn prefer_huge_pages(_buffers: &Vec<Buffer>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pool_holds_twice_the_capacity_and_serves_one_measurement_at_a_time() {
        let one = Pool::borrow(1000, 1024);
        let other = Pool::borrow(1000, 1024);
        assert_eq!((one.0.len(), other.0.len()), (2048, 2048));
        let (first, second) = (one.0.as_ptr(), other.0.as_ptr());
        assert_ne!(first, second, "two measurements at a time would overwrite each other's numbers");
        drop(one);
        assert_eq!(Pool::borrow(1024, 1026).0.as_ptr(), first, "1000 rounds to 1024");
        assert_eq!(Pool::borrow(1000, 2047).0.len(), 4096, "one in hand on each side");
        assert_eq!(size_of::<Buffer>(), BUFFER_BYTES);
    }

    #[test]
    fn an_indirect_item_carries_its_number_in_the_buffer() {
        let pool = Indirect::pool(4, 4);
        let mut source = Indirect::source(&pool);
        let five = Indirect::make(&mut source, NonZeroU64::new(5).expect("not zero"));
        let six = Indirect::make(&mut source, NonZeroU64::new((7 << 32) + 6).expect("not zero"));
        assert_eq!((Indirect::number(five), Indirect::number(six)), (5, 6));
        assert_eq!(Indirect::visible((7 << 32) + 6), 6);
    }
}
