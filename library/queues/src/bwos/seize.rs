//! Seizing: thieves take items of the owner's block while the owner does nothing.

use super::order::{Claims, Order};
use super::queue::Queue;
use super::steal::{Claim, Steal};
use crate::sync::{Ordering, heavy_fence};

/// The result of a thief's last look, at the blocks that the owner works in, after it has found no
/// item elsewhere.
pub enum LastLook<'q, T, F> {
    /// The result of the attempt, which ends here.
    Answer(Steal<Claim<'q, T>>),
    /// The look at a block that is the owner's and grants nothing.
    Owners(F),
}

/// A thief's view of the owner.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen<I> {
    /// The owner is on its slow path, or in another block.
    Busy,
    /// The owner has no items in that block.
    Nothing,
    /// The owner has these items.
    Items(I),
}

/// The thieves' view of the blocks that the owner works in.
pub trait Seizes: Claims {
    /// The state that a thief has read in its last look at the owner's block.
    type Found: Copy;

    /// The owner's items in its block.
    type Items;

    /// Looks at the blocks that the owner works in.
    fn look_last<T>(queue: &Queue<T, Self>, most: usize) -> LastLook<'_, T, Self::Found>;

    /// Returns the word of the block.
    fn word(found: Self::Found) -> usize;

    /// Returns what the thief has seen of the owner in its last look.
    fn seen_at_last<T>(queue: &Queue<T, Self>, found: Self::Found) -> Seen<Self::Items>;

    /// Returns what a thief sees of the owner now.
    fn seen_now<T>(queue: &Queue<T, Self>, found: Self::Found) -> Seen<Self::Items>;

    /// Returns the result for a thief that has seen no items of the owner.
    fn nothing<T>(queue: &Queue<T, Self>, found: Self::Found) -> Steal<Claim<'_, T>>;

    /// Makes these items the thieves', by an exchange of the block's word, and claims up to `most`
    /// of them.
    fn take_items<T>(
        queue: &Queue<T, Self>,
        found: Self::Found,
        items: Self::Items,
        most: usize,
    ) -> Steal<Claim<'_, T>>;
}

/// Claims up to `most` entries for a thief that has found nothing else.
///
/// Requests items from the owner first, and seizes those of its block if it does not answer.
#[cold]
#[inline(never)]
pub(super) fn reach<T, O: Order>(queue: &Queue<T, O>, most: usize) -> Steal<Claim<'_, T>> {
    let found = match O::look_last(queue, most) {
        LastLook::Answer(answer) => return answer,
        LastLook::Owners(found) => found,
    };
    match O::seen_at_last(queue, found) {
        Seen::Items(_) if queue.unanswered.is_enough(O::word(found)) => seize_found(queue, found, most),
        Seen::Nothing => {
            queue.requests.send();
            O::nothing(queue, found)
        }
        Seen::Busy | Seen::Items(_) => {
            queue.requests.send();
            Steal::Retry
        }
    }
}

/// Seizes the items of the owner's block, and claims up to `most` of them.
#[cold]
#[inline(never)]
pub(super) fn seize<T, O: Order>(queue: &Queue<T, O>, most: usize) -> Steal<Claim<'_, T>> {
    match O::look_last(queue, most) {
        LastLook::Answer(answer) => answer,
        LastLook::Owners(found) => seize_found(queue, found, most),
    }
}

/// Seizes the items of the owner's block, as a thief has found it before the request.
fn seize_found<T, O: Order>(queue: &Queue<T, O>, found: O::Found, most: usize) -> Steal<Claim<'_, T>> {
    queue.requests.send();
    // Ordering: this fence pairs with the light ones in `position.rs`: the owner's next pop sees
    // the request, or this thief sees the pop; without it, an item comes twice
    // (`bwos-lifo/seized-pop`, `bwos-fifo/seized-pop`).
    heavy_fence(Ordering::SeqCst);
    match O::seen_now(queue, found) {
        Seen::Busy => Steal::Retry,
        Seen::Nothing => O::nothing(queue, found),
        Seen::Items(items) => O::take_items(queue, found, items, most),
    }
}
