//! Backoff after a lost race for a word: pause while the other threads make progress.

use super::Backoff;
use crate::sync::pause;

/// The races that one operation has lost.
#[derive(Debug, Default)]
pub(crate) struct Race {
    lost: bool,
}

/// A handle's memory of lost races, kept from one operation to the next.
///
/// The loser lets the others make progress: a line that one thread has to itself for a while is
/// cheaper for all threads than a line that all contend for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contention {
    /// The value that the handle found in the word when it last lost a race.
    found: usize,
    /// The length of the next pause, in spin hints.
    moments: u32,
    longest: u32,
}

/// The spin hints of the first pause.
const FIRST: u32 = 32;
/// The spin hints of the shortest pause.
const SHORTEST: u32 = 4;
/// The spin hints of the longest pause.
///
/// Each pause after a lost race is twice as long as the one before, so all of them together are
/// shorter than two of the longest.
const LONGEST: u32 = 1024;

/// The most spin hints per claim of the others at which a pause counts as used.
///
/// (A claim takes about one, if the others do nothing else.) A contended claim takes up to five: if
/// that did not count as use, the pauses of many threads, once short, would stay short. A claim of
/// a thread that has 100 ns of work of its own takes seven.
pub(crate) const HINTS_OF_A_CLAIM: usize = 6;
/// The limit of [`HINTS_OF_A_CLAIM`] for records. Consumers find and mark records in lines that
/// others mark, too, so a record's claim waits for three lines.
pub(crate) const HINTS_OF_A_RECORD: usize = 24;
/// The number of entries for which a claim may take one more spin hint, because they are copied.
const ENTRIES_OF_A_HINT: usize = 2;

/// A value that no contended word has.
const NONE: usize = usize::MAX;

impl Contention {
    pub(crate) const fn new() -> Self {
        Self { found: NONE, moments: FIRST, longest: LONGEST }
    }

    pub(crate) fn set(&mut self, backoff: Backoff) {
        (self.moments, self.longest) = match backoff {
            Backoff::Adaptive => (FIRST, LONGEST),
            Backoff::Never => (0, 0),
        };
    }

    /// Returns the memory to keep on entering the next block.
    pub(crate) const fn in_next_block(self) -> Self {
        Self { found: NONE, ..self }
    }

    /// Handles a lost exchange of `at`, for `count` entries, that found another thread's `actual`.
    ///
    /// Returns `false` if the caller should try at once with `actual`. Otherwise backs off: pauses,
    /// calls `look`, and pauses again while the others make progress. `hints` are the spin hints of
    /// a claim of one entry.
    ///
    /// `look` returns how many entries the others have claimed since it was called before, or since
    /// `actual`; `None` if they are in another block.
    ///
    /// A handle that loses once in every operation does not contend: it is seldom used, and others
    /// were at work in the meantime. Then a backoff would only cost time, many times the cost of
    /// the operation.
    #[inline(always)]
    pub(crate) fn lost(
        &mut self,
        race: &mut Race,
        at: usize,
        count: usize,
        actual: usize,
        hints: usize,
        look: impl FnMut() -> Option<usize>,
    ) -> bool {
        let claimed_since = at.wrapping_sub(self.found);
        self.found = actual;
        let first = !core::mem::replace(&mut race.lost, true);
        if first && claimed_since <= count {
            return false;
        }
        self.let_pass(count, hints, look);
        true
    }

    /// Pauses while the others make progress. They claim `count` entries at a time.
    #[cold]
    #[inline(never)]
    fn let_pass(&mut self, count: usize, hints: usize, mut look: impl FnMut() -> Option<usize>) {
        let hints = hints + (count - 1) / ENTRIES_OF_A_HINT;
        loop {
            pause(self.moments);
            let Some(entries) = look() else { return };
            if !self.lengthens(entries / count, hints) {
                return;
            }
        }
    }

    /// Whether another, longer pause is worth its time, given the others' claims in the last one,
    /// of `hints` hints each.
    fn lengthens(&mut self, claims: usize, hints: usize) -> bool {
        let before = self.moments;
        let used = claims * hints >= before as usize;
        self.moments = if used { 2 * before } else { FIRST.min(before / 2).max(SHORTEST) }.min(self.longest);
        self.moments > before && used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_that_never_backs_off_tries_again_at_once() {
        let mut contention = Contention::new();
        contention.set(Backoff::Never);
        for claims in [0, 1, 100] {
            assert!(!contention.lengthens(claims, HINTS_OF_A_CLAIM));
            assert_eq!(contention.moments, 0);
        }
    }

    #[test]
    fn a_contention_grows_while_the_others_make_use_of_it() {
        let mut contention = Contention::new();
        let claims_of = |moments: u32| (moments as usize).div_ceil(HINTS_OF_A_CLAIM);
        let (mut moments, mut paused) = (FIRST, 0);
        while moments < LONGEST {
            paused += moments;
            assert!(contention.lengthens(claims_of(moments), HINTS_OF_A_CLAIM), "{moments}");
            moments *= 2;
            assert_eq!(contention.moments, moments);
        }
        assert!(paused + LONGEST < 2 * LONGEST, "all pauses after a lost race");
        assert!(!contention.lengthens(claims_of(moments), HINTS_OF_A_CLAIM), "it is the longest");
        assert_eq!(contention.moments, LONGEST, "and stays so");
        for shorter in [FIRST, FIRST / 2, FIRST / 4, SHORTEST, SHORTEST] {
            assert!(!contention.lengthens(0, HINTS_OF_A_CLAIM), "the others have made no use of it");
            assert_eq!(contention.moments, shorter);
        }
    }

    /// Copying takes time, too: fewer claims count as use if each has many entries.
    #[test]
    fn claims_of_many_entries_make_use_of_a_pause_that_single_ones_would_not() {
        // Two claims in the first pause, and none after it.
        let next = |count| {
            let mut contention = Contention::new();
            let mut looks = [2 * count, 0].into_iter();
            contention.let_pass(count, HINTS_OF_A_CLAIM, || looks.next());
            contention.moments
        };
        assert_eq!([1, 8, 32].map(next), [FIRST / 2, FIRST / 2, FIRST]);
    }
}
