//! Readers of a drop-old queue: they reserve entries by compare-exchange, and copy what producers
//! may overwrite meanwhile.
//!
//! [`drop_old`](super::super::drop_old) describes how this differs from the paper's readers.

use core::mem::MaybeUninit;
use core::ptr::NonNull;

use super::super::items::Items;
use super::super::memory::{Block, Cursor, Marks, Reason, Words};
use super::super::ring::{Content, Place, Reuse, Ring};
use super::super::side::{Multi, Overwritten, Sealed};
use crate::backoff::{Contention, Distance, HINTS_OF_A_CLAIM, Race};
use crate::error::PushError;
use crate::plain::Plain;
use crate::sync::Ordering;

/// The readers of a drop-old queue: [`Single`](super::super::Single) or [`Multi`]. Sealed.
pub trait ReaderSide: Sealed {
    /// A reader's state: its place in the queue.
    #[doc(hidden)]
    type State: Copy + core::fmt::Debug;

    /// Returns the state of the first reader, `laps` laps before anything was pushed.
    #[doc(hidden)]
    fn put_back<K: Content<Reuse = Overwritten>>(ring: &Ring<K>, laps: usize) -> Self::State;

    /// Copies the next readable item.
    #[doc(hidden)]
    fn read_item<T: Plain, P: Marks>(
        ring: &Ring<Items<T, P, Overwritten>>,
        state: &mut Self::State,
    ) -> Result<T, Reason>;

    /// Returns the number of entries that the reader found overwritten.
    #[doc(hidden)]
    fn lost(state: &Self::State) -> u64;

    /// Passes copies of up to `most` of the newest items to `put`, the newest first.
    #[doc(hidden)]
    fn look_back<T: Plain, P: Marks>(
        ring: &Ring<Items<T, P, Overwritten>>,
        state: &Self::State,
        most: usize,
        put: impl FnMut(T),
    );

    /// Returns how many entries readers can read, at most.
    #[doc(hidden)]
    fn readable<K: Content<Reuse = Overwritten>>(ring: &Ring<K>, state: &Self::State) -> usize;

    /// Whether readers find no committed entry.
    #[doc(hidden)]
    fn is_empty<K: Content<Reuse = Overwritten>>(ring: &Ring<K>, state: &Self::State) -> bool;
}

impl ReaderSide for Multi {
    type State = State;

    fn put_back<K: Content<Reuse = Overwritten>>(ring: &Ring<K>, laps: usize) -> State {
        State::put_back(ring, laps)
    }

    #[inline(always)]
    fn read_item<T: Plain, P: Marks>(ring: &Ring<Items<T, P, Overwritten>>, state: &mut State) -> Result<T, Reason> {
        state.read_item(ring)
    }

    fn lost(state: &State) -> u64 {
        state.lost
    }

    fn look_back<T: Plain, P: Marks>(
        ring: &Ring<Items<T, P, Overwritten>>,
        state: &State,
        most: usize,
        put: impl FnMut(T),
    ) {
        look_back(ring, (state.head, state.first), most, put);
    }

    fn readable<K: Content<Reuse = Overwritten>>(ring: &Ring<K>, _state: &State) -> usize {
        readable(ring)
    }

    fn is_empty<K: Content<Reuse = Overwritten>>(ring: &Ring<K>, _state: &State) -> bool {
        is_empty(ring)
    }
}

/// The state of a reader.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// The head of its block: lap and index.
    head: Cursor,
    block: NonNull<Block>,
    /// The last known value of the block's `reserved`.
    cursor: Cursor,
    contention: Contention,
    /// Backoff by the distance from the producers.
    distance: Distance,
    /// The head of the first block that was ever written.
    first: Cursor,
    /// The number of entries that it found overwritten.
    pub(crate) lost: u64,
}

impl Reuse for Overwritten {
    const MARKS_EACH: bool = false;
    /// With spare blocks, an overtaken reader avoids the blocks that are overwritten next: see
    /// `drop_old`.
    const SPARE: usize = 2;
    type Entry<T> = Words<T>;

    #[inline(always)]
    fn refused<T>(item: T, _reason: Reason) -> PushError<T> {
        PushError::Busy(item)
    }

    #[inline(always)]
    fn is_full<K: Content<Reuse = Self>>(_ring: &Ring<K>, _head: Cursor) -> bool {
        false
    }

    /// True once all entries have been committed.
    #[inline(always)]
    fn is_free<K: Content<Reuse = Self>>(ring: &Ring<K>, head: Cursor) -> bool {
        K::are_committed(ring, head)
    }

    #[inline(always)]
    fn filled_alone(block: &Block, end: Cursor) {
        // Ordering: Release pairs with the Acquire in `are_committed`; without it, a producer of
        // the next lap could come before the writes of this one.
        block.producers.committed.store(end.0, Ordering::Release);
    }
}

impl State {
    /// Returns the state of another reader, which has lost nothing yet.
    pub(crate) const fn for_another(&self) -> Self {
        Self { lost: 0, ..*self }
    }

    /// Returns the state of the first reader, `laps` laps before anything was pushed.
    ///
    /// Puts all readers back there.
    pub(crate) fn put_back<K: Content<Reuse = Overwritten>>(ring: &Ring<K>, laps: usize) -> Self {
        // Ordering: Relaxed throughout, no other thread has the queue yet.
        let first = ring.first();
        let then = Cursor::new(first.lap().wrapping_sub(laps), 0);
        ring.consumers.store(then.0, Ordering::Relaxed);
        for index in 0..ring.blocks.geometry.blocks() {
            let reserved = if index == 0 { then } else { then.lap_before(ring.size()) };
            ring.block_of(then.plus(index)).consumers.reserved.store(reserved.0, Ordering::Relaxed);
        }
        let (contention, distance) = (Contention::new(), Distance::default());
        Self { head: then, block: ring.at(then), cursor: then, contention, distance, first, lost: 0 }
    }

    /// Copies the next readable item.
    #[inline(always)]
    pub(crate) fn read_item<T: Plain, P: Marks>(&mut self, ring: &Ring<Items<T, P, Overwritten>>) -> Result<T, Reason> {
        let copied: MaybeUninit<T> = self.read(ring, |block, at, _| {
            // SAFETY: an entry of the block.
            unsafe { Words::copy(ring.entry(block, at.offset()).entry) }
        })?;
        // SAFETY: the copied item was written once, before its mark, so that all words are of one
        // item.
        Ok(unsafe { copied.assume_init() })
    }

    /// Copies the next readable content, and adds the number of overwritten entries to `lost`.
    ///
    /// The result of `copy` is returned only if the content was not overwritten meanwhile.
    #[inline(always)]
    pub(crate) fn read<K: Content<Reuse = Overwritten>, R>(
        &mut self,
        ring: &Ring<K>,
        mut copy: impl FnMut(NonNull<Block>, Cursor, usize) -> R,
    ) -> Result<R, Reason> {
        self.distance.keep();
        let mut race = Race::default();
        let mut overtaken = false;
        loop {
            let at = self.cursor;
            if at.begin() != self.head.begin() {
                // Other readers have reached the block in a later lap meanwhile: this reader's head
                // is older.
                self.enter(ring, at.begin().plus(self.head.offset()));
                continue;
            }
            let left = ring.size() - at.offset();
            if left == 0 {
                self.advance(ring, core::mem::take(&mut overtaken))?;
                continue;
            }
            let block = ring.words(self.block);
            let mut overwritten = ring.has_overwritten(self.head, self.block);
            // If the rest of the block is overwritten, it is closed, so that no other reader counts
            // it.
            let mut count = if overwritten { left } else { K::extent(ring, self.block, at, 1) };
            if count == 0 {
                let actual = block.reserved();
                if actual != at {
                    self.cursor = actual;
                    continue;
                }
                let allocated = block.allocated();
                if allocated.begin() == at.begin() {
                    self.distance.found_nothing();
                    return Err(K::Marks::why_not_among(allocated, at));
                }
                (overwritten, count) = (true, left);
            }
            let next = at.plus(count);
            // Ordering: Relaxed, it only divides the items among readers. Where it fails in a later
            // lap, that is looked up again, and Acquire only keeps later stores behind (load
            // buffering).
            match block.consumers.reserved.compare_exchange(at.0, next.0, Ordering::Relaxed, Ordering::Acquire) {
                Ok(_) => {
                    self.cursor = next;
                    if !overwritten {
                        let copied = copy(self.block, at, count);
                        // A producer goes to the block before it overwrites a word, and hands that
                        // on with the word (Release), whose copying (Acquire) comes before this.
                        if !ring.has_overwritten(self.head, self.block) {
                            if K::is_close(ring, self.block, next) {
                                self.distance.was_last(next.offset());
                            }
                            return Ok(copied);
                        }
                    }
                    overtaken = true;
                    self.lost = self.lost.wrapping_add(count as u64);
                }
                Err(actual) => self.lost_race(ring, &mut race, count, Cursor(actual)),
            }
        }
    }

    /// Handles a lost exchange of the cursor, for `count` entries, that found `actual`.
    #[inline(always)]
    fn lost_race<K: Content>(&mut self, ring: &Ring<K>, race: &mut Race, count: usize, actual: Cursor) {
        let (at, block, mut now) = (self.cursor, ring.words(self.block), actual);
        let look = || core::mem::replace(&mut now, block.reserved()).entries_until(now);
        self.cursor = actual;
        if actual.begin() != at.begin() {
            self.cursor = block.reserved();
        } else if actual.offset() != ring.size()
            && self.contention.lost(race, at.0, count, actual.0, HINTS_OF_A_CLAIM, look)
        {
            self.cursor = now;
        }
    }

    /// Goes on from a block that has been read or is closed.
    ///
    /// The reader goes to the next block. If it was overtaken, it goes to the oldest block that can
    /// still be intact and that it need not leave soon.
    #[inline(never)]
    fn advance<K: Content<Reuse = Overwritten>>(&mut self, ring: &Ring<K>, overtaken: bool) -> Result<(), Reason> {
        let from = self.cursor.begin().plus(self.head.offset());
        let (target, skipped) = after(ring, from, overtaken)?;
        // Ordering: Release pairs with the Acquire where it fails: a reader that finds the head
        // finds the block open to producers in that lap, and no marks that are older than the lap
        // before.
        let head = ring.consumers.compare_exchange(from.0, target.0, Ordering::Release, Ordering::Acquire);
        if head.is_ok() {
            self.lost = self.lost.wrapping_add(skipped);
        }
        self.enter(ring, head.map_or_else(Cursor, |_| target));
        Ok(())
    }

    /// Goes to the block that is `head`, and opens it to readers if no other reader has.
    ///
    /// A reader leaves a block only after it has seen it used up, so no block is opened after it
    /// was left.
    fn enter<K: Content<Reuse = Overwritten>>(&mut self, ring: &Ring<K>, head: Cursor) {
        (self.head, self.block) = (head, ring.at(head));
        (self.contention, self.distance) = (self.contention.in_next_block(), self.distance.entered(ring.size()));
        let block = ring.words(self.block);
        let before = head.lap_before(0);
        loop {
            self.cursor = block.reserved();
            let is_open = match self.cursor.laps_since(before) {
                0 => false,
                1 => true,
                // Other readers have opened it in a later lap, in which producers have been there
                // before; or all readers have rested.
                laps => laps <= block.allocated().laps_since(before),
            };
            if is_open {
                break;
            }
            // Ordering: Release pairs with the Acquire in `Block::reserved`: as with the head in
            // `advance`. If another reader was faster, the failure is harmless.
            let (from, to) = (self.cursor.0, head.begin().0);
            let _ = block.consumers.reserved.compare_exchange(from, to, Ordering::Release, Ordering::Relaxed);
        }
    }
}

/// Returns where a reader goes from a block that has been read or is closed, and how many entries
/// it skips.
///
/// That is the next block. If the reader was overtaken, it is the oldest block that can still be
/// intact and that it need not leave soon.
pub(super) fn after<K: Content<Reuse = Overwritten>>(
    ring: &Ring<K>,
    from: Cursor,
    overtaken: bool,
) -> Result<(Cursor, u64), Reason> {
    let next = ring.blocks.next(from);
    let found = ring.block_of(next).allocated();
    let (oldest, spare) = match found.laps_since(next.lap_before(0)) {
        0 => return Err(Reason::Exhausted),
        1 => (next, if overtaken { ring.spare() } else { 0 }),
        // In the lap before that one, the blocks behind it are the oldest.
        _ => (ring.blocks.next(found.lap_before(next.offset())), ring.spare()),
    };
    // Producers have come to the block before the oldest one, so that all the others have been
    // opened, more of them than spare ones. But a reader can interpret the marks only of a block
    // that it has found open.
    let beyond = (0..spare).fold(oldest, |head, _| ring.blocks.next(head));
    let can_go = spare == 0 || ring.block_of(beyond).is_open(beyond.lap_before(0));
    let target = if can_go { beyond } else { oldest };
    let blocks = target.laps_since(next) as u64 * ring.blocks.geometry.blocks() as u64;
    let skipped = blocks + target.offset() as u64 - next.offset() as u64;
    Ok((target, skipped * ring.size() as u64))
}

/// Passes copies of up to `most` of the newest items to `put`, the newest first, for a reader with
/// that head in a queue whose first block was `first`.
pub(super) fn look_back<T: Plain, P: Marks>(
    ring: &Ring<Items<T, P, Overwritten>>,
    (head, first): (Cursor, Cursor),
    most: usize,
    mut put: impl FnMut(T),
) {
    let (mut head, at) = ring.place_seen(head);
    let (mut end, mut left) = (at.offset(), most);
    let never = ring.blocks.before(first);
    for _ in 0..ring.blocks.geometry.blocks() {
        let block = ring.at(head);
        // The block was opened in this lap or a later one, so no mark is older than one lap before
        // it.
        if head == never || ring.words(block).allocated().begin() != head.begin() {
            return;
        }
        for offset in (0..end).rev() {
            if left == 0 {
                return;
            }
            if ring.committed(block, head.begin().plus(offset), 1) == 0 {
                continue;
            }
            // SAFETY: an entry of the block.
            let copied: MaybeUninit<T> = unsafe { Words::copy(ring.entry(block, offset).entry) };
            // As in `read`: a producer goes to the block before it overwrites a word.
            if ring.has_overwritten(head, block) {
                return;
            }
            // SAFETY: it was written once in this lap, before its mark, so that all words are of
            // one item.
            put(unsafe { copied.assume_init() });
            left -= 1;
        }
        (head, end) = (ring.blocks.before(head), ring.size());
    }
}

/// Returns the readers' place, and whether producers have overtaken them there.
fn place<K: Content<Reuse = Overwritten>>(ring: &Ring<K>) -> (Place, bool) {
    // Ordering: Relaxed. A reader knows of its own step here, and what else it finds is
    // approximate.
    let head = Cursor(ring.consumers.load(Ordering::Relaxed));
    let (seen, block) = (ring.block_of(head).reserved(), ring.block_of(head).allocated());
    let at = if seen.begin() == head.begin() { seen } else { head.begin() };
    ((head, at), block.begin() != head.begin())
}

/// Returns how many entries readers can read, at most.
pub(crate) fn readable<K: Content<Reuse = Overwritten>>(ring: &Ring<K>) -> usize {
    readable_from(ring, place(ring))
}

/// Does what [`readable`] does, for readers at that place, given whether they were overtaken.
pub(super) fn readable_from<K: Content<Reuse = Overwritten>>(
    ring: &Ring<K>,
    (readers, is_overtaken): (Place, bool),
) -> usize {
    let (head, at) = ring.place_seen(readers.0);
    let intact = ring.entries() - ring.size() + at.offset();
    if is_overtaken { intact } else { ring.entries_between(readers, (head, at)).min(intact) }
}

/// Whether readers find no committed entry.
pub(crate) fn is_empty<K: Content<Reuse = Overwritten>>(ring: &Ring<K>) -> bool {
    is_empty_from(ring, place(ring))
}

/// Does what [`is_empty`] does, for readers at that place, given whether they were overtaken.
pub(super) fn is_empty_from<K: Content<Reuse = Overwritten>>(
    ring: &Ring<K>,
    (readers, is_overtaken): (Place, bool),
) -> bool {
    !is_overtaken && ring.next_there(readers).is_none()
}

#[cfg(test)]
mod tests {
    use super::super::super::memory::{Geometry, RENEWAL};
    use super::super::super::producer::{ProducerSide, many};
    use super::super::super::side::Multi;
    use super::*;

    /// Pushes an item by each of the producers in turn.
    fn push_each(ring: &Ring<Items<u64, Multi, Overwritten>>, producers: &mut [many::State]) {
        for state in producers {
            Multi::push(ring, state, 7).expect("nobody is in the way");
        }
    }

    /// Two producers take turns, so that neither reports a block as committed. The report that is
    /// left in the word is from a lap whose number has come back.
    #[test]
    fn an_old_report_of_a_committed_block_is_not_believed_when_its_lap_number_comes_back() {
        let (first, geometry) = (RENEWAL / 2 - 1, Geometry::new(2, 2).expect("a small queue"));
        let ring = Ring::new(Items::<u64, Multi, Overwritten>::new(), geometry, 2, first).expect("memory");
        let mut producers = [Multi::start(&ring, ring.first()); 2];
        let old = Cursor::new(first + 2, 2);
        // Ordering: Relaxed, there is one thread.
        ring.block_of(Cursor::new(first, 0)).producers.committed.store(old.0, Ordering::Relaxed);
        for _block in 0..2 * geometry.blocks() {
            push_each(&ring, &mut producers);
        }
        Multi::allocate(&ring, &mut producers[0], 1).expect("the first block in the lap whose number is back");
        let others = &mut producers[1..];
        for _entry in 0..3 {
            push_each(&ring, others);
        }
        let refused = Multi::allocate(&ring, &mut others[0], 1).map(|(at, _)| at);
        assert_eq!(refused, Err(Reason::Busy), "an entry of the block is not committed");
    }
}
