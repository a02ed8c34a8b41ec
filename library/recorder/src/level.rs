//! The severity of an event.

use core::fmt;
use core::str::FromStr;

/// The severity of an event. A more severe level is smaller, as in the crates `log` and `tracing`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// An operation failed.
    Error = 1,
    /// An operation may have gone wrong.
    Warn = 2,
    /// Information for users.
    Info = 3,
    /// Information for debugging.
    Debug = 4,
    /// All further details.
    Trace = 5,
}

impl Level {
    const ALL: [(Self, &'static str); 5] = [
        (Self::Error, "error"),
        (Self::Warn, "warn"),
        (Self::Info, "info"),
        (Self::Debug, "debug"),
        (Self::Trace, "trace"),
    ];

    /// Returns the level with this number.
    #[cfg(feature = "std")]
    pub(crate) fn of(number: u64) -> Option<Self> {
        Self::ALL.into_iter().map(|(level, _)| level).find(|level| *level as u64 == number)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Self::ALL[*self as usize - 1].1)
    }
}

impl FromStr for Level {
    type Err = LevelError;

    fn from_str(text: &str) -> Result<Self, LevelError> {
        let found = Self::ALL.into_iter().find(|(_, name)| name.eq_ignore_ascii_case(text));
        found.map(|(level, _)| level).ok_or(LevelError(()))
    }
}

/// The error of a text that is not a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LevelError(());

impl fmt::Display for LevelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the levels are error, warn, info, debug and trace")
    }
}

impl core::error::Error for LevelError {}
