//! The command line in clap's form: the common parts of all commands, and the errors of wrong
//! lines.

use std::io::{self, Write};
use std::num::{ParseFloatError, ParseIntError};

use clap::error::{ContextKind, ContextValue};
use clap::{Command, CommandFactory};

use crate::ending::{EXIT_CODES, FAILURE, MISUSE, SUCCESS, complain};
use crate::options::Options;

/// Returns the program's options, commands and help.
#[must_use]
pub fn command() -> Command {
    with_exit_codes(Options::command())
}

/// Adds the exit codes to the end of the help of each command.
fn with_exit_codes(command: Command) -> Command {
    let help = match command.get_after_help() {
        Some(help) => format!("{help}\n\n{EXIT_CODES}"),
        None => EXIT_CODES.to_owned(),
    };
    command.after_help(help).mut_subcommands(with_exit_codes)
}

/// Prints clap's help, version or error, and returns the exit code.
pub(crate) fn tell(told: &clap::Error) -> u8 {
    let code = if told.use_stderr() { MISUSE } else { SUCCESS };
    match told.print().and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&anyhow::Error::new(error).context("standard output"));
            FAILURE
        }
        _ => code,
    }
}

/// Adds the possible values to clap's errors about numbers.
pub(crate) fn explain(mut error: clap::Error) -> clap::Error {
    use std::error::Error;

    let is = |wanted: fn(&(dyn Error + 'static)) -> bool| error.source().is_some_and(wanted);
    let needed = if is(|source| source.is::<ParseIntError>()) {
        "a whole number is needed, such as 1 or 64"
    } else if is(|source| source.is::<ParseFloatError>()) {
        "a number is needed, such as 5 or 0.5"
    } else {
        return error;
    };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![needed.into()]));
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_make_sense_to_clap() {
        command().debug_assert();
    }

    #[test]
    fn every_command_tells_its_exit_codes() {
        fn check(command: &mut Command) {
            let help = command.render_help().to_string();
            assert_eq!(help.matches(EXIT_CODES).count(), 1, "{help}");
            // The command `help` is clap's own.
            command.get_subcommands_mut().filter(|command| command.get_name() != "help").for_each(check);
        }
        check(&mut command());
    }
}
