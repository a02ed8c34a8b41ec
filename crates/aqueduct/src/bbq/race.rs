//! What a thread does that lost a race for a cursor.

use super::cursor::Cursor;
use crate::sync::pause;

/// The races that one operation has lost.
///
/// The loser lets the others get something done: a line that one thread has to itself for a while is cheaper for all than one
/// that all snatch at.
#[derive(Debug)]
pub(super) struct Race {
    /// Spin hints of the next pause; 0 before the first loss.
    moments: u32,
}

/// The spin hints of the first pause, and of the longest.
const FIRST: u32 = 32;
const LONGEST: u32 = 256;

impl Race {
    pub(super) fn new() -> Self {
        Self { moments: 0 }
    }

    /// The exchange of `at`, for `count` entries, found another thread's `actual`. Whether it is to be tried with that at once;
    /// else it pauses, twice as long as the last time, and the cursor is to be looked at again. `last` is what the handle's last
    /// loss has found.
    ///
    /// A handle that loses once in every operation is in no race: it is seldom used, and others were at work in the meantime. Then
    /// a pause would only cost time (half a microsecond, ten times what the operation takes).
    pub(super) fn lost(&mut self, last: &mut Cursor, at: Cursor, count: usize, actual: Cursor) -> bool {
        let since = at.0.wrapping_sub(last.0);
        *last = actual;
        if self.moments == 0 && since <= count {
            self.moments = FIRST;
            return true;
        }
        self.moments = self.moments.max(FIRST);
        pause(self.moments);
        self.moments = (2 * self.moments).min(LONGEST);
        false
    }
}

/// With so many claims between two losses, the threads are not in each other's way.
const APART: usize = 512;

/// As [`Race::lost`], in an operation whose next try cannot fail, so that nothing is to be looked at again. `step` is how long the last
/// pause was: the next one is longer if the loss before is not far away.
pub(super) fn step_back(last: &mut Cursor, step: &mut u32, at: Cursor, count: usize, actual: Cursor) {
    let since = at.0.wrapping_sub(last.0);
    *last = actual;
    if since > count {
        *step = if since < APART * count { (2 * *step).clamp(FIRST, LONGEST) } else { FIRST };
        pause(*step);
    }
}
