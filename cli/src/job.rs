//! The common interface of all commands.

use anyhow::Result;

use crate::{SUCCESS, output};

/// A command with its options.
pub(crate) trait Job {
    /// Describes in a sentence what [`run`](Self::run) would do, without doing it.
    ///
    /// It refuses what `run` would refuse before it begins: names that do not exist, sizes for
    /// which this machine has no memory.
    fn outlook(&self) -> Result<String>;

    /// Runs the command, and returns the exit code.
    fn run(&self) -> Result<u8>;
}

/// Prints the outlook of a job.
pub(crate) fn tell(outlook: &str) -> Result<u8> {
    output::print(&format!("{outlook}\n"))?;
    Ok(SUCCESS)
}
