//! Several attempts to steal, as one.

use super::steal::Steal;

impl<T> Steal<T> {
    /// Whether this is [`Steal::Success`].
    #[must_use]
    pub const fn is_success(&self) -> bool {
        matches!(self, Self::Success(_))
    }

    /// Makes another attempt unless this one stole something.
    ///
    /// If neither stole, the result is [`Retry`](Self::Retry) if either attempt was.
    pub fn or_else(self, attempt: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Success(item) => Self::Success(item),
            Self::Empty => attempt(),
            Self::Retry => match attempt() {
                Self::Empty => Self::Retry,
                other => other,
            },
        }
    }
}

impl<T> FromIterator<Self> for Steal<T> {
    /// Makes attempts until one of them steals.
    ///
    /// If none does, the result is [`Retry`](Self::Retry) if any of them was.
    ///
    /// # Examples
    /// ```
    /// use aqueduct::bwos::{Steal, lifo};
    ///
    /// let queues = [lifo::new(1000)?, lifo::new(1000)?].map(|(mut owner, stealer)| {
    ///     assert_eq!(owner.push_slice(&[1; 900]), 900);
    ///     (owner, stealer)
    /// });
    /// let stolen: Steal<i32> = queues.iter().map(|(_, stealer)| stealer.steal()).collect();
    /// assert_eq!(stolen, Steal::Success(1));
    /// # Ok::<(), aqueduct::error::CapacityError>(())
    /// ```
    fn from_iter<I: IntoIterator<Item = Self>>(attempts: I) -> Self {
        let mut best = Self::Empty;
        for attempt in attempts {
            match attempt {
                Self::Success(item) => return Self::Success(item),
                Self::Retry => best = Self::Retry,
                Self::Empty => {}
            }
        }
        best
    }
}
