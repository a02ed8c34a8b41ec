//! The names of all that can be measured, and of the requested ones.

use std::fmt::Write;

use aqueduct_bench_spsc::subjects;
use aqueduct_measure::record::Role;

use crate::Misuse;

/// A filter that matches no queue, for `none`: in a plan, an empty filter keeps all.
const NOBODY: &str = "(none)";

/// Returns the filter for our queues.
pub(super) fn ours(asked: &[String]) -> Result<Vec<String>, Misuse> {
    filter(asked, &of(Role::Ours), "queue")
}

/// Returns the filter for the peers.
pub(super) fn peers(asked: &[String]) -> Result<Vec<String>, Misuse> {
    filter(asked, &of(Role::Peer), "peer")
}

/// Returns all names as text.
pub(super) fn list() -> String {
    let mut out = String::new();
    let groups = [("Queues", Role::Ours), ("Peers", Role::Peer), ("Bounds", Role::Bound)];
    for (heading, role) in groups {
        let _ = writeln!(out, "{heading}:");
        for name in of(role) {
            let _ = writeln!(out, "  {name}");
        }
    }
    out
}

fn of(role: Role) -> Vec<&'static str> {
    subjects().iter().filter(|subject| subject.role() == role).map(|subject| subject.name()).collect()
}

/// Returns full names for full names, for parts after the slash, and for crates before it.
fn filter(asked: &[String], valid: &[&str], what: &str) -> Result<Vec<String>, Misuse> {
    if asked == ["none"] {
        return Ok(vec![NOBODY.to_owned()]);
    }
    let mut chosen = Vec::new();
    for name in asked {
        let name = name.trim();
        let fits = |full: &&&str| {
            let parts = full.split_once('/');
            **full == name || parts.is_some_and(|(before, after)| before == name || after == name)
        };
        let before = chosen.len();
        chosen.extend(valid.iter().filter(fits).map(|full| (*full).to_owned()));
        if chosen.len() == before {
            let valid = valid.join(", ");
            return Err(Misuse(format!("there is no {what} `{name}`; there are: {valid}; or `none`")));
        }
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALID: [&str; 3] = ["aqueduct/lamport", "aqueduct/lazy_lamport", "rtrb/ring_buffer"];

    fn chosen(asked: &[&str]) -> Result<Vec<String>, String> {
        let asked: Vec<String> = asked.iter().map(|name| (*name).to_owned()).collect();
        filter(&asked, &VALID, "queue").map_err(|Misuse(why)| why)
    }

    #[test]
    fn a_name_means_one_queue_and_a_crate_all_of_its_queues() {
        assert_eq!(chosen(&["lamport"]).unwrap(), ["aqueduct/lamport"]);
        assert_eq!(chosen(&["aqueduct"]).unwrap(), VALID[..2]);
        assert_eq!(chosen(&["rtrb/ring_buffer", "lamport"]).unwrap(), ["rtrb/ring_buffer", "aqueduct/lamport"]);
        assert_eq!(chosen(&[]).unwrap(), [""; 0]);
        assert_eq!(chosen(&["none"]).unwrap(), [NOBODY]);
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_valid_ones() {
        let why = chosen(&["lamport", "lampert"]).unwrap_err();
        assert!(why.contains("`lampert`") && why.contains("aqueduct/lamport, aqueduct/lazy_lamport"), "{why}");
    }
}
