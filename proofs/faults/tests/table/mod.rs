//! The check of a product's faults.

use std::fmt::Debug;

use aqueduct_model::FailureKind;

/// Asserts that each fault is in the table, and that each row's client fails with the row's fault
/// as the row says.
///
/// `failure` explores the client of that name with a fault.
pub(crate) fn check<F: Copy + PartialEq + Debug>(
    all: &[F],
    table: &[(F, &str, FailureKind)],
    failure: impl Fn(&str, Option<F>) -> Option<FailureKind>,
) {
    let mut wrong = String::new();
    for fault in all {
        if !table.iter().any(|row| row.0 == *fault) {
            wrong += &format!("{fault:?} is not in the table\n");
        }
    }
    for &(fault, name, kind) in table {
        // A wrong pool may end the process: this says with which fault.
        eprintln!("{fault:?} in {name}");
        let found = failure(name, Some(fault));
        if found != Some(kind) {
            wrong += &format!("{fault:?} is not found by {name} as {kind:?}, but {found:?}\n");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
