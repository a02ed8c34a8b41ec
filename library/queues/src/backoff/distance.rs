//! Consumer backoff: stay a few cache lines behind the producers.
//!
//! A consumer that is close behind the producers takes each item at once. Then every item costs
//! both sides a cache line transfer: the consumer fetches the line, and the producer fetches it
//! back for the next item. Items cost a fraction of that if the consumer stays a few lines behind.
//! Nothing makes it do so by itself if consumers are as fast as producers, so it backs off for a
//! moment when it finds itself too close.
//!
//! A block ahead is far enough, so a single consumer checks once a block whether producers are
//! still in its block.
//!
//! It backs off between items and never after it has found the queue empty, so it delays no item
//! that it waits for. If backing off does not help (no thread is at work on the other side
//! meanwhile: requests and responses, both sides on one thread), the consumer does it less and less
//! often. A consumer that meets no other one also [measures](super::trial) whether items come
//! faster by it. One of several consumers cannot: the others take the items that it leaves.

use super::Backoff;
use super::patience::Patience;
use super::trial::Trial;
use crate::sync::ticks;

/// A consumer's memory of the items that it took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distance {
    /// Number of times that an item may be the last one available before the consumer backs off.
    patience: Patience,
    /// The offset behind the item that was the last one available; less than 0 if that is blocks
    /// ago.
    last: usize,
    backoff: Backoff,
    trial: Trial,
    /// True if no other consumer has taken an item since the window of the trial began.
    alone: bool,
}

/// The spin hints of a backoff: about a microsecond on x86-64.
const STEP: u32 = 64;
/// A backoff has helped if this many items come before the next last one.
const HELPED: usize = 8;

impl Default for Distance {
    fn default() -> Self {
        Self { patience: Patience::new(), last: 0, backoff: Backoff::Adaptive, trial: Trial::new(), alone: true }
    }
}

impl Distance {
    /// Returns the number of times that the consumer was close since it last backed off or found
    /// nothing.
    #[cfg(test)]
    pub(crate) const fn close(&self) -> u32 {
        self.patience.close()
    }

    pub(crate) fn set(&mut self, backoff: Backoff) {
        self.backoff = backoff;
        self.choose();
    }

    /// Enables or disables backing off, by the setting and the trial's last decision.
    fn choose(&mut self) {
        self.patience.set(self.backoff == Backoff::Adaptive && self.trial.may_back_off());
    }

    /// Compares, once in many items, how fast they come with backing off and without it.
    ///
    /// The item before `offset` was the last one available, or the first of a block is at `offset`.
    #[inline(always)]
    pub(crate) fn compare(&mut self, offset: usize) {
        if self.trial.is_over(offset) {
            self.end_window(offset);
        }
    }

    #[cold]
    #[inline(never)]
    fn end_window(&mut self, offset: usize) {
        let before = self.trial.may_back_off();
        self.trial.end_window(offset, ticks(), self.alone);
        self.alone = true;
        if before != self.trial.may_back_off() {
            self.choose();
        }
    }

    /// Backs off if the patience is used up, before the consumer looks for an item.
    #[inline(always)]
    pub(crate) fn keep(&mut self) {
        self.patience.back_off(STEP);
    }

    /// Notes that the item before `offset` was the last one available.
    #[inline(always)]
    pub(crate) fn was_last(&mut self, offset: usize) {
        self.patience.is_close();
        if self.is_at_least(HELPED, offset) {
            self.patience.is_far();
        }
        self.last = offset;
    }

    /// Whether at least `count` items have come up to `offset` since one was the last available.
    #[inline(always)]
    pub(crate) fn is_at_least(&self, count: usize, offset: usize) -> bool {
        offset.wrapping_sub(self.last) >= count
    }

    /// Returns this memory with its offsets counted from the next block, after one of `size`
    /// entries.
    #[inline(always)]
    pub(crate) fn entered(self, size: usize) -> Self {
        Self { last: self.last.wrapping_sub(size), trial: self.trial.entered(size), ..self }
    }

    /// Notes that the consumer entered a block, and whether producers are at work in it.
    pub(crate) fn entered_block(&mut self, with_producers: bool) {
        if with_producers {
            self.patience.is_close();
        } else {
            self.patience.is_far();
        }
    }

    /// Notes that another consumer has taken items.
    #[inline(always)]
    pub(crate) fn met_another(&mut self) {
        self.alone = false;
    }

    /// Notes that there was no item.
    #[inline(always)]
    pub(crate) fn found_nothing(&mut self) {
        self.patience.found_nothing();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_that_never_backs_off_does_not_become_impatient() {
        let pauses = |backoff| {
            let mut distance = Distance::default();
            distance.set(backoff);
            let came = (0..100).map(|number| HELPED * number);
            came.filter(|&offset| {
                distance.was_last(offset);
                let close = distance.close();
                distance.keep();
                distance.close() < close
            })
            .count()
        };
        assert_eq!((pauses(Backoff::Adaptive), pauses(Backoff::Never)), (100, 0));
    }
}
