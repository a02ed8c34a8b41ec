//! Random executions of the corpus against all of them.

use aqueduct_litmus::run::{self, Settings};

use crate::support;

/// Random executions find no state and no race that full exploration does not find. They find all
/// states of programs with few, and most states of the others.
#[test]
fn random_executions_come_to_what_there_is_and_to_most_of_it() {
    const WALKS: u64 = 1_000;
    let settings = Settings::default();
    let (mut there, mut found, mut walks, mut discarded) = (0, 0, 0, 0);
    let mut missed_races = Vec::new();
    for case in support::corpus() {
        let all = run::run(&case.program, &settings).expect("the corpus is small").outcome;
        let config = run::config(&settings).random(WALKS, 17);
        let some = run::run_with(&case.program, &settings, config).expect("the corpus is small").outcome;
        if all.racy != some.racy {
            assert!(all.racy, "{} has no race", case.name);
            missed_races.push(case.name);
            continue;
        }
        if all.racy {
            continue;
        }
        assert!(some.states.is_subset(&all.states), "{}: {:?}", case.name, some.states.difference(&all.states));
        let few = all.states.len() <= 10;
        assert!(
            !few || some.states == all.states,
            "{}: {} of {} states",
            case.name,
            some.states.len(),
            all.states.len()
        );
        (there, found) = (there + all.states.len(), found + some.states.len());
        walks += WALKS;
        discarded += WALKS - some.executions - some.blocked;
    }
    assert!(missed_races.is_empty(), "{missed_races:?}");
    assert!(20 * discarded < walks, "{discarded} of {walks} walks led nowhere");
    assert!(100 * found > 75 * there, "{found} of {there} states");
}
