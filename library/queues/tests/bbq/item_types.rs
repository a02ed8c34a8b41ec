//! Items of every shape: without a size, over-aligned, larger than a cache line, odd sizes, boxed.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

use aqueduct::bbq;

use crate::common::{
    Form, LAST_LAP, Number, Patterned, PushEnd, Random, SliceForm, aligned, every_form, geometries, room,
};
use aqueduct::queue::{Pop, PopSlice, PushSlice};

/// Pushes and pops at random by all means, the ring going around several times.
fn goes_through_whole<T: Patterned, F: SliceForm<T>>() {
    let mut random = Random::new(size_of::<T>() as u64);
    for geometry in geometries() {
        let (mut producer, mut consumer) = F::starting_at(geometry, LAST_LAP - 1).expect("a small queue");
        let (mut pushed, mut popped) = (0, 0);
        let longest = geometry.blocks() * geometry.block_size() + 3;
        for _ in 0..80 {
            let (count, fit) = (random.below(longest), room(geometry, pushed, popped));
            let items: Vec<_> = (pushed..pushed + count).map(T::of).collect();
            pushed += match random.below(2) {
                0 => producer.push_slice(&items),
                _ => producer.push_all(items).0,
            };
            assert_eq!(room(geometry, pushed, popped), fit - fit.min(count), "{count} pushed to {geometry:?}");
            let count = random.below(longest);
            let mut items = vec![T::of(usize::MAX); count];
            match random.below(2) {
                0 => {
                    let taken = consumer.pop_slice(&mut items);
                    items.truncate(taken);
                }
                _ => items = consumer.drain().take(count).collect(),
            }
            assert_eq!(items.len(), count.min(pushed - popped), "of {count} wanted from {geometry:?}");
            assert!(items.iter().copied().eq((popped..pushed).take(count).map(T::of)), "{geometry:?}");
            popped += items.len();
        }
        assert!(pushed > 20 * geometry.block_size(), "{pushed} items went through {geometry:?}");
    }
}

every_form!(nothing: goes_through_whole::<[u8; 0]>);
every_form!(nothing_aligned: goes_through_whole::<aligned::To256<0>>);
every_form!(byte: goes_through_whole::<[u8; 1]>);
every_form!(three_bytes: goes_through_whole::<[u8; 3]>);
every_form!(two_bytes_aligned: goes_through_whole::<aligned::To2<2>>);
every_form!(nine_bytes: goes_through_whole::<[u8; 9]>);
every_form!(three_words: goes_through_whole::<[u64; 3]>);
every_form!(five_words: goes_through_whole::<[u64; 5]>);
every_form!(seventy_two_bytes: goes_through_whole::<[u8; 72]>);
every_form!(three_hundred_bytes: goes_through_whole::<[u8; 300]>);
every_form!(aligned_to_16: goes_through_whole::<aligned::To16<5>>);
every_form!(aligned_to_32: goes_through_whole::<aligned::To32<33>>);
every_form!(aligned_to_a_line: goes_through_whole::<aligned::To64<64>>);
every_form!(aligned_to_two_lines: goes_through_whole::<aligned::To128<200>>);
every_form!(aligned_to_four_lines: goes_through_whole::<aligned::To256<3>>);
every_form!(aligned_to_a_page: goes_through_whole::<aligned::To4096<1>>);

/// Items that own memory: each is popped unchanged, one by one and by draining.
fn owned_items_come_out<T: Number, F: Form<T>>() {
    let mut random = Random::new(7);
    for geometry in geometries() {
        let (mut producer, mut consumer) = F::starting_at(geometry, LAST_LAP).expect("a small queue");
        let (mut model, mut next) = (VecDeque::new(), 1);
        for _ in 0..60 {
            let count = random.below(2 * geometry.block_size() + 2) as u64;
            let (added, refused) = producer.push_all((next..next + count).map(T::of));
            assert!(refused.is_none_or(|item| item.number() == next + added as u64), "another came back");
            model.extend(next..next + added as u64);
            next += added as u64;
            let count = random.below(2 * geometry.block_size() + 2);
            for item in consumer.drain().take(count) {
                assert_eq!(Some(item.number()), model.pop_front(), "{geometry:?}");
            }
        }
        assert!(consumer.drain().map(|item| item.number()).eq(model));
    }
}
every_form!(boxed: owned_items_come_out::<Box<u64>>);
every_form!(not_zero: owned_items_come_out::<std::num::NonZeroUsize>);

/// Items without a size are dropped as often as they were pushed.
fn nothings_are_dropped<T: Counted, F: Form<T>>() {
    for geometry in geometries() {
        let (mut producer, mut consumer) = F::divided(geometry).expect("a small queue");
        let before = T::drops().load(Ordering::SeqCst);
        let (pushed, refused) = producer.push_all(std::iter::repeat_with(T::new));
        drop(refused);
        let popped = consumer.drain().take(2).count();
        let dropped = T::drops().load(Ordering::SeqCst) - before;
        assert_eq!(dropped, popped + 1, "the refused one and those popped");
        drop((producer, consumer));
        assert_eq!(T::drops().load(Ordering::SeqCst) - before, pushed + 1, "{geometry:?}");
    }
}

/// An item without a size whose drops are counted for its type: each test has one of its own.
trait Counted: Send + 'static {
    fn new() -> Self;
    fn drops() -> &'static AtomicUsize;
}

macro_rules! nothings {
    ($($module:ident: $form:ident;)*) => { $(
        mod $module {
            use super::*;

            static DROPS: AtomicUsize = AtomicUsize::new(0);

            struct Nothing;

            impl Counted for Nothing {
                fn new() -> Self {
                    Self
                }

                fn drops() -> &'static AtomicUsize {
                    &DROPS
                }
            }

            impl Drop for Nothing {
                fn drop(&mut self) {
                    DROPS.fetch_add(1, Ordering::SeqCst);
                }
            }

            #[test]
            fn of_nothings() {
                nothings_are_dropped::<Nothing, crate::common::$form>();
            }
        }
    )* };
}
nothings! {
    spsc: Spsc;
    mpsc: Mpsc;
    spmc: Spmc;
    mpmc: Mpmc;
    queue: Whole;
    faaq: Faaq;
    faaq_queue: FaaqWhole;
}

/// The most items in a line that their cursors tell apart, and more than one line of them in a
/// block.
#[test]
fn without_size_in_lines_of_64_kib() {
    #[repr(align(65_536))]
    struct Empty;

    let most = (1 << (usize::BITS / 4)) - 1;
    let geometry = bbq::Geometry::new(2, most).expect("possible");
    let (mut producer, mut consumer) = bbq::spsc::with_geometry::<Empty>(geometry).expect("a queue");
    let (first, second) = (2 * most / 3, most / 4);
    assert_eq!(producer.push_iter((0..first + second).map(|_| Empty)), first + second);
    for _ in 0..first {
        assert!(consumer.pop().is_ok());
    }
    assert_eq!(consumer.pop_each(usize::MAX, drop), second);
}
