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
        let since = claimed_since(last, at, actual);
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

/// How many entries have been claimed between what a handle's last loss has found, and `at`, which now turned out to be `actual`.
#[inline(always)]
pub(super) fn claimed_since(last: &mut Cursor, at: Cursor, actual: Cursor) -> usize {
    let since = at.0.wrapping_sub(last.0);
    *last = actual;
    since
}

/// How long a handle pauses that has lost a race, where its next try cannot fail, so that it can let the others pass as long as that is
/// of use. It is remembered from one operation to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    moments: u32,
}

/// The spin hints of the longest step back.
const LONGEST_STEP: u32 = 1024;

/// The others make use of a pause with so many spin hints for each of their claims, at most. (They take about one, if they do nothing
/// else.)
const HINTS_OF_A_CLAIM: usize = 8;

impl Step {
    pub(super) const fn new() -> Self {
        Self { moments: FIRST }
    }

    /// Pauses.
    pub(super) fn back(self) {
        pause(self.moments);
    }

    /// The others have made so many claims meanwhile. Whether it is worth while to pause again, for longer.
    pub(super) fn lengthens(&mut self, claims: usize) -> bool {
        let before = self.moments;
        let used = HINTS_OF_A_CLAIM * claims >= before as usize;
        self.moments = if used { (2 * before).min(LONGEST_STEP) } else { FIRST };
        self.moments > before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_grows_while_the_others_make_use_of_it() {
        let mut step = Step::new();
        let claims_of = |moments: u32| (moments as usize).div_ceil(HINTS_OF_A_CLAIM);
        let mut moments = FIRST;
        while moments < LONGEST_STEP {
            assert!(step.lengthens(claims_of(moments)), "{moments}");
            moments *= 2;
            assert_eq!(step.moments, moments);
        }
        assert!(!step.lengthens(claims_of(moments)), "it is the longest");
        assert_eq!(step.moments, LONGEST_STEP, "and stays so");
        assert!(!step.lengthens(claims_of(moments) - 1), "the others have made no use of it");
        assert_eq!(step.moments, FIRST);
    }
}
