//! Checks of clients, and the types of their lists.

#![allow(dead_code, unused_imports, reason = "not all tests use all of it")]

mod checks;

pub(crate) use aqueduct::bbq::Geometry;
pub(crate) use aqueduct::cnq::Geometry as Capsules;

use aqueduct_model::Config;
pub(crate) use checks::{Client, check_all, check_orderings, checked, of_client};

/// A name, and a program that has too many executions to explore them all.
pub(crate) type Walk = (&'static str, fn());

/// Each client fails in some execution: what it asks for is not promised.
pub(crate) fn check_failing(clients: &[Client]) {
    for &(name, client, _) in clients {
        let report = checked(&Config::new(), name, client);
        assert!(report.failure.is_some(), "{name} passes: it can be promised");
    }
}

/// Explores some executions of each program, which are picked by chance: ten times as many with `AQUEDUCT_THOROUGH=1`.
pub(crate) fn check_walks(walks: &[Walk]) {
    let executions = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 4000 } else { 400 };
    for &(name, client) in walks {
        let report = checked(&Config::new().random(executions, 11), name, client);
        assert!(report.failure.is_none(), "{name}: {report}");
    }
}
