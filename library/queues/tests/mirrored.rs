//! A mirrored ring returns all that it takes from the kernel. The test counts mappings, so it is
//! alone in its process.
#![cfg(all(feature = "mirrored", target_os = "linux"))]

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

use aqueduct::error::CapacityError;
use aqueduct::spsc::batched_lamport::mirrored;

/// Returns the numbers of mappings of rings, and of open files.
fn held() -> (usize, usize) {
    let maps = fs::read_to_string("/proc/self/maps").expect("Linux tells the mappings");
    let rings = maps.lines().filter(|line| line.contains("aqueduct-ring")).count();
    (rings, fs::read_dir("/proc/self/fd").expect("Linux tells the open files").count())
}

#[test]
fn is_unmapped_with_its_last_end() {
    let (rings, files) = held();
    assert_eq!(rings, 0);

    let (mut producer, mut consumer) = mirrored::<u64>(700).expect("two pages, twice");
    assert_eq!(held(), (2, files), "one file, closed, mapped twice");
    assert_eq!(producer.push_iter(0..), 700);
    drop(producer);
    assert_eq!(consumer.drain().sum::<u64>(), 699 * 700 / 2, "the memory is still there");
    drop(consumer);
    assert_eq!(held(), (0, files));

    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("an item panics in its drop, as the test wants");
        }
    }
    let (mut producer, consumer) = mirrored::<(u8, Bomb)>(1).expect("a page, twice");
    assert!(producer.push((1, Bomb)).is_ok());
    drop(producer);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(consumer))).is_err());
    assert_eq!(held(), (0, files), "after a panic");

    let error = mirrored::<u64>(1 << 58).expect_err("more addresses than there are");
    assert!(matches!(error, CapacityError::OutOfMemory { bytes } if bytes >= 8 << 58), "{error:?}");
    assert_eq!(held(), (0, files), "a refused ring keeps nothing");
}
