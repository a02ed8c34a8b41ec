//! Items of every shape: without a size, over-aligned, larger than a cache line, odd sizes.

use std::fmt::Debug;

use crate::common::{Ending, Kind, PopEnd, PushEnd, Setup, SliceKind, every_queue_of_anything};
use aqueduct::queue::{Len, Pop, PopSlice, PushIter, PushSlice};

/// An item whose bytes all follow from a number, so that a torn or misplaced one is noticed.
trait Patterned: Copy + Send + PartialEq + Debug + 'static {
    fn of(number: usize) -> Self;
}

impl<const N: usize> Patterned for [u8; N] {
    fn of(number: usize) -> Self {
        std::array::from_fn(|i| (number.wrapping_mul(31).wrapping_add(7 * i) % 251) as u8)
    }
}

impl Patterned for [u64; 3] {
    fn of(number: usize) -> Self {
        [number as u64, !number as u64, 0xA5A5 ^ number as u64]
    }
}

macro_rules! aligned {
    ($($name:ident: $align:literal),*) => { $(
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(align($align))]
        struct $name<const N: usize>([u8; N]);

        impl<const N: usize> Patterned for $name<N> {
            fn of(number: usize) -> Self {
                Self(Patterned::of(number))
            }
        }
    )* };
}
aligned!(Aligned16: 16, Aligned64: 64, Aligned128: 128, Aligned4096: 4096);

fn assert_aligned<T>(item: *const T) {
    assert_eq!(item.addr() % align_of::<T>(), 0, "an item lies at {item:?}");
}

/// Pushes and pops by all means, for several laps of the ring.
fn goes_through_whole<T: Patterned, K: SliceKind<T>>() {
    for capacity in [1, 2, 3, 10, 100] {
        let setup = Setup { index: usize::MAX - 3 * capacity, ..Setup::plain(capacity) };
        let (mut producer, mut consumer) = K::make(setup).expect("a small queue");
        let (mut next, mut due) = (0, 0);
        for round in 0..12 {
            let first = next;
            next += producer.push_iter(&mut (next..next + capacity / 2 + 1).map(T::of));
            producer.batch(capacity, Ending::Say, &mut |batch| {
                assert_aligned(batch.run().as_ptr());
                next += batch.fill(&mut (next..first + capacity).map(T::of));
            });
            let rest: Vec<_> = (next..first + capacity).map(T::of).collect();
            next += producer.push_slice(&rest);
            assert_eq!(next - first, capacity, "round {round} of capacity {capacity}");
            assert_eq!(consumer.len(), capacity);

            if let Some(first) = consumer.peek() {
                assert_eq!(first, Some(&T::of(due)));
                assert_aligned(first.expect("just compared"));
            }
            assert_eq!(consumer.pop(), Ok(T::of(due)));
            due += 1;
            consumer.batch(capacity / 3, Ending::Say, &mut |batch| {
                for item in batch.run().expect("these queues show runs") {
                    assert_eq!(item, &T::of(due));
                    due += 1;
                }
                batch.skip_run(usize::MAX);
            });
            let mut slice = vec![T::of(0); capacity];
            let popped = consumer.pop_slice(&mut slice);
            assert!(slice[..popped].iter().copied().eq((due..due + popped).map(T::of)));
            due += popped;
            assert_eq!(due, next, "round {round} of capacity {capacity}");
        }
        let surplus = producer.push_iter(&mut (0..).map(T::of).take(1 << 16)) - capacity;
        assert!(surplus <= K::surplus(setup), "{surplus} more than {capacity} fit");
    }
}

every_queue_of_anything!(byte: goes_through_whole::<[u8; 1]>);
every_queue_of_anything!(three_bytes: goes_through_whole::<[u8; 3]>);
every_queue_of_anything!(three_words: goes_through_whole::<[u64; 3]>);
every_queue_of_anything!(seventy_two_bytes: goes_through_whole::<[u8; 72]>);
every_queue_of_anything!(three_hundred_bytes: goes_through_whole::<[u8; 300]>);
every_queue_of_anything!(aligned_to_16: goes_through_whole::<Aligned16<5>>);
every_queue_of_anything!(aligned_to_a_line: goes_through_whole::<Aligned64<64>>);
every_queue_of_anything!(aligned_to_two_lines: goes_through_whole::<Aligned128<200>>);
every_queue_of_anything!(aligned_to_a_page: goes_through_whole::<Aligned4096<1>>);

/// Tests every queue but a mirrored ring, which refuses such items.
macro_rules! every_unmapped_queue {
    ($module:ident: $scenario:ident $(::<$item:ty>)?) => {
        mod $module {
            use super::*;
            use crate::common;

            #[test]
            fn lamport() {
                $scenario::<$($item,)? common::Lamport>();
            }

            #[test]
            fn lazy_lamport() {
                $scenario::<$($item,)? common::LazyLamport>();
            }

            #[test]
            fn batched_lamport() {
                $scenario::<$($item,)? common::BatchedLamport>();
            }

            #[test]
            fn stamped_line() {
                $scenario::<$($item,)? common::StampedLine>();
            }

            #[test]
            fn duplex_there() {
                $scenario::<$($item,)? common::DuplexThere>();
            }

            #[test]
            fn duplex_back() {
                $scenario::<$($item,)? common::DuplexBack>();
            }
        }
    };
}
every_unmapped_queue!(nothing: goes_through_whole::<[u8; 0]>);
every_unmapped_queue!(nothing_aligned: goes_through_whole::<Aligned4096<0>>);
every_unmapped_queue!(aligned_to_two_pages: goes_through_whole::<TwoPages>);

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(8192))]
struct TwoPages([u8; 9]);

impl Patterned for TwoPages {
    fn of(number: usize) -> Self {
        Self(Patterned::of(number))
    }
}

/// Zero-sized items are dropped as often as they were pushed.
#[test]
fn items_without_a_size_are_dropped() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    struct Nothing;
    impl Drop for Nothing {
        fn drop(&mut self) {
            DROPS.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn scenario<K: Kind<Nothing>>() {
        DROPS.store(0, Ordering::SeqCst);
        let (mut producer, mut consumer) = K::with_capacity(200);
        assert_eq!(producer.push_iter(&mut (0..150).map(|_| Nothing)), 150);
        consumer.batch(20, Ending::Drop, &mut |batch| drop((batch.pop(), batch.pop())));
        let popped = DROPS.load(Ordering::SeqCst);
        assert!(popped == 2 || popped == 0);
        assert_eq!(consumer.drain().take(30).count(), 30);
        assert_eq!(consumer.len(), 120 - popped);
        drop((producer, consumer));
        assert_eq!(DROPS.load(Ordering::SeqCst), 150);
    }
    scenario::<crate::common::Lamport>();
    scenario::<crate::common::LazyLamport>();
    scenario::<crate::common::BatchedLamport>();
    scenario::<crate::common::StampedLine>();
}
