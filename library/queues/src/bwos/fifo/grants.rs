//! Grants: the entries that the owner gives to thieves and takes back, block by block.
//!
//! The [design page](crate::bwos::design) has the invariants.

use core::ops::Range;

use super::Front;
use super::position::Position;
use super::words::{Access, Announcement, Published, SPos, Seized};
use crate::bwos::block::{Blocks, Head, Location, Thieves};
use crate::bwos::order::{Fifo, Parts};
use crate::bwos::queue::{OwnerState, Queue};
use crate::isolated::Isolated;
use crate::sync::{AtomicU8, AtomicUsize, Ordering};

/// The words in front of a block's entries. [`Position`] has `f_pos` of the BWoS paper.
pub struct BlockHead {
    thieves: Isolated<Thieves>,
    pub(super) owner: Isolated<OwnerWords>,
}

/// Words that only the owner writes.
pub(super) struct OwnerWords {
    /// A [`Published`].
    pub(super) b_pos: AtomicUsize,
    /// The number of entries that thieves have claimed, from when the block was found free to when
    /// it was last closed.
    pub(super) claimed: AtomicUsize,
}

impl Head for BlockHead {
    fn new(lap: usize, block_size: usize) -> Self {
        let published = Published::FIRST.in_lap(lap.wrapping_sub(1)).to(block_size);
        let [b_pos, claimed] = [published.0, 0].map(AtomicUsize::new);
        let thieves = Thieves::new(SPos::closed(FIRST_NUMBER).0, Location::all_read(published.lap()));
        Self { thieves, owner: Isolated(OwnerWords { b_pos, claimed }) }
    }

    fn mark_before(_lap: usize) -> u8 {
        Published::FIRST.other_mark().mark()
    }

    #[inline(always)]
    fn thieves(&self) -> &Thieves {
        &self.thieves
    }
}

/// The number with which a queue begins: numbers soon wrap, so that tests see it.
const FIRST_NUMBER: usize = usize::MAX - 3;

/// The hints that lead thieves to a block.
pub struct Hints {
    /// The block in which thieves look first, because a thief has stolen from it. Only thieves use
    /// it.
    pub(super) first: Isolated<AtomicUsize>,
    /// An [`Announcement`].
    pub(super) announcement: Isolated<AtomicUsize>,
}

/// The state of the owner's slow paths.
pub struct SlowState {
    pub(super) back: Location,
    pub(super) front: Location,
    /// Entries of the block at the front are lent from here on.
    pub(super) lent: Option<usize>,
    /// The position at which fast pops end without requests.
    pub(super) stop: usize,
    /// The last published `b_pos` of the block at the back.
    pub(super) published: usize,
    /// The last announcement.
    announced: Announcement,
    /// The number of the last word.
    number: usize,
    /// The first lent entry that thieves have not claimed, while the lent part is closed.
    pub(super) recalled: Option<usize>,
}

impl Parts for Fifo {
    const NO_FAST_POPS: usize = 0;
    const STEP: usize = 1;
    type Head = BlockHead;
    type Front = Front;
    type Position = Position;
    type Hints = Hints;
    type SlowState = SlowState;

    fn first<T>(blocks: &Blocks<T, BlockHead>, lap: usize) -> (Hints, Position, OwnerState<Self>) {
        // Ordering: Relaxed, the queue is not shared yet.
        blocks.head(0).owner.b_pos.store(Published::FIRST.in_lap(lap).0, Ordering::Relaxed);
        let [first, announcement] = [0, Announcement::NOTHING.0].map(|word| Isolated(AtomicUsize::new(word)));
        let (block, at, stop) = (blocks.block(0), Location { lap, index: 0 }, blocks.geometry.block_size());
        let (announced, number) = (Announcement::NOTHING, FIRST_NUMBER);
        let slow = SlowState { back: at, front: at, lent: None, stop, published: 0, announced, number, recalled: None };
        let state = OwnerState { back: block, b_pos: 0, front: Front { block, f_pos: 0, known: 0 }, slow };
        (Hints { first, announcement }, Position::new(), state)
    }

    fn pops_end(state: &OwnerState<Self>) -> usize {
        state.slow.stop
    }

    fn oldest_block<T>(queue: &Queue<T, Self>) -> usize {
        queue.position.blocks().front()
    }

    fn items_left<T>(queue: &Queue<T, Self>, block: usize) -> [Range<usize>; 2] {
        let BlockHead { thieves, owner } = queue.blocks.head(block);
        // Ordering: Relaxed throughout. Everything is ordered before the queue is dropped.
        let b_pos = Published(owner.b_pos.load(Ordering::Relaxed)).b_pos();
        match SPos(thieves.s_pos.load(Ordering::Relaxed)).access() {
            Access::Open(next) => [0..0, next..b_pos],
            Access::Closed => [0..0, 0..0],
            Access::Seized(Seized { next, written, .. }) => {
                [next..queue.position.blocks().end().unwrap_or(next), written..b_pos]
            }
        }
    }
}

impl<T> Queue<T, Fifo> {
    /// Publishes all written entries of the block at the back.
    pub(super) fn publish(&self, state: &mut OwnerState<Fifo>) {
        if state.b_pos == state.slow.published {
            return;
        }
        state.slow.published = state.b_pos;
        let b_pos = &self.blocks.head(state.slow.back.index).owner.b_pos;
        // Ordering: Relaxed, the owner's own.
        let written = Published(b_pos.load(Ordering::Relaxed)).to(state.b_pos);
        // Ordering: Release pairs with the thief's Acquire load; without it, a thief reads an item
        // that is not written yet (`bwos-fifo/lap-three`).
        b_pos.store(written.0, Ordering::Release);
        if self.is_lent(state) {
            self.announce(state.slow.back, state);
        }
    }

    /// Announces that thieves find something, most likely in that block.
    pub(super) fn announce(&self, location: Location, state: &mut OwnerState<Fifo>) {
        state.slow.announced = state.slow.announced.next(location.index);
        // Ordering: Release pairs with the thief's Acquire load; without it, a thief misses the
        // announced entries, takes the announcement back, and no thief looks again
        // (`bwos-fifo/found`).
        self.hints.announcement.store(state.slow.announced.0, Ordering::Release);
    }

    /// Returns the number of the owner's next word.
    pub(super) fn number(&self, state: &mut OwnerState<Fifo>) -> usize {
        state.slow.number = state.slow.number.wrapping_add(1);
        state.slow.number
    }

    /// Lets thieves take the block's written entries from `from` on.
    pub(super) fn grant(&self, location: Location, from: usize, state: &mut OwnerState<Fifo>) {
        let word = SPos::open(self.number(state), from);
        // Ordering: Release pairs with the thief's Acquire load; without it, a thief takes a
        // `b_pos` of the lap before for this one's, and the entries' old contents for items
        // (`bwos-fifo/lap-three`).
        self.thieves(location.index).s_pos.store(word.0, Ordering::Release);
    }

    /// Closes the block at the front, and returns its word before.
    pub(super) fn close(&self, state: &mut OwnerState<Fifo>) -> SPos {
        let word = SPos::closed(self.number(state));
        // Ordering: Release pairs with the Acquire in `look`; without it, a thief finds nothing in
        // a block that the owner has reached (`bwos-fifo/kept-pop-next`). Acquire only keeps later
        // stores behind (load buffering): the owner or thieves wrote the old word.
        SPos(self.thieves(state.slow.front.index).s_pos.swap(word.0, Ordering::AcqRel))
    }

    /// Writes another word of the block at the front, which is closed, after a request.
    pub(super) fn close_again(&self, state: &mut OwnerState<Fifo>) {
        let word = SPos::closed(self.number(state));
        // Ordering: Release pairs with the Acquire in `look`: the request of a thief that sees this
        // word comes after the owner's answer to requests before it; without it, that answer undoes
        // the request (`bwos-fifo/seized-advance`).
        self.thieves(state.slow.front.index).s_pos.store(word.0, Ordering::Release);
    }

    /// Counts entries of the block at the front that thieves have claimed.
    pub(super) fn count_claimed(&self, state: &OwnerState<Fifo>, count: usize) {
        let claimed = &self.blocks.head(state.slow.front.index).owner.claimed;
        // Ordering: Relaxed throughout, it is the owner's alone.
        claimed.store(claimed.load(Ordering::Relaxed).wrapping_add(count), Ordering::Relaxed);
    }

    /// Takes back the entries that thieves may take of the block at the front, from `from` on.
    ///
    /// Returns the first of them that is the owner's now.
    pub(super) fn take_over(&self, from: usize, state: &mut OwnerState<Fifo>) -> usize {
        let next = match state.slow.recalled.take() {
            Some(next) => next,
            None => match self.close(state).access() {
                Access::Open(next) => next,
                Access::Closed | Access::Seized(..) => from,
            },
        };
        self.count_claimed(state, next - from);
        next
    }

    /// Whether the owner can enter a block at the back.
    ///
    /// It can if no entry that thieves have claimed in the lap before is being read. Then thieves
    /// write the other mark from now on.
    fn is_free(&self, location: Location) -> bool {
        let owner = &self.blocks.head(location.index).owner;
        // Ordering: Relaxed, the owner's own.
        let count = owner.claimed.load(Ordering::Relaxed);
        if count == 0 {
            return true;
        }
        let is_free = self.is_read(location, count);
        if is_free {
            let written = Published(owner.b_pos.load(Ordering::Relaxed));
            // Ordering: Relaxed throughout, `grant` hands it on.
            owner.claimed.store(0, Ordering::Relaxed);
            if count < self.size() {
                let marks = self.blocks.marks(location.index);
                marks.iter().for_each(|mark| mark.store(written.mark(), Ordering::Relaxed));
            }
            owner.b_pos.store(written.other_mark().0, Ordering::Relaxed);
        }
        is_free
    }

    /// Whether thieves have read the `count` entries that they have claimed of a block in the lap
    /// before.
    pub(super) fn is_read(&self, location: Location, count: usize) -> bool {
        let BlockHead { thieves, owner } = self.blocks.head(location.index);
        // Ordering: Relaxed, the owner's own.
        let written = Published(owner.b_pos.load(Ordering::Relaxed));
        let marks = self.blocks.marks(location.index);
        // Ordering: Acquire pairs with the Release stores of the thieves that have read the
        // entries, or the one that has seen all of that; without it, the owner writes entries that
        // are being read (`bwos-fifo/stolen-again`).
        let is_read = |mark: &&AtomicU8| mark.load(Ordering::Acquire) == written.mark();
        thieves.read.load(Ordering::Acquire) == Location::all_read(written.lap())
            || marks.iter().filter(is_read).count() == count
    }

    /// Moves the owner to its oldest item, if it has one and is not there.
    #[inline(always)]
    pub(super) fn advance_front(&self, state: &mut OwnerState<Fifo>) {
        while state.front.f_pos == self.end(state) {
            let from = match state.slow.lent.take() {
                Some(from) => from,
                None if state.slow.front == state.slow.back => return,
                None => {
                    state.slow.front = state.slow.front.next(self.block_count());
                    state.front.block = self.blocks.block(state.slow.front.index);
                    0
                }
            };
            state.front.f_pos = self.take_over(from, state);
        }
    }

    /// Moves the owner to a free entry at the back; `None` if the queue is full.
    pub(super) fn advance_back(&self, state: &mut OwnerState<Fifo>) -> Option<()> {
        if state.b_pos == self.size() {
            self.publish(state);
            let next = state.slow.back.next(self.block_count());
            if next.index == state.slow.front.index {
                // It may be that nothing is left in there.
                self.advance_front(state);
            }
            if next.index == state.slow.front.index || !self.is_free(next) {
                return None;
            }
            let b_pos = &self.blocks.head(next.index).owner.b_pos;
            // Ordering: Relaxed, the owner's own; `grant` hands it on.
            b_pos.store(Published(b_pos.load(Ordering::Relaxed)).in_lap(next.lap).0, Ordering::Relaxed);
            self.position.publish_push(0);
            self.grant(next, 0, state);
            (state.slow.back, state.back, state.b_pos, state.slow.published) =
                (next, self.blocks.block(next.index), 0, 0);
            let after = next.next(self.block_count());
            // Ordering: Relaxed, the owner's own.
            match self.blocks.head(after.index).owner.claimed.load(Ordering::Relaxed) {
                0 => {}
                all if all == self.size() => self.blocks.fetch_head(after.index),
                _ => self.blocks.fetch_marks(after.index),
            }
        }
        Some(())
    }

    /// Returns the end of the owner's items in the block at the front.
    pub(super) fn end(&self, state: &OwnerState<Fifo>) -> usize {
        let written = if state.slow.front == state.slow.back { state.b_pos } else { self.size() };
        state.slow.lent.unwrap_or(written)
    }
}
