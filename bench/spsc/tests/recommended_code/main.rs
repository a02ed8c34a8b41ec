//! The lines that reports tell people to paste, compiled and run, and their capacities checked.

#[rustfmt::skip]
mod lines;

use std::num::NonZeroU64;

use aqueduct::spsc;
use aqueduct_bench_spsc::{EXACTLY_BOUNDED, GUIDE, subjects};
use aqueduct_measure::report::pasted;

#[test]
fn what_is_recommended_is_what_is_compiled() {
    pasted::check(&GUIDE, concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recommended_code/lines.rs"));
}

#[test]
fn each_offer_is_a_queue_that_is_measured() {
    let names: Vec<&str> = subjects().iter().map(|subject| subject.name()).collect();
    for offer in GUIDE.needs.iter().flat_map(|need| need.takes) {
        assert!(names.contains(&offer.queue), "{}", offer.queue);
    }
}

/// The number of items that a queue takes.
macro_rules! room {
    ($queue:ident, $capacity:expr, $item:expr) => {{
        let (mut producer, _consumer) = spsc::$queue::new($capacity).unwrap();
        std::iter::repeat_with(|| producer.push($item)).take_while(Result::is_ok).count()
    }};
}

#[test]
fn the_exactly_bounded_queues_are_those_that_are_called_so() {
    let need = GUIDE.needs.iter().find(|need| need.words == EXACTLY_BOUNDED).expect("there is the need");
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
            assert_eq!(room == capacity, need.offer(&queue.into()).is_some(), "{queue}: {room} of {capacity}");
        }
    }
}
