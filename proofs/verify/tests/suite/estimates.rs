//! Estimates of clients whose numbers of executions are known.

use std::time::Duration;

use aqueduct_model::Config;
use aqueduct_verify::clients;
use aqueduct_verify::tables::counts;

/// Of the intervals of all clients, nine of ten hold the number; of the lower ends, 19 of 20 are
/// below it.
#[test]
fn nine_of_ten_intervals_hold_the_known_number() {
    let (step, rounds) = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { (2, 4) } else { (9, 1) };
    let known = clients::all().into_iter().filter_map(|client| {
        let executions = counts::of(&client.name)?.executions;
        // The clients that stop a thread have runs of a thousand events.
        let is_chosen = (300..5_000).contains(&executions) && !client.big && !client.name.contains("slow");
        is_chosen.then_some((client, executions as f64))
    });
    let (mut all, mut below, mut above, mut bounded) = (0, Vec::new(), Vec::new(), 0);
    for (client, executions) in known.step_by(step) {
        for round in 0..rounds {
            let estimate = client.estimate_by(&Config::new(), 40, 1_000 * round, Duration::MAX);
            all += 1;
            bounded += usize::from(estimate.high.is_finite());
            let told = || format!("{}: {executions}, {estimate}", client.name);
            below.extend((estimate.low > executions).then(told));
            above.extend((estimate.high < executions).then(told));
        }
    }
    println!("{all} intervals, {bounded} with two ends; too high: {below:#?}; too low: {above:#?}");
    assert!(all >= 20 && bounded * 2 > all, "{bounded} of {all} intervals have two ends");
    assert!(below.len() * 20 <= all, "{below:#?}");
    assert!((below.len() + above.len()) * 10 <= all, "{below:#?} {above:#?}");
}
