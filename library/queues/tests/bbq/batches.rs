//! `push_iter` and `pop_each`, the batches of a side with one thread.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

use aqueduct::bbq::{self, Geometry, drop_old};
use aqueduct::error::CapacityError;
use proptest::prelude::*;

use crate::common::{Ledger, Token, Tracked, entries, geometries};

/// A way to push or to pop, and the number of items that take it.
#[derive(Clone, Copy, Debug)]
enum Way {
    PushEach(usize),
    PushSlice(usize),
    PushIter(usize),
    /// The iterator panics after its last item.
    PushIterPanicking(usize),
    PopEach(usize),
    PopSlice(usize),
    PopAll(usize),
    /// The closure panics on the last item.
    PopAllPanicking(usize),
}

fn ways() -> impl Strategy<Value = Vec<Way>> {
    let count = || prop_oneof![0..10usize, 0..150usize];
    let way = prop_oneof![
        count().prop_map(Way::PushEach),
        count().prop_map(Way::PushSlice),
        count().prop_map(Way::PushIter),
        count().prop_map(Way::PushIterPanicking),
        count().prop_map(Way::PopEach),
        count().prop_map(Way::PopSlice),
        count().prop_map(Way::PopAll),
        count().prop_map(Way::PopAllPanicking),
    ];
    prop::collection::vec(way, 1..60)
}

/// In any mix of ways, as many items are pushed as fit, and they are popped in order: a handle that
/// caches its line also notices when it has left the line.
fn agrees(geometry: Geometry, ways: &[Way]) {
    let (mut producer, mut consumer) = bbq::spsc::starting_at::<u64>(geometry, usize::MAX).expect("a small queue");
    let (mut next, mut model) = (0, VecDeque::new());
    for &way in ways {
        let mut came = Vec::new();
        let (pushes, pops, pushed) = match way {
            Way::PushEach(count) => {
                (count, 0, (next..next + count as u64).take_while(|&item| producer.push(item).is_ok()).count())
            }
            Way::PushSlice(count) => (count, 0, producer.push_slice(&(next..next + count as u64).collect::<Vec<_>>())),
            Way::PushIter(count) => {
                let mut items = next..next + count as u64;
                let pushed = producer.push_iter(items.by_ref());
                assert_eq!(items.count(), count - pushed, "no item is taken that has no room");
                (count, 0, pushed)
            }
            Way::PushIterPanicking(count) => {
                let end = next + count as u64;
                let mut items = next..;
                let failing = items.by_ref().inspect(|&item| assert!(item != end, "as the test wants"));
                let is_full = catch_unwind(AssertUnwindSafe(|| producer.push_iter(failing))).is_ok();
                (count, 0, (items.start - next) as usize - usize::from(!is_full))
            }
            Way::PopEach(count) => {
                came.extend((0..count).map_while(|_| consumer.pop().ok()));
                (0, count, 0)
            }
            Way::PopSlice(count) => {
                came.resize(count, 0);
                let popped = consumer.pop_slice(&mut came);
                came.truncate(popped);
                (0, count, 0)
            }
            Way::PopAll(count) => {
                assert_eq!(consumer.pop_each(count, |item| came.push(item)), came.len());
                (0, count, 0)
            }
            Way::PopAllPanicking(count) => {
                let _ = catch_unwind(AssertUnwindSafe(|| {
                    consumer.pop_each(usize::MAX, |item| {
                        came.push(item);
                        assert!(came.len() < count, "as the test wants");
                    })
                }));
                (0, count.max(1), 0)
            }
        };
        assert!(pushed == pushes || model.len() + pushed >= geometry.capacity(), "{way:?}: there was room");
        model.extend(next..next + pushed as u64);
        next += pushed as u64;
        assert!(model.len() <= entries(geometry));
        assert_eq!(came, model.drain(..pops.min(model.len())).collect::<Vec<_>>(), "{way:?}");
    }
}

proptest! {
    #[test]
    fn all_ways_in_and_out_agree_with_a_deque(
        blocks in 2..5usize,
        size in prop_oneof![1..12usize, 12..100usize],
        ways in ways(),
    ) {
        agrees(Geometry::new(blocks, size).expect("a small queue"), &ways);
    }
}

#[test]
fn an_iterator_that_panics_leaves_what_came_before() {
    for geometry in geometries() {
        for before in 0..geometry.capacity() {
            let ledger = Ledger::new(before + 1);
            let (mut producer, mut consumer) =
                bbq::spsc::starting_at::<Token>(geometry, usize::MAX).expect("a small queue");
            let failing = (0..).map(|number| {
                assert!(number < before, "as the test wants");
                ledger.token(number)
            });
            assert!(catch_unwind(AssertUnwindSafe(|| producer.push_iter(failing))).is_err());
            assert_eq!(producer.push_iter([ledger.token(before)]), 1, "it goes on");
            let mut came = Vec::new();
            assert_eq!(consumer.pop_each(usize::MAX, |item| came.push(item.number())), before + 1);
            assert_eq!(came, (0..=before).collect::<Vec<_>>());
            ledger.assert_all_dropped_once();
        }
    }
}

#[test]
fn a_closure_that_panics_leaves_what_it_has_not_had() {
    for geometry in geometries() {
        let all = geometry.capacity();
        for bad in 0..all {
            let ledger = Ledger::new(2 * all);
            let (mut producer, mut consumer) =
                bbq::spsc::starting_at::<Token>(geometry, usize::MAX).expect("a small queue");
            assert_eq!(producer.push_iter((0..all).map(|number| ledger.token(number))), all);
            let failing = catch_unwind(AssertUnwindSafe(|| {
                consumer.pop_each(usize::MAX, |item| assert!(item.number() != bad, "as the test wants"))
            }));
            assert!(failing.is_err());
            assert_eq!(ledger.dropped(), bad + 1, "up to the one with the panic");
            let mut came = Vec::new();
            consumer.pop_each(usize::MAX, |item| came.push(item.number()));
            assert_eq!(came, (bad + 1..all).collect::<Vec<_>>());
            assert_eq!(
                producer.push_iter((all..2 * all).map(|number| ledger.token(number))),
                all,
                "all were given back"
            );
            drop((producer, consumer));
            ledger.assert_all_dropped_once();
        }
    }
}

/// Pushes and pops the items of one block, for some blocks.
fn each_block_once<P, C>(
    handles: Result<(P, C), CapacityError>,
    geometry: Geometry,
    mut push: impl FnMut(&mut P) -> usize,
    mut pop: impl FnMut(&mut C) -> usize,
) {
    let (mut producer, mut consumer) = handles.expect("a small queue");
    for block in 0..4 {
        assert_eq!(push(&mut producer), geometry.block_size(), "block {block} of {geometry:?}");
        assert_eq!(pop(&mut consumer), geometry.block_size(), "block {block} of {geometry:?}");
    }
}

/// The last block ends where the queue's memory ends, so that the line after its last one is
/// outside of it. Miri reports an address that is computed beyond; a native run does not.
#[test]
fn batches_end_where_the_queue_s_memory_ends() {
    for size in [1, 7, 9] {
        let geometry = Geometry::new(2, size).expect("a small queue");
        let items: Vec<u64> = (0..size as u64).collect();
        let mut came = vec![0; size];
        each_block_once(
            bbq::spsc::with_geometry(geometry),
            geometry,
            |p| p.push_iter(0..size),
            |c| c.pop_each(9, |_| ()),
        );
        each_block_once(
            bbq::spsc::with_geometry(geometry),
            geometry,
            |p| p.push_slice(&items),
            |c| c.pop_slice(&mut came),
        );
        each_block_once(
            bbq::mpsc::with_geometry(geometry),
            geometry,
            |p| p.push_slice(&items),
            |c| c.pop_each(9, |_| ()),
        );
        each_block_once(
            bbq::mpsc::with_geometry(geometry),
            geometry,
            |p| p.push_slice(&items),
            |c| c.pop_slice(&mut came),
        );
        each_block_once(
            bbq::spmc::with_geometry(geometry),
            geometry,
            |p| p.push_iter(0..size as u64),
            |c| c.pop_slice(&mut came),
        );
        each_block_once(
            bbq::mpmc::with_geometry(geometry),
            geometry,
            |p| p.push_slice(&items),
            |c| c.pop_slice(&mut came),
        );
        let (mut one, _reader) = drop_old::spmc::with_geometry::<u64>(geometry).expect("a small queue");
        let (mut many, _reader) = drop_old::mpmc::with_geometry::<u64>(geometry).expect("a small queue");
        assert_eq!((one.push_iter(0..40), one.push_slice(&items), many.push_slice(&[1; 40])), (40, size, 40));
    }
}

#[test]
fn sides_with_many_threads_on_the_other_side_have_them_too() {
    let (mut producer, mut consumer) = bbq::spmc::new::<String>(10).expect("a small queue");
    assert_eq!(producer.push_iter(["a".to_owned(), "b".to_owned()]), 2);
    assert_eq!(consumer.pop().as_deref(), Ok("a"));
    let (mut producer, mut consumer) = bbq::mpsc::new::<u8>(10).expect("a small queue");
    assert!(producer.push(1).is_ok() && producer.clone().push(2).is_ok());
    let mut came = Vec::new();
    assert_eq!(consumer.pop_each(7, |item| came.push(item)), 2);
    assert_eq!(came, [1, 2]);
    let (mut producer, mut reader) = drop_old::spmc::new::<u64>(10).expect("a small queue");
    assert!(producer.push_iter(0..100) == 100, "it overwrites");
    let (mut read, mut last) = (0, None);
    while let Ok(item) = reader.read() {
        assert!(last < Some(item));
        (read, last) = (read + 1, Some(item));
    }
    assert_eq!((last, read + reader.lost()), (Some(99), 100));
}
