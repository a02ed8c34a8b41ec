//! What a thread does that lost a race for a cursor.

use crate::sync::pause;

/// The races that one operation has lost.
///
/// The loser lets the others get something done: a line that one thread has to itself for a while is cheaper for all than one
/// that all snatch at.
#[derive(Debug)]
pub(super) struct Race {
    moments: u32,
}

/// The spin hints of the first pause, and of the longest.
const FIRST: u32 = 32;
const LONGEST: u32 = 256;

impl Race {
    pub(super) fn new() -> Self {
        Self { moments: FIRST }
    }

    /// Pauses, twice as long as the last time.
    pub(super) fn lost(&mut self) {
        pause(self.moments);
        self.moments = (2 * self.moments).min(LONGEST);
    }
}
