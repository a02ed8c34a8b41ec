//! All queues of the library with all numbers of threads, a fixed number of rounds each. Free
//! threads, which the system switches, run with the largest number up to four on a side only.
//!
//! `AQUEDUCT_THOROUGH=1` runs ten times as many rounds in turns, and three free ones with all
//! numbers of threads. `AQUEDUCT_PAUSED_ROUNDS=100` runs a hundred times as many of both, with all
//! numbers.

use aqueduct_paused::pauses::Mode;
use aqueduct_paused::workouts::{Case, cases, first_failure};

/// The number of rounds of each case, in turns and free.
const TURNS: u64 = 6;
const FREE: u64 = 1;

/// Returns the numbers of rounds in turns and free, and whether the free ones have all numbers of
/// threads.
fn rounds() -> (u64, u64, bool) {
    if let Ok(times) = std::env::var("AQUEDUCT_PAUSED_ROUNDS") {
        let times: u64 = times.parse().expect("AQUEDUCT_PAUSED_ROUNDS is a number");
        return (TURNS * times, FREE * times, true);
    }
    let all = std::env::var_os("AQUEDUCT_THOROUGH").is_some();
    if all { (10 * TURNS, 3 * FREE, true) } else { (TURNS, FREE, false) }
}

fn keep_their_promises(which: impl Fn(&Case) -> bool) {
    let mut cases = cases();
    cases.retain(which);
    assert!(!cases.is_empty());
    let (turns, free, all) = rounds();
    let mut freed = cases.clone();
    if !all {
        let sum = |case: &Case| case.threads.iter().sum::<usize>();
        let is_less = |case: &Case, other: &Case| case.queue.name == other.queue.name && sum(case) < sum(other);
        freed.retain(|case| case.threads.iter().all(|&threads| threads <= 4));
        let few = freed.clone();
        freed.retain(|case| !few.iter().any(|other| is_less(case, other)));
    }
    for (cases, mode, rounds) in [(&cases, Mode::Turns, turns), (&freed, Mode::Free, free)] {
        if let Some(failure) = first_failure(cases, mode, 0..rounds, None) {
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
    exact: "exact";
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
