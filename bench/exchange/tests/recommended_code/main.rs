//! The lines that reports tell people to paste, compiled and run.

#[rustfmt::skip]
mod drop_old;
#[rustfmt::skip]
mod exchange;
#[rustfmt::skip]
mod records;

use aqueduct_bench_exchange as benches;
use aqueduct_measure::report::guide::Guide;
use aqueduct_measure::report::pasted;

const GUIDES: [(&str, Guide); 3] = [
    ("drop_old", benches::drop_old::GUIDE),
    ("exchange", benches::exchange::GUIDE),
    ("records", benches::records::GUIDE),
];

#[test]
fn what_is_recommended_is_what_is_compiled() {
    for (name, guide) in GUIDES {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recommended_code");
        pasted::check(&guide, &format!("{folder}/{name}.rs"));
    }
}
