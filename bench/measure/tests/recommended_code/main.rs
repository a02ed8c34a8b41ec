//! The code that the recommendations suggest, compiled and run, and what they say of bounds.

#[rustfmt::skip]
mod families;
#[rustfmt::skip]
mod one_to_one;

use std::num::NonZeroU64;

use aqueduct::spsc;
use aqueduct_measure::report::recommend::EXACTLY_BOUNDED;

/// The number of items that a queue takes.
macro_rules! room {
    ($queue:ident, $capacity:expr, $item:expr) => {{
        let (mut producer, _consumer) = spsc::$queue::new($capacity).unwrap();
        std::iter::repeat_with(|| producer.push($item)).take_while(Result::is_ok).count()
    }};
}

#[test]
fn the_exactly_bounded_queues_are_those_that_are_called_so() {
    for capacity in [1, 7, 8, 100, 4096] {
        let item = NonZeroU64::MIN;
        let rooms = [
            ("aqueduct/lamport", room!(lamport, capacity, 1)),
            ("aqueduct/lazy_lamport", room!(lazy_lamport, capacity, 1)),
            ("aqueduct/batched_lamport", room!(batched_lamport, capacity, 1)),
            ("aqueduct/ring", room!(ring, capacity, 1_u64)),
            ("aqueduct/fast_forward", room!(fast_forward, capacity, item)),
            ("aqueduct/improved_fast_forward", room!(improved_fast_forward, capacity, item)),
            ("aqueduct/batched_improved_fast_forward", room!(batched_improved_fast_forward, capacity, item)),
        ];
        for (queue, room) in rooms {
            assert_eq!(room == capacity, EXACTLY_BOUNDED.contains(&queue), "{queue}: {room} of {capacity}");
        }
    }
}
