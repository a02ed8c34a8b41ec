//! The combined result of several attempts to steal.

use std::cell::Cell;

use aqueduct::bwos::Steal::{self, Empty, Retry, Success};

const ALL: [Steal<u8>; 3] = [Success(1), Empty, Retry];

#[test]
fn a_second_attempt_is_made_if_the_first_one_stole_nothing() {
    for first in ALL {
        for second in [Success(2), Empty, Retry] {
            let asked = Cell::new(0);
            let both = first.or_else(|| {
                asked.set(asked.get() + 1);
                second
            });
            let expected = match (first, second) {
                (Success(_), _) => first,
                (_, Success(_)) => second,
                (Empty, Empty) => Empty,
                _ => Retry,
            };
            assert_eq!((both, asked.get() == 0), (expected, first.is_success()), "{first:?}, {second:?}");
        }
    }
}

#[test]
fn attempts_end_with_the_first_success() {
    let made = Cell::new(0);
    let counted = |attempts: &'static [Steal<u8>]| {
        made.set(0);
        attempts.iter().map(|&attempt| (attempt, made.set(made.get() + 1)).0).collect::<Steal<u8>>()
    };
    assert_eq!((counted(&[]), made.get()), (Empty, 0));
    assert_eq!((counted(&[Empty, Empty]), made.get()), (Empty, 2));
    assert_eq!((counted(&[Retry, Empty]), made.get()), (Retry, 2));
    assert_eq!((counted(&[Empty, Retry, Success(3), Success(4)]), made.get()), (Success(3), 3));
}
