//! The values that FastForward's family carries: integers that are not zero, pointers, and the
//! users' own types.

use std::fmt::Debug;
use std::num::{NonZeroI8, NonZeroI16, NonZeroI32, NonZeroIsize, NonZeroU8, NonZeroU16, NonZeroU32, NonZeroUsize};
#[cfg(target_pointer_width = "64")]
use std::num::{NonZeroI64, NonZeroU64};
use std::sync::Arc;

use aqueduct::spsc::NonZeroWord;

use crate::common::{Ending, Kind, PushEnd, Setup, SliceKind, every_queue, every_queue_of_words};
use aqueduct::queue::{Pop, PopSlice, Push, PushIter, PushSlice};

/// Sends copies of `values` around the ring several times, alone and in batches.
fn carries<T: Copy + Debug + PartialEq + Send + 'static, K: SliceKind<T>>(values: &[T]) {
    let (mut producer, mut consumer) = K::make(Setup::tight(values.len())).expect("a small queue");
    for _ in 0..7 {
        for &value in values {
            producer.push(value).expect("room for one");
            assert_eq!(consumer.pop(), Ok(value));
        }
        assert_eq!(producer.push_slice(values), values.len());
        let mut back = values.iter().rev().copied().collect::<Vec<_>>();
        assert_eq!(consumer.pop_slice(&mut back), values.len());
        assert_eq!(back, values);
        let mut added = 0;
        producer.batch(values.len(), Ending::Say, &mut |batch| added = batch.fill(&mut values.iter().copied()));
        assert!(consumer.drain().eq(values[..added].iter().copied()));
    }
}

macro_rules! integers {
    ($($scenario:ident, $module:ident: $type:ident of $inner:ty),* $(,)?) => { $(
        fn $scenario<K: SliceKind<$type>>() {
            // The values are: the lowest byte alone, the highest alone, the extremes.
            let values = [1, <$inner>::MAX, <$inner>::MIN, <$inner>::MAX - 1, 1 << (<$inner>::BITS - 1), 64];
            carries::<$type, K>(&values.into_iter().filter_map($type::new).collect::<Vec<_>>());
        }
        every_queue!($module: $scenario);
    )* };
}
integers!(
    carries_u8, u8s: NonZeroU8 of u8,
    carries_u16, u16s: NonZeroU16 of u16,
    carries_u32, u32s: NonZeroU32 of u32,
    carries_usize, usizes: NonZeroUsize of usize,
    carries_i8, i8s: NonZeroI8 of i8,
    carries_i16, i16s: NonZeroI16 of i16,
    carries_i32, i32s: NonZeroI32 of i32,
    carries_isize, isizes: NonZeroIsize of isize,
);
// On other machines they exceed a word, and a queue of them does not compile.
#[cfg(target_pointer_width = "64")]
integers!(
    carries_u64, u64s: NonZeroU64 of u64,
    carries_i64, i64s: NonZeroI64 of i64,
);

/// A user's own word: three bytes, the first of which is never zero.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Tagged {
    tag: NonZeroU8,
    value: [u8; 2],
}

// SAFETY: three bytes without padding, the first never zero.
unsafe impl NonZeroWord for Tagged {}

fn carries_the_users_own<K: SliceKind<Tagged>>() {
    carries::<Tagged, K>(
        &[1u8, 2, 255].map(|tag| Tagged { tag: NonZeroU8::new(tag).expect("not 0"), value: [0, tag] }),
    );
}
every_queue_of_words!(users_own: carries_the_users_own);

fn carries_pointers_to_statics<K: SliceKind<&'static [u64; 2]>>() {
    static VALUES: [[u64; 2]; 3] = [[1, 2], [3, 4], [5, 6]];
    carries::<&'static [u64; 2], K>(&[&VALUES[0], &VALUES[1], &VALUES[2]]);
}
every_queue!(references: carries_pointers_to_statics);

fn carries_boxes<K: Kind<Box<[u64; 3]>>>() {
    let (mut producer, mut consumer) = K::make(Setup::tight(5)).expect("five boxes");
    for round in 0..40 {
        let boxed = Box::new([round, round + 1, round + 2]);
        let at = std::ptr::from_ref(&*boxed);
        assert!(producer.push(boxed).is_ok());
        let back = consumer.pop().expect("just pushed");
        assert_eq!(*back, [round, round + 1, round + 2]);
        assert_eq!(std::ptr::from_ref(&*back), at, "the box itself went through, not a copy");
    }
}
every_queue!(boxes: carries_boxes);

fn carries_arcs<K: Kind<Arc<u64>>>() {
    let shared = Arc::new(17);
    let (mut producer, mut consumer) = K::make(Setup::tight(8)).expect("eight counts");
    for _ in 0..10 {
        assert_eq!(producer.push_iter(&mut (0..8).map(|_| shared.clone())), 8);
        assert_eq!(Arc::strong_count(&shared), 9);
        assert!(consumer.pop().is_ok_and(|item| Arc::ptr_eq(&item, &shared)));
        drop(consumer.drain().collect::<Vec<_>>());
        assert_eq!(Arc::strong_count(&shared), 1);
    }
    producer.push_iter(&mut (0..8).map(|_| shared.clone()));
    drop((producer, consumer));
    assert_eq!(Arc::strong_count(&shared), 1, "the queue gave up its counts");
}
every_queue!(arcs: carries_arcs);

/// A borrowed `&mut` goes to the other side, and its change is visible afterwards.
#[test]
fn exclusive_references_can_be_lent_across() {
    let mut values = [1u64, 2, 3];
    let (mut producer, mut consumer) = aqueduct::spsc::fast_forward::new::<&mut u64>(3).expect("three words");
    std::thread::scope(|scope| {
        // Both ends are dropped before the borrow ends.
        scope.spawn(move || {
            while !(consumer.is_closed() && consumer.is_empty()) {
                consumer.drain().for_each(|value| *value *= 10);
            }
        });
        for value in &mut values {
            producer.push(value).expect("room for three");
        }
        drop(producer);
    });
    assert_eq!(values, [10, 20, 30]);
}
