//! The `aqueduct` program.

mod bench;
mod compare;
mod interrupt;
mod misuse;
mod options;
mod output;
mod progress;
mod report;
mod vswitch;

use std::process::ExitCode;

use clap::Parser;

use misuse::Misuse;
use options::{Bench, Command, Options};

/// Everything went well.
const SUCCESS: u8 = 0;
/// Something failed: a measurement, a file.
const FAILURE: u8 = 1;
/// The command line was wrong.
const MISUSE: u8 = 2;
/// Stopped by Ctrl-C, as a shell counts it (128 + SIGINT).
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let options = Options::parse();
    let outcome = match options.command.unwrap_or_default() {
        Command::Compare(args) => compare::run(&args),
        Command::Bench(Bench::Spsc(args)) => bench::run(&args),
        Command::Bench(Bench::Bbq(args)) => bench::bbq::run(&args),
        Command::Bench(Bench::DropOld(args)) => bench::drop_old::run(&args),
        Command::Bench(Bench::Exchange(args)) => bench::exchange::run(&args),
        Command::Bench(Bench::Bwos(args)) => bench::bwos::run(&args),
        Command::Bench(Bench::Cnq(args)) => bench::cnq::run(&args),
        Command::Bench(Bench::Nblfq(args)) => bench::nblfq::run(&args),
        Command::Bench(Bench::Model(args)) => bench::model::run(&args),
        Command::Vswitch(args) => vswitch::run(&args),
        Command::Litmus(args) => return aqueduct_litmus::command::run(&args),
        Command::Verify(args) => return aqueduct_verify::command::run(&args),
        Command::Zoo(args) => return aqueduct_zoo::command::run(&args),
        Command::Report(args) => report::run(&args),
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            anstream::eprintln!("aqueduct: {error:#}");
            ExitCode::from(if error.is::<Misuse>() { MISUSE } else { FAILURE })
        }
    }
}
