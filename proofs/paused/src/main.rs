//! Runs the workouts for a given time on all cores, or looks for faults.
//!
//! ```text
//! cargo run --release -p aqueduct-paused -- --seconds 60 --seed 7
//! cargo run --release -p aqueduct-paused -- --only "cnq::SequencedRing 3x1" --round 30064771072
//! cargo run --release -p aqueduct-paused -- --fault CnqClosesNothing
//! cargo run --release -p aqueduct-paused -- table --seeds 10
//! ```

mod options;
mod run;
mod table;

use std::process::ExitCode;

use clap::Parser;

use options::{Command, Options};

fn main() -> ExitCode {
    let options = Options::parse();
    let found = match &options.command {
        Some(Command::Table(table)) => table::run(table).map(|()| false),
        None => run::run(&options),
    };
    match found {
        Ok(false) => ExitCode::SUCCESS,
        Ok(true) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("aqueduct-paused: {error}");
            ExitCode::from(2)
        }
    }
}
