//! Answers as tables for the terminal.

use std::fmt::{self, Display, Formatter};

use super::Answered;
use super::witness::Witness;
use crate::ast::Quantifier;
use crate::outcome::{Columns, Model, Outcome, ReleaseSequences};
use crate::run::Settings;

/// One file's answer as text.
pub(super) struct Table<'a> {
    answered: &'a Answered,
    settings: &'a Settings,
}

impl<'a> Table<'a> {
    pub(super) fn new(answered: &'a Answered, settings: &'a Settings) -> Self {
        Table { answered, settings }
    }

    fn outcome(&self) -> &Outcome {
        &self.answered.answer.outcome
    }

    fn title(&self) -> String {
        let model = match (self.settings.model, self.settings.release_sequences) {
            (Model::Sc, _) => "SC",
            (Model::Rc11, ReleaseSequences::Cpp20) => "RC11",
            (Model::Rc11, ReleaseSequences::C11) => "RC11 with C11 release sequences",
        };
        format!("{} under {model}", self.answered.program.name)
    }

    fn write_states(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let columns = Columns::new(&self.answered.program);
        let names: Vec<&str> = columns.names().collect();
        let rows = columns.rows(&self.outcome().states);
        let cell = |value: &i32| value.to_string();
        let width = |column: usize| {
            let values = rows.iter().map(|row| cell(&row[column]).len());
            values.chain([names[column].len()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..names.len()).map(width).collect();
        write_row(f, names.iter().map(|name| name.to_string()), &widths)?;
        for row in &rows {
            write_row(f, row.iter().map(cell), &widths)?;
        }
        Ok(())
    }

    fn write_condition(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let program = &self.answered.program;
        let holds = self.outcome().condition(program) == Some(true);
        let (states, proposition) = (self.outcome().states.len(), &program.condition.proposition);
        let satisfying = self.outcome().states.iter().filter(|state| state.satisfies(proposition)).count();
        let verdict = if holds { "holds" } else { "does not hold" };
        write!(f, "condition {verdict}: {satisfying} of {} satisfy it", count(states as u64, "final state"))?;
        match program.condition.quantifier {
            Quantifier::Exists => writeln!(f, " (exists)"),
            Quantifier::Forall => writeln!(f, " (forall)"),
            Quantifier::NotExists => writeln!(f, " (~exists)"),
        }
    }
}

impl Display for Table<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let outcome = self.outcome();
        writeln!(f, "{}", self.title())?;
        if outcome.racy {
            writeln!(f, "DATA RACE: the program has no meaning")?;
            return write!(f, "{}", Witness::of_race(self.answered, self.settings));
        }
        self.write_states(f)?;
        let executions = count(outcome.executions, "execution");
        let seconds = self.answered.answer.seconds;
        writeln!(f, "{executions}, {} blocked, no data race, {seconds:.3} s", outcome.blocked)?;
        self.write_condition(f)?;
        if let Some(state) = outcome.telling_state(&self.answered.program) {
            write!(f, "{}", Witness::of_state(self.answered, self.settings, state))?;
        }
        Ok(())
    }
}

fn write_row(f: &mut Formatter<'_>, cells: impl Iterator<Item = String>, widths: &[usize]) -> fmt::Result {
    for (cell, width) in cells.zip(widths) {
        write!(f, "  {cell:>width$}")?;
    }
    writeln!(f)
}

/// Formats a count: "1 state", "2 states".
fn count(number: u64, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
