//! Drop-old queues: producers overwrite items that readers have not read in time.
//!
//! This is the drop-old mode of BBQ (Wang et al., USENIX ATC 2022, section 4.3).
//!
//! # Examples
//! ```
//! let (mut producer, mut reader) = aqueduct::bbq::drop_old::spmc::new::<u64>(100)?;
//! for number in 0..1000 {
//!     producer.push(number)?;
//! }
//! let numbers: Vec<u64> = std::iter::from_fn(|| reader.read().ok()).collect();
//! assert_eq!(numbers.last(), Some(&999));
//! assert_eq!(numbers.len() as u64 + reader.lost(), 1000);
//! assert!(numbers.len() >= 100);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # When to use it
//! Use it where the newest items matter more than the oldest, and a producer must not wait: event
//! logs, traces, telemetry.
//!
//! # When not to use it
//! Items must be [`Plain`], because they are copied word by word through atomics, so that no read
//! races with a write. Each item goes to one reader; the queue does not broadcast
//! ([`Reader::latest`] shows the newest items and leaves them). Where no item
//! may be lost, use [`mpmc`](super::mpmc) or [`spmc`](super::spmc).
//!
//! # Guarantees
//! A producer never waits for a reader, and never reads a word of one. Readers copy an item
//! speculatively and check afterwards whether it was overwritten meanwhile; if it was, the item is
//! lost, and the reader goes on. Readers read in the order in which entries were claimed.
//!
//! Each [`Reader`] knows exactly how many items it has missed: the items that the producers have
//! written are those that all readers of the queue together have read, have [lost](Reader::lost),
//! and have yet to read. Readers share the items: each goes to one of them.
//!
//! A whole block is overwritten at a time, so at least the last `capacity` items can still be read.
//! A queue made for a capacity has two blocks more than that needs, and a reader that was overtaken
//! leaves out the two oldest: a producer writes the lines of these blocks next, and each line that
//! a reader touches there would cost the producer a wait. So a reader costs a single producer a few
//! per cent of its speed, and several producers more (`results/`). A queue made with a [`Geometry`]
//! has no spare blocks; there a reader costs a single producer more, too.
//!
//! # Errors
//! A push fails with [`PushError::Busy`](crate::error::PushError::Busy) only if it would overwrite
//! an entry that another producer is still pushing, from a whole lap before.
//!
//! # How long readers may rest
//! A reader may rest as long as it likes: it never returns an overwritten item, and a reader that
//! comes back finds the newest items. Laps are counted in numbers that wrap. The count of lost
//! items is exact unless `2^48 - 3` laps pass without a read by any reader (65 days for a queue of
//! two items, at a hundred million a second); on 32-bit machines, `2^24 - 3`. After that,
//! [`lost`](Reader::lost) is too low, by that number of laps for each wrap. A reader that comes
//! back in the very lap whose number equals its own, or in the one before, goes on there: it
//! returns `Empty` for a lap, or leaves out the items before it in that block.
//!
//! # Design and proof
//! In the paper, consumers go from block to block by comparing versions (its line 82), so one that
//! was suspended for many laps has to read each block. Here a reader that finds its block
//! overwritten closes it, and goes straight to the oldest block that can still be intact, or to the
//! block after it. The blocks between are counted, not visited.
//!
//! Readers divide the items among themselves by relaxed exchanges. If a reader's exchange decides
//! about its later one, a branch on its result comes between them. So the proof does not rely on a
//! ban of load buffering; it needs only that no store is made before the branch that it depends on
//! is taken, which processors and compilers respect.

use alloc::vec::Vec;
use core::fmt;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use super::FIRST_VERSION;
use super::backoff::race::{HINTS_OF_A_CLAIM, Race};
use super::block::{Block, Content};
use super::claim::{Claims, allocated, is_open};
use super::cursor::Cursor;
use super::entry::Words;
use super::geometry::Geometry;
use super::handles::Producer;
use super::items::Items;
use super::length;
use super::reserve::reserved;
use super::shared::{Position, Shared};
use super::side::{Multi, Overwritten, Reason, Single};
use crate::error::{CapacityError, PopError};
use crate::hold::Hold;
use crate::plain::Plain;
use crate::sync::Ordering;

/// A reader of a drop-old queue. Each item goes to one of the readers.
///
/// # Examples
/// ```
/// use aqueduct::bbq::drop_old::mpmc;
/// use aqueduct::error::PopError;
///
/// let (mut producer, mut reader) = mpmc::new::<u64>(2)?;
/// let mut late = reader.clone();
/// producer.push(1)?;
/// assert_eq!(reader.read(), Ok(1));
/// assert_eq!(reader.read(), Err(PopError::Empty));
/// for number in 2..100 {
///     producer.push(number)?;
/// }
/// let last = std::iter::from_fn(|| late.read().ok()).last();
/// assert_eq!(last, Some(99));
/// assert!(late.lost() > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A reader can be cloned.
#[doc(alias = "broadcast")]
#[doc(alias = "recorder")]
pub struct Reader<T, P: Claims> {
    position: Position,
    lost: u64,
    /// The head of the first block that was ever written.
    first: Cursor,
    hold: Hold<Shared<Items<T>, P, Overwritten>>,
}

// SAFETY: a reader is a position in a queue of items that may go from thread to thread.
unsafe impl<T: Send, P: Claims> Send for Reader<T, P> {}
// SAFETY: `&Reader` gives no access to items.
unsafe impl<T: Send, P: Claims> Sync for Reader<T, P> {}

/// The first handles of a drop-old queue.
pub type Handles<T, P> = (Producer<T, P, Overwritten>, Reader<T, P>);

macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident($producers:ident);)*) => {$(
        $(#[$doc])*
        pub mod $name {
            use super::{$producers, FIRST_VERSION, Geometry, Handles, Items, Overwritten, Plain, Shared, pair};
            use crate::error::CapacityError;

            /// The producers' handle.
            pub type Producer<T> = super::Producer<T, $producers, Overwritten>;

            /// The readers' handle.
            pub type Reader<T> = super::Reader<T, $producers>;

            /// Makes a queue that keeps at least the last `capacity` items.
            ///
            /// # Errors
            /// [`CapacityError`] if `capacity` is 0 or too large, or there is no memory.
            pub fn new<T: Plain>(capacity: usize) -> Result<Handles<T, $producers>, CapacityError> {
                pair(Shared::for_capacity(Items::new(), capacity, FIRST_VERSION)?, 0)
            }

            /// Makes a queue with the blocks and entries of `geometry`, without spare blocks.
            ///
            /// # Errors
            /// [`CapacityError`] if the geometry is too large, or there is no memory.
            pub fn with_geometry<T: Plain>(geometry: Geometry) -> Result<Handles<T, $producers>, CapacityError> {
                starting_at(geometry, geometry.capacity(), FIRST_VERSION)
            }

            /// Makes a queue for `capacity` items that starts in this lap, for tests.
            #[doc(hidden)]
            pub fn starting_at<T: Plain>(
                geometry: Geometry,
                capacity: usize,
                version: usize,
            ) -> Result<Handles<T, $producers>, CapacityError> {
                resting(geometry, capacity, version, 0)
            }

            /// Makes a queue whose reader has rested while `laps` laps of zeros were written.
            #[doc(hidden)]
            pub fn resting<T: Plain>(
                geometry: Geometry,
                capacity: usize,
                version: usize,
                laps: usize,
            ) -> Result<Handles<T, $producers>, CapacityError> {
                pair(Shared::new(Items::new(), geometry, capacity, version)?, laps)
            }
        }
    )*};
}

forms! {
    /// One producer, any number of readers.
    spmc(Single);
    /// Any number of producers and readers.
    mpmc(Multi);
}

fn pair<T: Plain, P: Claims>(
    shared: Shared<Items<T>, P, Overwritten>,
    laps: usize,
) -> Result<Handles<T, P>, CapacityError> {
    let (first, position) = (shared.first(), shared.put_readers_back(laps));
    let (producing, reading) = Hold::pair(shared)?;
    Ok((Producer::new(first, producing), Reader { position, lost: 0, first: first.head, hold: reading }))
}

impl<T: Plain, P: Claims> Reader<T, P> {
    /// Returns the oldest item that can still be read.
    ///
    /// Items that were overwritten before are counted as [lost](Self::lost). Lock-free among
    /// readers; producers that overwrite can make the read try again.
    ///
    /// # Errors
    /// [`PopError::Empty`] if there is none, [`PopError::Busy`] if the oldest is still being
    /// pushed.
    #[inline]
    pub fn read(&mut self) -> Result<T, PopError> {
        self.hold.read(&mut self.position, &mut self.lost).map_err(PopError::from)
    }

    /// Returns how many items this reader found overwritten since it was made or cloned.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Copies up to `most` of the newest items, the oldest of them first, and takes none away.
    ///
    /// This is the flight recorder's dump: readers still get the items, and nothing is counted as
    /// [lost](Self::lost). The result has no gap and no item twice, except that an item that is
    /// still being pushed is left out. It includes all items whose push happens before the call, as
    /// far as they are among the `most` newest and are not overwritten during the call; a producer
    /// that overtakes the copying shortens the result at its older end.
    ///
    /// Each item is looked at once, from the newest on, and not waited for. Wait-free with one
    /// producer; with many, finding the newest item is lock-free. Producers are not held up, but
    /// each line that is copied costs a producer that is about to write it a wait.
    /// Allocates the result; [`latest_slice`](Self::latest_slice) does not.
    ///
    /// # Examples
    /// ```
    /// let (mut producer, mut reader) = aqueduct::bbq::drop_old::mpmc::new::<u32>(100)?;
    /// for event in 0..1000 {
    ///     producer.push(event)?;
    /// }
    /// assert_eq!(reader.latest(3), [997, 998, 999]);
    /// assert!(reader.read()? < 997); // Still there.
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn latest(&self, most: usize) -> Vec<T> {
        let mut items = Vec::with_capacity(most.min(self.hold.entries()));
        self.hold.look_back(self.position.head, self.first, most, |item| items.push(item));
        items.reverse();
        items
    }

    /// Copies up to `items.len()` of the newest items to the start of `items`, the oldest of them
    /// first, and returns their number.
    ///
    /// Does what [`latest`](Self::latest) does, without an allocation: in a signal handler or a
    /// panic hook, for example.
    pub fn latest_slice(&self, items: &mut [T]) -> usize {
        let mut free = items.len();
        self.hold.look_back(self.position.head, self.first, free, |item| {
            free -= 1;
            items[free] = item;
        });
        items.copy_within(free.., 0);
        items.len() - free
    }

    /// Returns how many items can be read now, exact while no operation is in progress and no
    /// producer has overtaken the readers.
    ///
    /// Items that are being pushed count with many producers, and not with a single one. If
    /// producers have overtaken the readers it is an upper bound: readers leave out what producers
    /// overwrite next.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hold.readable()
    }

    /// Whether a read would return no item now, because there is none or the oldest one is still
    /// being pushed.
    ///
    /// If `false`, there was an item at one moment during the call, which another reader may take.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hold.is_nothing_readable()
    }

    /// Returns how many of the last items can always be read: the capacity that was asked for.
    ///
    /// A few more may be readable.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.hold.capacity
    }

    /// Whether all producers are gone. The queue then receives no further items.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.hold.is_alone()
    }
}

impl<T: Plain, P: Claims> crate::queue::sealed::Pop for Reader<T, P> {}

impl<T: Plain, P: Claims> crate::queue::Pop for Reader<T, P> {
    type Item = T;

    /// Calls [`read`](Reader::read).
    #[inline]
    fn pop(&mut self) -> Result<T, PopError> {
        self.read()
    }
}

crate::queue::implement! {
    [T: Plain, P: Claims] Reader<T, P>, T: Drain Len;
}

impl<T, P: Claims> Clone for Reader<T, P> {
    /// Returns a reader at this one's position that has lost nothing yet.
    fn clone(&self) -> Self {
        Self { position: self.position, lost: 0, first: self.first, hold: self.hold.clone() }
    }
}

impl<T, P: Claims> fmt::Debug for Reader<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("lost", &self.lost).finish_non_exhaustive()
    }
}

impl<T: Plain, P: Claims> Shared<Items<T>, P, Overwritten> {
    /// Reads an item, and adds the number of items that were overwritten to `lost`.
    #[inline(always)]
    fn read(&self, position: &mut Position, lost: &mut u64) -> Result<T, Reason> {
        let copied: MaybeUninit<T> = self.read_one(
            position,
            lost,
            |block, at| self.committed(block, at, 1),
            |block, next| self.is_close(block, next),
            // SAFETY: an entry of the block.
            |position, at, _| unsafe { Words::copy(self.entry(position.block, at.offset()).entry) },
        )?;
        // SAFETY: what is handed out was written once, before its mark, so that all words are of one item.
        Ok(unsafe { copied.assume_init() })
    }
}

impl<T: Plain, P: Claims> Shared<Items<T>, P, Overwritten> {
    /// Passes copies of up to `most` of the newest items to `put`, the newest first.
    ///
    /// `known` is a head that a reader has been at, `first` that of the first block ever written.
    fn look_back(&self, known: Cursor, first: Cursor, most: usize, mut put: impl FnMut(T)) {
        let (mut head, at) = P::place_seen(self, known);
        let (mut end, mut left) = (at.offset(), most);
        let never = first.block_before(self.blocks.geometry.blocks());
        for _ in 0..self.blocks.geometry.blocks() {
            let position = self.position(head);
            // The block was opened in this lap or a later one, so no mark is older than one lap before it.
            if head == never || allocated(self.block(&position)).begin() != head.begin() {
                return;
            }
            for offset in (0..end).rev() {
                if left == 0 {
                    return;
                }
                let at = head.begin().plus(offset);
                if self.committed(position.block, at, 1) == 0 {
                    continue;
                }
                // SAFETY: an entry of the block.
                let copied: MaybeUninit<T> = unsafe { Words::copy(self.entry(position.block, offset).entry) };
                // As in `read_one`: a producer goes to the block before it overwrites a word.
                if P::has_overwritten(self, &position) {
                    return;
                }
                // SAFETY: it was written once in this lap, before its mark, so that all words are of one item.
                put(unsafe { copied.assume_init() });
                left -= 1;
            }
            (head, end) = (head.block_before(self.blocks.geometry.blocks()), self.size());
        }
    }
}

impl<K: Content<P, Overwritten>, P: Claims> Shared<K, P, Overwritten> {
    /// Returns the readers' place, and whether producers have overtaken them there.
    fn place_of_readers(&self) -> (length::Place, bool) {
        // Ordering: Relaxed. A reader knows of its own step here, and what else it finds is approximate.
        let head = Cursor(self.consumers.load(Ordering::Relaxed));
        let (seen, block) = (reserved(self.block_of(head)), allocated(self.block_of(head)));
        let at = if seen.begin() == head.begin() { seen } else { head.begin() };
        ((head, at), block.begin() != head.begin())
    }

    /// Returns how many entries readers can read, at most.
    pub(super) fn readable(&self) -> usize {
        let (readers, is_overtaken) = self.place_of_readers();
        let (head, at) = P::place_seen(self, readers.0);
        let intact = self.entries() - self.size() + at.offset();
        if is_overtaken { intact } else { self.entries_between(readers, (head, at)).min(intact) }
    }

    /// Whether readers find no committed entry.
    pub(super) fn is_nothing_readable(&self) -> bool {
        let (readers, is_overtaken) = self.place_of_readers();
        !is_overtaken && self.next_there(readers).is_none()
    }

    /// Copies the next readable content, and adds the number of overwritten entries to `lost`.
    ///
    /// `extent` says how many entries the content takes, 0 if it is not committed. The result of
    /// `copy` is returned only if the content was not overwritten meanwhile.
    #[inline(always)]
    pub(super) fn read_one<R>(
        &self,
        position: &mut Position,
        lost: &mut u64,
        extent: impl Fn(NonNull<Block>, Cursor) -> usize,
        is_close: impl Fn(NonNull<Block>, Cursor) -> bool,
        mut copy: impl FnMut(&Position, Cursor, usize) -> R,
    ) -> Result<R, Reason> {
        position.distance.keep();
        let mut race = Race::default();
        let mut overtaken = false;
        loop {
            let at = position.cursor;
            if at.begin() != position.head.begin() {
                // Others have reached the block in a later lap meanwhile: the head says what held a lap before.
                self.enter(position, at.begin().plus(position.head.offset()));
                continue;
            }
            let left = self.size() - at.offset();
            if left == 0 {
                self.leave(position, core::mem::take(&mut overtaken), lost)?;
                continue;
            }
            let block = self.block(position);
            let mut overwritten = P::has_overwritten(self, position);
            // If the rest of the block is overwritten, it is closed, so that nobody else counts it.
            let mut count = if overwritten { left } else { extent(position.block, at) };
            if count == 0 {
                let actual = reserved(block);
                if actual != at {
                    position.cursor = actual;
                    continue;
                }
                let allocated = allocated(block);
                if allocated.begin() == at.begin() {
                    position.distance.found_nothing();
                    return Err(P::why_not_among(allocated, at));
                }
                (overwritten, count) = (true, left);
            }
            // Ordering: Relaxed, it only divides the items among readers. Where it fails in a later lap, that is looked
            // up again.
            match block.reserved.by_exchange.compare_exchange(
                at.0,
                at.plus(count).0,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => {
                    let next = at.plus(count);
                    position.cursor = next;
                    if !overwritten {
                        let copied = copy(position, at, count);
                        // A producer goes to the block before it overwrites a word, and hands that on with the word
                        // (Release), whose copying (Acquire) comes before this.
                        if !P::has_overwritten(self, position) {
                            if is_close(position.block, next) {
                                position.distance.was_last(next.offset());
                            }
                            return Ok(copied);
                        }
                    }
                    overtaken = true;
                    *lost = lost.wrapping_add(count as u64);
                }
                Err(actual) => {
                    position.cursor = Cursor(actual);
                    if position.cursor.begin() != at.begin() {
                        position.cursor = reserved(block);
                    } else if position.cursor.offset() != self.size()
                        && let Some(now) =
                            race.lost(position, at, count, Cursor(actual), HINTS_OF_A_CLAIM, || reserved(block))
                    {
                        position.cursor = now;
                    }
                }
            }
        }
    }

    /// Goes on from a block that has been read or is closed.
    ///
    /// The reader goes to the next block. If it was overtaken, it goes to the oldest block that can
    /// still be intact and that it need not leave soon.
    #[inline(never)]
    fn leave(&self, position: &mut Position, overtaken: bool, lost: &mut u64) -> Result<(), Reason> {
        let blocks = self.blocks.geometry.blocks();
        let from = position.cursor.begin().plus(position.head.offset());
        let next = from.next_block(blocks);
        let found = allocated(self.block_of(next));
        let (oldest, spare) = match found.laps_since(next.version_before(0)) {
            0 => return Err(Reason::Exhausted),
            1 => (next, if overtaken { self.spare() } else { 0 }),
            // In the lap before that one, the blocks behind it are the oldest.
            _ => (found.version_before(next.offset()).next_block(blocks), self.spare()),
        };
        // Producers have come to the block before the oldest one, so that all the others have been opened, more of them
        // than spare ones. But which marks to go by is known of those only that are found open.
        let beyond = (0..spare).fold(oldest, |head, _| head.next_block(blocks));
        let can_go = spare == 0 || is_open(self.block_of(beyond), beyond.version_before(0));
        let target = if can_go { beyond } else { oldest };
        // Ordering: Release pairs with the Acquire where it fails: a reader that finds the head knows that the block is
        // open to producers in that lap, and finds no marks that are older than the lap before.
        let head = self.consumers.compare_exchange(from.0, target.0, Ordering::Release, Ordering::Acquire);
        if head.is_ok() {
            let skipped =
                target.laps_since(next) as u64 * blocks as u64 + target.offset() as u64 - next.offset() as u64;
            *lost = lost.wrapping_add(skipped * self.size() as u64);
        }
        self.enter(position, head.map_or_else(Cursor, |_| target));
        Ok(())
    }

    /// Goes to the block that is `head`, and opens it to readers if no other reader has.
    ///
    /// A reader leaves a block only after it has seen it used up, so no block is opened after it
    /// was left.
    fn enter(&self, position: &mut Position, head: Cursor) {
        position.enter(self, head);
        let block = self.block(position);
        let before = head.version_before(0);
        loop {
            position.cursor = reserved(block);
            let is_open = match position.cursor.laps_since(before) {
                0 => false,
                1 => true,
                // Other readers have opened it in a later lap, in which producers have been there
                // before; or all readers have rested.
                laps => laps <= allocated(block).laps_since(before),
            };
            if is_open {
                break;
            }
            // Ordering: Release pairs with the Acquire in `reserved`: as with the head in `leave`. If another reader
            // was faster, that is as well.
            let (from, to) = (position.cursor.0, head.begin().0);
            let _ = block.reserved.by_exchange.compare_exchange(from, to, Ordering::Release, Ordering::Relaxed);
        }
    }

    /// Puts the readers `laps` laps back, before anything was pushed. Returns the position of the
    /// first reader.
    pub(super) fn put_readers_back(&self, laps: usize) -> Position {
        // Ordering: Relaxed throughout, nobody else is there yet.
        let first = Cursor(self.producers.load(Ordering::Relaxed));
        let then = Cursor::new(first.version().wrapping_sub(laps), 0);
        self.consumers.store(then.0, Ordering::Relaxed);
        for index in 0..self.blocks.geometry.blocks() {
            let reserved = if index == 0 { then } else { then.version_before(self.size()) };
            self.block_of(then.plus(index)).reserved.by_exchange.store(reserved.0, Ordering::Relaxed);
        }
        self.position(then)
    }
}

#[cfg(test)]
mod tests {
    use super::super::cursor::RENEWAL;
    use super::*;

    /// Claims an entry for each of the producers in turn, and commits it.
    fn push_each(shared: &Shared<Items<u64>, Multi, Overwritten>, producers: &mut [Position]) {
        for position in producers {
            let (at, place) = Multi::claim_one(shared, position).expect("nobody is in the way");
            // SAFETY: just claimed.
            unsafe { shared.put(place, at, 7) };
        }
    }

    /// Two producers take turns, so that neither reports a block as committed. The report that is left in the word is
    /// from a lap whose number has come back.
    #[test]
    fn an_old_report_of_a_committed_block_is_not_believed_when_its_lap_number_comes_back() {
        let (first, geometry) = (RENEWAL / 2 - 1, Geometry::new(2, 2).expect("a small queue"));
        let shared = Shared::new(Items::<u64>::new(), geometry, 2, first).expect("memory");
        let mut producers = [shared.first(); 2];
        let old = Cursor::new(first + 2, 2);
        // Ordering: Relaxed, there is one thread.
        shared.block_of(Cursor::new(first, 0)).allocated.committed.store(old.0, Ordering::Relaxed);
        for _block in 0..2 * geometry.blocks() {
            push_each(&shared, &mut producers);
        }
        Multi::claim_one(&shared, &mut producers[0]).expect("the first block in the lap whose number is back");
        let others = &mut producers[1..];
        for _entry in 0..3 {
            push_each(&shared, others);
        }
        let refused = Multi::claim_one(&shared, &mut others[0]).map(|(at, _)| at);
        assert_eq!(refused, Err(Reason::Busy), "an entry of the block is not committed");
    }
}
