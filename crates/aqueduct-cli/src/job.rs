//! What every command can do: say what it comes to, and do it.

use anyhow::Result;

use crate::options::{Bench, Command};
use crate::{SUCCESS, output};

/// A command with its options.
pub(crate) trait Job {
    /// Says in a sentence what [`run`](Self::run) would do, and does none of it.
    ///
    /// Refuses what `run` would refuse before it begins: names that do not exist, sizes for which this machine has no
    /// memory.
    fn outlook(&self) -> Result<String>;

    /// Does it, and says with which code to exit.
    fn run(&self) -> Result<u8>;
}

/// Returns the job that a command stands for.
pub(crate) fn of(command: Command) -> Box<dyn Job> {
    match command {
        Command::Compare(args) => Box::new(args),
        Command::Bench(Bench::Spsc(args)) => Box::new(args),
        Command::Bench(Bench::Bbq(args)) => Box::new(args),
        Command::Bench(Bench::DropOld(args)) => Box::new(args),
        Command::Bench(Bench::Records(args)) => Box::new(args),
        Command::Bench(Bench::Exchange(args)) => Box::new(args),
        Command::Bench(Bench::Bwos(args)) => Box::new(args),
        Command::Bench(Bench::Cnq(args)) => Box::new(args),
        Command::Bench(Bench::Nblfq(args)) => Box::new(args),
        Command::Bench(Bench::Model(args)) => Box::new(args),
        Command::Vswitch(args) => Box::new(args),
        Command::Litmus(args) => Box::new(args),
        Command::Verify(args) => Box::new(args),
        Command::Zoo(args) => Box::new(args),
        Command::Report(args) => Box::new(args),
    }
}

/// Prints the outlook of a job.
pub(crate) fn tell(outlook: &str) -> Result<u8> {
    output::print(&format!("{outlook}\n"))?;
    Ok(SUCCESS)
}
