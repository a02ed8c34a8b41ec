//! The command line asked for something that does not exist or makes no sense.

use std::fmt;

/// What was wrong, and what would be right. Ends the program with the exit code of a wrong command line.
#[derive(Debug)]
pub(crate) struct Misuse(pub(crate) String);

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misuse {}
