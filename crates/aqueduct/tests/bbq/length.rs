//! The whole queue's `len` and `is_empty`: exact while nobody is at work, within bounds while somebody is.

use std::sync::atomic::{AtomicBool, Ordering};

use aqueduct::bbq::Queue;

use crate::common::{Random, VERSIONS, entries, geometries, geometry};

#[test]
fn exact_through_laps() {
    let mut random = Random::new(1);
    for geometry in geometries() {
        for version in VERSIONS {
            let queue = Queue::starting_at(geometry, version).expect("a small queue");
            let mut len = 0;
            for _ in 0..8 * geometry.blocks() {
                assert_eq!((queue.len(), queue.is_empty()), (len, len == 0), "{geometry:?} from {version} on");
                len += queue.push_slice(&vec![7; random.below(2 * geometry.block_size() + 1)]);
                assert_eq!((queue.len(), queue.is_empty()), (len, len == 0), "{geometry:?} from {version} on");
                len -= queue.pop_slice(&mut vec![0; random.below(2 * geometry.block_size() + 1)]);
            }
        }
    }
}

#[test]
fn exact_for_every_length_at_every_place() {
    for geometry in geometries() {
        let queue = Queue::with_geometry(geometry).expect("a small queue");
        for _ in 0..3 * entries(geometry) {
            let mut len = 0;
            while queue.push(0).is_ok() {
                len += 1;
                assert_eq!(queue.len(), len, "{geometry:?}");
            }
            while queue.pop().is_ok() {
                len -= 1;
                assert_eq!(queue.len(), len, "{geometry:?}");
            }
            assert!(len == 0 && queue.is_empty());
            // The next round begins one entry further on.
            assert!(queue.push(0).is_ok() && queue.len() == 1 && queue.pop().is_ok());
        }
    }
}

/// What it says beside others may be old, but no more than the queue has entries.
#[test]
fn within_bounds_beside_others() {
    let geometry = geometry(3, 7);
    let queue = Queue::with_geometry(geometry).expect("a small queue");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let _ = queue.push(1);
                    let _ = queue.pop();
                }
            });
        }
        for _ in 0..20_000 {
            let len = queue.len();
            assert!(len <= entries(geometry), "{len} of {geometry:?}");
        }
        stop.store(true, Ordering::Relaxed);
    });
    // A pop that finds the other's push unfinished leaves an item behind.
    let left = queue.len();
    assert_eq!((queue.drain().count(), queue.is_empty()), (left, true));
}
