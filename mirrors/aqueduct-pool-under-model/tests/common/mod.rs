//! Checks of clients, and the types of their lists.

#![allow(dead_code, unused_imports, reason = "not all tests use all of it")]

#[path = "../../../aqueduct-channel-under-model/tests/common/checks.rs"]
mod checks;

pub(crate) use checks::{Client, check_all, check_orderings, config};

/// A name, and a program that has too many executions to explore them all.
pub(crate) type Walk = (&'static str, fn());

/// Explores some random executions of each program.
pub(crate) fn check_walks(walks: &[Walk]) {
    for &(name, client) in walks {
        let report = config().jobs(2).random(500, 11).check(client);
        assert!(report.failure.is_none(), "{name}: {report}");
    }
}

/// Explores long clients: all of their executions if `AQUEDUCT_THOROUGH` is set, and some otherwise.
pub(crate) fn check_long(clients: &[Client]) {
    if std::env::var_os("AQUEDUCT_THOROUGH").is_some() {
        return check_all(clients);
    }
    let walks: Vec<Walk> = clients.iter().map(|&(name, client, _)| (name, client)).collect();
    check_walks(&walks);
}

/// Explores all executions of each client for relaxed reads that could be exchanged with later relaxed writes: there
/// is none. Clients of many executions run if `AQUEDUCT_THOROUGH` is set.
pub(crate) fn check_load_buffering<'a>(clients: impl IntoIterator<Item = &'a Client>) {
    let most = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { u64::MAX } else { 2_000 };
    let mut pairs = String::new();
    for &(name, client, _) in clients.into_iter().filter(|client| client.2 <= most) {
        let report = config().jobs(2).load_buffering(true).check(client);
        assert!(report.exhaustive, "{name}: {report}");
        for pair in report.load_buffering.into_iter().flatten() {
            pairs += &format!("{name}: {pair}\n");
        }
    }
    assert!(pairs.is_empty(), "\n{pairs}");
}
