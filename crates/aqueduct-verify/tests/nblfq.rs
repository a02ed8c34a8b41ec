//! What the counters of the lock-free queue are for.

use aqueduct_model::{Config, Report};
use aqueduct_verify::nblfq::overtaken;

fn check<const BITS: u32>(config: Config, items: u64) -> Report {
    config.check(move || overtaken::<2, BITS>(items))
}

/// While one push stalls, the others go around two slots as often as the counter has values, less one: its exchange succeeds at a
/// place that is the queue's end no more. With one item less, or one bit more, it is not so.
#[test]
fn a_counter_of_one_bit_comes_around_and_one_of_two_bits_does_not() {
    assert!(check::<1>(Config::new(), 2).failure.is_some(), "two items go around two slots once");
    for right in [check::<1>(Config::new(), 1), check::<2>(Config::new(), 2), check::<2>(Config::new(), 4)] {
        assert!(right.failure.is_none() && right.exhaustive, "{}", right.failure.unwrap());
    }
}

/// The same with three rounds of two bits, by chance: all executions would take minutes.
#[test]
fn a_counter_of_two_bits_comes_around_and_one_of_three_bits_does_not() {
    let random = || Config::new().random(60_000, 7);
    assert!(check::<2>(random(), 6).failure.is_some(), "six items go around two slots three times");
    let right = check::<3>(random(), 6);
    assert!(right.failure.is_none(), "{}", right.failure.unwrap());
}
