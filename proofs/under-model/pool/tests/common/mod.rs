//! Checks of clients, and the types of their lists.

#![allow(dead_code, unused_imports, reason = "not all tests use all of it")]

pub(crate) use aqueduct_checks::{Client, Walk, check_orderings, of_client};

use aqueduct_checks::{check_all, checked, what_is_wrong};
use aqueduct_model::Config;

/// Explores some random executions of each program.
pub(crate) fn check_walks(walks: &[Walk]) {
    aqueduct_checks::check_walks(walks, 500);
}

/// Explores long clients: all of their executions if `AQUEDUCT_THOROUGH` is set, and some
/// otherwise.
pub(crate) fn check_long(clients: &[Client]) {
    if std::env::var_os("AQUEDUCT_THOROUGH").is_some() {
        return check_all(clients);
    }
    let walks: Vec<Walk> = clients.iter().map(|&(name, client, _)| (name, client)).collect();
    check_walks(&walks);
}

/// Explores all executions of each client, as [`check_all`] does, for relaxed reads that could be
/// exchanged with later relaxed writes, too: there is none. Clients of many executions are asked
/// for those if `AQUEDUCT_THOROUGH` is set.
pub(crate) fn check_all_and_load_buffering<'a>(clients: impl IntoIterator<Item = &'a Client>) {
    let most = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { u64::MAX } else { 2_000 };
    let mut wrong = String::new();
    for client in clients {
        let report = checked(&Config::new().load_buffering(client.2 <= most), client.0, client.1);
        wrong += &what_is_wrong(client, &report);
        for pair in report.load_buffering.into_iter().flatten() {
            wrong += &format!("{}: {pair}\n", client.0);
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
