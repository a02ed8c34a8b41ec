//! Impossible sizes: the error names the possible ones, correctly.

use std::num::{NonZeroU8, NonZeroUsize};

use aqueduct::error::CapacityError;
use aqueduct::spsc;

use crate::common::{Kind, Setup, every_queue, every_queue_of_anything, every_queue_of_words};

/// Returns the error of a queue that must not be made; such queues would be far too large to make
/// by mistake.
fn refusal<T, K: Kind<T>>(setup: Setup) -> CapacityError {
    match K::make(setup) {
        Ok(_) => panic!("{setup:?} was accepted"),
        Err(error) => error,
    }
}

fn capacity_zero_is_refused<T, K: Kind<T>>() {
    let error = refusal::<T, K>(Setup::plain(0));
    assert_eq!(error, CapacityError::Zero);
    assert_eq!(error.to_string(), "capacity 0 was asked for; it must be at least 1");
}
every_queue!(zero: capacity_zero_is_refused::<NonZeroUsize>);

/// The greatest capacity is the error's: one more is refused, and for the capacity itself only
/// memory can be missing.
fn the_greatest_capacity_is_told<T, K: Kind<T>>() {
    for setup in [Setup::plain(1), Setup::tight(1), Setup { partition: 7, ..Setup::plain(1) }] {
        let asked = usize::MAX;
        let error = match K::make(Setup { capacity: asked, ..setup }) {
            // Items without a size take no memory.
            Ok(_) => {
                assert_eq!(size_of::<T>(), 0, "memory for {asked} items");
                continue;
            }
            Err(error) => error,
        };
        let CapacityError::TooLarge { asked: told, max } = error else { panic!("{error:?}") };
        assert_eq!(told, asked);
        assert_eq!(
            error.to_string(),
            format!("capacity {asked} was asked for; items of this type allow at most {max}")
        );
        let one_more = Setup { capacity: max + 1, ..setup };
        assert_eq!(refusal::<T, K>(one_more), CapacityError::TooLarge { asked: max + 1, max }, "one more than {max}");
        // The system often grants half of 2^32 addresses, and memory for them.
        if usize::BITS < 64 {
            continue;
        }
        match K::make(Setup { capacity: max, ..setup }) {
            Ok(_) => assert_eq!(size_of::<T>(), 0, "memory for {max} items"),
            Err(CapacityError::Zero) => assert_eq!(max, 0, "not one such item fits"),
            Err(CapacityError::OutOfMemory { bytes }) => {
                assert!(bytes / size_of::<T>().max(1) >= max, "{bytes} bytes for {max} items");
                assert!(isize::try_from(bytes).is_ok());
                let text = CapacityError::OutOfMemory { bytes }.to_string();
                assert_eq!(text, format!("no memory for a queue of {bytes} bytes"));
            }
            Err(other) => panic!("{max} items are said to be possible: {other:?}"),
        }
    }
}

#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "its size counts")] [u8; 64]);
#[repr(align(4096))]
struct Page(#[expect(dead_code, reason = "its size counts")] [u8; 4096]);

every_queue_of_words!(greatest_of_words: the_greatest_capacity_is_told::<NonZeroUsize>);
every_queue_of_words!(greatest_of_byte_words: the_greatest_capacity_is_told::<NonZeroU8>);
every_queue_of_anything!(greatest_of_1: the_greatest_capacity_is_told::<u8>);
every_queue_of_anything!(greatest_of_3: the_greatest_capacity_is_told::<[u8; 3]>);
every_queue_of_anything!(greatest_of_8: the_greatest_capacity_is_told::<u64>);
every_queue_of_anything!(greatest_of_24: the_greatest_capacity_is_told::<[u64; 3]>);
every_queue_of_anything!(greatest_of_72: the_greatest_capacity_is_told::<[u64; 9]>);
every_queue_of_anything!(greatest_of_300: the_greatest_capacity_is_told::<[u8; 300]>);
every_queue_of_anything!(greatest_of_lines: the_greatest_capacity_is_told::<Line>);
every_queue_of_anything!(greatest_of_pages: the_greatest_capacity_is_told::<Page>);
every_queue_of_anything!(greatest_of_gigabytes: the_greatest_capacity_is_told::<[u8; 3 << (usize::BITS * 15 / 32)]>);
// So large that the spare slots alone are more than memory can have.
every_queue_of_anything!(greatest_of_the_largest: the_greatest_capacity_is_told::<[u8; 1 << (usize::BITS - 4)]>);

#[test]
fn items_without_a_size_have_no_limit_but_the_index() {
    assert!(spsc::lamport::new::<()>(usize::MAX).is_ok());
    for error in [
        spsc::lazy_lamport::new::<()>(usize::MAX).expect_err("64 slots are spare"),
        spsc::batched_lamport::new::<()>(usize::MAX).expect_err("64 slots are spare"),
    ] {
        assert_eq!(error, CapacityError::TooLarge { asked: usize::MAX, max: usize::MAX - 64 });
    }
    assert!(spsc::lazy_lamport::new::<()>(usize::MAX - 64).is_ok());
    assert!(spsc::batched_lamport::new::<()>(usize::MAX - 64).is_ok());
    assert!(spsc::ring::new::<()>(1 << 20).is_ok());
}

#[test]
fn partitions_have_1_to_65536_slots() {
    for asked in [0, 65_537, usize::MAX] {
        let errors = [
            spsc::improved_fast_forward::with_partition::<NonZeroUsize>(10, asked).err(),
            spsc::batched_improved_fast_forward::with_partition::<NonZeroUsize>(10, asked).err(),
        ];
        for error in errors {
            let error = error.expect("no such partition");
            assert_eq!(error, CapacityError::Partition { asked });
            assert_eq!(
                error.to_string(),
                format!("partitions of {asked} slots were asked for; possible are 1 to 65536")
            );
        }
    }
    for partition in [1, 65_536] {
        assert!(spsc::improved_fast_forward::with_partition::<NonZeroUsize>(10, partition).is_ok());
        assert!(spsc::batched_improved_fast_forward::with_partition::<NonZeroUsize>(10, partition).is_ok());
    }
}

fn mirror_error<T: Send>(capacity: usize) -> String {
    spsc::batched_lamport::mirrored::<T>(capacity).expect_err("no such mirrored ring").to_string()
}

#[cfg(all(feature = "mirrored", target_os = "linux"))]
#[test]
fn items_that_cannot_be_mirrored_are_refused() {
    #[repr(align(8192))]
    struct TwoPages;
    #[repr(align(1048576))]
    struct Large(#[expect(dead_code, reason = "gives it a size")] u8);
    assert_eq!(mirror_error::<()>(4), "no mirrored ring: the items have no size, so there is nothing to map");
    assert_eq!(mirror_error::<TwoPages>(4), "no mirrored ring: the items have no size, so there is nothing to map");
    assert_eq!(mirror_error::<Large>(4), "no mirrored ring: the items need more alignment than a page has");
}

#[cfg(not(all(feature = "mirrored", target_os = "linux")))]
#[test]
fn a_mirrored_ring_needs_the_feature() {
    let missing = "no mirrored ring: it needs Linux and the feature `mirrored` of this crate; use `queue` here";
    assert_eq!(mirror_error::<u64>(4), missing);
    assert_eq!(mirror_error::<u64>(usize::MAX - 8), missing);
    assert_eq!(mirror_error::<u64>(0), "capacity 0 was asked for; it must be at least 1");
}
