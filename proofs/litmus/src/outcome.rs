//! The outcome of a program in numbers: one type for the oracle's answer and for the model
//! checker's.

use std::collections::BTreeSet;

use crate::ast::{Program, Proposition, Quantifier};

/// The memory model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Model {
    /// RC11, repaired C11, without out-of-thin-air values.
    #[default]
    Rc11,
    /// Sequential consistency: some interleaving explains everything.
    Sc,
}

/// The events of a release sequence besides the release write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReleaseSequences {
    /// C++20, and so Rust: read-modify-writes alone.
    #[default]
    Cpp20,
    /// C11 and the original RC11: also later stores of the releasing thread.
    C11,
}

/// The values at the end of one execution.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FinalState {
    /// The values of the registers, per thread and register.
    pub registers: Vec<Vec<i32>>,
    /// Per location, the value that is last in its modification order.
    pub memory: Vec<i32>,
}

/// The sum of all executions of a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// The number of consistent executions in which every thread reaches its end, each counted
    /// once.
    pub executions: u64,
    /// The number of consistent executions in which a loop reached its bound instead.
    pub blocked: u64,
    /// True if some consistent execution has a data race. The program then has no meaning.
    pub racy: bool,
    /// The final states of the complete executions.
    pub states: BTreeSet<FinalState>,
}

impl Outcome {
    /// Returns the outcome of every racy program.
    pub fn racy() -> Self {
        Outcome { racy: true, ..Outcome::default() }
    }

    /// Whether the program's condition holds, or `None` for a racy program.
    pub fn condition(&self, program: &Program) -> Option<bool> {
        let mut holds = self.states.iter().map(|state| state.satisfies(&program.condition.proposition));
        (!self.racy).then(|| match program.condition.quantifier {
            Quantifier::Exists => holds.any(|holds| holds),
            Quantifier::Forall => holds.all(|holds| holds),
            Quantifier::NotExists => !holds.any(|holds| holds),
        })
    }

    /// Returns a state that shows why the condition holds or not: it satisfies an `exists`, or
    /// breaks a `forall` or `~exists`.
    pub fn telling_state(&self, program: &Program) -> Option<&FinalState> {
        let wanted = program.condition.quantifier != Quantifier::Forall;
        self.states.iter().find(|state| state.satisfies(&program.condition.proposition) == wanted)
    }
}

impl FinalState {
    /// Whether `proposition` is true of this state.
    pub fn satisfies(&self, proposition: &Proposition) -> bool {
        match proposition {
            Proposition::Constant(value) => *value,
            Proposition::Register { thread, register, value } => self.registers[*thread][*register] == *value,
            Proposition::Location { location, value } => self.memory[*location] == *value,
            Proposition::Not(inner) => !self.satisfies(inner),
            Proposition::And(left, right) => self.satisfies(left) && self.satisfies(right),
            Proposition::Or(left, right) => self.satisfies(left) || self.satisfies(right),
        }
    }
}

/// The order in which a final state is shown: registers by thread and name, then locations in the
/// program's order.
#[derive(Debug, Clone)]
pub struct Columns {
    columns: Vec<(String, Place)>,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Register(usize, usize),
    Location(usize),
}

impl Columns {
    /// Returns the columns of `program`.
    pub fn new(program: &Program) -> Columns {
        let mut columns = Vec::new();
        for (number, thread) in program.threads.iter().enumerate() {
            let mut registers: Vec<usize> = (0..thread.registers.len()).collect();
            registers.sort_by_key(|register| natural_key(&thread.registers[*register]));
            columns.extend(registers.into_iter().map(|register| {
                (format!("{number}:{}", thread.registers[register]), Place::Register(number, register))
            }));
        }
        let locations = program.locations.iter().enumerate();
        columns.extend(locations.map(|(index, location)| (location.name.clone(), Place::Location(index))));
        Columns { columns }
    }

    /// Returns the columns' names, `0:r0` or `x`.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the values of `state` in this order.
    pub fn values(&self, state: &FinalState) -> Vec<i32> {
        let value = |(_, place): &(String, Place)| match *place {
            Place::Register(thread, register) => state.registers[thread][register],
            Place::Location(location) => state.memory[location],
        };
        self.columns.iter().map(value).collect()
    }

    /// Returns the values of all states, sorted.
    pub fn rows(&self, states: &BTreeSet<FinalState>) -> Vec<Vec<i32>> {
        let mut rows: Vec<Vec<i32>> = states.iter().map(|state| self.values(state)).collect();
        rows.sort();
        rows
    }
}

/// Returns a sort key that puts `r2` before `r10`.
fn natural_key(name: &str) -> (&str, usize, &str) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem, name[stem.len()..].parse().unwrap_or(0), name)
}
