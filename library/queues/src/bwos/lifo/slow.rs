//! The owner's slow paths: from block to block, and the answers to steal requests.
//!
//! The [design page](crate::bwos::design) has the invariants.

use core::ops::Range;

use super::position::Position;
use super::s_pos::SPos;
use crate::bwos::block::Location;
use crate::bwos::block::{Blocks, Head, Thieves};
use crate::bwos::order::{Claims, Lifo, Parts, SlowPaths};
use crate::bwos::queue::{OwnerState, Queue};
use crate::isolated::Isolated;
use crate::sync::{AtomicU8, AtomicUsize, Ordering};

/// The words in front of a block's entries.
pub struct BlockHead(Isolated<Thieves>);

impl Head for BlockHead {
    fn new(lap: usize, block_size: usize) -> Self {
        let before = lap.wrapping_sub(1);
        Self(Thieves::new(SPos::used_up(before, block_size).0, Location::all_read(before)))
    }

    fn mark_before(lap: usize) -> u8 {
        mark(lap.wrapping_sub(1))
    }

    #[inline(always)]
    fn thieves(&self) -> &Thieves {
        &self.0
    }
}

/// Returns the mark of an entry that thieves have read in that lap.
pub(super) const fn mark(lap: usize) -> u8 {
    lap as u8
}

/// The number of the closing with which a queue begins: numbers soon wrap, so that tests see it.
const FIRST_CLOSING: usize = usize::MAX;

/// The block that thieves are at: every entry of the blocks below it is claimed.
///
/// Thieves alone move it on, one by one. A thief claims only from a block that it is or was at,
/// so it is never behind by more than the blocks that are used up.
pub struct Bottom(pub(super) Isolated<AtomicUsize>);

/// The owner's record of the entries below its items.
pub struct SlowState {
    /// Entries from here on are the owner's; `f_pos` of the BWoS paper.
    floor: usize,
    /// Whether entries below `floor` are granted and have not been taken back.
    grants: bool,
    /// The owner's block.
    block: Location,
    /// The number of the last closing.
    closings: usize,
}

impl Parts for Lifo {
    const NO_FAST_POPS: usize = isize::MAX as usize;
    const STEP: usize = usize::MAX;
    type Head = BlockHead;
    type Front = ();
    type Position = Position;
    type Hints = Bottom;
    type SlowState = SlowState;

    fn first<T>(blocks: &Blocks<T, BlockHead>, lap: usize) -> (Bottom, Position, OwnerState<Self>) {
        let block = Location { lap, index: 0 };
        // Ordering: Relaxed, the queue is not shared yet.
        blocks.head(0).thieves().s_pos.store(SPos::closed(lap, FIRST_CLOSING).0, Ordering::Relaxed);
        let slow = SlowState { floor: 0, grants: false, block, closings: FIRST_CLOSING };
        let state = OwnerState { back: blocks.block(0), b_pos: 0, front: (), slow };
        (Bottom(Isolated(AtomicUsize::new(block.packed()))), Position::new(block), state)
    }

    fn pops_end(state: &OwnerState<Self>) -> usize {
        state.slow.floor
    }

    fn oldest_block<T>(queue: &Queue<T, Self>) -> usize {
        // Ordering: Relaxed, here and below. Everything is ordered before the queue is dropped.
        Location::unpacked(queue.hints.0.load(Ordering::Relaxed)).index
    }

    fn items_left<T>(queue: &Queue<T, Self>, block: usize) -> [Range<usize>; 2] {
        let word = SPos(queue.thieves(block).s_pos.load(Ordering::Relaxed));
        [if word.is_closed() { 0..0 } else { word.next()..word.end() }, 0..0]
    }
}

impl SlowPaths for Lifo {
    fn is_stuck<T>(_queue: &Queue<T, Self>, _state: &OwnerState<Self>) -> bool {
        false
    }

    fn finds_nothing<T>(queue: &Queue<T, Self>, state: &OwnerState<Self>) -> bool {
        let finds_nothing = queue.requests.is_pending(state.slow.floor) && Self::is_empty(queue, state);
        if finds_nothing {
            // The pop has published a position in front of the owner's items.
            queue.position.publish_push(state.b_pos);
        }
        finds_nothing
    }

    /// After a request, the owner takes back what thieves have not claimed of its block, whether
    /// they seized it or it was given. So the exchanges of thieves that are about to seize fail.
    #[inline(always)]
    fn begin<T>(queue: &Queue<T, Self>, state: &mut OwnerState<Self>) -> (bool, Option<usize>) {
        queue.position.withdraw();
        let is_requested = queue.requests.is_pending(state.slow.floor);
        if is_requested {
            let from = state.slow.floor;
            queue.recall(state);
            queue.requests.move_pop(from, state.slow.floor);
        }
        (is_requested, None)
    }

    #[inline(always)]
    fn advance<T>(queue: &Queue<T, Self>, state: &mut OwnerState<Self>) -> bool {
        let from = state.slow.floor;
        let is_free = queue.advance(state).is_some();
        queue.requests.move_pop(from, state.slow.floor);
        is_free
    }

    #[inline(always)]
    fn go_to_item<T>(queue: &Queue<T, Self>, state: &mut OwnerState<Self>) {
        let from = state.slow.floor;
        if state.b_pos == from {
            queue.retreat(state);
        }
        queue.requests.move_pop(from, state.slow.floor);
    }

    /// Looks for a request again: one may have come since the operation began.
    fn answer<T>(queue: &Queue<T, Self>, state: &mut OwnerState<Self>, _is_requested: bool, kept: usize) {
        // A single item, too: a thief that waits for it need not seize it, and the owner's next pop
        // can take it back.
        let half = queue.own(state).saturating_sub(kept).div_ceil(2);
        if half > 0 && queue.requests.is_pending(state.slow.floor) {
            let end = state.slow.floor + half;
            // The request is taken away before it is answered: one that comes too late is sent
            // again. A thief that sees the grant sees this, too: its request comes later
            // (`bwos-lifo/seized-answered-pops`).
            queue.requests.answer(end);
            queue.grant(state, end);
        }
    }

    fn take_entry<T>(_queue: &Queue<T, Self>, state: &mut OwnerState<Self>) -> Option<usize> {
        (state.b_pos > state.slow.floor).then(|| {
            state.b_pos -= 1;
            state.b_pos
        })
    }

    #[inline(always)]
    fn end<T>(queue: &Queue<T, Self>, state: &OwnerState<Self>) {
        queue.position.publish(state.slow.block, state.slow.floor, state.b_pos);
    }

    fn leave<T>(queue: &Queue<T, Self>, state: &mut OwnerState<Self>) {
        _ = Self::begin(queue, state);
        let end = state.b_pos;
        queue.grant(state, end);
        queue.position.publish(state.slow.block, end, 0);
    }

    fn has_to_give<T>(_queue: &Queue<T, Self>, state: &OwnerState<Self>) -> bool {
        state.b_pos > state.slow.floor
    }

    fn len<T>(queue: &Queue<T, Self>, state: &OwnerState<Self>) -> usize {
        queue.left(state) + Self::all_granted(queue)
    }

    fn is_empty<T>(queue: &Queue<T, Self>, state: &OwnerState<Self>) -> bool {
        // Ordering: Relaxed, here and in `left`: the owner knows its own words, and thieves only
        // take from them.
        let granted = |at: Location| match SPos(queue.thieves(at.index).s_pos.load(Ordering::Relaxed)) {
            word if word.is_in(at) => word.len(),
            _ => 0,
        };
        // If something of the owner's block was claimed, nothing is left below.
        let is_below = || state.b_pos == 0 && granted(state.slow.block.previous(queue.block_count())) > 0;
        queue.left(state) == 0 && granted(state.slow.block) == 0 && !is_below()
    }

    fn is_full<T>(queue: &Queue<T, Self>, state: &OwnerState<Self>) -> bool {
        state.b_pos == queue.size() && !queue.is_free(state.slow.block.next(queue.block_count()))
    }
}

impl<T> Queue<T, Lifo> {
    /// Returns where the owner's own items begin; the owner alone calls it.
    #[inline(always)]
    pub(in crate::bwos) fn floor(&self) -> usize {
        self.state().slow.floor
    }

    /// Returns how many items of its block are the owner's alone, by its own record.
    fn own(&self, state: &OwnerState<Lifo>) -> usize {
        state.b_pos - state.slow.floor
    }

    /// Returns how many items of its block thieves have left to the owner.
    fn left(&self, state: &OwnerState<Lifo>) -> usize {
        // Ordering: Relaxed, the owner need not see yet what thieves have seized.
        let word = SPos(self.thieves(state.slow.block.index).s_pos.load(Ordering::Relaxed));
        state.b_pos - word.floor(state.slow.floor)
    }

    /// Moves the owner to another block.
    fn enter(&self, state: &mut OwnerState<Lifo>, block: Location, b_pos: usize, floor: usize) {
        (state.back, state.b_pos) = (self.blocks.block(block.index), b_pos);
        state.slow = SlowState { floor, grants: false, block, closings: state.slow.closings };
    }

    /// Grants the owner's entries up to `end` to thieves.
    fn grant(&self, state: &mut OwnerState<Lifo>, end: usize) {
        let s_pos = &self.thieves(state.slow.block.index).s_pos;
        if state.slow.grants {
            // Ordering: Release pairs with the thief's Acquire exchange; without it, a thief reads
            // an item that is not written yet (`bwos-lifo/asked-lap`). An addition, for thieves
            // move the other part of the word.
            s_pos.fetch_add(SPos::more(end - state.slow.floor), Ordering::Release);
        } else {
            // Ordering: Release, for the reason of the addition. Nobody seizes a block whose owner
            // is on its slow path, and only the owner writes a closed word otherwise, so a store is
            // enough.
            s_pos.store(SPos::new(state.slow.block.lap, state.slow.floor, end).0, Ordering::Release);
        }
        (state.slow.floor, state.slow.grants) = (end, true);
    }

    /// Returns the word of a closed block: another one each time.
    fn closed(&self, state: &mut OwnerState<Lifo>, block: Location) -> usize {
        state.slow.closings = state.slow.closings.wrapping_add(1);
        SPos::closed(block.lap, state.slow.closings).0
    }

    /// Closes a block, and returns its word before.
    fn take_over(&self, state: &mut OwnerState<Lifo>, block: Location) -> SPos {
        let closed = self.closed(state, block);
        // Ordering: Release pairs with the Acquire in `look_last`: without it, a thief finds
        // nothing in a block that the owner is back in (`bwos-lifo/kept-pop-next`). Acquire only
        // keeps later stores behind (load buffering): the owner or thieves wrote the old word.
        SPos(self.thieves(block.index).s_pos.swap(closed, Ordering::AcqRel))
    }

    /// Closes a block that no thief takes from now: by a store.
    fn close(&self, state: &mut OwnerState<Lifo>, block: Location) {
        let closed = self.closed(state, block);
        // Ordering: Relaxed, thieves take nothing on its account.
        self.thieves(block.index).s_pos.store(closed, Ordering::Relaxed);
    }

    /// Takes back what thieves have not claimed of the owner's block.
    #[cold]
    #[inline(never)]
    fn recall(&self, state: &mut OwnerState<Lifo>) {
        let word = self.take_over(state, state.slow.block);
        if !word.is_closed() {
            state.slow.floor = word.next();
        }
        state.slow.grants = false;
    }

    /// Whether the owner can enter a block above its own.
    ///
    /// It can if it was there in this lap, or if thieves have taken every entry in the lap before,
    /// and no entry is being read.
    fn is_free(&self, block: Location) -> bool {
        let thieves = self.thieves(block.index);
        // Ordering: Relaxed. The owner itself has written the word of a closed block; otherwise the
        // marks decide.
        let word = SPos(thieves.s_pos.load(Ordering::Relaxed));
        if word.is_in(block) {
            return true;
        }
        let lap = block.lap.wrapping_sub(1);
        if word != SPos::used_up(lap, self.size()) {
            return false;
        }
        // Ordering: Acquire pairs with the Release stores of the thieves that have read the
        // entries, or the one that has seen all of that; without it, the owner writes entries that
        // are being read (`bwos-lifo/drop`).
        let has_been_read = |it: &AtomicU8| it.load(Ordering::Acquire) == mark(lap);
        thieves.read.load(Ordering::Acquire) == Location::all_read(lap)
            || self.blocks.marks(block.index).iter().all(has_been_read)
    }

    /// Moves the owner to a free entry; `None` if the queue is full.
    fn advance(&self, state: &mut OwnerState<Lifo>) -> Option<()> {
        if state.b_pos == self.size() {
            let next = state.slow.block.next(self.block_count());
            if !self.is_free(next) {
                return None;
            }
            self.grant(state, self.size());
            self.close(state, next);
            self.enter(state, next, 0, 0);
            self.blocks.fetch_head(next.next(self.block_count()).index);
        }
        Some(())
    }

    /// Moves the owner to the newest item, if there is one and the owner is not there.
    fn retreat(&self, state: &mut OwnerState<Lifo>) {
        if state.slow.grants {
            self.recall(state);
        }
        // Where something was claimed, nothing is left below.
        if state.b_pos > 0 {
            return;
        }
        let previous = state.slow.block.previous(self.block_count());
        let used_up = SPos::used_up(previous.lap, self.size());
        let s_pos = &self.thieves(previous.index).s_pos;
        // Ordering: Relaxed, a block that is used up stays so until the owner uses the block again,
        // as one above this.
        let word = SPos(s_pos.load(Ordering::Relaxed));
        if word == used_up || !word.is_in(previous) {
            return;
        }
        match self.take_over(state, previous).next() {
            // Ordering: Relaxed. Thieves that find the block closed meanwhile take nothing, and it
            // has nothing.
            floor if floor == self.size() => s_pos.store(used_up.0, Ordering::Relaxed),
            // The block that the owner leaves stays closed: thieves look whose items they seize.
            floor => self.enter(state, previous, self.size(), floor),
        }
    }
}
