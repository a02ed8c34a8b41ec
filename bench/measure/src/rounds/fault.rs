//! Why a measurement is invalid.

use std::fmt;

/// Why a measurement is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The queue could not be made as asked.
    Refused(String),
    /// The run did not end within the plan's patience, and items were still to be pushed.
    Stuck {
        /// Items that were popped until then.
        popped: u64,
        /// Items that were to be popped.
        wanted: u64,
    },
    /// Items were lost, repeated or changed.
    WrongItems {
        /// Items that were popped.
        popped: u64,
        /// Items that were to be popped.
        wanted: u64,
        /// Sum of the popped numbers.
        sum: u64,
        /// Sum of the pushed numbers.
        expected: u64,
    },
    /// A call on a single thread returned a wrong answer, which the text describes.
    WrongAnswer(&'static str),
    /// A thread panicked with this message.
    Panicked(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) => write!(formatter, "refused: {why}"),
            Self::Stuck { popped, wanted } => write!(formatter, "stuck after {popped} of {wanted} items"),
            Self::WrongItems { popped, wanted, sum, expected } => {
                write!(
                    formatter,
                    "items were lost, repeated or changed: {popped} of {wanted} came, their sum is {sum}, not {expected}"
                )
            }
            Self::WrongAnswer(what) => formatter.write_str(what),
            Self::Panicked(text) => write!(formatter, "a thread panicked: {text}"),
        }
    }
}

impl std::error::Error for Fault {}
