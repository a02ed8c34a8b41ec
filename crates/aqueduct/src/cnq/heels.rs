//! How a consumer keeps off its producer's heels.
//!
//! A consumer that takes each item as soon as it is there makes every item cost both sides two lines, the capsule's word and the
//! item's own. So where it found few items at a time, it steps back for a moment (256 spin hints, some microseconds) before it
//! looks again. It does so only while it finds some, so that an item that is waited for is not held up; and where that does not
//! help (nobody pushes meanwhile: requests and responses, both sides on one thread), less and less often.

use crate::sync::pause;

/// What a consumer remembers of what it found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heels {
    /// How often it found few items, since it last stepped back or found none.
    near: u32,
    /// How often that has to be for it to step back.
    patience: u32,
}

/// The moments for which it steps back.
const STEP: u32 = 256;
/// Fewer items than that are few.
const FEW: usize = 64;
/// The most patience.
const MOST: u32 = 1 << 16;

impl Heels {
    pub(super) const fn new() -> Self {
        Self { near: 0, patience: 1 }
    }

    /// Before the consumer looks for items.
    #[inline]
    pub(super) fn keep_off(&mut self) {
        if self.near >= self.patience {
            self.near = 0;
            self.patience = (2 * self.patience).min(MOST);
            pause(STEP);
        }
    }

    /// It found so many.
    #[inline]
    pub(super) fn found(&mut self, items: usize) {
        match items {
            0 => self.near = 0,
            1..FEW => self.near += 1,
            _ => *self = Self::new(),
        }
    }
}
