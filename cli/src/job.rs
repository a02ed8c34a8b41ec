//! The common interface of all commands.

use anyhow::Result;

use crate::options::{Bench, Command};
use crate::{SUCCESS, output};

/// A command with its options.
pub(crate) trait Job {
    /// Describes in a sentence what [`run`](Self::run) would do, without doing it.
    ///
    /// It refuses what `run` would refuse before it begins: names that do not exist, sizes for which this
    /// machine has no memory.
    fn outlook(&self) -> Result<String>;

    /// Runs the command, and returns the exit code.
    fn run(&self) -> Result<u8>;
}

/// Returns the job of a command.
pub(crate) fn of(command: Command) -> Box<dyn Job> {
    match command {
        Command::Compare(args) => Box::new(args),
        Command::Bench(Bench::Spsc(args)) => Box::new(args),
        Command::Bench(Bench::Mpmc(args)) => Box::new(args),
        Command::Bench(Bench::Channel(args)) => Box::new(args),
        Command::Bench(Bench::DropOld(args)) => Box::new(args),
        Command::Bench(Bench::Pool(args)) => Box::new(args),
        Command::Bench(Bench::Recorder(args)) => Box::new(args),
        Command::Bench(Bench::Records(args)) => Box::new(args),
        Command::Bench(Bench::Shm(args)) => Box::new(args),
        Command::Bench(Bench::Exchange(args)) => Box::new(args),
        Command::Bench(Bench::Steal(args)) => Box::new(args),
        Command::Bench(Bench::Cnq(args)) => Box::new(args),
        Command::Bench(Bench::Nblfq(args)) => Box::new(args),
        Command::Bench(Bench::Model(args)) => Box::new(args),
        Command::Vswitch(args) => Box::new(args),
        Command::Litmus(args) => Box::new(args),
        Command::Verify(args) => Box::new(args),
        Command::Zoo(args) => Box::new(args),
        Command::Paper(args) => Box::new(args),
        Command::Trace(args) => Box::new(args),
        Command::Report(args) => Box::new(args),
    }
}

/// Prints the outlook of a job.
pub(crate) fn tell(outlook: &str) -> Result<u8> {
    output::print(&format!("{outlook}\n"))?;
    Ok(SUCCESS)
}
