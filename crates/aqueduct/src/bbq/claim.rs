//! The producers' way: to an entry of their own, and to the next block.

use super::block::{Block, Content};
use super::cursor::Cursor;
use super::race::Race;
use super::shared::{Position, Shared};
use super::side::{Commits, Consumes, Multi, Reason, Single};
use crate::sync::Ordering;

/// How producers come to entries of their own. Sealed.
pub trait Claims: Commits + Sized {
    /// Claims up to `most` entries of one block, at least one: the first one's cursor, and how many.
    fn claim<K: Content<Self, C>, C: Consumes>(
        shared: &Shared<K, Self, C>,
        position: &mut Position,
        most: usize,
    ) -> Result<(Cursor, usize), Reason>;

    /// Leaves in the queue what whoever drops it has to know.
    fn leave<K: Content<Self, C>, C: Consumes>(shared: &Shared<K, Self, C>, position: &Position);

    /// Of `claimed` entries from `at` on, the last ones that the position has claimed, `used` are used: how many are to be
    /// committed.
    fn give_back(position: &mut Position, at: Cursor, claimed: usize, used: usize) -> usize;

    /// Whether producers may be at work in the position's block in a later lap than the position's, as far as is known. Where one
    /// has written something there before, in the order of happening, they are.
    fn has_overwritten<K: Content<Self, C>, C: Consumes>(shared: &Shared<K, Self, C>, position: &Position) -> bool;

    /// Why the entry at `reserved` is not committed; nothing if `reserved` is of the past.
    fn why_not_committed(block: &Block, reserved: Cursor) -> Option<Reason>;
}

/// How far producers are in a block.
#[inline(always)]
pub(super) fn allocated(block: &Block) -> Cursor {
    // Ordering: Acquire pairs with the Release that opened the block in `next_block`: all that was done with its entries in the
    // lap before, and all blocks opened before it, are known to who finds a lap here.
    Cursor(block.allocated.cursor.load(Ordering::Acquire))
}

/// Whether a block has left the lap of `used_up`, as far as its producers are concerned. The caller knows of that lap's begin.
#[inline(always)]
pub(super) fn is_open(block: &Block, used_up: Cursor) -> bool {
    // Not "is it used up": an old value of that lap may have been read, of before it was.
    allocated(block).begin() != used_up.begin()
}

impl Claims for Multi {
    #[inline(always)]
    fn claim<K: Content<Self, C>, C: Consumes>(
        shared: &Shared<K, Self, C>,
        position: &mut Position,
        most: usize,
    ) -> Result<(Cursor, usize), Reason> {
        let mut race = Race::default();
        loop {
            let at = position.cursor;
            let left = shared.size() - at.offset();
            if left == 0 {
                next_block(shared, position)?;
                continue;
            }
            let count = most.min(left);
            let block = shared.block(position);
            // Ordering: Relaxed. The producer has found the block in this lap before, from the start or by `allocated`; where it
            // finds it in another one, it follows the head.
            let claimed = at.plus(count);
            match block.allocated.cursor.compare_exchange(at.0, claimed.0, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => {
                    position.cursor = claimed;
                    return Ok((at, count));
                }
                Err(actual) => {
                    position.cursor = Cursor(actual);
                    position.alone = false;
                    if position.cursor.begin() != at.begin() {
                        // Ordering: Relaxed, see there.
                        follow(shared, position, Cursor(shared.producers.load(Ordering::Relaxed)));
                    } else if position.cursor.offset() != shared.size()
                        && let Some(now) = race.lost(position, at, count, Cursor(actual), || allocated(block))
                    {
                        position.cursor = now;
                    }
                }
            }
        }
    }

    fn leave<K: Content<Self, C>, C: Consumes>(_shared: &Shared<K, Self, C>, _position: &Position) {}

    /// The head moves once a block, and before anything is written there. The block's cursor would tell as well, but each look at
    /// it would take it away from producers.
    #[inline(always)]
    fn has_overwritten<K: Content<Self, C>, C: Consumes>(shared: &Shared<K, Self, C>, position: &Position) -> bool {
        // Ordering: Relaxed, see where it is used.
        let head = Cursor(shared.producers.load(Ordering::Relaxed));
        let laps = head.laps_after(position.head);
        laps > 1 || laps == 1 && head.offset() >= position.head.offset()
    }

    /// Others may have claimed what comes after.
    #[inline(always)]
    fn give_back(_position: &mut Position, _at: Cursor, claimed: usize, _used: usize) -> usize {
        claimed
    }

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
///
/// Where there is no room it ends here; what opens a block stands apart, so that this needs few registers to save.
#[inline(never)]
fn next_block<K: Content<Multi, C>, C: Consumes>(
    shared: &Shared<K, Multi, C>,
    position: &mut Position,
) -> Result<(), Reason> {
    let (_, to) = next(shared, position);
    let used_up = to.version_before(shared.size());
    if core::mem::take(&mut position.alone) {
        C::filled_alone(shared.block(position), position.cursor);
    }
    // SAFETY: a block of this queue.
    let block: &Block = unsafe { shared.blocks.block(to.offset()).as_ref() };
    let free = K::is_free(shared, to);
    // What was seen may be of the lap that another producer has opened since.
    let is_used_up = allocated(block) == used_up;
    match free {
        Err(reason) if is_used_up => Err(reason),
        _ => {
            enter_next(shared, position, free.is_ok() && is_used_up);
            Ok(())
        }
    }
}

/// The head of the block in which the position's cursor is, in the cursor's lap, and that of the block after it. The position's own head
/// can be of a lap before, where it has just been looked up.
#[inline(always)]
fn next<K: Content<Multi, C>, C: Consumes>(shared: &Shared<K, Multi, C>, position: &Position) -> (Cursor, Cursor) {
    let from = position.cursor.begin().plus(position.head.offset());
    (from, from.next_block(shared.blocks.geometry.blocks()))
}

/// Goes on to the next block. Opens it if it was found to be free; if not, another producer has.
#[inline(never)]
fn enter_next<K: Content<Multi, C>, C: Consumes>(shared: &Shared<K, Multi, C>, position: &mut Position, is_free: bool) {
    let (from, to) = next(shared, position);
    if is_free {
        let used_up = to.version_before(shared.size());
        // SAFETY: a block of this queue.
        let block: &Block = unsafe { shared.blocks.block(to.offset()).as_ref() };
        // Ordering: Release pairs with the Acquire in `allocated`: what `is_free` has seen happened before what is done in this lap.
        // If another producer was faster, that is as well.
        let _ = block.allocated.cursor.compare_exchange(used_up.0, to.begin().0, Ordering::Release, Ordering::Relaxed);
    }
    // Ordering: Release pairs with the Acquire in `follow`: who finds a new head there finds its block open. Relaxed where it fails:
    // there it is found out.
    let head = shared.producers.compare_exchange(from.0, to.0, Ordering::Release, Ordering::Relaxed);
    follow(shared, position, head.map_or_else(Cursor, |_| to));
}

/// Goes to the producers' head's block.
fn follow<K: Content<Multi, C>, C: Consumes>(shared: &Shared<K, Multi, C>, position: &mut Position, head: Cursor) {
    position.follow(shared, &shared.producers, allocated, head);
    position.alone = position.cursor.offset() == 0;
}

impl Claims for Single {
    #[inline(always)]
    fn claim<K: Content<Self, C>, C: Consumes>(
        shared: &Shared<K, Self, C>,
        position: &mut Position,
        most: usize,
    ) -> Result<(Cursor, usize), Reason> {
        if position.cursor.offset() == shared.size() {
            next_block_alone(shared, position)?;
        }
        let at = position.cursor;
        debug_assert!(most > 0);
        // There is one; with that said, a push of one item knows how far it goes.
        let count = most.min(shared.size() - at.offset()).max(1);
        position.cursor = at.plus(count);
        Ok((at, count))
    }

    fn leave<K: Content<Self, C>, C: Consumes>(shared: &Shared<K, Self, C>, position: &Position) {
        // Ordering: Release, as where the block was opened, for readers of a drop-old queue.
        shared.block(position).allocated.cursor.store(position.cursor.0, Ordering::Release);
    }

    /// A single producer writes the block's cursor when it comes and when it goes.
    #[inline(always)]
    fn has_overwritten<K: Content<Self, C>, C: Consumes>(shared: &Shared<K, Self, C>, position: &Position) -> bool {
        // Ordering: Relaxed, see where it is used.
        Cursor(shared.block(position).allocated.cursor.load(Ordering::Relaxed)).laps_after(position.head) > 0
    }

    #[inline(always)]
    fn give_back(position: &mut Position, at: Cursor, _claimed: usize, used: usize) -> usize {
        position.cursor = at.plus(used);
        used
    }

    /// A single producer's claims are no news: what it has not committed is not there.
    fn why_not_committed(_block: &Block, _reserved: Cursor) -> Option<Reason> {
        Some(Reason::Exhausted)
    }
}

/// As `next_block`, where nobody else does the same.
#[inline(never)]
fn next_block_alone<K: Content<Single, C>, C: Consumes>(
    shared: &Shared<K, Single, C>,
    position: &mut Position,
) -> Result<(), Reason> {
    let to = position.head.next_block(shared.blocks.geometry.blocks());
    K::is_free(shared, to)?;
    Single::leave(shared, position);
    position.enter(shared, to);
    // Ordering: Release pairs with the Acquire in `allocated`: a reader of a drop-old queue learns what was opened before. (Where
    // nothing is overwritten, the stamps order all that is needed.)
    shared.block(position).allocated.cursor.store(position.cursor.0, Ordering::Release);
    Ok(())
}
