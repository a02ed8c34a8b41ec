//! The program's exit codes, and the errors that have one of their own.

use std::fmt;
use std::io::Write;

/// The run succeeded.
pub(crate) const SUCCESS: u8 = 0;
/// A measurement, a check or a file failed.
pub(crate) const FAILURE: u8 = 1;
/// The command line was wrong.
pub(crate) const MISUSE: u8 = 2;
/// Ctrl-C stopped the program; the code is a shell's (128 + SIGINT).
pub(crate) const INTERRUPTED: u8 = 130;

/// The exit codes, as the help of every command shows them.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
    0  success
    1  a measurement, a check or a file failed; the message names it
    2  the command line was wrong; the message names the possible values
  130  stopped by Ctrl-C; benches, the switch and `verify --resume` show the results until then";

/// The error of a command line with something that does not exist or makes no sense.
///
/// Its text names the error and the possible values. It ends the program with [`MISUSE`].
#[derive(Debug)]
pub(crate) struct Misuse(pub(crate) String);

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misuse {}

/// Prints an error. Where the standard error cannot be written, the exit code alone reports it.
pub(crate) fn complain(error: &anyhow::Error) {
    let _ = writeln!(anstream::stderr(), "error: {}", words(error));
}

/// Returns an error with its causes. A cause that the text so far contains is left out: some errors
/// include their causes in their own text.
fn words(error: &anyhow::Error) -> String {
    error.chain().skip(1).fold(error.to_string(), |text, cause| {
        let cause = cause.to_string();
        if text.contains(&cause) { text } else { format!("{text}: {cause}") }
    })
}

/// Returns the exit code of an error.
pub(crate) fn code_of(error: &anyhow::Error) -> u8 {
    if error.is::<Misuse>() { MISUSE } else { FAILURE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_is_said_once() {
        let error = anyhow::anyhow!("No such file").context("trace.aq: No such file").context("cannot read the trace");
        assert_eq!(words(&error), "cannot read the trace: trace.aq: No such file");
        assert_eq!(words(&anyhow::anyhow!("cause").context("what")), "what: cause");
    }
}
