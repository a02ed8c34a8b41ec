//! Consumer backoff: let the producer get ahead.
//!
//! A consumer that takes each item at once makes every item cost both sides two cache lines, the
//! capsule's word and the item's own. A consumer that found few items at a time therefore backs off
//! for a moment before it looks again. It does so only while it finds items, so it delays no item
//! that it waits for. If backing off does not help (no producer pushes meanwhile: requests and
//! responses, both sides on one thread), the consumer does it less and less often.

use crate::sync::pause;

/// A consumer's memory of what it found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heels {
    /// How often it found few items, since it last backed off or found none.
    near: u32,
    /// How often it must find few items before it backs off.
    patience: u32,
}

/// The spin hints of a backoff: some microseconds on x86-64.
const STEP: u32 = 256;
/// Fewer items than this are few.
const FEW: usize = 64;
/// The greatest patience.
const MOST: u32 = 1 << 16;

impl Heels {
    pub(super) const fn new() -> Self {
        Self { near: 0, patience: 1 }
    }

    /// Backs off if it is time to, before the consumer looks for items.
    #[inline]
    pub(super) fn keep_off(&mut self) {
        if self.near >= self.patience {
            self.near = 0;
            self.patience = (2 * self.patience).min(MOST);
            pause(STEP);
        }
    }

    /// Notes that the consumer found `items` items.
    #[inline]
    pub(super) fn found(&mut self, items: usize) {
        match items {
            0 => self.near = 0,
            1..FEW => self.near += 1,
            _ => *self = Self::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how often a consumer that finds these numbers of items backs off in `looks` looks.
    fn steps(found: &[usize], looks: usize) -> usize {
        let mut heels = Heels::new();
        let look = |items: &usize| {
            let patience = heels.patience;
            heels.keep_off();
            let stepped = heels.patience != patience;
            heels.found(*items);
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
