//! Every client has exactly the executions that it should have, and all of them are right.

use aqueduct_model::Config;
use aqueduct_verify::clients;
use aqueduct_verify::expected;

#[test]
fn every_client_has_a_row_and_every_row_a_client() {
    let clients: Vec<String> = clients::all().into_iter().map(|client| client.name).collect();
    let rows: Vec<&str> = expected::counts().into_iter().map(|count| count.name).collect();
    assert_eq!(clients, rows, "expected/clients.txt and clients.rs list the same clients in the same order");
}

/// More blocked executions than the table says would be a step back of the checker; fewer are welcome.
#[test]
fn every_client_is_right_and_has_the_expected_count() {
    let mut wrong = String::new();
    for client in clients::all().iter().filter(|client| !client.big) {
        let report = client.check(&Config::new().jobs(2));
        let expected = expected::of(&client.name).map(|count| (count.executions, count.blocked));
        let found = (report.executions, report.blocked);
        if let Some(failure) = report.failure {
            wrong += &format!("{}: {failure}\n", client.name);
        } else if !report.exhaustive
            || expected.is_none_or(|(executions, blocked)| found.0 != executions || found.1 > blocked)
        {
            wrong += &format!("{:45} {:8} {:5} instead of {expected:?}\n", client.name, found.0, found.1);
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
