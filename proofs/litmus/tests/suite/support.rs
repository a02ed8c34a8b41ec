//! The corpus: litmus programs with the answers of an independent reference.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use aqueduct_litmus::ast::Program;
use aqueduct_litmus::outcome::{Columns, Outcome};
use aqueduct_litmus::parse::parse;
use serde_json::Value;

/// One program of the corpus and its expected answers.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) program: Program,
    expected: Value,
}

pub(crate) fn corpus_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

/// Returns every program of the corpus, in the order of their names.
pub(crate) fn corpus() -> Vec<Case> {
    let expected = fs::read_to_string(corpus_folder().join("expected.json")).expect("expected.json");
    let expected: Value = serde_json::from_str(&expected).expect("expected.json is JSON");
    let expected = expected.as_object().expect("an object").clone();
    let mut cases: Vec<Case> = expected
        .into_iter()
        .map(|(name, expected)| {
            let text = fs::read_to_string(corpus_folder().join(format!("{name}.litmus"))).expect("the program");
            let program = parse(&text).unwrap_or_else(|error| panic!("{name}.litmus:{error}"));
            Case { name, program, expected }
        })
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

impl Case {
    pub(crate) fn racy(&self) -> bool {
        self.expected["racy"].as_bool().expect("racy")
    }

    pub(crate) fn executions(&self) -> Option<u64> {
        self.expected["executions"].as_u64()
    }

    pub(crate) fn sc_executions(&self) -> Option<u64> {
        self.expected["sc_executions"].as_u64()
    }

    pub(crate) fn c11_executions(&self) -> Option<u64> {
        self.expected["executions_c11_release_sequences"].as_u64()
    }

    /// Describes how `outcome` differs from the reference, or returns `None` if they agree.
    pub(crate) fn difference(&self, outcome: &Outcome) -> Option<String> {
        if outcome.racy || self.racy() {
            return (outcome.racy != self.racy()).then(|| format!("racy: {}, expected {}", outcome.racy, self.racy()));
        }
        if Some(outcome.executions) != self.executions() || outcome.blocked != 0 {
            let Outcome { executions, blocked, .. } = outcome;
            return Some(format!("{executions} executions, {blocked} blocked; expected {:?}, 0", self.executions()));
        }
        let (found, expected) = (self.states_found(outcome), self.states_expected());
        (found != expected).then(|| format!("states {found:?}, expected {expected:?}"))
    }

    /// Returns the final states in the reference's columns, which leave out the expected values of
    /// compare-exchanges.
    fn states_found(&self, outcome: &Outcome) -> BTreeSet<Vec<i64>> {
        let columns = Columns::new(&self.program);
        let names: Vec<&str> = columns.names().collect();
        let wanted = self.expected["columns"].as_array().expect("columns").iter();
        let position =
            |name: &Value| names.iter().position(|column| Some(*column) == name.as_str()).expect("the column");
        let positions: Vec<usize> = wanted.map(position).collect();
        let project = |row: &Vec<i32>| positions.iter().map(|position| i64::from(row[*position])).collect();
        columns.rows(&outcome.states).iter().map(project).collect()
    }

    fn states_expected(&self) -> BTreeSet<Vec<i64>> {
        let states = self.expected["states"].as_array().expect("states").iter();
        states
            .map(|row| row.as_array().expect("a row").iter().map(|value| value.as_i64().expect("a number")).collect())
            .collect()
    }
}
