//! The lines that reports tell people to paste, compiled and run.

#[rustfmt::skip]
mod cnq;
#[rustfmt::skip]
mod mpmc;
#[rustfmt::skip]
mod nblfq;

use aqueduct_bench_mpmc as benches;
use aqueduct_measure::report::guide::Guide;
use aqueduct_measure::report::pasted;

const GUIDES: [(&str, Guide); 3] =
    [("mpmc", benches::mpmc::GUIDE), ("cnq", benches::cnq::GUIDE), ("nblfq", benches::nblfq::GUIDE)];

#[test]
fn what_is_recommended_is_what_is_compiled() {
    for (name, guide) in GUIDES {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recommended_code");
        pasted::check(&guide, &format!("{folder}/{name}.rs"));
    }
}
