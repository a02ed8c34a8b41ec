//! The state that owner and thieves share, and the owner's slow paths. `theft.rs` has the thieves'
//! operations.
//!
//! Blocks have places, one after the other, lap after lap. The owner pops from the block at the
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
//! 5. `offer` says whether thieves find anything. The owner announces there all that it gives,
//!    afterwards, each time with another number. A thief that has seen an announcement, and then
//!    nothing in any block, takes that announcement back.

use super::super::block::{Blocks, Head, entries};
use super::super::geometry::Geometry;
use super::super::hunger::{Hunger, Noticed};
use super::super::order::Thefts;
use super::super::place::BlockPlace;
use super::ends::{Cursors, Ends};
use super::offer::Offer;
use super::stand::{GONE, Stand};
use super::word::{Says, Seized, Word};
use super::written::Written;
use crate::error::CapacityError;
use crate::heap::drop_all;
use crate::isolated::Isolated;
use crate::sync::{AtomicU8, AtomicUsize, Cell, Ordering};

/// The words in front of a block's entries. [`Stand`] has `f_pos` of the BWoS paper.
pub(super) struct BlockHead {
    pub(super) thieves: Isolated<Thieves>,
    pub(super) owner: Isolated<Owned>,
}

pub(super) struct Thieves {
    /// A [`Word`].
    pub(super) s_pos: AtomicUsize,
    /// The last lap in which a thief has found all entries marked.
    pub(super) read: AtomicUsize,
}

/// Words that only the owner writes.
pub(super) struct Owned {
    /// A [`Written`](super::written::Written).
    pub(super) b_pos: AtomicUsize,
    /// How many entries thieves have claimed, from when the block was found free to when it was
    /// last closed.
    pub(super) claimed: AtomicUsize,
}

impl Head for BlockHead {
    fn new(lap: usize, block_size: usize) -> Self {
        let written = Written::FIRST.in_lap(lap.wrapping_sub(1)).to(block_size);
        let [s_pos, read, b_pos] = [Word::closed(FIRST_NUMBER).0, written.all_read(), written.0].map(AtomicUsize::new);
        let owner = Owned { b_pos, claimed: AtomicUsize::new(0) };
        Self { thieves: Isolated(Thieves { s_pos, read }), owner: Isolated(owner) }
    }

    fn mark_before(_round: usize) -> u8 {
        Written::FIRST.other_mark().mark()
    }
}

/// The number with which a queue begins: numbers soon wrap, so that tests see it.
pub(super) const FIRST_NUMBER: usize = usize::MAX - 3;

/// The bound of fast pops that a steal request sets: it forces the owner onto the slow path.
const STARVED: usize = 0;

/// A pop's step.
const STEP: usize = 1;

/// The queue.
///
/// The bounds come first: fast paths compare with them and publish positions relative to one address.
#[repr(C)]
pub struct Shared<T> {
    pub(super) hunger: Hunger<STARVED, STEP>,
    pub(super) blocks: Blocks<T, BlockHead>,
    /// The capacity that was asked for.
    pub(super) capacity: usize,
    /// The block in which thieves look first, because a thief has stolen from it. Only thieves use
    /// it.
    pub(super) first: Isolated<AtomicUsize>,
    /// An [`Offer`].
    pub(super) offer: Isolated<AtomicUsize>,
    /// What thieves have noticed of an owner that does not answer.
    pub(super) noticed: Isolated<Noticed>,
    pub(super) stand: Isolated<Stand>,
    /// The owner's alone.
    ends: Isolated<Cell<Ends>>,
}

// SAFETY: items go from one thread to another, which `T: Send` allows; threads never share one.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: the reason for `Send` holds.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    pub(super) fn for_capacity(capacity: usize, lap: usize) -> Result<Self, CapacityError> {
        Self::new(Blocks::<T, BlockHead>::geometry(capacity)?, capacity, lap)
    }

    pub(super) fn new(geometry: Geometry, capacity: usize, lap: usize) -> Result<Self, CapacityError> {
        let blocks = Blocks::<T, BlockHead>::new(geometry, lap)?;
        let first = BlockPlace { lap, index: 0 };
        // Ordering: Relaxed, nobody else is there yet.
        blocks.head(first).owner.b_pos.store(Written::FIRST.in_lap(lap).0, Ordering::Relaxed);
        let hunger = Hunger::new(geometry.block_size(), geometry.block_size());
        let [first, offer] = [0, Offer::NOTHING.0].map(|word| Isolated(AtomicUsize::new(word)));
        let (noticed, stand) = (Isolated(Noticed::nothing()), Isolated(Stand::new()));
        let ends = Isolated(Cell::new(Ends::first(blocks.block(0), lap, geometry.block_size())));
        Ok(Self { hunger, blocks, capacity, first, offer, noticed, stand, ends })
    }

    /// Returns the owner's place. The owner alone calls it, and has one at a time.
    #[expect(clippy::mut_from_ref, reason = "the owner's handle is not shared, and no operation calls another one")]
    #[inline(always)]
    pub(super) fn ends(&self) -> &mut Ends {
        // SAFETY: the queue was made with one, and nobody else touches it.
        unsafe { Cell::free(&raw const *self.ends, 1)[0].assume_init_mut() }
    }

    /// Keeps the cursors that the owner has on its fast paths, and returns its place; the owner alone calls it.
    #[inline(always)]
    pub(super) fn keep(&self, at: Cursors) -> &mut Ends {
        let ends = self.ends();
        (ends.back, ends.b_pos) = (at.back, at.b_pos);
        (ends.front, ends.f_pos) = (at.front, at.f_pos);
        ends
    }

    /// Publishes all written entries of the block at the back.
    pub(super) fn publish(&self, ends: &mut Ends) {
        if ends.b_pos == ends.places.told {
            return;
        }
        ends.places.told = ends.b_pos;
        let b_pos = &self.blocks.head(ends.places.back).owner.b_pos;
        // Ordering: Relaxed, the owner's own.
        let written = Written(b_pos.load(Ordering::Relaxed)).to(ends.b_pos);
        // Ordering: Release pairs with the thief's Acquire load; without it, a thief reads an item that is not written
        // yet (`bwos-fifo/lap-three`).
        b_pos.store(written.0, Ordering::Release);
        if self.is_lent(ends) {
            self.announce(ends.places.back, ends);
        }
    }

    /// Announces that thieves find something, most likely in that block.
    pub(super) fn announce(&self, place: BlockPlace, ends: &mut Ends) {
        ends.places.offer = ends.places.offer.next(place.index);
        // Ordering: Release pairs with the thief's Acquire load; without it, a thief misses the announced entries,
        // takes the announcement back, and nobody looks again (`bwos-fifo/found`).
        self.offer.store(ends.places.offer.0, Ordering::Release);
    }

    /// Returns the number of the owner's next word.
    fn number(&self, ends: &mut Ends) -> usize {
        ends.places.number = ends.places.number.wrapping_add(1);
        ends.places.number
    }

    /// Lets thieves take the block's written entries from `from` on.
    pub(super) fn grant(&self, place: BlockPlace, from: usize, ends: &mut Ends) {
        let word = Word::open(self.number(ends), from);
        // Ordering: Release pairs with the thief's Acquire load; without it, a thief takes a `b_pos` of the lap
        // before for this one's, and the entries' old contents for items (`bwos-fifo/lap-three`).
        self.blocks.head(place).thieves.s_pos.store(word.0, Ordering::Release);
    }

    /// Closes the block at the front, and returns its word before.
    pub(super) fn close(&self, ends: &mut Ends) -> Word {
        let word = Word::closed(self.number(ends));
        // Ordering: Release pairs with the Acquire in `look`; without it, a thief finds nothing in a block that the
        // owner has come to (`bwos-fifo/kept-pop-next`). Acquire only keeps later stores behind (load buffering):
        // what comes back was written by the owner itself, or moved on by thieves.
        Word(self.blocks.head(ends.places.front).thieves.s_pos.swap(word.0, Ordering::AcqRel))
    }

    /// Writes another word of the block at the front, which is closed, after a request.
    pub(super) fn close_again(&self, ends: &mut Ends) {
        let word = Word::closed(self.number(ends));
        // Ordering: Release pairs with the Acquire in `look`: the request of a thief that sees this word comes after
        // the owner's answer to requests before it; without it, that answer undoes the request
        // (`bwos-fifo/seized-advance`).
        self.blocks.head(ends.places.front).thieves.s_pos.store(word.0, Ordering::Release);
    }

    /// Counts entries of the block at the front that thieves have claimed.
    pub(super) fn count_claimed(&self, ends: &Ends, count: usize) {
        let claimed = &self.blocks.head(ends.places.front).owner.claimed;
        // Ordering: Relaxed throughout, it is the owner's alone.
        claimed.store(claimed.load(Ordering::Relaxed).wrapping_add(count), Ordering::Relaxed);
    }

    /// Takes back the entries that thieves may take of the block at the front, from `from` on.
    ///
    /// Returns the first of them that is the owner's now.
    fn take_over(&self, from: usize, ends: &mut Ends) -> usize {
        let next = match ends.places.recalled.take() {
            Some(next) => next,
            None => match self.close(ends).says() {
                Says::Open(next) => next,
                Says::Closed | Says::Seized(..) => from,
            },
        };
        self.count_claimed(ends, next - from);
        next
    }

    /// Whether the owner can enter a block at the back.
    ///
    /// It can if no entry that thieves have claimed in the lap before is being read. Then thieves
    /// write the other mark from now on.
    fn is_free(&self, place: BlockPlace) -> bool {
        let owner = &self.blocks.head(place).owner;
        // Ordering: Relaxed, the owner's own.
        let count = owner.claimed.load(Ordering::Relaxed);
        if count == 0 {
            return true;
        }
        let is_free = self.is_read(place, count);
        if is_free {
            let written = Written(owner.b_pos.load(Ordering::Relaxed));
            // Ordering: Relaxed throughout, `grant` hands it on.
            owner.claimed.store(0, Ordering::Relaxed);
            if count < self.size() {
                let marks = self.blocks.marks(place.index);
                marks.iter().for_each(|mark| mark.store(written.mark(), Ordering::Relaxed));
            }
            owner.b_pos.store(written.other_mark().0, Ordering::Relaxed);
        }
        is_free
    }

    /// Whether thieves have read the `count` entries that they have claimed of a block in the lap
    /// before.
    pub(super) fn is_read(&self, place: BlockPlace, count: usize) -> bool {
        let BlockHead { thieves, owner } = self.blocks.head(place);
        // Ordering: Relaxed, the owner's own.
        let written = Written(owner.b_pos.load(Ordering::Relaxed));
        let marks = self.blocks.marks(place.index);
        // Ordering: Acquire pairs with the Release stores of the thieves that have read the entries, or the one that
        // has seen all of that; without it, the owner writes entries that are being read (`bwos-fifo/stolen-again`).
        let is_read = |mark: &&AtomicU8| mark.load(Ordering::Acquire) == written.mark();
        thieves.read.load(Ordering::Acquire) == written.all_read() || marks.iter().filter(is_read).count() == count
    }

    /// Returns the end of the owner's items in the block at the front.
    pub(super) fn end(&self, ends: &Ends) -> usize {
        let written = if ends.places.front == ends.places.back { ends.b_pos } else { self.size() };
        ends.places.lent.unwrap_or(written)
    }

    /// Moves the owner to its oldest item, if it has one and is not there.
    #[inline(always)]
    fn advance_front(&self, ends: &mut Ends) {
        while ends.f_pos == self.end(ends) {
            let from = match ends.places.lent.take() {
                Some(from) => from,
                None if ends.places.front == ends.places.back => return,
                None => {
                    ends.places.front = ends.places.front.next(self.blocks.geometry.blocks());
                    ends.front = self.blocks.block(ends.places.front.index);
                    0
                }
            };
            ends.f_pos = self.take_over(from, ends);
        }
    }

    /// Moves the owner to a free entry at the back; `None` if the queue is full.
    fn advance_back(&self, ends: &mut Ends) -> Option<()> {
        if ends.b_pos == self.size() {
            self.publish(ends);
            let next = ends.places.back.next(self.blocks.geometry.blocks());
            if next.index == ends.places.front.index {
                // It may be that nothing is left in there.
                self.advance_front(ends);
            }
            if next.index == ends.places.front.index || !self.is_free(next) {
                return None;
            }
            let b_pos = &self.blocks.head(next).owner.b_pos;
            // Ordering: Relaxed, the owner's own; `grant` hands it on.
            b_pos.store(Written(b_pos.load(Ordering::Relaxed)).in_lap(next.lap).0, Ordering::Relaxed);
            self.stand.pushed(0);
            self.grant(next, 0, ends);
            (ends.places.back, ends.back, ends.b_pos, ends.places.told) = (next, self.blocks.block(next.index), 0, 0);
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
    pub(super) fn make_room(&self) -> &Ends {
        let ends = self.ends();
        if self.is_stuck(ends) {
            return ends;
        }
        let (is_asked, _) = self.leave_stand(ends);
        _ = self.advance_back(ends);
        self.settle(ends, is_asked, 0);
        self.stay(ends);
        ends
    }

    /// Pushes on the slow path.
    #[cold]
    #[inline(never)]
    pub(super) fn push(&self, item: T) -> (&Ends, Result<(), T>) {
        let ends = self.ends();
        if self.is_stuck(ends) {
            return (ends, Err(item));
        }
        let (is_asked, _) = self.leave_stand(ends);
        let result = if self.advance_back(ends).is_some() {
            // SAFETY: the entry is free, and the owner's.
            unsafe { entries::<T, BlockHead>(ends.back).add(ends.b_pos).as_ref().write(item) };
            ends.b_pos += 1;
            Ok(())
        } else {
            Err(item)
        };
        self.settle(ends, is_asked, 0);
        self.stay(ends);
        (ends, result)
    }

    /// Pops on the slow path.
    #[cold]
    #[inline(never)]
    pub(super) fn pop(&self) -> (&Ends, Option<T>) {
        let ends = self.ends();
        if self.is_bare(ends) {
            return (ends, None);
        }
        let (is_asked, mut entry) = self.leave_stand(ends);
        if entry.is_none() {
            self.advance_front(ends);
        }
        self.settle(ends, is_asked, usize::from(entry.is_none()));
        if entry.is_none() && ends.f_pos < self.end(ends) {
            entry = Some(ends.f_pos);
            ends.f_pos += 1;
        }
        // SAFETY: the entry holds an item, and is the owner's.
        let item = entry.map(|entry| unsafe { entries::<T, BlockHead>(ends.front).add(entry).as_ref().take() });
        self.stay(ends);
        (ends, item)
    }

    /// Gives the items to the thieves when the owner goes.
    ///
    /// If thieves have claimed some of the lent entries, the block is left as one that is seized: then
    /// the entries in front of those can be taken, too.
    pub(super) fn leave(&self) {
        let ends = self.ends();
        self.leave_stand(ends);
        let (place, f_pos) = (ends.places.front, ends.f_pos);
        let lent = ends.places.lent.take();
        let next = lent.map_or(f_pos, |from| self.take_over(from, ends));
        match lent {
            Some(from) if f_pos < from && from < next => {
                let word = Word::closed(self.number(ends)).seized(f_pos, f_pos, next);
                // Ordering: Release pairs with the Acquire of thieves that take these items; without it, they do not
                // see where the items end (`bwos-fifo/seized-answered-left`).
                self.blocks.head(place).thieves.s_pos.store(word.0, Ordering::Release);
                ends.places.lent = lent;
            }
            Some(from) if f_pos < from => self.grant(place, f_pos, ends),
            _ => self.grant(place, next, ends),
        }
        self.publish(ends);
        self.announce(place, ends);
        ends.f_pos = GONE;
        self.stay(ends);
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        if !core::mem::needs_drop::<T>() {
            return;
        }
        // Ordering: Relaxed throughout. Everything is ordered before the queue is dropped.
        let blocks = self.blocks.geometry.blocks();
        let at = self.stand.place();
        let mut left = (0..blocks).map(|number| (at.front() + number) % blocks).flat_map(|index| {
            let BlockHead { thieves, owner } = self.blocks.head(BlockPlace { lap: 0, index });
            let b_pos = Written(owner.b_pos.load(Ordering::Relaxed)).b_pos();
            let [own, granted] = match Word(thieves.s_pos.load(Ordering::Relaxed)).says() {
                Says::Open(next) => [0..0, next..b_pos],
                Says::Closed => [0..0, 0..0],
                Says::Seized(Seized { next, written, .. }) => [next..at.end().unwrap_or(next), written..b_pos],
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
            offset_of!(Shared<u8>, first),
            offset_of!(Shared<u8>, offer),
            offset_of!(Shared<u8>, noticed),
            offset_of!(Shared<u8>, hunger),
            offset_of!(Shared<u8>, stand),
            offset_of!(Shared<u8>, ends),
        ];
        crate::isolated::assert_line_pairs(align_of::<Shared<u8>>(), &offsets);
        let offsets = [offset_of!(BlockHead, thieves), offset_of!(BlockHead, owner)];
        crate::isolated::assert_line_pairs(align_of::<BlockHead>(), &offsets);
    }
}
