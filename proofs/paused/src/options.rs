//! The options of the command line.

use aqueduct_paused::Fault;
use aqueduct_paused::pauses::Mode;
use aqueduct_paused::workouts::{self, Case};
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Runs threads on the library's queues, stops them at bad moments, and checks the results exactly.
///
/// Ends with status 0 if no error was found, 1 if one was found, and 2 if the options name
/// something that does not exist.
#[derive(Parser, Debug)]
pub(crate) struct Options {
    /// The time to run.
    #[arg(long, default_value_t = 60.0, value_parser = seconds)]
    pub(crate) seconds: f64,
    /// The first number of the rounds is 2^32 times this.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(..1 << 32))]
    pub(crate) seed: u64,
    /// The way in which threads run: in turns on one core (a round can be repeated), free, or in
    /// turns and then free.
    #[arg(long, value_enum, default_value_t = Modes::Both)]
    pub(crate) mode: Modes,
    /// Only cases whose names contain this, such as `cnq` or `bbq::mpmc 3x1`.
    #[arg(long)]
    pub(crate) only: Vec<String>,
    /// Switches on a fault of the library's mirror, and runs the cases in which it can show.
    #[arg(long, value_parser = fault)]
    pub(crate) fault: Option<Fault>,
    /// Ends with the first failure.
    #[arg(long)]
    pub(crate) first: bool,
    /// Runs the round of this number only, in turns, in each case.
    #[arg(long)]
    pub(crate) round: Option<u64>,
    /// The number of rounds at a time; by default, one for each of the machine's cores.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) cores: Option<u16>,
    /// Prints the summary as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Commands besides running the workouts.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Looks for each fault with several seeds, each in a process of its own, and prints a table.
    Table(Table),
}

/// The options of a table.
#[derive(Args, Debug)]
pub(crate) struct Table {
    /// The number of seeds for each fault.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub(crate) seeds: u64,
    /// The time for the search with each `seed`.
    #[arg(long, default_value_t = 5.0, value_parser = seconds)]
    pub(crate) seconds: f64,
    /// Only faults whose names contain this.
    #[arg(long, default_value = "")]
    pub(crate) faults: String,
    /// Only cases whose names contain this.
    #[arg(long)]
    pub(crate) only: Vec<String>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Modes {
    Turns,
    Free,
    Both,
}

impl Modes {
    pub(crate) fn each(self) -> &'static [Mode] {
        match self {
            Self::Turns => &[Mode::Turns],
            Self::Free => &[Mode::Free],
            Self::Both => &[Mode::Turns, Mode::Free],
        }
    }
}

impl Options {
    /// Returns the cases that were asked for.
    pub(crate) fn cases(&self) -> Vec<Case> {
        let mut cases = self.fault.map_or_else(workouts::cases, workouts::cases_of);
        let named = |case: &Case| self.only.iter().any(|only| case.to_string().contains(only.as_str()));
        cases.retain(|case| self.only.is_empty() || named(case));
        cases
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().map_err(|_| "it is no number".to_owned())?;
    if (0.01..=1e7).contains(&seconds) { Ok(seconds) } else { Err("it must be from 0.01 to 10,000,000".to_owned()) }
}

fn fault(text: &str) -> Result<Fault, String> {
    let named = Fault::ALL.iter().find(|fault| format!("{fault:?}") == text);
    named.copied().ok_or_else(|| "the library's mirrors have no such fault; `table` lists them".to_owned())
}
