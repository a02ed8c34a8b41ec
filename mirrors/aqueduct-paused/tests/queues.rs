//! All queues of the library with all numbers of threads, a fixed number of rounds each.
//!
//! `AQUEDUCT_THOROUGH=1` runs three times as many, `AQUEDUCT_PAUSED_ROUNDS=100` a hundred times as many.

use aqueduct_paused::pauses::Mode;
use aqueduct_paused::workouts::{Case, cases, first_failure};

/// The number of rounds of each case, in turns and free.
const TURNS: u64 = 20;
const FREE: u64 = 1;

fn times() -> u64 {
    let times = std::env::var("AQUEDUCT_PAUSED_ROUNDS");
    let usual = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 3 } else { 1 };
    times.map_or(usual, |times| times.parse().expect("AQUEDUCT_PAUSED_ROUNDS is a number"))
}

fn keep_their_promises(which: impl Fn(&Case) -> bool) {
    let mut cases = cases();
    cases.retain(which);
    assert!(!cases.is_empty());
    for (mode, rounds) in [(Mode::Turns, TURNS), (Mode::Free, FREE)] {
        if let Some(failure) = first_failure(&cases, mode, 0..rounds * times(), None) {
            panic!("{failure}\nagain: aqueduct-paused --only \"{}\" --round {}", failure.case, failure.round);
        }
    }
}

macro_rules! families {
    ($($name:ident: $prefix:literal;)*) => {$(
        #[test]
        fn $name() {
            keep_their_promises(|case| case.queue.name.starts_with($prefix));
        }
    )*};
}

families! {
    bbq: "bbq";
    faaq: "faaq";
    records: "records";
    drop_old: "drop_old";
    tubes: "tube";
    cnq: "cnq";
    nblfq: "nblfq";
    unbounded: "unbounded";
    bwos: "bwos";
    spsc: "spsc";
}

/// A round that is run again from its number repeats itself.
#[test]
fn a_round_in_turns_is_the_same_each_time() {
    for case in cases() {
        let run = || case.run(Mode::Turns, 3, None);
        let (first, again) = (run(), run());
        assert_eq!(first.points, again.points, "{case}");
        assert_eq!(first.result.is_ok(), again.result.is_ok(), "{case}");
    }
}
