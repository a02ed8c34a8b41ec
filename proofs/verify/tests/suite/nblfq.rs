//! The need for the counters of the lock-free queue.

use std::num::NonZeroU64;

use aqueduct_model::{Config, Report};
use aqueduct_under_model::nblfq::Queue;
use aqueduct_verify::clients::nblfq::{Wide, Words, overtaken};
use aqueduct_verify::clients::threads::Form;

/// A queue of numbers.
trait Numbers: Form<Shape = (), Item = NonZeroU64> {}

impl<F: Form<Shape = (), Item = NonZeroU64>> Numbers for F {}

fn check<F: Numbers>(config: Config, items: u64) -> Report {
    config.check(move || overtaken::<F>(items))
}

fn comes_around<F: Numbers>(items: u64) {
    assert!(check::<F>(Config::new(), items).failure.is_some(), "{items} items go around");
}

fn is_right<F: Numbers>(items: u64) {
    let right = check::<F>(Config::new(), items);
    assert!(right.failure.is_none() && right.exhaustive, "{}", right.failure.unwrap());
}

/// Returns the number of other pushes that, by the library's pages, are needed.
fn as_it_says<const N: usize, const BITS: u32>() -> u64 {
    u64::try_from(Queue::<NonZeroU64, N, BITS>::pushes_until_wrap()).expect("few")
}

/// While one push stalls, others go by, and its exchange then succeeds at a position that is no
/// longer the queue's end. With one item less, or one bit more, it does not.
#[test]
fn a_counter_of_one_bit_wraps_and_one_of_two_bits_does_not() {
    assert_eq!((as_it_says::<2, 1>(), as_it_says::<3, 1>(), as_it_says::<4, 1>()), (2, 2, 2));
    comes_around::<Words<2, 1>>(2);
    comes_around::<Words<3, 1>>(2);
    comes_around::<Words<4, 1>>(2);
    is_right::<Words<2, 1>>(1);
    is_right::<Words<3, 1>>(1);
    is_right::<Words<4, 1>>(1);
    is_right::<Words<2, 2>>(2);
    is_right::<Words<4, 2>>(4);
}

#[test]
fn so_it_is_where_the_counter_has_a_word_of_its_own() {
    comes_around::<Wide<2, 1>>(2);
    comes_around::<Wide<4, 1>>(2);
    is_right::<Wide<2, 1>>(1);
    is_right::<Wide<4, 1>>(1);
    is_right::<Wide<2, 2>>(2);
    is_right::<Wide<4, 2>>(4);
    is_right::<Wide<2>>(4);
}

#[test]
fn a_counter_of_two_bits_wraps_with_six_items_and_not_with_five() {
    assert_eq!(as_it_says::<2, 2>(), 6);
    is_right::<Words<2, 2>>(5);
    is_right::<Wide<2, 2>>(4);
    // The executions are random, because all of them would take a minute.
    let random = || Config::new().random(20_000, 1);
    assert!(check::<Words<2, 2>>(random(), 6).failure.is_some(), "six items");
    assert!(check::<Wide<2, 2>>(random(), 6).failure.is_some(), "six items");
    let rounds = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 20_000 } else { 2_000 };
    let right = check::<Words<2, 3>>(Config::new().random(rounds, 1), 6);
    assert!(right.failure.is_none(), "{}", right.failure.unwrap());
}
