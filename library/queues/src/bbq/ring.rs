//! The ring of blocks that all handles of a queue share, and what one side sees of the other.
//!
//! (Wang et al., USENIX ATC 2022, figures 3 and 4.)
//!
//! Invariants:
//! 1. `allocated` and `reserved` of a block go from `(v, 0)` to `(v, block_size)` and then to `(v +
//!    1, 0)`, and by no other way. (A single producer's `allocated` goes from `(v, block_size)` to
//!    `(v + 1, block_size)`: `opened`.)
//! 2. A block's `allocated` enters lap `v + 1` only when all of its entries have been consumed in
//!    lap `v`, and only when the block before it is fully allocated.
//! 3. A block's `reserved` enters a lap only after `allocated` has, and only when the block before
//!    it is fully reserved.
//! 4. A head lags behind by at most a block, until a thread that finds that block used up moves it
//!    on. A thread works in a block in a lap only after it has found the head there, or moved it
//!    (`find`).
//!
//! A *place* of a side is the head of its block and the next entry there. A side with many threads
//! has its place in two shared words. A single thread's place is in its handle alone; what the
//! other side sees of it is opened blocks and committed entries, or blocks that were given back. So
//! a consumer finds a single producer by a search, and a producer cannot tell where in a block a
//! single consumer is.

use core::fmt;
use core::ops::Range;
use core::ptr::NonNull;

use super::memory::{Block, Blocks, Cursor, Entry, Geometry, Limits, Marks, Parts, Reason};
use crate::division::last;
use crate::error::{CapacityError, PushError};
use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, Ordering, prefetch_to_write};

/// The lap in which a queue starts.
pub(crate) const FIRST_LAP: usize = 1;

/// The place of a side: the head of its block, and the next entry there.
pub(crate) type Place = (Cursor, Cursor);

/// The content of the entries of a queue's blocks. Sealed.
pub trait Content: Copy {
    /// The producers' marks of committed entries.
    type Marks: Marks;

    /// The condition on which producers may reuse a block.
    type Reuse: Reuse;

    /// The most spin hints per claim of the others at which a pause after a lost race counts as
    /// used.
    const HINTS: usize;

    /// Returns the least number of bytes of an entry.
    fn least_bytes(self) -> usize;

    /// Returns the parts of a block with `entries` entries.
    ///
    /// Returns `None` on overflow.
    fn parts(self, entries: usize) -> Option<Parts>;

    /// Makes a block's content, with all of its entries consumed in the lap of `used_up`.
    ///
    /// The offset of `used_up` is the number of entries.
    ///
    /// # Safety
    /// The block lies at `block`, its second part at `second`, and no other thread touches them.
    unsafe fn initialise(self, block: NonNull<Block>, second: NonNull<u8>, used_up: Cursor);

    /// Returns how many entries consumers can take at once from the block's entry `at` on.
    ///
    /// Up to `most` items; a record is taken as a whole. 0 if none is committed.
    fn extent(ring: &Ring<Self>, block: NonNull<Block>, at: Cursor, most: usize) -> usize;

    /// Whether consumers can take something that begins at the block's entry `at`.
    fn is_there(ring: &Ring<Self>, block: NonNull<Block>, at: Cursor) -> bool;

    /// Whether producers are at work close to `next`, where a reader goes on.
    fn is_close(ring: &Ring<Self>, block: NonNull<Block>, next: Cursor) -> bool;

    /// Returns how many entries a single producer has committed in a block since `begin`.
    fn filled(ring: &Ring<Self>, block: NonNull<Block>, begin: Cursor) -> usize;

    /// Marks `count` entries from `at` on as consumed by one of many consumers.
    fn mark_consumed(ring: &Ring<Self>, block: NonNull<Block>, at: Cursor, count: usize);

    /// Whether the last entry of the block of that head is still there for many consumers.
    ///
    /// That concerns the lap before. `true` is certain.
    fn is_last_there(ring: &Ring<Self>, head: Cursor) -> bool;

    /// Whether many consumers have consumed all of the block of that head in the lap before.
    fn are_consumed(ring: &Ring<Self>, head: Cursor) -> bool;

    /// Whether all of the block of that head was committed in the lap before.
    fn are_committed(ring: &Ring<Self>, head: Cursor) -> bool;

    /// Renews the words of the block of that head that may have rested for many laps.
    ///
    /// The caller has opened the block to producers there, in a lap that
    /// [renews](Cursor::renews). Without this, a word that is as old as all lap numbers would be
    /// taken for one of the current lap.
    fn renew(ring: &Ring<Self>, head: Cursor);

    /// Drops the items that are left in the entries.
    fn clear(ring: &mut Ring<Self>);
}

/// The condition on which producers may reuse a block, as they observe the consumers. Sealed.
pub trait Reuse: Copy + fmt::Debug + 'static {
    /// Whether each entry has a mark for consumption.
    const MARKS_EACH: bool;

    /// Whether there is one consumer, which gets all items.
    const ALONE: bool = false;

    /// The greatest number of blocks of a queue, and of entries of a block.
    const MOST: usize = super::memory::MOST;

    /// The number of blocks of a queue for a capacity beyond those that it needs.
    const SPARE: usize = 0;

    /// The memory of an entry.
    type Entry<T>: Entry<Item = T>;

    /// Returns the item of a push that found no room.
    #[inline(always)]
    fn refused<T>(item: T, reason: Reason) -> PushError<T> {
        match reason {
            Reason::Exhausted => PushError::Full(item),
            Reason::Busy => PushError::Busy(item),
        }
    }

    /// Whether the block of that head cannot be opened there because of unconsumed entries of the
    /// lap before.
    ///
    /// `true` is certain, whatever other producers do. `false` means that others are in the middle
    /// of an operation, or that there is room.
    fn is_full<K: Content<Reuse = Self>>(ring: &Ring<K>, head: Cursor) -> bool;

    /// Whether the block of that head was used up in the lap before, so that it can be opened.
    ///
    /// If `false`, another producer may have opened it since.
    fn is_free<K: Content<Reuse = Self>>(ring: &Ring<K>, head: Cursor) -> bool;

    /// Notes that one of many producers alone has filled a block, up to `end`.
    ///
    /// It has committed the block if it holds items.
    #[inline(always)]
    fn filled_alone(_block: &Block, _end: Cursor) {}

    /// Returns the consumers' cursor in a block of `size` entries.
    ///
    /// `reserved` was found in the word that they exchange.
    #[inline(always)]
    fn how_far(_block: &Block, reserved: Cursor, _size: usize) -> Cursor {
        reserved
    }
}

/// The state that producers and consumers share.
#[derive(Debug)]
pub struct Ring<K: Content> {
    /// The producers' head: the lap and the index of the block that is being filled. Used by many
    /// producers only.
    pub(super) producers: Isolated<AtomicUsize>,
    /// The consumers' head: the lap and the index of the block that is being emptied. Used by many
    /// consumers only.
    pub(super) consumers: Isolated<AtomicUsize>,
    pub(super) blocks: Blocks,
    pub(super) content: K,
    /// The capacity that was asked for.
    pub(crate) capacity: usize,
}

// SAFETY: what lies in the blocks goes from one thread to another, which `K: Send` allows; threads
// never share an entry but to look at it.
unsafe impl<K: Content + Send> Send for Ring<K> {}
// SAFETY: the reason for `Send` holds.
unsafe impl<K: Content + Send> Sync for Ring<K> {}

/// Calls `act` with the limits of a queue's blocks.
fn with_limits<K: Content, R>(content: K, act: impl FnOnce(Limits<'_>) -> R) -> R {
    let parts = |entries| content.parts(entries);
    act(Limits { most: K::Reuse::MOST, spare: K::Reuse::SPARE, least_bytes: content.least_bytes(), parts: &parts })
}

impl<K: Content> Ring<K> {
    /// Returns the geometry for a capacity, if there can be memory for it and `may_be` permits it.
    pub(crate) fn geometry(
        content: K,
        capacity: usize,
        may_be: &dyn Fn(Geometry) -> bool,
    ) -> Result<Geometry, CapacityError> {
        with_limits(content, |limits| limits.geometry(capacity, may_be))
    }

    pub(crate) fn for_capacity(content: K, capacity: usize, lap: usize) -> Result<Self, CapacityError> {
        Self::new(content, Self::geometry(content, capacity, &|_| true)?, capacity, lap)
    }

    /// Makes a ring whose first block is empty in the lap `lap`, and whose others are used up in
    /// the lap before.
    ///
    /// `asked` is the capacity that was asked for.
    pub(crate) fn new(content: K, geometry: Geometry, asked: usize, lap: usize) -> Result<Self, CapacityError> {
        let blocks = with_limits(content, |limits| limits.allocate(geometry, asked))?;
        let first = Cursor::new(lap, 0);
        let used_up = first.lap_before(geometry.block_size());
        for index in 0..geometry.blocks() {
            let (allocated, reserved) =
                if index == 0 { (K::Marks::opened(first, used_up.offset()), first) } else { (used_up, used_up) };
            let block = blocks.block(index);
            // SAFETY: within the memory, aligned, and not shared yet.
            unsafe {
                block.write(Block::new(allocated, reserved, used_up));
                content.initialise(block, blocks.second(block), used_up);
            }
        }
        let head = || Isolated(AtomicUsize::new(first.0));
        Ok(Self { producers: head(), consumers: head(), blocks, content, capacity: asked })
    }

    /// Returns the number of entries of a block.
    #[inline(always)]
    pub(crate) fn size(&self) -> usize {
        self.blocks.geometry.block_size()
    }

    /// Returns the number of entries of all blocks.
    pub(crate) fn entries(&self) -> usize {
        self.blocks.geometry.blocks() * self.size()
    }

    /// Returns the number of blocks beyond those that the capacity needs.
    pub(super) fn spare(&self) -> usize {
        self.blocks.geometry.blocks() - 1 - self.capacity.div_ceil(self.size())
    }

    /// Returns the head of the first block, before anything was pushed.
    pub(super) fn first(&self) -> Cursor {
        // Ordering: Relaxed, nobody has moved it yet.
        Cursor(self.producers.load(Ordering::Relaxed))
    }

    /// Returns the address of block number `index`.
    #[inline(always)]
    pub(crate) fn block(&self, index: usize) -> NonNull<Block> {
        self.blocks.block(index)
    }

    /// Returns the address of the block of `head`.
    #[inline(always)]
    pub(super) fn at(&self, head: Cursor) -> NonNull<Block> {
        self.blocks.block(head.offset())
    }

    /// Returns the words of the block of `head`.
    #[inline(always)]
    pub(super) fn block_of(&self, head: Cursor) -> &Block {
        self.words(self.at(head))
    }

    /// Returns the words of a block of this ring.
    #[inline(always)]
    pub(super) fn words(&self, block: NonNull<Block>) -> &Block {
        // SAFETY: callers have blocks of this ring only, which lives as long as it.
        unsafe { block.as_ref() }
    }

    /// Finds the block in which a side works, and the side's place there.
    ///
    /// `head` is the value that was last found in `heads`. A thread works in a block in a lap only
    /// after it has found the head there, or moved it. Otherwise threads that find a block open,
    /// which another thread has opened and not moved the head to yet, could leave the head behind
    /// for good.
    ///
    /// The head only shows where to look. The block's own word, read by `look`, shows the thread
    /// that the block is open in the head's lap, in order. If it finds an older lap, or a later one
    /// that other threads have opened since, it reads the head again.
    #[inline(always)]
    pub(super) fn find(&self, heads: &AtomicUsize, look: impl Fn(&Block) -> Cursor, mut head: Cursor) -> Place {
        loop {
            let cursor = look(self.block_of(head));
            if cursor.begin() == head.begin() {
                return (head, cursor);
            }
            // Ordering: Acquire pairs with the Release where a side's `advance` moves the head;
            // without it, this could find the new head and the block's old lap forever.
            head = Cursor(heads.load(Ordering::Acquire));
        }
    }

    /// Returns the place of many producers.
    #[inline(always)]
    pub(super) fn place_of_producers(&self) -> Place {
        // Ordering: Acquire keeps later stores behind (load buffering). `find` checks the head
        // against the block's word.
        let head = Cursor(self.producers.load(Ordering::Acquire));
        self.find_producers(head)
    }

    /// Returns the place of many producers, for one that exchanges the block's word at once.
    ///
    /// Prefetches the word's line for writing. To read it first would be a transfer of its own, and
    /// between the two other producers could take the line.
    #[inline(always)]
    pub(super) fn place_of_producers_to_write(&self) -> Place {
        // Ordering: Acquire keeps later stores behind (load buffering). `find` checks the head
        // against the block's word.
        let head = Cursor(self.producers.load(Ordering::Acquire));
        prefetch_to_write(self.block_of(head).allocated_address());
        self.find_producers(head)
    }

    #[inline(always)]
    fn find_producers(&self, head: Cursor) -> Place {
        self.find(&self.producers, Block::allocated, head)
    }

    /// Returns the place of many consumers, those that add included.
    pub(super) fn place_of_consumers(&self) -> Place {
        // Ordering: Acquire keeps later stores behind (load buffering). `find` checks the head
        // against the block's word.
        let head = Cursor(self.consumers.load(Ordering::Acquire));
        self.find(&self.consumers, |block| K::Reuse::how_far(block, block.reserved(), self.size()), head)
    }

    /// Returns the consumers' cursor in the block of `head`.
    pub(super) fn consumed(&self, head: Cursor) -> Cursor {
        let block = self.block_of(head);
        K::Reuse::how_far(block, block.reserved(), self.size())
    }

    /// Returns the producers' place as others see it. `from` is the head of a block that they have
    /// opened.
    pub(super) fn place_seen(&self, from: Cursor) -> Place {
        if K::Marks::EACH { self.place_of_producers() } else { self.search_producer(from) }
    }

    /// Finds a single producer: the last block that it has opened, and the entries committed there.
    ///
    /// `from` is the head of a block that it has opened. Blocks are opened one after the other, so
    /// this reads as many words as the number of blocks has bits, and then the block's marks.
    fn search_producer(&self, from: Cursor) -> Place {
        let blocks = self.blocks.geometry.blocks();
        // It may have overwritten that block (drop-old).
        let from = self.block_of(from).allocated().begin().plus(from.offset());
        let after = |count: usize| match from.offset() + count {
            index if index < blocks => from.plus(count),
            index => Cursor(from.next_lap().0 + (index - blocks)),
        };
        let is_opened = |count| {
            let head: Cursor = after(count);
            self.block_of(head).is_open(head.lap_before(0))
        };
        let head = after(last(0, blocks - 1, &is_opened));
        (head, head.begin().plus(K::filled(self, self.at(head), head.begin())))
    }

    /// Whether producers may be at work in a block in another lap than that of `head`.
    ///
    /// This is true if a producer's write in such a lap happens before the call. The caller has
    /// found the block open in its own lap.
    ///
    /// A single producer writes the block's cursor when it enters the block. With many producers,
    /// the head is read: it moves once a block, and before anything is written there. The cursor
    /// would serve as well, but each read would take its line away from the producers. A head that
    /// has not moved on yet is found at the block before.
    #[inline(always)]
    pub(super) fn has_overwritten(&self, head: Cursor, block: NonNull<Block>) -> bool {
        // Ordering: Relaxed for both. A reader's copy of a word (Acquire) orders what it reads here
        // after that.
        if !K::Marks::EACH {
            return Cursor(self.words(block).producers.allocated.load(Ordering::Relaxed)).begin() != head.begin();
        }
        let producers = Cursor(self.producers.load(Ordering::Relaxed));
        !producers.is_within_a_lap_after(self.blocks.before(head))
    }

    /// Whether consumers have left the block of `head`.
    ///
    /// If so, all of its items have been popped, or are being popped. The caller has observed that
    /// consumers have used up the block before it.
    pub(super) fn consumers_are_beyond(&self, head: Cursor) -> bool {
        // Ordering: Acquire only keeps later stores behind (load buffering). A consumer moves the
        // head on before it pops an item of a later block; if the pop happens before this call, the
        // head is found moved.
        let consumers = Cursor(self.consumers.load(Ordering::Acquire));
        // They may have used up the block before, without a consumer in this one yet.
        consumers != head && consumers != self.blocks.before(head)
    }

    /// Returns how many entries lie between two places; 0 if `to` was read so early that `from` is
    /// beyond it.
    pub(super) fn entries_between(&self, (from, first): Place, (to, end): Place) -> usize {
        let signed = |count: usize| count.cast_signed();
        let blocks = to.laps_from(from).saturating_mul(signed(self.blocks.geometry.blocks()));
        let blocks = blocks.saturating_add(signed(to.offset()) - signed(from.offset()));
        let entries = blocks.saturating_mul(signed(self.size()));
        let entries = entries.saturating_add(signed(end.offset()) - signed(first.offset()));
        usize::try_from(entries).unwrap_or(0).min(self.entries())
    }

    /// Returns how many entries are in use: pushed or being pushed, and not popped yet.
    pub(super) fn used(&self, consumers: Place) -> usize {
        self.entries_between(consumers, self.place_seen(consumers.0))
    }

    /// Whether a push at that place would find no room.
    pub(super) fn is_full_at(&self, (head, at): Place) -> bool {
        at.offset() == self.size() && K::Reuse::is_full(self, self.blocks.next(head))
    }

    /// Returns the first committed entry that consumers at `place` come to, if there is one.
    pub(super) fn next_there(&self, (mut head, mut at): Place) -> Option<Place> {
        if at.offset() == self.size() {
            head = self.blocks.next(head);
            at = head.begin();
            if !self.block_of(head).is_open(head.lap_before(0)) {
                return None;
            }
        }
        K::is_there(self, self.at(head), at).then_some((head, at))
    }

    /// Whether the entry before `next` is the last one that consumers can take now.
    #[inline(always)]
    pub(super) fn is_last(&self, block: NonNull<Block>, next: Cursor) -> bool {
        next.offset() != self.size() && !K::is_there(self, block, next)
    }

    /// Returns each block with items, from the oldest on, and the range of its entries with items.
    pub(super) fn filled(&self) -> impl Iterator<Item = (NonNull<Block>, Range<usize>)> {
        let count = self.blocks.geometry.blocks();
        let words = move |index: usize| {
            let address = self.blocks.block(index);
            let block = self.words(address);
            // Ordering: Relaxed for both. All operations happen before the queue's drop.
            let allocated = Cursor(block.producers.allocated.load(Ordering::Relaxed));
            let reserved = Cursor(block.consumers.reserved.load(Ordering::Relaxed));
            let size = self.size();
            (address, allocated, K::Reuse::how_far(block, reserved, size))
        };
        // The blocks after the last one filled are a lap behind, and older.
        let newest = words(0).1.begin();
        let oldest = (0..count).find(|&index| words(index).1.begin() != newest).unwrap_or(0);
        (0..count).map(move |index| {
            let (block, allocated, reserved) = words((oldest + index) % count);
            let from = if reserved.begin() == allocated.begin() { reserved.offset() } else { 0 };
            (block, from..allocated.offset())
        })
    }
}

impl<K: Content> Drop for Ring<K> {
    fn drop(&mut self) {
        K::clear(self);
    }
}
