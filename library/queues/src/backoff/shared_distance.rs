//! Consumer backoff where the threads of a queue have no memory of their own: the queue keeps it.
//!
//! It does what [`distance`](super::distance) does for handles, for threads that share a queue by
//! reference: a consumer that is close behind the producers pauses, so that items gather on lines
//! that the producers are done with. One pause pays off over many items: consumers then take these
//! without a look at the producers' word.
//!
//! A look that finds an item after one that found none never pauses: the item was waited for. If
//! pauses do not help (no producer is at work meanwhile), they become rarer.

use super::seldom::Seldom;
use crate::sync::{Hint, pause};

/// The memory that the consumers of a queue have of their last looks at the producers. Only the
/// length of operations depends on it, so threads may overwrite each other's memory.
#[derive(Debug)]
pub(crate) struct SharedDistance(Hint);

/// A consumer that finds fewer items than this at once is close.
pub(crate) const NEAR: usize = 8;
/// The spin hints of a pause: about a microsecond on x86-64.
const STEP: u32 = 64;

/// The bit that is set if the last look found nothing. The bits below it are the word of a
/// [`Seldom`].
const NOTHING: u32 = 1 << Seldom::BITS;
/// The bit that is set if the last look paused.
const PAUSED: u32 = 2 << Seldom::BITS;

impl SharedDistance {
    /// Makes the memory of a queue without items.
    pub(crate) const fn new() -> Self {
        Self(Hint::new(NOTHING))
    }

    /// Notes that a look found nothing.
    #[inline]
    pub(crate) fn found_nothing(&self) {
        let memory = self.0.get();
        if memory & NOTHING == 0 {
            self.0.set(memory & !PAUSED | NOTHING);
        }
    }

    /// Notes that a look found an item. Returns whether it has paused, so that another look finds
    /// more.
    ///
    /// `count` returns the number of items found, at most [`NEAR`], and is not always called.
    #[inline]
    pub(crate) fn found(&self, count: impl FnOnce() -> usize) -> bool {
        let memory = self.0.get();
        let mut seldom = Seldom::of_word(memory);
        if memory & NOTHING != 0 {
            self.0.set(seldom.word());
        } else if memory & PAUSED != 0 {
            seldom.has_paused(count() >= NEAR);
            self.0.set(seldom.word());
        } else if count() < NEAR {
            if seldom.is_due() {
                self.0.set(seldom.word() | PAUSED);
                pause(STEP);
                return true;
            }
            self.0.set(seldom.word());
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of pauses in `looks` looks that find these numbers of items in turn, and
    /// `after` right after a pause.
    fn pauses(found: &[usize], after: usize, looks: usize) -> usize {
        let distance = SharedDistance::new();
        let look = |items: &usize| match items {
            0 => {
                distance.found_nothing();
                false
            }
            _ => {
                let paused = distance.found(|| *items);
                assert!(!paused || !distance.found(|| after), "one pause is enough");
                paused
            }
        };
        found.iter().cycle().take(looks).filter(|items| look(items)).count()
    }

    #[test]
    fn it_pauses_where_that_brings_items_and_seldom_where_it_does_not() {
        assert_eq!(pauses(&[NEAR], NEAR, 1000), 0, "far behind");
        assert_eq!(pauses(&[1, 0], 1, 1000), 0, "each item was waited for");
        assert_eq!(pauses(&[1], NEAR, 1000), 999, "the first one was waited for, and each pause brings items");
        // After 1, 3, 7, ... looks that were close.
        assert_eq!(pauses(&[1], 1, 1000), 9, "no pause brings any");
        assert!((1..100).contains(&pauses(&[1], 1, 1_000_000)));
    }
}
