//! What the counters of the lock-free queue are for.

use aqueduct_model::{Config, Report};
use aqueduct_verify::VerifyArgs;
use aqueduct_verify::command::write;
use aqueduct_verify::nblfq::{overtaken, stalls};
use clap::Parser;

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    args: VerifyArgs,
}

fn check<const BITS: u32>(config: Config, items: u64) -> Report {
    let report = config.check(move || overtaken::<2, BITS>(items));
    println!("{BITS} {items} {} {:.2} {:?}", report.executions, report.seconds, report.failure.is_some());
    report
}

#[test]
fn survey() {
    let random = || Config::new().random(100_000, 7);
    check::<1>(Config::new(), 1);
    check::<1>(Config::new(), 2);
    check::<2>(Config::new(), 2);
    check::<2>(random(), 6);
    check::<3>(random(), 6);
    for subject in stalls() {
        let table = subject.table();
        println!("{table} {}", table.is_right());
    }
    for words in ["nblfq", "nblfq --minimal"] {
        let program = Program::try_parse_from(["verify"].into_iter().chain(words.split_whitespace())).unwrap();
        let mut out = Vec::new();
        let well = write(&program.args, &mut out);
        println!("{well:?} {}", String::from_utf8(out).unwrap());
    }
}
