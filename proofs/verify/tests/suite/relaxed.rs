//! The specification of CNQ: it allows what the order's bound allows, and nothing more.

use aqueduct_model::Config;
use aqueduct_model::linearizability::QueueOp::{self, Pop, Push};
use aqueduct_model::linearizability::QueueResult::{self, Busy, Empty, Full, Popped, Pushed};
use aqueduct_model::linearizability::Record;
use aqueduct_verify::clients::cnq::spec::{Relaxed, Shape};
use aqueduct_verify::clients::cnq::world;

/// Whether one thread may see these results after it has pushed 1 to 6.
fn allows(calls: &[(QueueOp<u64>, QueueResult<u64>)]) -> bool {
    let shape = Shape { capsules: 5, size: 1, producers: 2, consumers: 2 };
    let mut record = Record::new(Relaxed::new(shape, 3));
    (1..=6).for_each(|number| _ = record.add(0, Push(number), Pushed, &[]));
    calls.iter().for_each(|(input, output)| _ = record.add(0, *input, *output, &[]));
    record.linearization().is_ok()
}

#[test]
fn the_order_may_be_wrong_by_less_than_k() {
    assert!(allows(&[(Pop, Popped(3)), (Pop, Popped(4)), (Pop, Popped(1)), (Pop, Popped(2))]));
    assert!(!allows(&[(Pop, Popped(4))]), "not among the three oldest");
    assert!(!allows(&[(Pop, Popped(2)), (Pop, Popped(3)), (Pop, Popped(4))]), "the oldest is overtaken a third time");
}

#[test]
fn empty_full_and_busy_have_bounds() {
    let pops = |count: u64| (1..=count).map(|number| (Pop, Popped(number))).collect::<Vec<_>>();
    assert!(allows(&[pops(5), vec![(Pop, Empty)]].concat()));
    assert!(!allows(&[pops(4), vec![(Pop, Empty)]].concat()));
    assert!(allows(&[pops(3), vec![(Push(7), Full)]].concat()));
    assert!(!allows(&[pops(4), vec![(Push(7), Full)]].concat()));
    assert!(allows(&[(Pop, Busy)]), "another consumer has older items");
    assert!(!allows(&[pops(6), vec![(Pop, Busy)]].concat()));
}

/// k cannot be less, neither for items that overtake one nor for items that one overtakes.
#[test]
fn k_is_exact() {
    for name in ["late", "behind", "apart"] {
        let failure = world::with_less_k(name).expect("a client").check(&Config::new()).failure;
        let failure = failure.unwrap_or_else(|| panic!("{name} does with less"));
        assert!(failure.message.contains("not linearizable"), "{name}: {failure}");
    }
}
