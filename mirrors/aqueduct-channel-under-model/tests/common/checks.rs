//! Checks of clients: every execution of each passes, and their number is known.

#![allow(dead_code, reason = "not all tests use all of it")]

use std::fs;

use aqueduct_model::Config;
use aqueduct_model::minimal::{self, Minimizer};

/// A name, a program, and how many executions it has.
pub(crate) type Client = (&'static str, fn(), u64);

/// Explores all executions of each client.
pub(crate) fn check_all(clients: &[Client]) {
    let mut wrong = String::new();
    for &(name, client, expected) in clients {
        let report = Config::new().jobs(2).check(client);
        if let Some(failure) = &report.failure {
            wrong += &format!("{name} fails: {failure}\n");
        } else if !report.exhaustive || report.executions != expected {
            wrong += &format!("{name} has {} executions, and not {expected}\n", report.executions);
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Weakens each ordering that the source names below this folder: some client has to fail. `stronger` of them are not
/// relaxed.
pub(crate) fn check_orderings(clients: &[Client], folder: &str, stronger: usize) {
    minimize(clients.iter().map(minimized).collect(), folder, stronger);
}

/// Weakens each ordering that the source names below this folder: some client has to fail, or to have a relaxed read
/// that could be exchanged with a later relaxed write. As the source is written, none has one.
pub(crate) fn check_orderings_without_load_buffering(clients: &[Client], folder: &str, stronger: usize) {
    let clients = clients.iter().map(minimized);
    let clients = clients.clone().chain(clients.map(minimal::Client::against_load_buffering)).collect();
    minimize(clients, folder, stronger);
}

fn minimized(&(name, client, _): &Client) -> minimal::Client {
    minimal::Client::new(name, client)
}

fn minimize(clients: Vec<minimal::Client>, folder: &str, stronger: usize) {
    let is_ours = |file: &str, line: u32| {
        file.contains(folder) && {
            let text = fs::read_to_string(format!("../../{}", file.trim_start_matches("../")))
                .or_else(|_| fs::read_to_string(file))
                .expect("the source can be read");
            let line = text.lines().nth(line as usize - 1).expect("the line is there");
            line.contains("Ordering::") || line.contains("fences::")
        }
    };
    let table = Minimizer::new(Config::new().jobs(2), clients).only(|site| is_ours(site.file, site.line)).table();
    let table = table.unwrap_or_else(|broken| panic!("{broken}"));
    let strong: Vec<String> = table.too_strong().map(|row| row.site.to_string()).collect();
    assert!(strong.is_empty(), "no client needs: {strong:#?}");
    let needed: Vec<String> =
        table.rows.iter().filter(|row| !row.weaker.is_empty()).map(|row| row.site.to_string()).collect();
    assert_eq!(needed.len(), stronger, "orderings of {folder} that the clients need: {needed:#?}");
}
