//! The reason for which a task has no result.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::unwind::{self, Payload};

/// The reason for which a [`Task`](super::Task) has no result.
pub struct TaskError(Cause);

enum Cause {
    Aborted,
    /// In a lock, because threads cannot share a payload.
    Panicked(Mutex<Payload>),
}

impl TaskError {
    pub(crate) fn aborted() -> Self {
        Self(Cause::Aborted)
    }

    pub(crate) fn panicked(payload: Payload) -> Self {
        Self(Cause::Panicked(Mutex::new(payload)))
    }

    /// Whether the task was aborted.
    #[must_use]
    pub fn is_aborted(&self) -> bool {
        matches!(self.0, Cause::Aborted)
    }

    /// Whether the task panicked.
    #[must_use]
    pub fn is_panic(&self) -> bool {
        matches!(self.0, Cause::Panicked(_))
    }

    /// Returns the panic's payload.
    ///
    /// # Errors
    /// This error, if the task did not panic.
    ///
    /// # Examples
    /// ```
    /// use aqueduct_pool::task;
    ///
    /// let error = task::block_on(task::spawn(async { panic!("as it is") })).expect_err("it panics");
    /// let payload = error.try_into_panic().expect("it panicked");
    /// assert_eq!(payload.downcast_ref(), Some(&"as it is"));
    /// ```
    pub fn try_into_panic(self) -> Result<Box<dyn Any + Send + 'static>, Self> {
        match self.0 {
            Cause::Panicked(payload) => Ok(payload.into_inner().unwrap_or_else(PoisonError::into_inner)),
            Cause::Aborted => Err(self),
        }
    }

    /// Resumes the task's panic, or panics because the task was aborted.
    ///
    /// # Panics
    /// Always.
    pub fn resume(self) -> ! {
        match self.try_into_panic() {
            Ok(payload) => unwind::resume(payload),
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns the message of the panic, if it is text.
    fn message(&self) -> Option<String> {
        let Cause::Panicked(payload) = &self.0 else { return None };
        let payload = payload.lock().unwrap_or_else(PoisonError::into_inner);
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| payload.downcast_ref::<String>().cloned())
    }
}

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.is_aborted(), self.message()) {
            (true, _) => f.write_str("the task was aborted"),
            (false, Some(message)) => write!(f, "the task panicked: {message}"),
            (false, None) => f.write_str("the task panicked"),
        }
    }
}

impl fmt::Debug for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.is_aborted(), self.message()) {
            (true, _) => f.write_str("Aborted"),
            (false, message) => f.debug_tuple("Panicked").field(&message).finish(),
        }
    }
}

impl Error for TaskError {}
