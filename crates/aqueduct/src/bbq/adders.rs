//! Producers that claim entries by fetch-and-add, as in J. Wang's thesis (TU Dresden, 2024, section
//! 2.3.1): measured beside the exchange, and not offered.
//!
//! An addition always gets what it finds. So it can pass a block's end, and it can come late: the
//! block may be in a later lap by then.
//!
//! Invariants, in place of the first of [`shared`](super::shared):
//! 1. `allocated` goes from a lap to a later one only by the thread that opens the block, whatever
//!    its offset is, and to the offset 0.
//! 2. An offset less than the block's size is the next entry, in whichever lap it is found: blocks
//!    are opened one after the other, each when the one before is fully allocated, so the block is
//!    the one that is being filled. A late addition takes that entry.
//! 3. Such a block's head may not be moved there yet. The late thread moves it before it goes on, so
//!    it works there only after the head has come.
//! 4. An offset is less than the block's size and [`AT_ONCE`] for each thread that has passed the end
//!    and has not brought the word back. So no addition changes the version unless more than 1024
//!    threads stop between these two instructions in one block.

use super::adding::{AT_ONCE, Adding, MOST, ROOM, bring_back};
use super::block::Content;
use super::claim::{self, Claims, ClaimsBesides, follow, head_in_lap, is_full, next_block};
use super::cursor::Cursor;
use super::shared::{Position, Shared};
use super::side::{Commits, Consumes, Reason};
use crate::sync::{AtomicUsize, Ordering};

impl Commits for Adding {
    const MOST: usize = MOST;

    #[inline(always)]
    fn how_far(allocated: Cursor, size: usize) -> Cursor {
        allocated.begin().plus(allocated.offset().min(size))
    }
}

impl Claims for Adding {
    #[inline(always)]
    fn claim<K: Content<Self, C>, C: Consumes>(
        shared: &Shared<K, Self, C>,
        position: &mut Position,
        most: usize,
    ) -> Result<(Cursor, usize), Reason> {
        if !ROOM {
            return claim::by_exchange(shared, position, most);
        }
        loop {
            let at = position.cursor;
            let left = shared.size() - at.offset();
            // A thread that knows that the block is used up adds nothing, however often it finds the queue full.
            if left == 0 {
                if is_full(shared, head_in_lap(position.head, at)) {
                    return Err(Reason::Exhausted);
                }
                next_block(shared, position)?;
                continue;
            }
            if let Some(claimed) = add(shared, position, most.min(left).min(AT_ONCE)) {
                return Ok(claimed);
            }
        }
    }
}

impl ClaimsBesides for Adding {
    /// Tries again while others pass the end, which each does once.
    fn open(word: &AtomicUsize, used_up: Cursor, first: Cursor) -> bool {
        let mut seen = used_up;
        loop {
            // Ordering: Release pairs with the Acquire in `allocated` and in `add`: what `is_free` has seen happened
            // before what is done in this lap. If another producer was faster, that is as well.
            match word.compare_exchange(seen.0, first.0, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(actual) if Cursor(actual).begin() != used_up.begin() => return false,
                Err(actual) => seen = Cursor(actual),
            }
        }
    }
}

/// Claims up to `count` entries of the position's block.
///
/// Returns `None`, with the position at the block's end, or where the head is, if it is used up.
#[inline(always)]
fn add<K: Content<Adding, C>, C: Consumes>(
    shared: &Shared<K, Adding, C>,
    position: &mut Position,
    count: usize,
) -> Option<(Cursor, usize)> {
    let (word, size) = (&shared.block(position).allocated.cursor, shared.size());
    // Ordering: Acquire pairs with the Release in `open`: the block may be in a later lap, in which its entries have
    // been consumed, and all blocks opened before it are known.
    let at = Cursor(word.fetch_add(count, Ordering::Acquire));
    let is_late = at.begin() != position.cursor.begin();
    position.alone &= at == position.cursor;
    if at.offset() + count > size {
        bring_back(word, at.plus(count), size);
    }
    if at.offset() >= size {
        position.cursor = at.begin().plus(size);
        if is_late {
            // Ordering: Relaxed: `find` checks the head against the block's word, and reads it again with Acquire.
            follow(shared, position, Cursor(shared.producers.load(Ordering::Relaxed)));
        }
        return None;
    }
    let count = count.min(size - at.offset());
    position.cursor = at.plus(count);
    if is_late {
        bring_head(shared, position, head_in_lap(position.head, at));
    }
    Some((at, count))
}

/// Brings the head to the position's block in a later lap, where the thread that opened it may not have moved it yet.
#[cold]
#[inline(never)]
fn bring_head<K: Content<Adding, C>, C: Consumes>(shared: &Shared<K, Adding, C>, position: &mut Position, to: Cursor) {
    let from = to.block_before(shared.blocks.geometry.blocks());
    // Ordering: Release pairs with the Acquire in `follow`, as in `next_block`. Relaxed where it fails: then the head
    // has been moved.
    let _ = shared.producers.compare_exchange(from.0, to.0, Ordering::Release, Ordering::Relaxed);
    position.head = to;
}
