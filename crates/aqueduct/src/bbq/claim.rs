//! The producers' way: to an entry of their own, and to the next block.

use super::block::Block;
use super::cursor::Cursor;
use super::race::Race;
use super::shared::{Position, Shared};
use super::side::{Commits, Consumes, Multi, Reason, Single};
use crate::sync::Ordering;

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

/// How far producers are in a block.
#[inline(always)]
pub(super) fn allocated(block: &Block) -> Cursor {
    // Ordering: Acquire pairs with the Release that opened the block in `next_block`: all that was done with its entries in the
    // lap before, and all blocks opened before it, are known to who finds a lap here.
    Cursor(block.allocated.load(Ordering::Acquire))
}

/// Whether a block has left the lap of `used_up`, as far as its producers are concerned. The caller knows of that lap's begin.
#[inline(always)]
pub(super) fn is_open(block: &Block, used_up: Cursor) -> bool {
    // Not "is it used up": an old value of that lap may have been read, of before it was.
    allocated(block).begin() != used_up.begin()
}

impl Claims for Multi {
    #[inline(always)]
    fn claim<T, C: Consumes>(
        shared: &Shared<T, Self, C>,
        position: &mut Position,
        most: usize,
    ) -> Result<(Cursor, usize), Reason> {
        let mut race = Race::new();
        loop {
            let at = position.cursor;
            let left = shared.size() - at.offset();
            if left == 0 {
                next_block(shared, position)?;
                continue;
            }
            let count = most.min(left);
            let block = shared.block(position);
            // Ordering: Relaxed where it succeeds: the producer has found the block in this lap before, from the start, by
            // `allocated`, or by a failure here, which is ordered alike.
            match block.allocated.compare_exchange(at.0, at.plus(count).0, Ordering::Relaxed, Ordering::Acquire) {
                Ok(_) => {
                    position.cursor = at.plus(count);
                    return Ok((at, count));
                }
                Err(actual) => {
                    position.cursor = Cursor(actual);
                    if position.cursor.offset() != shared.size() {
                        race.lost();
                        position.cursor = allocated(block);
                    }
                }
            }
        }
    }

    fn leave<T, C: Consumes>(_shared: &Shared<T, Self, C>, _position: &Position) {}

    fn why_not_committed(block: &Block, reserved: Cursor) -> Option<Reason> {
        let allocated = allocated(block);
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
    let used_up = to.version_before(shared.size());
    // SAFETY: a block of this queue.
    let block: &Block = unsafe { shared.blocks.block(to.offset()).as_ref() };
    if allocated(block) == used_up {
        C::is_free(shared, to)?;
        // Ordering: Release pairs with the Acquire in `allocated` and `claim`: what `is_free` has seen happened
        // before what is done in this lap. If another producer was faster, that is as well.
        let _ = block.allocated.compare_exchange(used_up.0, to.begin().0, Ordering::Release, Ordering::Relaxed);
    }
    // Ordering: Release pairs with the Acquire on failure: who finds a new head finds its block open.
    let head = shared.producers.compare_exchange(from.0, to.0, Ordering::Release, Ordering::Acquire);
    position.enter(shared, head.map_or_else(Cursor, |_| to));
    position.cursor = allocated(shared.block(position));
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
        // Ordering: Release, as where the block was opened, for readers of a drop-old queue.
        shared.block(position).allocated.store(position.cursor.0, Ordering::Release);
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
    C::is_free(shared, to)?;
    Single::leave(shared, position);
    position.enter(shared, to);
    // Ordering: Release pairs with the Acquire in `allocated`: a reader of a drop-old queue learns what was opened before. (Where
    // nothing is overwritten, the stamps order all that is needed.)
    shared.block(position).allocated.store(position.cursor.0, Ordering::Release);
    Ok(())
}
