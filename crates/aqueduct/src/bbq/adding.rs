//! Consumers that use fetch-and-add once a block is filled (FAAQ).
//!
//! A block has two words for its consumers. While it is not filled, they take entries from
//! `by_exchange` by compare-exchange, as in any queue of many consumers. A consumer that lost a
//! race for an entry checks whether all entries from there on are committed, and then seals the
//! block: it puts a mark into that word, so that no consumer takes an entry from it any more in
//! this lap, and opens `by_adding` at that entry. From then on consumers take entries there. A
//! consumer that finds the mark before the word is open opens it, so no thread waits for another.
//!
//! Without a race, additions bring no gain, and reading all marks of a block at once costs more
//! than reading each mark with its item: a quarter of the speed of slices. In a block of a few
//! entries that cost is nothing, so the check is made at once.
//!
//! Invariants, besides those of [`shared`](super::shared):
//! 1. `by_adding` is open (its offset is less than the block's size) only while all entries from
//!    there on are committed in its lap. So an entry that an addition finds there is the adder's,
//!    in whichever lap it took the block to be. A late addition finds the word closed, or open in a
//!    later lap; then it gets the oldest item of that lap. Nothing is ever rolled back.
//! 2. `by_adding` goes from a lap to a later one only while `by_exchange` has that lap's mark, and
//!    to the place of the mark.
//! 3. The offset of a closed `by_adding` is the block's size, plus the additions of the threads
//!    that have not brought it back yet.
//!
//! # An exchange before the addition
//! A consumer first tries an exchange with the value that it left in the word, and adds if that
//! fails. The exchange costs nothing: the line has to come here in any case. It says which entry
//! will be taken before the line is here, so the processor goes on with the item meanwhile; if only
//! the addition says it, all later work waits for that. (With an addition alone, a single consumer
//! took a quarter fewer items per second.) Of two consumers it tells one, not both, that it is not
//! alone: that one backs off, for as long as it sees that the others make use of it, and for a
//! bounded time. The addition after that cannot fail, so no consumer ever tries twice.
//!
//! # How far additions can go
//! An adder adds up to [`AT_ONCE`], and brings the word back to the block's size before it does
//! anything else. So an offset is less than the block's size and `AT_ONCE` for each thread that is
//! between the two instructions. The offset's bits have room for 1024 such threads beside the
//! largest block; more threads have to be stopped at that very place in one block to break a queue.

use super::backoff::race::{HINTS_OF_A_CLAIM, Race};
use super::block::Block;
use super::claim::{Claims, head_in_lap};
use super::cursor::{Cursor, OFFSET_BITS};
use super::items::Items;
use super::reserve::{self, ReservesBesides, look_again, move_head, moved, next_is_open, reserved};
use super::shared::{Position, Shared};
use super::side::{Commits, Consumes, Reason, are_consumed, is_last_there};
use crate::sync::{AtomicUsize, Cell, Ordering};

/// Any number of consumers, which take entries of a filled block by fetch-and-add.
///
/// (Producers that claim entries in this way are measured beside the others, and not offered.)
#[derive(Clone, Copy, Debug)]
pub struct Adding;

/// The bit of `by_exchange`'s offset that says that the block is sealed.
const GIVEN_OVER: usize = 1 << (OFFSET_BITS - 1);

/// The greatest number of entries of one addition.
pub(super) const AT_ONCE: usize = 32;

/// Whether there is room for additions beyond the end of a block. There is none on 32-bit machines.
pub(super) const ROOM: bool = GIVEN_OVER / AT_ONCE >= 1024;

/// The greatest number of entries of a block with room for additions beyond its end.
pub(super) const MOST: usize = GIVEN_OVER - 1;

/// A block is sealed only if at least `1 / WORTH` of it is left.
const WORTH: usize = 2;

/// How many times a consumer that checks whether a block is filled does so on its way through.
const LOOKS: usize = 16;

/// The greatest size of blocks that consumers check at once; in larger ones they check after a lost
/// race.
const FEW: usize = 16;

/// Returns the offset from which on a consumer checks whether a block of that size is filled.
///
/// The size, if it does not check.
#[inline(always)]
pub(super) const fn first_look(size: usize) -> usize {
    // The entry of a block of one is taken sooner than that is given over.
    if ROOM && 1 < size && size <= FEW { 0 } else { size }
}

/// Returns the offset from which on a consumer checks after a lost race.
///
/// The size, if it does not check.
#[inline(always)]
const fn look_after_loss(size: usize) -> usize {
    if ROOM && 1 < size { 0 } else { size }
}

impl Consumes for Adding {
    const MARK_EACH: bool = true;
    const MOST: usize = MOST;
    type Entry<T> = Cell<T>;

    #[inline(always)]
    fn is_full<T, P: Commits>(shared: &Shared<Items<T>, P, Self>, head: Cursor) -> bool {
        is_last_there(shared, head)
    }

    #[inline(always)]
    fn is_free<T, P: Commits>(shared: &Shared<Items<T>, P, Self>, head: Cursor) -> bool {
        are_consumed(shared, head)
    }

    fn how_far(block: &Block, reserved: Cursor, size: usize) -> Cursor {
        if !is_given_over(reserved) {
            return reserved;
        }
        // Ordering: Relaxed. A queue that is dropped knows it; a length is not exact beside other threads.
        let added = Cursor(block.reserved.by_adding.load(Ordering::Relaxed));
        let from =
            if added.begin() == reserved.begin() { added.offset().min(size) } else { opening(reserved).offset() };
        reserved.begin().plus(from)
    }
}

/// Whether that is the mark of a sealed block.
#[inline(always)]
fn is_given_over(reserved: Cursor) -> bool {
    reserved.offset() & GIVEN_OVER != 0
}

/// Returns the cursor at which `by_adding` opens, by that mark.
#[inline(always)]
fn opening(mark: Cursor) -> Cursor {
    Cursor(mark.0 & !GIVEN_OVER)
}

impl ReservesBesides for Adding {
    #[inline(always)]
    fn by_exchange(size: usize) -> usize {
        first_look(size)
    }

    #[inline(always)]
    fn is_used_up(block: &Block, at: Cursor, size: usize) -> bool {
        at.offset() == size
            || is_given_over(at) && {
                // Ordering: Relaxed. Closed in this lap, it says that the entries have been taken, and no more.
                let added = Cursor(block.reserved.by_adding.load(Ordering::Relaxed));
                added.begin() == at.begin() && added.offset() >= size
            }
    }

    fn enter_next<T, P: Claims>(shared: &Shared<Items<T>, P, Self>, position: &mut Position, seen: Cursor) {
        let from = head_in_lap(position.head, position.cursor);
        let to = from.next_block(shared.blocks.geometry.blocks());
        if seen.begin() == to.version_before(0) {
            let block = shared.block_of(to);
            // A thread that knows it open knows all that consumers did in the lap before: this is their last word in
            // it, or of this lap.
            let last = reserved(block);
            if last.begin() == seen.begin() {
                let word = &block.reserved.by_exchange;
                // Ordering: Release pairs with the Acquire in `reserved`. If another consumer was faster, that is as
                // well.
                let _ = word.compare_exchange(last.0, to.begin().0, Ordering::Release, Ordering::Relaxed);
            }
        }
        move_head(shared, position, from, to);
    }

    /// Costs one exchange in either way if it succeeds at once.
    ///
    /// Rare work stands apart, so that this function needs few registers.
    #[inline(always)]
    fn reserve<T, P: Claims>(
        shared: &Shared<Items<T>, P, Self>,
        position: &mut Position,
        most: usize,
        mut may: impl FnMut(&Position, Cursor) -> bool,
    ) -> Result<(Cursor, usize), Reason> {
        position.distance.keep();
        let size = shared.size();
        let mut race = Race::default();
        loop {
            let at = position.cursor;
            let adds = position.stop == size;
            let count = if adds {
                most.min(AT_ONCE).min(size - at.offset())
            } else if at.offset() < position.again {
                let count = shared.committed_lines(position.block, at, most).min(most);
                if count == 0 {
                    look_again(shared, position)?;
                    continue;
                }
                count
            } else {
                search(shared, position)?;
                continue;
            };
            if !may(position, at) {
                return Err(Reason::Busy);
            }
            let (block, next) = (shared.block(position), at.plus(count));
            let word = if adds { &block.reserved.by_adding } else { &block.reserved.by_exchange };
            // Ordering: Relaxed where it succeeds: the items are known to be there. Acquire where it fails, for
            // `by_adding`, pairs with the Release in `start_adding`: a thread that finds that closed in a later lap
            // knows of the blocks that were opened before.
            let exchanged = word.compare_exchange(at.0, next.0, Ordering::Relaxed, Ordering::Acquire);
            match exchanged.map_err(Cursor) {
                Ok(_) => {
                    position.cursor = next;
                    if next.offset() == size {
                        position.stop = 0;
                    } else if shared.committed(position.block, next, 1) == 0 {
                        position.distance.was_last(next.offset());
                    }
                    return Ok((at, count));
                }
                Err(actual) if !adds => lost(shared, position, &mut race, count, actual),
                Err(actual) if actual.offset() >= size => advance(position, actual, size),
                Err(actual) if !may(position, actual) => return Err(Reason::Busy),
                Err(actual) => {
                    if let Some(taken) = add(block, position, actual, count, size) {
                        return Ok(taken);
                    }
                }
            }
        }
    }
}

/// Moves the position to `next` in a block open to additions, or to its end.
#[inline(always)]
fn advance(position: &mut Position, next: Cursor, size: usize) {
    position.cursor = next;
    if next.offset() >= size {
        position.cursor = next.begin().plus(size);
        position.stop = 0;
    }
}

/// Takes up to `count` entries of the position's block by fetch-and-add, after others were found at
/// `actual`.
///
/// Returns `None`, with the position at the end, if all entries have been taken.
#[cold]
#[inline(never)]
fn add(block: &Block, position: &mut Position, actual: Cursor, count: usize, size: usize) -> Option<(Cursor, usize)> {
    // Ordering: Relaxed, it only says how much the others have done.
    let look = || Cursor(block.reserved.by_adding.load(Ordering::Relaxed));
    // What it finds is out of date by then, and the addition needs none.
    let _ = Race::default().lost(position, position.cursor, count, actual, HINTS_OF_A_CLAIM, look);
    // Ordering: Acquire pairs with the Release in `start_adding`: the items are there, of whichever lap the entries
    // are.
    let at = Cursor(block.reserved.by_adding.fetch_add(count, Ordering::Acquire));
    advance(position, at.plus(count), size);
    if at.offset() + count > size {
        bring_back(&block.reserved.by_adding, at.plus(count), size);
    }
    if at.offset() < size { Some((at, count.min(size - at.offset()))) } else { None }
}

/// Brings a word to which threads add back to the block's size, after it was seen beyond.
#[cold]
#[inline(never)]
pub(super) fn bring_back(word: &AtomicUsize, mut seen: Cursor, size: usize) {
    while seen.offset() > size {
        let closed = seen.begin().plus(size);
        // Ordering: Relaxed, it only counts; the thread that opened the word in its version is still known by it.
        match word.compare_exchange(seen.0, closed.0, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return,
            Err(actual) => seen = Cursor(actual),
        }
    }
}

/// Goes on from the end of the block, or from its mark, or seals the block if a check is due.
#[cold]
#[inline(never)]
fn search<T, P: Claims>(shared: &Shared<Items<T>, P, Adding>, position: &mut Position) -> Result<(), Reason> {
    let at = position.cursor;
    // A mark is beyond all sizes, too.
    if at.offset() >= shared.size() {
        if is_given_over(at) {
            start_adding(shared, position, at);
            return Ok(());
        }
        return next_block(shared, position);
    }
    give_over(shared, position);
    Ok(())
}

/// Handles a lost exchange of the position's cursor in `by_exchange`, which found `actual`.
#[cold]
#[inline(never)]
fn lost<T, P: Claims>(
    shared: &Shared<Items<T>, P, Adding>,
    position: &mut Position,
    race: &mut Race,
    count: usize,
    actual: Cursor,
) {
    let size = shared.size();
    if position.again == size {
        position.again = look_after_loss(size);
    }
    // In the same lap the mark alone is news, and `start_adding` looks again; in another one the head is followed.
    reserve::lost(shared, position, race, count, actual);
}

/// Seals the position's block if all of its entries from there on are committed, and enough are
/// left.
///
/// In any case the next check is further on.
#[cold]
#[inline(never)]
fn give_over<T, P: Claims>(shared: &Shared<Items<T>, P, Adding>, position: &mut Position) {
    let (at, size) = (position.cursor, shared.size());
    let left = size - at.offset();
    if WORTH * left < size {
        position.again = size;
        return;
    }
    position.again = (at.offset() + 1 + size / LOOKS).min(size);
    if shared.committed(position.block, at.begin().plus(size - 1), 1) == 0
        || shared.committed_lines(position.block, at, left) < left
    {
        return;
    }
    let word = &shared.block(position).reserved.by_exchange;
    let mut seen = at;
    // Others are further on by now, as a rule. What they have left is committed all the same, and the look is not to be
    // in vain.
    let found = loop {
        let mark = Cursor(seen.0 | GIVEN_OVER);
        // Ordering: Release pairs with the Acquire in `reserved`: a thread that finds the mark knows the items. Relaxed
        // where it fails, as in `lost`.
        let given = word.compare_exchange(seen.0, mark.0, Ordering::Release, Ordering::Relaxed);
        seen = given.map_or_else(Cursor, |_| mark);
        if seen == mark || seen.begin() != at.begin() || seen.offset() >= size {
            break seen;
        }
    };
    moved(shared, position, found);
}

/// Opens `by_adding` at the place of the mark, if no other consumer has.
#[cold]
#[inline(never)]
fn start_adding<T, P: Claims>(shared: &Shared<Items<T>, P, Adding>, position: &mut Position, mark: Cursor) {
    let (block, size) = (shared.block(position), shared.size());
    let word = &block.reserved.by_adding;
    let found = loop {
        // Ordering: Acquire pairs with the Release below: where this is of a later lap, so is what `reserved` finds.
        let seen = Cursor(word.load(Ordering::Acquire));
        if seen.begin() == mark.begin() {
            break seen;
        }
        let now = reserved(block);
        if now != mark {
            moved(shared, position, now);
            return;
        }
        // Ordering: Release pairs with the Acquire in `add`: a consumer that takes an entry there knows its item.
        if word.compare_exchange(seen.0, opening(mark).0, Ordering::Release, Ordering::Relaxed).is_ok() {
            break opening(mark);
        }
    };
    position.cursor = found.begin().plus(found.offset().min(size));
    position.stop = if found.offset() < size { size } else { 0 };
}

/// Goes on to the block after that of the position's cursor.
#[inline(never)]
fn next_block<T, P: Claims>(shared: &Shared<Items<T>, P, Adding>, position: &mut Position) -> Result<(), Reason> {
    let from = head_in_lap(position.head, position.cursor);
    let seen = next_is_open(shared, from).inspect_err(|_| position.distance.found_nothing())?;
    Adding::enter_next(shared, position, seen);
    Ok(())
}
