//! What the counters of the lock-free queue are for.

use aqueduct_model::{Config, Report};
use aqueduct_verify::nblfq::overtaken;

fn check<const BITS: u32>(items: u64) -> Report {
    Config::new().check(move || overtaken::<2, BITS>(items))
}

/// While one push stalls, the others go around two slots as often as the counter has values: its exchange succeeds, at a place
/// that is the end of the queue no more. With one bit more it is not so, nor with fewer items.
#[test]
fn a_narrow_counter_comes_around_and_a_wider_one_does_not() {
    for (items, reports) in [(4, [check::<1>(4), check::<2>(4)]), (8, [check::<2>(8), check::<3>(8)])] {
        let [narrow, wide] = reports;
        println!("{items}: {:?} {:?}", narrow.executions, wide.executions);
        assert!(narrow.failure.is_some(), "{items} items: nothing found in {} executions", narrow.executions);
        assert!(wide.failure.is_none(), "{items} items: {}", wide.failure.unwrap());
        assert!(wide.exhaustive);
    }
    for report in [check::<1>(3), check::<2>(7), check::<16>(8)] {
        assert!(report.failure.is_none() && report.exhaustive, "{}", report.failure.unwrap());
    }
}
