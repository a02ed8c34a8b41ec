//! `aqueduct litmus`, `verify` and `zoo`: the commands of the model checker.
//!
//! Their crates write to a stream and return whether all was right. For options that make no sense
//! they return `InvalidInput`, and after an interrupt by Ctrl-C `Interrupted`, when they have
//! written their results.

use std::io::{self, ErrorKind};

use anyhow::Result;
pub(crate) use aqueduct_litmus::command::LitmusArgs;
pub(crate) use aqueduct_verify::command::VerifyArgs;
pub(crate) use aqueduct_zoo::command::ZooArgs;

use aqueduct_litmus::command as litmus;
use aqueduct_verify::command as verify;
use aqueduct_zoo::command as zoo;

use crate::job::Job;
use crate::{FAILURE, INTERRUPTED, Misuse, SUCCESS, input};

impl Job for LitmusArgs {
    fn outlook(&self) -> Result<String> {
        self.files.iter().try_for_each(|file| input::check(file))?;
        litmus::outlook(self).map_err(told)
    }

    fn run(&self) -> Result<u8> {
        self.files.iter().try_for_each(|file| input::check(file))?;
        code(litmus::write_answers(self, &mut io::stdout().lock()).map(|failures| failures == 0))
    }
}

impl Job for VerifyArgs {
    fn outlook(&self) -> Result<String> {
        check_inputs(self)?;
        verify::outlook(self).map_err(told)
    }

    fn run(&self) -> Result<u8> {
        check_inputs(self)?;
        code(verify::write(self, &mut io::stdout().lock()))
    }
}

impl Job for ZooArgs {
    fn outlook(&self) -> Result<String> {
        zoo::outlook(self).map_err(told)
    }

    fn run(&self) -> Result<u8> {
        code(zoo::write(self, &mut io::stdout().lock()))
    }
}

fn check_inputs(args: &VerifyArgs) -> Result<()> {
    [&args.divided.task, &args.resume].into_iter().flatten().try_for_each(|file| input::check(file))
}

/// Returns the exit code of a command that returns whether all was right.
fn code(outcome: io::Result<bool>) -> Result<u8> {
    match outcome {
        Ok(true) => Ok(SUCCESS),
        Ok(false) => Ok(FAILURE),
        // The results have been written.
        Err(error) if error.kind() == ErrorKind::Interrupted => Ok(INTERRUPTED),
        // The reader of the output has closed it, and the rest was not checked.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(FAILURE),
        Err(error) => Err(told(error)),
    }
}

fn told(error: io::Error) -> anyhow::Error {
    if error.kind() == ErrorKind::InvalidInput { Misuse(error.to_string()).into() } else { error.into() }
}
