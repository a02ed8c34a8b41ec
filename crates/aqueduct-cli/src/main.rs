//! The `aqueduct` program.

mod options;
mod output;
mod report;

use std::process::ExitCode;

use clap::Parser;

use options::{Command, Options};

/// Everything went well.
const SUCCESS: u8 = 0;
/// Something failed: a measurement, a file.
const FAILURE: u8 = 1;

fn main() -> ExitCode {
    let options = Options::parse();
    let outcome = match options.command {
        Some(Command::Report(args)) => report::run(&args),
        None => Ok(SUCCESS),
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            anstream::eprintln!("aqueduct: {error:#}");
            ExitCode::from(FAILURE)
        }
    }
}
