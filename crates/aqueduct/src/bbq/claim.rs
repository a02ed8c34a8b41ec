//! The producers' way: to an entry of their own, and to the next block.

use super::block::Block;
use super::cursor::Cursor;
use super::shared::{Position, Shared};
use super::side::{Commits, Consumes, Multi, Reason, Single};
use crate::sync::{Ordering, pause};

/// How producers come to entries of their own. Sealed.
pub trait Claims: Commits + Sized {
    /// Claims up to `most` entries of one block, at least one: the first one's cursor, and how many.
    fn claim<T, C: Consumes>(
        shared: &Shared<T, Self, C>,
        position: &mut Position,
        most: usize,
    ) -> Result<(Cursor, usize), Reason>;

    /// Leaves in the queue what whoever drops it has to know.
    fn leave<T, C: Consumes>(shared: &Shared<T, Self, C>, position: &Position);

    /// Why the entry at `reserved` is not committed; nothing if `reserved` is of the past.
    fn why_not_committed(block: &Block, reserved: Cursor) -> Option<Reason>;
}

/// Whether a block has left the lap of `used_up`, as far as its producers are concerned. The caller knows of that lap's begin.
#[inline(always)]
pub(super) fn is_open(block: &Block, used_up: Cursor) -> bool {
    // Ordering: Acquire pairs with the Release that opened the block in `next_block`: all that was done with its entries in the
    // lap before happened before what a consumer does now.
    let allocated = Cursor(block.allocated.load(Ordering::Acquire));
    // Not "is it used up": an old value of that lap may have been read, of before it was.
    allocated.begin() != used_up.begin()
}

/// A producer that lost a race for `allocated` lets the others get something done: the line comes back cheaper than if all
/// snatched at it.
const LOST: u32 = 32;
const MOST_LOST: u32 = 256;

impl Claims for Multi {
    #[inline(always)]
    fn claim<T, C: Consumes>(
        shared: &Shared<T, Self, C>,
        position: &mut Position,
        most: usize,
    ) -> Result<(Cursor, usize), Reason> {
        let mut lost = LOST;
        loop {
            let at = position.cursor;
            let left = shared.size() - at.offset();
            if left == 0 {
                next_block(shared, position)?;
                continue;
            }
            let count = most.min(left);
            let allocated = &shared.block(position).allocated;
            // Ordering: Acquire pairs with the Release that opened the block, through the exchanges between: writes to the
            // entries come after the reads of what was in them.
            match allocated.compare_exchange(at.0, at.plus(count).0, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => {
                    position.cursor = at.plus(count);
                    return Ok((at, count));
                }
                Err(actual) => {
                    position.cursor = Cursor(actual);
                    if position.cursor.offset() != shared.size() {
                        pause(lost);
                        lost = (2 * lost).min(MOST_LOST);
                        // Ordering: Relaxed, the exchange decides.
                        position.cursor = Cursor(allocated.load(Ordering::Relaxed));
                    }
                }
            }
        }
    }

    fn leave<T, C: Consumes>(_shared: &Shared<T, Self, C>, _position: &Position) {}

    fn why_not_committed(block: &Block, reserved: Cursor) -> Option<Reason> {
        // Ordering: Acquire, so that whoever finds a later lap here finds a later `reserved`, too.
        let allocated = Cursor(block.allocated.load(Ordering::Acquire));
        if allocated.begin() != reserved.begin() {
            return None;
        }
        // Not "equal": an old value may have been read, of before other consumers' pops.
        Some(if allocated.offset() > reserved.offset() { Reason::Busy } else { Reason::Exhausted })
    }
}

/// Goes on to the block after the one in which the position's cursor is, and opens it if nobody has.
#[inline(never)]
fn next_block<T, C: Consumes>(shared: &Shared<T, Multi, C>, position: &mut Position) -> Result<(), Reason> {
    let from = position.cursor.begin().plus(position.head.offset());
    let to = from.next_block(shared.blocks.geometry.blocks());
    let (block, used_up) = (shared.blocks.block(to.offset()), to.version_before(shared.size()));
    // SAFETY: a block of this queue.
    let allocated = unsafe { &block.as_ref().allocated };
    // Ordering: Relaxed, the exchange decides.
    if allocated.load(Ordering::Relaxed) == used_up.0 {
        shared.is_free(block, used_up)?;
        // Ordering: Release pairs with the Acquire loads of `allocated` (`claim`, `is_open`): what `is_free` has seen happened
        // before what is done in this lap. If another producer was faster, that is as well.
        let _ = allocated.compare_exchange(used_up.0, to.begin().0, Ordering::Release, Ordering::Relaxed);
    }
    // Ordering: Release pairs with the Acquire on failure: who finds a new head finds its block open.
    let head = shared.producers.compare_exchange(from.0, to.0, Ordering::Release, Ordering::Acquire);
    position.enter(shared, head.map_or_else(Cursor, |_| to));
    // Ordering: Relaxed, the exchange in `claim` decides.
    position.cursor = Cursor(shared.block(position).allocated.load(Ordering::Relaxed));
    Ok(())
}

impl Claims for Single {
    #[inline(always)]
    fn claim<T, C: Consumes>(
        shared: &Shared<T, Self, C>,
        position: &mut Position,
        most: usize,
    ) -> Result<(Cursor, usize), Reason> {
        if position.cursor.offset() == shared.size() {
            next_block_alone(shared, position)?;
        }
        let at = position.cursor;
        let count = most.min(shared.size() - at.offset());
        position.cursor = at.plus(count);
        Ok((at, count))
    }

    fn leave<T, C: Consumes>(shared: &Shared<T, Self, C>, position: &Position) {
        // Ordering: Relaxed, what orders the queue's drop after this handle's orders this, too.
        shared.block(position).allocated.store(position.cursor.0, Ordering::Relaxed);
    }

    /// A single producer's claims are no news: what it has not committed is not there.
    fn why_not_committed(_block: &Block, _reserved: Cursor) -> Option<Reason> {
        Some(Reason::Exhausted)
    }
}

/// As `next_block`, where nobody else does the same.
#[inline(never)]
fn next_block_alone<T, C: Consumes>(shared: &Shared<T, Single, C>, position: &mut Position) -> Result<(), Reason> {
    let to = position.head.next_block(shared.blocks.geometry.blocks());
    let block = shared.blocks.block(to.offset());
    shared.is_free(block, to.version_before(shared.size()))?;
    Single::leave(shared, position);
    position.enter(shared, to);
    // Ordering: Relaxed, the stamps order all that follows; they tell every lap from every other.
    shared.block(position).allocated.store(position.cursor.0, Ordering::Relaxed);
    Ok(())
}
