//! The state that owner and thieves share, and the owner's slow paths. `steal.rs` has the thieves'
//! operations.
//!
//! Blocks have locations, one after the other, lap after lap. The owner pops from the block at the
//! front and pushes to the one at the back. Invariants:
//! 1. In each lap an entry is written once, before `b_pos` says so, and taken once: by the owner,
//!    or by the thief whose exchange of `s_pos` went over it.
//! 2. From the moment when the owner enters a block at the back, thieves may take its entries, one
//!    after the other, up to `b_pos`. The owner publishes `b_pos` when it leaves the block, and on
//!    steal requests. (In the BWoS paper, the owner publishes each item.) From the moment when the
//!    owner reaches the block at the front, and closes it, the rest is the owner's, except for the
//!    part that it lends after a request. That part, once lent, extends to the end of the block,
//!    later pushes included.
//! 3. Each `s_pos` that the owner writes has another number, so a value does not recur while thieves
//!    could mistake it. After it has taken a steal request away, it writes the `s_pos` of the block at
//!    the front.
//! 4. Thieves mark each entry that they have read. The owner knows how many entries they have
//!    claimed once it has closed the block. The block is free when that many are marked. Then the
//!    owner marks the others, too, and the next time that thieves claim entries of this block, they
//!    write the other one of the two marks. The thief of a block's last entry reads the marks,
//!    because it has their line, and reports if thieves have read every entry. (In the BWoS paper,
//!    thieves count the entries that they have read, `s_cnt`: a second atomic read-modify-write in
//!    each theft. Its owner resets the count: L1 in our bug zoo.)
//! 5. `announcement` says whether thieves find anything. The owner announces there all that it gives,
//!    afterwards, each time with another number. A thief that has seen an announcement, and then
//!    nothing in any block, takes that announcement back.

use super::super::block::{Blocks, Head, entries};
use super::super::geometry::Geometry;
use super::super::location::Location;
use super::super::order::Steals;
use super::super::request::{Requests, Unanswered};
use super::announcement::Announcement;
use super::position::{GONE, Position};
use super::published::Published;
use super::s_pos::{Access, SPos, Seized};
use super::state::{Cursors, OwnerState};
use crate::error::CapacityError;
use crate::heap::drop_all;
use crate::isolated::Isolated;
use crate::sync::{AtomicU8, AtomicUsize, Cell, Ordering};

/// The words in front of a block's entries. [`Position`] has `f_pos` of the BWoS paper.
pub(super) struct BlockHead {
    pub(super) thieves: Isolated<Thieves>,
    pub(super) owner: Isolated<Owned>,
}

pub(super) struct Thieves {
    /// A [`SPos`].
    pub(super) s_pos: AtomicUsize,
    /// The last lap in which a thief has found all entries marked.
    pub(super) read: AtomicUsize,
}

/// Words that only the owner writes.
pub(super) struct Owned {
    /// A [`Published`](super::published::Published).
    pub(super) b_pos: AtomicUsize,
    /// How many entries thieves have claimed, from when the block was found free to when it was
    /// last closed.
    pub(super) claimed: AtomicUsize,
}

impl Head for BlockHead {
    fn new(lap: usize, block_size: usize) -> Self {
        let written = Published::FIRST.in_lap(lap.wrapping_sub(1)).to(block_size);
        let [s_pos, read, b_pos] = [SPos::closed(FIRST_NUMBER).0, written.all_read(), written.0].map(AtomicUsize::new);
        let owner = Owned { b_pos, claimed: AtomicUsize::new(0) };
        Self { thieves: Isolated(Thieves { s_pos, read }), owner: Isolated(owner) }
    }

    fn mark_before(_round: usize) -> u8 {
        Published::FIRST.other_mark().mark()
    }
}

/// The number with which a queue begins: numbers soon wrap, so that tests see it.
pub(super) const FIRST_NUMBER: usize = usize::MAX - 3;

/// The bound of fast pops that a steal request sets: it forces the owner onto the slow path.
const NO_FAST_POPS: usize = 0;

/// A pop's step.
const STEP: usize = 1;

/// The queue.
///
/// The bounds come first: fast paths compare with them and publish positions relative to one address.
#[repr(C)]
pub struct Queue<T> {
    pub(super) requests: Requests<NO_FAST_POPS, STEP>,
    pub(super) blocks: Blocks<T, BlockHead>,
    /// The capacity that was asked for.
    pub(super) capacity: usize,
    /// The block in which thieves look first, because a thief has stolen from it. Only thieves use
    /// it.
    pub(super) first: Isolated<AtomicUsize>,
    /// An [`Announcement`].
    pub(super) announcement: Isolated<AtomicUsize>,
    /// What thieves have noticed of an owner that does not answer.
    pub(super) unanswered: Isolated<Unanswered>,
    pub(super) position: Isolated<Position>,
    /// The owner's alone.
    state: Isolated<Cell<OwnerState>>,
}

// SAFETY: items go from one thread to another, which `T: Send` allows; threads never share one.
unsafe impl<T: Send> Send for Queue<T> {}
// SAFETY: the reason for `Send` holds.
unsafe impl<T: Send> Sync for Queue<T> {}

impl<T> Queue<T> {
    pub(super) fn for_capacity(capacity: usize, lap: usize) -> Result<Self, CapacityError> {
        Self::new(Blocks::<T, BlockHead>::geometry(capacity)?, capacity, lap)
    }

    pub(super) fn new(geometry: Geometry, capacity: usize, lap: usize) -> Result<Self, CapacityError> {
        let blocks = Blocks::<T, BlockHead>::new(geometry, lap)?;
        let first = Location { lap, index: 0 };
        // Ordering: Relaxed, nobody else is there yet.
        blocks.head(first).owner.b_pos.store(Published::FIRST.in_lap(lap).0, Ordering::Relaxed);
        let requests = Requests::new(geometry.block_size(), geometry.block_size());
        let [first, announcement] = [0, Announcement::NOTHING.0].map(|word| Isolated(AtomicUsize::new(word)));
        let (unanswered, position) = (Isolated(Unanswered::none()), Isolated(Position::new()));
        let state = Isolated(Cell::new(OwnerState::first(blocks.block(0), lap, geometry.block_size())));
        Ok(Self { requests, blocks, capacity, first, announcement, unanswered, position, state })
    }

    /// Returns the owner's place. The owner alone calls it, and has one at a time.
    #[expect(clippy::mut_from_ref, reason = "the owner's handle is not shared, and no operation calls another one")]
    #[inline(always)]
    pub(super) fn state(&self) -> &mut OwnerState {
        // SAFETY: the queue was made with one, and nobody else touches it.
        unsafe { Cell::free(&raw const *self.state, 1)[0].assume_init_mut() }
    }

    /// Keeps the cursors that the owner has on its fast paths, and returns its place; the owner alone calls it.
    #[inline(always)]
    pub(super) fn keep(&self, at: Cursors) -> &mut OwnerState {
        let state = self.state();
        (state.back, state.b_pos) = (at.back, at.b_pos);
        (state.front, state.f_pos) = (at.front, at.f_pos);
        state
    }

    /// Publishes all written entries of the block at the back.
    pub(super) fn publish(&self, state: &mut OwnerState) {
        if state.b_pos == state.slow.published {
            return;
        }
        state.slow.published = state.b_pos;
        let b_pos = &self.blocks.head(state.slow.back).owner.b_pos;
        // Ordering: Relaxed, the owner's own.
        let written = Published(b_pos.load(Ordering::Relaxed)).to(state.b_pos);
        // Ordering: Release pairs with the thief's Acquire load; without it, a thief reads an item that is not written
        // yet (`bwos-fifo/lap-three`).
        b_pos.store(written.0, Ordering::Release);
        if self.is_lent(state) {
            self.announce(state.slow.back, state);
        }
    }

    /// Announces that thieves find something, most likely in that block.
    pub(super) fn announce(&self, location: Location, state: &mut OwnerState) {
        state.slow.announced = state.slow.announced.next(location.index);
        // Ordering: Release pairs with the thief's Acquire load; without it, a thief misses the announced entries,
        // takes the announcement back, and nobody looks again (`bwos-fifo/found`).
        self.announcement.store(state.slow.announced.0, Ordering::Release);
    }

    /// Returns the number of the owner's next word.
    fn number(&self, state: &mut OwnerState) -> usize {
        state.slow.number = state.slow.number.wrapping_add(1);
        state.slow.number
    }

    /// Lets thieves take the block's written entries from `from` on.
    pub(super) fn grant(&self, location: Location, from: usize, state: &mut OwnerState) {
        let word = SPos::open(self.number(state), from);
        // Ordering: Release pairs with the thief's Acquire load; without it, a thief takes a `b_pos` of the lap
        // before for this one's, and the entries' old contents for items (`bwos-fifo/lap-three`).
        self.blocks.head(location).thieves.s_pos.store(word.0, Ordering::Release);
    }

    /// Closes the block at the front, and returns its word before.
    pub(super) fn close(&self, state: &mut OwnerState) -> SPos {
        let word = SPos::closed(self.number(state));
        // Ordering: Release pairs with the Acquire in `look`; without it, a thief finds nothing in a block that the
        // owner has come to (`bwos-fifo/kept-pop-next`). Acquire only keeps later stores behind (load buffering):
        // what comes back was written by the owner itself, or moved on by thieves.
        SPos(self.blocks.head(state.slow.front).thieves.s_pos.swap(word.0, Ordering::AcqRel))
    }

    /// Writes another word of the block at the front, which is closed, after a request.
    pub(super) fn close_again(&self, state: &mut OwnerState) {
        let word = SPos::closed(self.number(state));
        // Ordering: Release pairs with the Acquire in `look`: the request of a thief that sees this word comes after
        // the owner's answer to requests before it; without it, that answer undoes the request
        // (`bwos-fifo/seized-advance`).
        self.blocks.head(state.slow.front).thieves.s_pos.store(word.0, Ordering::Release);
    }

    /// Counts entries of the block at the front that thieves have claimed.
    pub(super) fn count_claimed(&self, state: &OwnerState, count: usize) {
        let claimed = &self.blocks.head(state.slow.front).owner.claimed;
        // Ordering: Relaxed throughout, it is the owner's alone.
        claimed.store(claimed.load(Ordering::Relaxed).wrapping_add(count), Ordering::Relaxed);
    }

    /// Takes back the entries that thieves may take of the block at the front, from `from` on.
    ///
    /// Returns the first of them that is the owner's now.
    fn take_over(&self, from: usize, state: &mut OwnerState) -> usize {
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
        let owner = &self.blocks.head(location).owner;
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
        let BlockHead { thieves, owner } = self.blocks.head(location);
        // Ordering: Relaxed, the owner's own.
        let written = Published(owner.b_pos.load(Ordering::Relaxed));
        let marks = self.blocks.marks(location.index);
        // Ordering: Acquire pairs with the Release stores of the thieves that have read the entries, or the one that
        // has seen all of that; without it, the owner writes entries that are being read (`bwos-fifo/stolen-again`).
        let is_read = |mark: &&AtomicU8| mark.load(Ordering::Acquire) == written.mark();
        thieves.read.load(Ordering::Acquire) == written.all_read() || marks.iter().filter(is_read).count() == count
    }

    /// Returns the end of the owner's items in the block at the front.
    pub(super) fn end(&self, state: &OwnerState) -> usize {
        let written = if state.slow.front == state.slow.back { state.b_pos } else { self.size() };
        state.slow.lent.unwrap_or(written)
    }

    /// Moves the owner to its oldest item, if it has one and is not there.
    #[inline(always)]
    fn advance_front(&self, state: &mut OwnerState) {
        while state.f_pos == self.end(state) {
            let from = match state.slow.lent.take() {
                Some(from) => from,
                None if state.slow.front == state.slow.back => return,
                None => {
                    state.slow.front = state.slow.front.next(self.blocks.geometry.blocks());
                    state.front = self.blocks.block(state.slow.front.index);
                    0
                }
            };
            state.f_pos = self.take_over(from, state);
        }
    }

    /// Moves the owner to a free entry at the back; `None` if the queue is full.
    fn advance_back(&self, state: &mut OwnerState) -> Option<()> {
        if state.b_pos == self.size() {
            self.publish(state);
            let next = state.slow.back.next(self.blocks.geometry.blocks());
            if next.index == state.slow.front.index {
                // It may be that nothing is left in there.
                self.advance_front(state);
            }
            if next.index == state.slow.front.index || !self.is_free(next) {
                return None;
            }
            let b_pos = &self.blocks.head(next).owner.b_pos;
            // Ordering: Relaxed, the owner's own; `grant` hands it on.
            b_pos.store(Published(b_pos.load(Ordering::Relaxed)).in_lap(next.lap).0, Ordering::Relaxed);
            self.position.publish_push(0);
            self.grant(next, 0, state);
            (state.slow.back, state.back, state.b_pos, state.slow.published) =
                (next, self.blocks.block(next.index), 0, 0);
            let after = next.next(self.blocks.geometry.blocks());
            // Ordering: Relaxed, the owner's own.
            match self.blocks.head(after).owner.claimed.load(Ordering::Relaxed) {
                0 => {}
                all if all == self.size() => self.blocks.fetch_head(after.index),
                _ => self.blocks.fetch_marks(after.index),
            }
        }
        Some(())
    }

    /// Makes sure that there is a free entry at the back, if the queue is not full.
    #[cold]
    #[inline(never)]
    pub(super) fn make_room(&self) -> &OwnerState {
        let state = self.state();
        if self.is_stuck(state) {
            return state;
        }
        let (is_asked, _) = self.begin_slow(state);
        _ = self.advance_back(state);
        self.answer_or_bound(state, is_asked, 0);
        self.end_slow(state);
        state
    }

    /// Pushes on the slow path.
    #[cold]
    #[inline(never)]
    pub(super) fn push(&self, item: T) -> (&OwnerState, Result<(), T>) {
        let state = self.state();
        if self.is_stuck(state) {
            return (state, Err(item));
        }
        let (is_asked, _) = self.begin_slow(state);
        let result = if self.advance_back(state).is_some() {
            // SAFETY: the entry is free, and the owner's.
            unsafe { entries::<T, BlockHead>(state.back).add(state.b_pos).as_ref().write(item) };
            state.b_pos += 1;
            Ok(())
        } else {
            Err(item)
        };
        self.answer_or_bound(state, is_asked, 0);
        self.end_slow(state);
        (state, result)
    }

    /// Pops on the slow path.
    #[cold]
    #[inline(never)]
    pub(super) fn pop(&self) -> (&OwnerState, Option<T>) {
        let state = self.state();
        if self.is_bare(state) {
            return (state, None);
        }
        let (is_asked, mut entry) = self.begin_slow(state);
        if entry.is_none() {
            self.advance_front(state);
        }
        self.answer_or_bound(state, is_asked, usize::from(entry.is_none()));
        if entry.is_none() && state.f_pos < self.end(state) {
            entry = Some(state.f_pos);
            state.f_pos += 1;
        }
        // SAFETY: the entry holds an item, and is the owner's.
        let item = entry.map(|entry| unsafe { entries::<T, BlockHead>(state.front).add(entry).as_ref().take() });
        self.end_slow(state);
        (state, item)
    }

    /// Gives the items to the thieves when the owner goes.
    ///
    /// If thieves have claimed some of the lent entries, the block is left as one that is seized: then
    /// the entries in front of those can be taken, too.
    pub(super) fn leave(&self) {
        let state = self.state();
        self.begin_slow(state);
        let (location, f_pos) = (state.slow.front, state.f_pos);
        let lent = state.slow.lent.take();
        let next = lent.map_or(f_pos, |from| self.take_over(from, state));
        match lent {
            Some(from) if f_pos < from && from < next => {
                let word = SPos::closed(self.number(state)).seized(f_pos, f_pos, next);
                // Ordering: Release pairs with the Acquire of thieves that take these items; without it, they do not
                // see where the items end (`bwos-fifo/seized-answered-left`).
                self.blocks.head(location).thieves.s_pos.store(word.0, Ordering::Release);
                state.slow.lent = lent;
            }
            Some(from) if f_pos < from => self.grant(location, f_pos, state),
            _ => self.grant(location, next, state),
        }
        self.publish(state);
        self.announce(location, state);
        state.f_pos = GONE;
        self.end_slow(state);
    }
}

impl<T> Drop for Queue<T> {
    fn drop(&mut self) {
        if !core::mem::needs_drop::<T>() {
            return;
        }
        // Ordering: Relaxed throughout. Everything is ordered before the queue is dropped.
        let blocks = self.blocks.geometry.blocks();
        let at = self.position.blocks();
        let mut left = (0..blocks).map(|number| (at.front() + number) % blocks).flat_map(|index| {
            let BlockHead { thieves, owner } = self.blocks.head(Location { lap: 0, index });
            let b_pos = Published(owner.b_pos.load(Ordering::Relaxed)).b_pos();
            let [own, granted] = match SPos(thieves.s_pos.load(Ordering::Relaxed)).access() {
                Access::Open(next) => [0..0, next..b_pos],
                Access::Closed => [0..0, 0..0],
                Access::Seized(Seized { next, written, .. }) => [next..at.end().unwrap_or(next), written..b_pos],
            };
            let block = self.blocks.block(index);
            own.chain(granted).map(move |number| (block, number))
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
    fn what_thieves_write_and_what_the_owner_writes_lie_apart() {
        let offsets = [
            offset_of!(Queue<u8>, first),
            offset_of!(Queue<u8>, announcement),
            offset_of!(Queue<u8>, unanswered),
            offset_of!(Queue<u8>, requests),
            offset_of!(Queue<u8>, position),
            offset_of!(Queue<u8>, state),
        ];
        crate::isolated::assert_line_pairs(align_of::<Queue<u8>>(), &offsets);
        let offsets = [offset_of!(BlockHead, thieves), offset_of!(BlockHead, owner)];
        crate::isolated::assert_line_pairs(align_of::<BlockHead>(), &offsets);
    }
}
