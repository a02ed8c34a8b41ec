//! The lines that reports tell people to paste, compiled and run.

#[rustfmt::skip]
mod lines;

use aqueduct_bench_steal::{GUIDE, subjects};
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
