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
//! often. A consumer that meets no other one also [measures](super::trial) whether items come faster
//! by it. One of several cannot: what it leaves, the others take.

use super::Backoff;
use super::trial::Trial;
use crate::sync::{pause, ticks};

/// A consumer's memory of the items that it took.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Distance {
    /// How often an item was the last one available, since it last backed off or found nothing.
    close: u32,
    /// How often that must happen before it backs off.
    patience: u32,
    /// The offset behind the item that was the last one available; less than 0 if that is blocks
    /// ago.
    last: usize,
    /// The least patience: [`NEVER`] while the consumer does not back off.
    least: u32,
    backoff: Backoff,
    trial: Trial,
    /// Whether no other consumer has taken an item since the window of the trial began.
    alone: bool,
}

/// The spin hints of a backoff: about a microsecond on x86-64.
const STEP: u32 = 64;
/// The greatest patience of a consumer that backs off.
const MOST: u32 = 1 << 16;
/// The patience of a consumer that does not back off. It is out of reach: the count of closeness starts again whenever
/// the consumer finds nothing.
const NEVER: u32 = u32::MAX;
/// A backoff has helped if this many items come before the next last one.
const HELPED: usize = 8;

impl Default for Distance {
    fn default() -> Self {
        Self { close: 0, patience: 1, last: 0, least: 1, backoff: Backoff::Adaptive, trial: Trial::new(), alone: true }
    }
}

impl Distance {
    /// Returns how often the consumer found itself close, since it last backed off or found nothing.
    #[cfg(test)]
    pub(in super::super) const fn close(&self) -> u32 {
        self.close
    }

    pub(in super::super) fn set(&mut self, backoff: Backoff) {
        self.backoff = backoff;
        self.choose();
    }

    /// Backs off from now on, or does not.
    fn choose(&mut self) {
        let backs_off = self.backoff == Backoff::Adaptive && self.trial.may_back_off();
        self.least = if backs_off { 1 } else { NEVER };
        self.patience = self.least;
    }

    /// Compares, once in many items, how fast they come with backing off and without it.
    ///
    /// The item before `offset` was the last one available, or the first of a block is at `offset`.
    #[inline(always)]
    pub(in super::super) fn compare(&mut self, offset: usize) {
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

    /// Backs off if it is time to, before the consumer looks for an item.
    #[inline(always)]
    pub(in super::super) fn keep(&mut self) {
        if self.close >= self.patience {
            self.close = 0;
            self.patience = self.patience.saturating_mul(2).min(MOST).max(self.least);
            pause(STEP);
        }
    }

    /// Notes that the item before `offset` was the last one available.
    #[inline(always)]
    pub(in super::super) fn was_last(&mut self, offset: usize) {
        self.close += 1;
        if self.is_at_least(HELPED, offset) {
            self.patience = self.least;
        }
        self.last = offset;
    }

    /// Whether at least `count` items have come up to `offset` since one was the last available.
    #[inline(always)]
    pub(in super::super) fn is_at_least(&self, count: usize, offset: usize) -> bool {
        offset.wrapping_sub(self.last) >= count
    }

    /// Returns this memory for the next block, after one of `size` entries.
    #[inline(always)]
    pub(in super::super) fn entered(self, size: usize) -> Self {
        Self { last: self.last.wrapping_sub(size), trial: self.trial.entered(size), ..self }
    }

    /// Notes that the consumer entered a block, and whether producers are at work in it.
    pub(in super::super) fn is_in_block(&mut self, with_producers: bool) {
        if with_producers {
            self.close += 1;
        } else {
            self.patience = self.least;
        }
    }

    /// Notes that another consumer has taken items.
    #[inline(always)]
    pub(in super::super) fn met_another(&mut self) {
        self.alone = false;
    }

    /// Notes that there was no item.
    #[inline(always)]
    pub(in super::super) fn found_nothing(&mut self) {
        self.close = 0;
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
                let pauses = distance.close >= distance.patience;
                distance.keep();
                pauses
            })
            .count()
        };
        assert_eq!((pauses(Backoff::Adaptive), pauses(Backoff::Never)), (100, 0));
    }
}
