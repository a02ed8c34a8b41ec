//! How a consumer keeps its distance.
//!
//! A consumer on the producers' heels takes each item as soon as it is there. Then every item costs both sides a line: the consumer
//! fetches it, and the producer fetches it back for the next item. The same items come at a fraction of the cost to a consumer
//! that stays a few lines behind. Nothing makes it do so by itself where consumers are as fast as producers; so it steps back
//! for a moment when it finds itself there.
//!
//! A block ahead is far enough; so where a consumer is the only one, it looks once a block whether producers are still in the same one.
//!
//! It steps back between items and never once it has found the queue empty, so that an item that is waited for is not held up. Where
//! stepping back does not help (nobody is at work on the other side meanwhile: requests and responses, both sides on one
//! thread), it is tried less and less often.

use crate::sync::pause;

/// What a consumer remembers of the items that it took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Distance {
    /// How often an item was the last one there was, since it last stepped back or found nothing.
    close: u32,
    /// How often that has to be for it to step back.
    patience: u32,
    /// The offset behind the item that was the last one there was; less than 0 if that is blocks ago.
    last: usize,
}

/// The spin hints for which it steps back: about a microsecond on x86-64.
const STEP: u32 = 64;
/// The least patience.
const LEAST: u32 = 1;
/// The most.
const MOST: u32 = 1 << 16;
/// Stepping back has helped if so many items come before the next last one.
const HELPED: usize = 8;

impl Default for Distance {
    fn default() -> Self {
        Self { close: 0, patience: LEAST, last: 0 }
    }
}

impl Distance {
    /// Before an item is looked for.
    #[inline(always)]
    pub(super) fn keep(&mut self) {
        if self.close >= self.patience {
            self.close = 0;
            self.patience = (2 * self.patience).min(MOST);
            pause(STEP);
        }
    }

    /// The item before `offset` was the last one there was.
    #[inline(always)]
    pub(super) fn was_last(&mut self, offset: usize) {
        self.close += 1;
        if self.is_at_least(HELPED, offset) {
            self.patience = LEAST;
        }
        self.last = offset;
    }

    /// Whether `count` items at least have come up to `offset` since one was the last one there was.
    #[inline(always)]
    pub(super) fn is_at_least(&self, count: usize, offset: usize) -> bool {
        offset.wrapping_sub(self.last) >= count
    }

    /// In the next block, after one of `size` entries.
    #[inline(always)]
    pub(super) fn entered(self, size: usize) -> Self {
        Self { last: self.last.wrapping_sub(size), ..self }
    }

    /// It has come to a block; whether producers are at work in the same one.
    pub(super) fn is_in_block(&mut self, with_producers: bool) {
        if with_producers {
            self.close += 1;
        } else {
            self.patience = LEAST;
        }
    }

    /// There is no item.
    #[inline(always)]
    pub(super) fn found_nothing(&mut self) {
        self.close = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::adding::Adding;
    use super::super::claim::Claims;
    use super::super::geometry::Geometry;
    use super::super::items::Items;
    use super::super::reserve::Reserves;
    use super::super::shared::Shared;
    use super::super::side::{Multi, Single};

    /// Pops `count` items in slices of `most` from a block that holds 50, all committed; returns how often the consumer took itself for
    /// one on the producers' heels.
    fn close<P: Claims, C: Reserves>(count: usize, most: usize) -> u32 {
        let geometry = Geometry::new(2, 64).expect("a small queue");
        let shared = Shared::<Items<u32>, P, C>::new(Items::new(), geometry, 128, 1).expect("a small queue");
        let (mut producer, mut consumer) = (shared.first(), shared.first());
        assert_eq!(shared.push_slice(&mut producer, &[7; 50]), 50);
        let mut items = [0; 50];
        for part in items[..count].chunks_mut(most) {
            assert_eq!(shared.pop_slice(&mut consumer, part), part.len());
        }
        consumer.distance.close
    }

    #[test]
    fn who_takes_the_last_item_is_close_and_nobody_else() {
        type Close = fn(usize, usize) -> u32;
        let forms: [(&str, Close); 5] = [
            ("spsc", close::<Single, Single>),
            ("mpsc", close::<Multi, Single>),
            ("spmc", close::<Single, Multi>),
            ("mpmc", close::<Multi, Multi>),
            ("faaq", close::<Multi, Adding>),
        ];
        for (form, close) in forms {
            for most in [1, 3, 8, 13] {
                assert_eq!(close(30, most), 0, "{form}: 20 items are left, slices of {most}");
                assert_eq!(close(50, most), 1, "{form}: none is left, slices of {most}");
            }
        }
    }

    #[test]
    fn who_comes_to_the_producers_block_is_close() {
        fn close<P: Claims>(pushed: usize) -> u32 {
            let geometry = Geometry::new(4, 128).expect("a small queue");
            let shared = Shared::<Items<u32>, P, Single>::new(Items::new(), geometry, 384, 1).expect("a small queue");
            let (mut producer, mut consumer) = (shared.first(), shared.first());
            assert_eq!(shared.push_slice(&mut producer, &[7; 384][..pushed]), pushed);
            assert_eq!(shared.pop_slice(&mut consumer, &mut [0; 129]), 129);
            consumer.distance.close
        }
        for close in [close::<Single>, close::<Multi>] {
            assert_eq!([close(128 + 100), close(256), close(256 + 1)], [1, 1, 0]);
        }
    }
}
