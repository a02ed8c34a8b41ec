//! The error of a pool that could not be made.

use std::error::Error;
use std::fmt;
use std::io;

/// The reason for which a pool could not be made.
#[derive(Debug)]
pub struct ThreadPoolBuildError {
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Initialized,
    InPool,
    Io(io::Error),
}

impl ThreadPoolBuildError {
    pub(crate) fn initialized() -> Self {
        Self { kind: Kind::Initialized }
    }

    pub(crate) fn in_pool() -> Self {
        Self { kind: Kind::InPool }
    }

    pub(crate) fn io(error: io::Error) -> Self {
        Self { kind: Kind::Io(error) }
    }

    /// Whether the system has no threads.
    pub(crate) fn is_unsupported(&self) -> bool {
        matches!(&self.kind, Kind::Io(error) if error.kind() == io::ErrorKind::Unsupported)
    }
}

impl Error for ThreadPoolBuildError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            Kind::Initialized | Kind::InPool => None,
            Kind::Io(error) => Some(error),
        }
    }
}

impl fmt::Display for ThreadPoolBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            // Programs compare these texts with rayon's.
            Kind::Initialized => f.write_str("The global thread pool has already been initialized."),
            Kind::InPool => f.write_str("The current thread is already part of another thread pool."),
            Kind::Io(error) => error.fmt(f),
        }
    }
}
