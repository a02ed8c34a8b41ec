//! Every client has exactly its expected executions, and all of them are right.

use aqueduct_model::Config;
use aqueduct_verify::clients::{self, Client};
use aqueduct_verify::tables::{self, counts, counts::Count};

use crate::explored;

/// A client with more executions runs only with the environment variable `AQUEDUCT_THOROUGH=1`,
/// which the gate sets. These few clients take most of the time.
const FEW: u64 = 500;

#[test]
fn every_client_has_a_row_and_every_row_a_client() {
    if tables::are_rewritten() {
        return;
    }
    let clients: Vec<String> = clients::all().into_iter().map(|client| client.name).collect();
    let rows: Vec<&str> = counts::counts().into_iter().map(|count| count.name).collect();
    assert_eq!(clients, rows, "expected/clients.txt and clients.rs list the same clients in the same order");
}

/// Clients come and go, so the page has their numbers rounded down.
#[test]
fn the_readme_says_how_many_clients_are_explored() {
    let readme = include_str!("../../../../README.md");
    let clients: Vec<Client> = clients::all().into_iter().filter(|client| !client.big).collect();
    let few = clients.iter().filter(|client| explored::size(&client.name) <= FEW).count();
    let hundreds = |count: usize| format!("{},{}00", count / 1000, count / 100 % 10);
    let wanted = format!(
        "all executions of {} small programs that RC11 allows, the gate of {}.",
        hundreds(few),
        hundreds(clients.len())
    );
    assert!(readme.contains(&wanted), "{few} of {}: README.md does not say: {wanted}", clients.len());
}

/// So rewriting the table changes only the rows that have changed.
#[test]
fn the_table_is_written_as_it_is_read() {
    assert_eq!(counts::text(&counts::counts()), counts::TABLE);
}

/// More blocked executions than in the table would be a step back of the checker; fewer are
/// welcome.
#[test]
fn every_client_is_right_and_has_the_expected_count() {
    let (mut wrong, mut rows, mut left) = (String::new(), Vec::new(), 0);
    let all = tables::are_rewritten() || std::env::var_os("AQUEDUCT_THOROUGH").is_some();
    let clients = clients::all();
    let is_large = |client: &Client| explored::size(&client.name) > FEW && counts::of(&client.name).is_some();
    // Big clients take too long here: `aqueduct verify --big` explores them.
    let is_explored = |client: &Client| !client.big && (all || !is_large(client));
    explored::explore(clients.iter().filter(|client| is_explored(client)).map(|client| &*client.name));
    for client in &clients {
        let expected = counts::of(&client.name);
        left += usize::from(is_large(client) && !client.big);
        if !is_explored(client) {
            rows.push(expected.unwrap_or(Count { name: &client.name, executions: 0, blocked: 0 }));
            continue;
        }
        let report = explored::report(&client.name);
        let found = Count { name: &client.name, executions: report.executions, blocked: report.blocked };
        rows.push(found);
        if let Some(failure) = &report.failure {
            wrong += &format!("{}: {failure}\n", client.name);
        } else if !report.exhaustive
            || !tables::are_rewritten()
                && expected.is_none_or(|it| found.executions != it.executions || found.blocked > it.blocked)
        {
            let instead = expected.map(|count| (count.executions, count.blocked));
            wrong += &format!("{:45} {:8} {:5} instead of {instead:?}\n", found.name, found.executions, found.blocked);
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    if !all {
        println!("{left} clients of more than {FEW} executions were left out: AQUEDUCT_THOROUGH=1 runs them");
    }
    if tables::are_rewritten() {
        tables::rewrite("clients.txt", &counts::text(&rows)).expect("the table can be written");
    }
}

/// The search by schedules, with a bound that no client reaches, counts what the search by graphs
/// does.
#[test]
fn a_bound_on_preemptions_that_nothing_reaches_leaves_nothing_out() {
    let most = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 150 } else { 60 };
    let clients = clients::all();
    let is_small = |client: &&Client| !client.big && explored::size(&client.name) <= most;
    let clients: Vec<&Client> = clients.iter().filter(is_small).collect();
    assert!(clients.len() > 300, "{} clients", clients.len());
    let wrong = explored::on_all_cores(&clients, |client| {
        let report = client.check(&Config::new().max_preemptions(1000));
        let expected = counts::of(&client.name).map(|count| (count.executions, true));
        let found = (report.executions, report.exhaustive);
        (Some(found) != expected).then(|| format!("{}: {found:?} instead of {expected:?}\n", client.name))
    });
    let wrong: String = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "\n{wrong}");
}
