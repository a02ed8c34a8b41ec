//! How much lies in a queue, found without an operation.
//!
//! A *place* of a side is the head of its block and the next entry there. A side with many threads
//! has its place in two shared words. A single thread's place is in its handle alone; what the
//! other side sees of it is opened blocks and committed entries, or blocks that were given back. So
//! a consumer finds a single producer by a search, and a producer cannot tell where in a block a
//! single consumer is.

use super::block::{Content, last};
use super::claim::{Claims, allocated, is_open};
use super::cursor::Cursor;
use super::reserve::{Reserves, ReservesBesides, next_is_open, reserved};
use super::shared::{Position, Shared};
use super::side::{Commits, Consumes};
use crate::sync::Ordering;

/// The place of a side: the head of its block, and the next entry there.
pub(super) type Place = (Cursor, Cursor);

impl<K: Content<P, C>, P: Commits, C: Consumes> Shared<K, P, C> {
    fn blocks(&self) -> usize {
        self.blocks.geometry.blocks()
    }

    /// Returns the number of entries of all blocks.
    pub(super) fn entries(&self) -> usize {
        self.blocks() * self.size()
    }

    /// Returns how many entries lie between two places; 0 if `to` was read too early to be behind
    /// `from`.
    pub(super) fn entries_between(&self, (from, first): Place, (to, end): Place) -> usize {
        let signed = |count: usize| count.cast_signed();
        let blocks = to.laps_from(from).saturating_mul(signed(self.blocks()));
        let blocks = blocks.saturating_add(signed(to.offset()) - signed(from.offset()));
        let entries = blocks.saturating_mul(signed(self.size()));
        let entries = entries.saturating_add(signed(end.offset()) - signed(first.offset()));
        usize::try_from(entries).unwrap_or(0).min(self.entries())
    }

    /// Returns the place of many producers.
    #[inline(always)]
    pub(super) fn place_of_producers(&self) -> Place {
        // Ordering: Relaxed: `find` checks the head against the block's word, and reads it again with Acquire.
        let head = Cursor(self.producers.load(Ordering::Relaxed));
        self.find(&self.producers, |block| P::how_far(allocated(block), self.size()), head)
    }

    /// Returns the place of many consumers, those that add included.
    pub(super) fn place_of_consumers(&self) -> Place {
        // Ordering: Relaxed: `find` checks the head against the block's word, and reads it again with Acquire.
        let head = Cursor(self.consumers.load(Ordering::Relaxed));
        self.find(&self.consumers, |block| C::how_far(block, reserved(block), self.size()), head)
    }

    /// Finds a single producer: the last block that it has opened, and the entries committed there.
    ///
    /// `from` is the head of a block that it has opened. Blocks are opened one after the other, so
    /// this reads as many words as the number of blocks has bits, and then the block's marks.
    pub(super) fn search_producer(&self, from: Cursor) -> Place {
        // It may have overwritten that block (drop-old).
        let from = allocated(self.block_of(from)).begin().plus(from.offset());
        let after = |count: usize| match from.offset() + count {
            index if index < self.blocks() => from.plus(count),
            index => Cursor(from.next_lap().0 + (index - self.blocks())),
        };
        let is_opened = |count| {
            let head: Cursor = after(count);
            is_open(self.block_of(head), head.version_before(0))
        };
        let head = after(last(0, self.blocks() - 1, is_opened));
        (head, head.begin().plus(K::filled(self, self.blocks.block(head.offset()), head.begin())))
    }

    /// Returns the first committed entry that consumers at `place` come to, if there is one.
    pub(super) fn next_there(&self, (mut head, mut at): Place) -> Option<Place> {
        if at.offset() == self.size() {
            head = head.next_block(self.blocks());
            at = head.begin();
            if !is_open(self.block_of(head), head.version_before(0)) {
                return None;
            }
        }
        K::is_there(self, self.blocks.block(head.offset()), at).then_some((head, at))
    }
}

impl<K: Content<P, C>, P: Claims, C: Consumes> Shared<K, P, C> {
    /// Returns how many entries are in use: pushed or being pushed, and not popped yet.
    pub(super) fn used(&self, consumers: Place) -> usize {
        self.entries_between(consumers, P::place_seen(self, consumers.0))
    }
}

impl<K: Content<P, C>, P: Claims, C: Reserves> Shared<K, P, C> {
    /// Returns [`used`](Self::used) for a consumer.
    pub(super) fn used_for_consumer(&self, position: &Position) -> usize {
        self.used(C::place(self, position))
    }

    /// Whether a push at that place would find no room.
    pub(super) fn is_full_at(&self, (head, at): Place) -> bool {
        at.offset() == self.size() && K::is_full(self, head.next_block(self.blocks()))
    }
}

impl<K: Content<P, C>, P: Claims, C: ReservesBesides> Shared<K, P, C> {
    /// Returns [`used`](Self::used) for a producer.
    ///
    /// Reads the consumers' place first: it cannot be behind the producers' place then.
    pub(super) fn used_for_producer(&self, position: &Position) -> usize {
        let consumers = self.place_of_consumers();
        self.entries_between(consumers, P::place(self, position))
    }

    /// Whether many consumers find no committed entry.
    pub(super) fn is_empty_for_many(&self) -> bool {
        let mut place = self.place_of_consumers();
        loop {
            let (mut head, mut at) = place;
            if at.offset() == self.size() {
                let Ok(seen) = next_is_open(self, head) else { return true };
                head = head.next_block(self.blocks());
                at = if seen.begin() == head.version_before(0) { head.begin() } else { self.consumed(head) };
            }
            let is_lap_over = at.begin() != head.begin();
            if !is_lap_over && at.offset() < self.size() && K::is_there(self, self.blocks.block(head.offset()), at) {
                return false;
            }
            let now = self.consumed(head);
            if at.offset() < self.size() && (now == at || now.begin() == head.version_before(0)) {
                return true;
            }
            // Others have gone on meanwhile.
            place = if !is_lap_over && now.begin() == head.begin() { (head, now) } else { self.place_of_consumers() };
        }
    }

    /// Returns how far consumers have come in the block of `head`.
    fn consumed(&self, head: Cursor) -> Cursor {
        let block = self.block_of(head);
        C::how_far(block, reserved(block), self.size())
    }
}
