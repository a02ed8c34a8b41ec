//! Checks of clients, and the types of their lists.

#![allow(dead_code, unused_imports, reason = "not all tests use all of it")]

pub(crate) use aqueduct::bbq::Geometry;
pub(crate) use aqueduct::cnq::Geometry as Capsules;

pub(crate) use aqueduct_checks::{Client, Walk, check_all, check_orderings, of_client};

use aqueduct_checks::checked;
use aqueduct_model::Config;

/// Each client fails in some execution: it checks a property that is not promised.
pub(crate) fn check_failing(clients: &[Client]) {
    for &(name, client, _) in clients {
        let report = checked(&Config::new(), name, client);
        assert!(report.failure.is_some(), "{name} passes: it can be promised");
    }
}

/// Explores some executions of each program, which are picked at random: ten times as many with
/// `AQUEDUCT_THOROUGH=1`.
pub(crate) fn check_walks(walks: &[Walk]) {
    let executions = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 4000 } else { 400 };
    aqueduct_checks::check_walks(walks, executions);
}
