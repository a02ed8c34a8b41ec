//! Embedded and indirect payload: how the producer makes item number n, how the consumer checks it.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use super::kind::Word;

/// Bytes of a lent buffer: a page, across which no prefetcher guesses (seed, section 5.1).
pub const BUFFER_BYTES: usize = 4096;

/// A buffer that is lent to the consumer; only its first four bytes are ever touched.
#[derive(Debug)]
#[repr(C, align(4096))]
pub struct Buffer {
    number: AtomicU32,
    _untouched: [u8; BUFFER_BYTES - size_of::<AtomicU32>()],
}

/// How items are made from their numbers and checked against them.
pub(super) trait Carrier: 'static {
    /// What travels.
    type Item: Word;
    /// What the producer makes items from.
    type Source: Copy + Send;

    /// Prepares a producer for a queue of that capacity.
    fn source(capacity: usize) -> Self::Source;
    /// Makes item `number`.
    fn make(source: &mut Self::Source, number: NonZeroU64) -> Self::Item;
    /// The number that the item carries. Indirect payload has 32 bits for it.
    fn number(item: Self::Item) -> u64;
    /// The part of a number that an item can carry.
    fn visible(number: u64) -> u64;
    /// Whether both are the same item, without a look into a buffer.
    fn same(one: Self::Item, other: Self::Item) -> bool;
}

/// The number itself travels.
pub(super) struct Embedded;

impl Carrier for Embedded {
    type Item = NonZeroU64;
    type Source = ();

    fn source(_capacity: usize) -> Self::Source {}

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
    pool: &'static [Buffer],
    next: usize,
}

impl Carrier for Indirect {
    type Item = &'static Buffer;
    type Source = Lender;

    fn source(capacity: usize) -> Lender {
        Lender {
            pool: pool(capacity),
            next: 0,
        }
    }

    #[inline]
    fn make(source: &mut Lender, number: NonZeroU64) -> &'static Buffer {
        let buffer = &source.pool[source.next & (source.pool.len() - 1)];
        source.next = source.next.wrapping_add(1);
        // Ordering: relaxed; the queue that carries the pointer makes the write visible with it.
        buffer.number.store(number.get() as u32, Ordering::Relaxed);
        buffer
    }

    #[inline]
    fn number(item: &'static Buffer) -> u64 {
        // Ordering: relaxed, as above.
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

/// The circle of 2N buffers for queues of that capacity.
///
/// Twice the capacity, so that the producer does not fill the buffer that the consumer has just
/// taken out and still reads (seed, section 5.1). One circle per capacity lives until the program
/// ends: a buffer may sit in any queue.
fn pool(capacity: usize) -> &'static [Buffer] {
    static POOLS: Mutex<BTreeMap<usize, &'static [Buffer]>> = Mutex::new(BTreeMap::new());
    let count = 2 * capacity.next_power_of_two();
    let mut pools = POOLS
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    pools.entry(count).or_insert_with(|| {
        let fresh = || Buffer {
            number: AtomicU32::new(0),
            _untouched: [0; _],
        };
        let buffers: Vec<Buffer> = (0..count).map(|_| fresh()).collect();
        prefer_huge_pages(&buffers);
        buffers.leak()
    })
}

/// Asks for huge pages under the buffers, so that misses of the address translation stay out.
#[cfg(target_os = "linux")]
fn prefer_huge_pages(buffers: &[Buffer]) {
    // SAFETY: the range is a live allocation of ours, aligned to pages by `Buffer`'s alignment. The
    // advice changes no byte of it, and a refusal is harmless.
    unsafe {
        libc::madvise(
            buffers.as_ptr().cast_mut().cast(),
            size_of_val(buffers),
            libc::MADV_HUGEPAGE,
        );
    }
}

#[cfg(not(target_os = "linux"))]
fn prefer_huge_pages(_buffers: &[Buffer]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pool_holds_twice_the_capacity_and_is_kept() {
        let one = pool(100);
        assert_eq!(one.len(), 256);
        assert!(
            std::ptr::eq(one, pool(128)),
            "the same circle serves all capacities that round to 128"
        );
        assert_eq!(size_of::<Buffer>(), BUFFER_BYTES);
    }

    #[test]
    fn an_indirect_item_carries_its_number_in_the_buffer() {
        let mut source = Indirect::source(4);
        let five = Indirect::make(&mut source, NonZeroU64::new(5).expect("not zero"));
        let six = Indirect::make(
            &mut source,
            NonZeroU64::new((7 << 32) + 6).expect("not zero"),
        );
        assert_eq!((Indirect::number(five), Indirect::number(six)), (5, 6));
        assert_eq!(Indirect::visible((7 << 32) + 6), 6);
    }
}
