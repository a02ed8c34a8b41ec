//! Answers as JSON objects, one per line.

use serde_json::{Map, Value, json};

use super::{Answered, Failure};
use crate::outcome::Columns;

/// Formats an answer:
/// `{"name":..,"executions":..,"blocked":..,"racy":..,"states":[..],"condition":..,"seconds":..}`
///
/// A racy program has no meaning, so its other answers are null.
pub(super) fn answer(answered: &Answered) -> Value {
    let outcome = &answered.answer.outcome;
    let unless_racy = |value: Value| if outcome.racy { Value::Null } else { value };
    json!({
        "name": answered.program.name,
        "executions": unless_racy(outcome.executions.into()),
        "blocked": unless_racy(outcome.blocked.into()),
        "racy": outcome.racy,
        "states": unless_racy(states(answered)),
        "condition": outcome.condition(&answered.program),
        "seconds": answered.answer.seconds,
    })
}

/// Formats a failure: `{"name":..,"error":..}`
pub(super) fn failure(failure: &Failure) -> Value {
    json!({ "name": failure.name, "error": failure.message })
}

/// Formats final states, sorted by the values: `[{"0:r0":1,"x":2}, ...]`
fn states(answered: &Answered) -> Value {
    let columns = Columns::new(&answered.program);
    let names: Vec<String> = columns.names().map(str::to_string).collect();
    let rows = columns.rows(&answered.answer.outcome.states).into_iter();
    let object = |row: Vec<i32>| {
        let pairs = names.iter().cloned().zip(row.into_iter().map(Value::from));
        Value::Object(pairs.collect::<Map<String, Value>>())
    };
    Value::Array(rows.map(object).collect())
}
