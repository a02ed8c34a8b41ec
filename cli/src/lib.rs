//! The program `aqueduct`, as a library, so that tests can enumerate its options.

#[cfg(not(all(
    feature = "channels",
    feature = "checkers",
    feature = "pools",
    feature = "processes",
    feature = "recorders"
)))]
mod absent;
mod bench;
mod checkers;
mod command_line;
mod compare;
mod cores;
mod ending;
mod guides;
mod input;
mod interrupt;
mod job;
mod options;
mod output;
mod paper;
mod progress;
mod report;
mod trace;
mod vswitch;

use std::process::ExitCode;

use clap::FromArgMatches;

pub use command_line::command;
use ending::{FAILURE, INTERRUPTED, Misuse, SUCCESS};
use options::Options;

/// Runs the command of the command line.
#[must_use]
pub fn main() -> ExitCode {
    let matches = command().try_get_matches().map_err(command_line::explain);
    let options = match matches.and_then(|matches| Options::from_arg_matches(&matches)) {
        Ok(options) => options,
        Err(error) => return ExitCode::from(command_line::tell(&error)),
    };
    let job = options.command.unwrap_or_default().job();
    let outcome = if options.dry_run { job.outlook().and_then(|text| job::tell(&text)) } else { job.run() };
    ExitCode::from(outcome.unwrap_or_else(|error| {
        ending::complain(&error);
        ending::code_of(&error)
    }))
}
