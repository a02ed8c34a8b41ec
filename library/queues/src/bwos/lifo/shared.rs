//! The state that owner and thieves share, and the owner's slow paths.
//!
//! The slow paths go from block to block, and answer steal requests.
//!
//! Blocks have places, one after the other, lap after lap. The owner is in the block at the top;
//! blocks below belong to the thieves. Invariants:
//! 1. Thieves claim the entries of a block at a place one after the other, from the first one on.
//!    The owner knows `floor`: entries below it are claimed or granted, entries from it to the
//!    owner's position are the owner's.
//! 2. A thief claims from a block only if thieves have claimed every entry of the block before it.
//!    So if an entry of a block is claimed, nothing is left in any block below.
//! 3. The word of the owner's block says `closed`, or grants entries below `floor`. The word of a
//!    block below it grants all entries from the first unclaimed one on. A block above it is
//!    closed, or used up in the lap before. (The block above the top is also the one at the bottom
//!    of the lap, if that is used up: the lap distinguishes them.)
//! 4. In a lap that is over, thieves have read every entry of a block, and marked each with the
//!    lap (its lower bits: a mark never lags behind by more than one lap). So a block is free
//!    when all marks are of the lap before. The thief of the last entry reads the marks, because it
//!    has their line, and reports if all are of that lap. (In the BWoS paper, thieves count the
//!    entries that they have read, `s_cnt`: a second atomic read-modify-write in each theft. Its
//!    owner resets the count: L1 in our bug zoo.)

use core::ptr::NonNull;

use super::super::block::{Blocks, Head, entries};
use super::super::geometry::Geometry;
use super::super::hunger::{Hunger, Noticed};
use super::super::order::{Seizures, Thefts};
use super::super::place::BlockPlace;
use super::stand::Stand;
use super::word::Word;
use crate::error::CapacityError;
use crate::heap::drop_all;
use crate::isolated::Isolated;
use crate::sync::{AtomicU8, AtomicUsize, Cell, Ordering};

/// The words in front of a block's entries.
///
/// `b_pos` and `f_pos` of the BWoS paper are `pos` and `floor` of [`Top`]; [`Stand`] publishes them.
pub(super) struct BlockHead {
    thieves: Isolated<Thieves>,
}

pub(super) struct Thieves {
    /// A [`Word`].
    pub(super) s_pos: AtomicUsize,
    /// The last lap in which a thief has found all entries marked: a packed [`BlockPlace`] of it.
    pub(super) read: AtomicUsize,
}

impl Head for BlockHead {
    fn new(lap: usize, block_size: usize) -> Self {
        let s_pos = AtomicUsize::new(Word::used_up(lap.wrapping_sub(1), block_size).0);
        let read = AtomicUsize::new(all_read_in(lap.wrapping_sub(1)));
        Self { thieves: Isolated(Thieves { s_pos, read }) }
    }

    fn mark_before(lap: usize) -> u8 {
        mark(lap.wrapping_sub(1))
    }
}

/// Returns the mark of an entry that thieves have read in that lap.
pub(super) const fn mark(lap: usize) -> u8 {
    lap as u8
}

/// Returns the word that reports that all entries have been read in that lap.
pub(super) const fn all_read_in(lap: usize) -> usize {
    BlockPlace { lap, index: 0 }.packed()
}

/// The bound of fast pops that a steal request sets: it forces the owner onto the slow path.
const STARVED: usize = isize::MAX as usize;

/// A pop's step, down: -1.
const STEP: usize = usize::MAX;

/// The number of the closing with which a queue begins: numbers soon wrap, so that tests see it.
const FIRST_CLOSING: usize = usize::MAX;

/// The queue.
///
/// The bounds come first: fast paths compare with them and publish positions relative to one address.
#[repr(C)]
pub struct Shared<T> {
    pub(super) hunger: Hunger<STARVED, STEP>,
    pub(super) blocks: Blocks<T, BlockHead>,
    /// The capacity that was asked for.
    pub(super) capacity: usize,
    /// The block that thieves are at: every entry of the blocks below it is claimed.
    ///
    /// Thieves alone move it on, one by one. A thief claims only from a block that it is or was at,
    /// so it is never behind by more than the blocks that are used up.
    pub(super) bottom: Isolated<AtomicUsize>,
    /// What thieves have noticed of an owner that does not answer.
    pub(super) noticed: Isolated<Noticed>,
    pub(super) stand: Isolated<Stand>,
    /// The owner's alone.
    top: Isolated<Cell<Top>>,
}

// SAFETY: items go from one thread to another, which `T: Send` allows; threads never share one.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: the reason for `Send` holds.
unsafe impl<T: Send> Sync for Shared<T> {}

/// The state of the owner's fast paths. It is in the handle, and in registers if the handle is.
#[derive(Clone, Copy)]
pub(super) struct Cursor {
    pub(super) block: NonNull<BlockHead>,
    /// Entries up to here hold items; `b_pos` of the BWoS paper.
    pub(super) pos: usize,
}

/// The owner's place: its [`Cursor`], as it was when it last left its fast paths, and what lies below its items.
///
/// It is in the queue, and not in the handle, where it would take registers from the caller's loops. Slow paths change
/// it where it lies: a copy reads pairs of words that have just been written one by one, which processors do slowly.
pub(super) struct Top {
    block: NonNull<BlockHead>,
    pos: usize,
    below: Below,
}

impl Top {
    /// Returns the cursor for the owner's fast paths.
    #[inline(always)]
    pub(super) fn cursor(&self) -> Cursor {
        Cursor { block: self.block, pos: self.pos }
    }
}

/// The state below the owner's items.
struct Below {
    /// Entries from here on are the owner's; `f_pos` of the BWoS paper.
    floor: usize,
    /// Whether entries below `floor` are granted and have not been taken back.
    lends: bool,
    /// The owner's block.
    place: BlockPlace,
    /// The number of the last closing.
    closings: usize,
}

impl<T> Shared<T> {
    pub(super) fn for_capacity(capacity: usize, lap: usize) -> Result<Self, CapacityError> {
        Self::new(Blocks::<T, BlockHead>::geometry(capacity)?, capacity, lap)
    }

    pub(super) fn new(geometry: Geometry, capacity: usize, lap: usize) -> Result<Self, CapacityError> {
        let blocks = Blocks::<T, BlockHead>::new(geometry, lap)?;
        let first = BlockPlace { lap, index: 0 };
        // Ordering: Relaxed, nobody else is there yet.
        blocks.head(first).thieves.s_pos.store(Word::closed(lap, FIRST_CLOSING).0, Ordering::Relaxed);
        let bottom = Isolated(AtomicUsize::new(first.packed()));
        let hunger = Hunger::new(geometry.block_size(), 0);
        let stand = Isolated(Stand::new(first));
        let below = Below { floor: 0, lends: false, place: first, closings: FIRST_CLOSING };
        let top = Isolated(Cell::new(Top { block: blocks.block(0), pos: 0, below }));
        Ok(Self { hunger, blocks, capacity, bottom, noticed: Isolated(Noticed::nothing()), stand, top })
    }

    /// Returns the owner's place. The owner alone calls it, and has one at a time.
    #[expect(clippy::mut_from_ref, reason = "the owner's handle is not shared, and no operation calls another one")]
    #[inline(always)]
    pub(super) fn top(&self) -> &mut Top {
        // SAFETY: the queue was made with one, and nobody else touches it.
        unsafe { Cell::free(&raw const *self.top, 1)[0].assume_init_mut() }
    }

    /// Keeps the cursor that the owner has on its fast paths, and returns its place; the owner alone calls it.
    #[inline(always)]
    pub(super) fn keep(&self, at: Cursor) -> &mut Top {
        let top = self.top();
        (top.block, top.pos) = (at.block, at.pos);
        top
    }

    /// Returns where the owner's own items begin; the owner alone calls it.
    #[inline(always)]
    pub(super) fn floor(&self) -> usize {
        self.top().below.floor
    }

    /// Moves the owner to another block.
    fn enter(&self, top: &mut Top, place: BlockPlace, pos: usize, floor: usize) {
        (top.block, top.pos) = (self.blocks.block(place.index), pos);
        top.below = Below { floor, lends: false, place, closings: top.below.closings };
    }

    pub(super) fn thieves(&self, place: BlockPlace) -> &Thieves {
        &self.blocks.head(place).thieves
    }

    /// Grants the owner's entries up to `end` to thieves.
    fn grant(&self, top: &mut Top, end: usize) {
        let s_pos = &self.thieves(top.below.place).s_pos;
        if top.below.lends {
            // Ordering: Release pairs with the thief's Acquire exchange; without it, a thief reads an item that is not
            // written yet (`bwos-lifo/asked-lap`). An addition, for thieves move the other part of the word.
            s_pos.fetch_add(Word::more(end - top.below.floor), Ordering::Release);
        } else {
            // Ordering: Release, for the reason of the addition. Nobody seizes a block whose owner is on its slow path,
            // and only the owner writes a closed word otherwise, so a store is enough.
            s_pos.store(Word::new(top.below.place.lap, top.below.floor, end).0, Ordering::Release);
        }
        (top.below.floor, top.below.lends) = (end, true);
    }

    /// Returns the word of a closed block: another one each time.
    fn closed(&self, top: &mut Top, place: BlockPlace) -> usize {
        top.below.closings = top.below.closings.wrapping_add(1);
        Word::closed(place.lap, top.below.closings).0
    }

    /// Closes a block, and returns its word before.
    fn take_over(&self, top: &mut Top, place: BlockPlace) -> Word {
        let closed = self.closed(top, place);
        // Ordering: Release pairs with the Acquire in `at_bottom`: without it, a thief finds nothing in a block that
        // the owner has gone back to (`bwos-lifo/kept-pop-next`). Acquire only keeps later stores behind (load
        // buffering): what comes back was written by the owner itself, or moved on by thieves.
        Word(self.thieves(place).s_pos.swap(closed, Ordering::AcqRel))
    }

    /// Closes a block that no thief takes from now: by a store.
    fn close(&self, top: &mut Top, place: BlockPlace) {
        let closed = self.closed(top, place);
        // Ordering: Relaxed, thieves take nothing on its account.
        self.thieves(place).s_pos.store(closed, Ordering::Relaxed);
    }

    /// Begins an operation on the slow path.
    ///
    /// From here to `stay` nothing is seized. After a request, the owner takes back what thieves
    /// have not claimed of its block, whether they seized it or it was given. So thieves that are
    /// about to seize fail.
    #[inline(always)]
    fn leave_stand(&self, top: &mut Top) {
        self.stand.leave();
        if self.hunger.is_asked(top.below.floor) {
            let from = top.below.floor;
            self.recall(top);
            self.hunger.move_pop(from, top.below.floor);
        }
    }

    /// Takes back what thieves have not claimed of the owner's block.
    #[cold]
    #[inline(never)]
    fn recall(&self, top: &mut Top) {
        let word = self.take_over(top, top.below.place);
        if !word.is_closed() {
            top.below.floor = word.next();
        }
        top.below.lends = false;
    }

    /// Ends an operation on the slow path.
    #[inline(always)]
    fn stay(&self, top: &Top) {
        self.stand.stay(top.below.place, top.below.floor, top.pos);
    }

    /// Returns how many items of its block the owner has for itself.
    fn kept(top: &Top) -> usize {
        top.pos - top.below.floor
    }

    /// Gives the `count` oldest of the owner's items to thieves after a request.
    fn feed(&self, top: &mut Top, count: usize) {
        if count > 0 && self.hunger.is_asked(top.below.floor) {
            let end = top.below.floor + count;
            // The answer comes after the question has been taken away: a question that comes too late is asked again.
            // A thief that sees the grant sees this, too: what it asks comes later (`bwos-lifo/seized-answered-pops`).
            self.hunger.calm(end);
            self.grant(top, end);
        }
    }

    /// Whether the owner can enter a block above its own.
    ///
    /// It can if it was there in this lap, or if thieves have taken every entry in the lap before,
    /// and no entry is being read.
    fn is_free(&self, place: BlockPlace) -> bool {
        // Ordering: Relaxed. What says that the block is closed the owner has written itself, and else the marks
        // decide.
        let word = Word(self.thieves(place).s_pos.load(Ordering::Relaxed));
        if word.is_in(place) {
            return true;
        }
        let lap = place.lap.wrapping_sub(1);
        if word != Word::used_up(lap, self.size()) {
            return false;
        }
        // Ordering: Acquire pairs with the Release stores of the thieves that have read the entries, or the one that
        // has seen all of that; without it, the owner writes entries that are being read (`bwos-lifo/drop`).
        let has_been_read = |it: &AtomicU8| it.load(Ordering::Acquire) == mark(lap);
        self.thieves(place).read.load(Ordering::Acquire) == all_read_in(lap)
            || self.blocks.marks(place.index).iter().all(has_been_read)
    }

    /// Moves the owner to a free entry, on the slow path; `None` if the queue is full.
    fn advance(&self, top: &mut Top) -> Option<()> {
        if top.pos == self.size() {
            let next = top.below.place.next(self.blocks.geometry.blocks());
            if !self.is_free(next) {
                return None;
            }
            self.grant(top, self.size());
            self.close(top, next);
            self.enter(top, next, 0, 0);
            self.blocks.fetch_head(next.next(self.blocks.geometry.blocks()).index);
        }
        Some(())
    }

    /// Makes sure that there is a free entry in the owner's block, if the queue is not full.
    #[cold]
    #[inline(never)]
    pub(super) fn make_room(&self) -> &Top {
        let top = self.top();
        self.leave_stand(top);
        _ = self.go_on(top);
        let half = Self::kept(top).div_ceil(2);
        self.feed(top, half);
        self.stay(top);
        top
    }

    /// Moves the owner to a free entry, if there is one, and the bound of fast pops with it.
    fn go_on(&self, top: &mut Top) -> bool {
        let from = top.below.floor;
        let there_is = self.advance(top).is_some();
        self.hunger.move_pop(from, top.below.floor);
        there_is
    }

    /// Pushes on the slow path.
    #[cold]
    #[inline(never)]
    pub(super) fn push(&self, item: T) -> (&Top, Result<(), T>) {
        let top = self.top();
        self.leave_stand(top);
        let result = if self.go_on(top) {
            // SAFETY: the entry is free, and the owner's.
            unsafe { entries::<T, BlockHead>(top.block).add(top.pos).as_ref().write(item) };
            top.pos += 1;
            Ok(())
        } else {
            Err(item)
        };
        // A single item, too: a thief that waits for it need not seize it, and the owner's next pop can take it back.
        let half = Self::kept(top).div_ceil(2);
        self.feed(top, half);
        self.stay(top);
        (top, result)
    }

    /// Moves the owner to the newest item, if there is one and the owner is not there.
    fn retreat(&self, top: &mut Top) {
        if top.below.lends {
            self.recall(top);
        }
        // Where something was claimed, nothing is left below.
        if top.pos > 0 {
            return;
        }
        let previous = top.below.place.previous(self.blocks.geometry.blocks());
        let used_up = Word::used_up(previous.lap, self.size());
        let s_pos = &self.thieves(previous).s_pos;
        // Ordering: Relaxed, a block that is used up stays so until the owner uses the block again, as one above this.
        let word = Word(s_pos.load(Ordering::Relaxed));
        if word == used_up || !word.is_in(previous) {
            return;
        }
        match self.take_over(top, previous).next() {
            // Ordering: Relaxed. Thieves that find it closed meanwhile find nothing, and there is nothing.
            floor if floor == self.size() => s_pos.store(used_up.0, Ordering::Relaxed),
            // The block that the owner leaves stays closed: thieves look whose items they seize.
            floor => self.enter(top, previous, self.size(), floor),
        }
    }

    /// Pops on the slow path.
    #[cold]
    #[inline(never)]
    pub(super) fn pop(&self) -> (&Top, Option<T>) {
        let top = self.top();
        if self.hunger.is_asked(top.below.floor) && self.is_empty(top) {
            // The pop has published a position in front of the owner's items.
            self.stand.pushed(top.pos);
            return (top, None);
        }
        self.leave_stand(top);
        let from = top.below.floor;
        if top.pos == from {
            self.retreat(top);
        }
        self.hunger.move_pop(from, top.below.floor);
        // The owner keeps the item that it pops.
        let half = Self::kept(top) / 2;
        self.feed(top, half);
        let item = (top.pos > top.below.floor).then(|| {
            top.pos -= 1;
            // SAFETY: the entry holds an item, and is the owner's.
            unsafe { entries::<T, BlockHead>(top.block).add(top.pos).as_ref().take() }
        });
        self.stay(top);
        (top, item)
    }

    /// Gives all items to the thieves when the owner goes.
    pub(super) fn leave(&self) {
        let top = self.top();
        self.leave_stand(top);
        let end = top.pos;
        self.grant(top, end);
        self.stand.stay(top.below.place, end, 0);
    }

    /// Whether the owner's block is full and it cannot enter the next one.
    pub(super) fn is_full(&self, top: &Top) -> bool {
        top.pos == self.size() && !self.is_free(top.below.place.next(self.blocks.geometry.blocks()))
    }

    /// Whether nothing is left that the owner could pop.
    pub(super) fn is_empty(&self, top: &Top) -> bool {
        // Ordering: Relaxed, here and in `len`: the owner knows its own words, and thieves only take from them.
        let left = |place: BlockPlace| match Word(self.thieves(place).s_pos.load(Ordering::Relaxed)) {
            word if word.is_in(place) => word.len(),
            _ => 0,
        };
        // If something of the owner's block was claimed, nothing is left below.
        let is_below = || top.pos == 0 && left(top.below.place.previous(self.blocks.geometry.blocks())) > 0;
        self.own(top) == 0 && left(top.below.place) == 0 && !is_below()
    }

    /// Returns how many items of its block are the owner's.
    fn own(&self, top: &Top) -> usize {
        // Ordering: Relaxed, what thieves have seized the owner need not know yet.
        let word = Word(self.thieves(top.below.place).s_pos.load(Ordering::Relaxed));
        top.pos - word.floor(top.below.floor)
    }

    /// Returns the number of items, those that thieves may take included.
    pub(super) fn len(&self, top: &Top) -> usize {
        self.own(top) + self.all_granted()
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        if !core::mem::needs_drop::<T>() {
            return;
        }
        // Ordering: Relaxed throughout. Everything is ordered before the queue is dropped.
        let bottom = BlockPlace::unpacked(self.bottom.load(Ordering::Relaxed));
        let blocks = self.blocks.geometry.blocks();
        let mut left = (0..blocks).map(|number| (bottom.index + number) % blocks).flat_map(|index| {
            let block = self.blocks.block(index);
            let word = Word(self.thieves(BlockPlace { lap: 0, index }).s_pos.load(Ordering::Relaxed));
            let numbers = if word.is_closed() { 0..0 } else { word.next()..word.end() };
            numbers.map(move |number| (block, number))
        });
        drop_all(&mut || {
            let Some((block, number)) = left.next() else { return false };
            // SAFETY: nobody else is left, and the entry holds an item, which is visited once.
            drop(unsafe { entries::<T, BlockHead>(block).add(number).as_ref().take() });
            true
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::offset_of;

    #[test]
    fn what_thieves_write_and_what_the_owner_reads_lie_apart() {
        let offsets = [
            offset_of!(Shared<u8>, bottom),
            offset_of!(Shared<u8>, noticed),
            offset_of!(Shared<u8>, hunger),
            offset_of!(Shared<u8>, stand),
            offset_of!(Shared<u8>, top),
        ];
        crate::isolated::assert_line_pairs(align_of::<Shared<u8>>(), &offsets);
        crate::isolated::assert_line_pairs(align_of::<BlockHead>(), &[offset_of!(BlockHead, thieves)]);
    }
}
