//! Queues that carry pointers stay right when an item gets the memory of an earlier one.

use aqueduct_model::Config;
use aqueduct_verify::clients;
use aqueduct_verify::tables::counts;

const QUEUES: [&str; 3] = ["lamport", "fast_forward", "improved_fast_forward"];

/// Each allocation may get any block that has been freed by then: longer programs take too long.
const PROGRAMS: [&str; 11] = [
    "capacity-1",
    "capacity-2",
    "capacity-3",
    "full-1",
    "full-2",
    "full-3",
    "wait",
    "retry",
    "drop",
    "drop-full",
    "last",
];

#[test]
fn queues_of_pointers_are_right_when_addresses_come_back() {
    let config = Config::new().reuse_addresses(true);
    let mut more = 0;
    for client in clients::all() {
        let Some((queue, program)) = client.name.split_once('/') else { continue };
        if !QUEUES.contains(&queue) || !PROGRAMS.contains(&program) {
            continue;
        }
        let report = client.check(&config);
        assert!(report.failure.is_none() && report.exhaustive, "{}: {report}", client.name);
        let fresh = counts::of(&client.name).expect("it has a row").executions;
        assert!(report.executions >= fresh, "{}: {} of {fresh}", client.name, report.executions);
        more += u32::from(report.executions > fresh);
    }
    assert!(more > 20, "only {more} clients notice");
}
