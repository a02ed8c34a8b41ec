//! Patience: the number of times that a consumer may be close behind the producers before it backs
//! off.
//!
//! It backs off only while it finds items, so it delays no item that it waits for. If backing off
//! does not help (no producer is at work meanwhile: requests and responses, both sides on one
//! thread), the consumer does it less and less often.

use crate::sync::pause;

/// A consumer's count of the times that it was close behind the producers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Number of times that it was close since it last backed off or found nothing.
    close: u32,
    /// Number of times that it must be close before it backs off.
    patience: u32,
    /// The least patience: [`NEVER`] while the consumer does not back off.
    least: u32,
}

/// The greatest patience of a consumer that backs off.
const MOST: u32 = 1 << 16;
/// The patience of a consumer that does not back off. It is out of reach: the count of closeness
/// starts again whenever the consumer finds nothing.
const NEVER: u32 = u32::MAX;

impl Patience {
    pub(crate) const fn new() -> Self {
        Self { close: 0, patience: 1, least: 1 }
    }

    /// Enables or disables backing off.
    pub(super) const fn set(&mut self, backs_off: bool) {
        self.least = if backs_off { 1 } else { NEVER };
        self.patience = self.least;
    }

    /// Backs off for `hints` spin hints if the patience is used up, before the consumer looks for
    /// an item.
    #[inline(always)]
    pub(crate) fn back_off(&mut self, hints: u32) {
        if self.close >= self.patience {
            self.close = 0;
            self.patience = self.patience.saturating_mul(2).min(MOST).max(self.least);
            pause(hints);
        }
    }

    /// Notes that the consumer is close.
    #[inline(always)]
    pub(super) const fn is_close(&mut self) {
        self.close += 1;
    }

    /// Notes that the producers have come ahead: the last backoff has helped, if there was one.
    #[inline(always)]
    pub(super) const fn is_far(&mut self) {
        self.patience = self.least;
    }

    /// Notes that there was no item.
    #[inline(always)]
    pub(super) const fn found_nothing(&mut self) {
        self.close = 0;
    }

    /// Notes that the consumer found `items` items at once; fewer than `few` are close.
    #[inline]
    pub(crate) const fn found(&mut self, items: usize, few: usize) {
        if items == 0 {
            self.found_nothing();
        } else if items < few {
            self.is_close();
        } else {
            *self = Self { close: 0, patience: self.least, least: self.least };
        }
    }

    /// Returns the number of times that the consumer was close since it last backed off or found
    /// nothing.
    #[cfg(test)]
    pub(crate) const fn close(&self) -> u32 {
        self.close
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEW: usize = 64;

    /// Returns the number of backoffs in `looks` looks of a consumer that finds these numbers of
    /// items.
    fn steps(found: &[usize], looks: usize) -> usize {
        let mut patience = Patience::new();
        let look = |items: &usize| {
            let before = patience.patience;
            patience.back_off(1);
            let stepped = patience.patience != before;
            patience.found(*items, FEW);
            stepped
        };
        found.iter().cycle().take(looks).map(look).filter(|&stepped| stepped).count()
    }

    #[test]
    fn it_steps_back_where_that_helps_and_gives_up_where_it_does_not() {
        assert_eq!(steps(&[FEW], 1000), 0, "far behind");
        assert_eq!(steps(&[1, 0], 1000), 1, "once, and no item that is waited for is held up from then on");
        assert_eq!(steps(&[1, FEW], 1000), 500, "it helps each time");
        // After 1, 3, 7, ... looks that found few.
        assert_eq!(steps(&[1], 1000), 9, "it never helps");
    }
}
