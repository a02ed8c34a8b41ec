//! The differences between the two orders of the owner's pops.
//!
//! [`Parts`] are the parts of a queue, [`FastPaths`] and [`SlowPaths`] the owner's operations,
//! [`Claims`] and [`Seizes`] those of the thieves.

use core::ops::Range;
use core::ptr::NonNull;

use super::block::{Blocks, Head};
use super::queue::{OwnerState, Queue};
use super::seize::Seizes;
use super::steal::{Claim, Steal};

/// The end of a queue at which its owner pops: [`Lifo`] or [`Fifo`].
///
/// Sealed: no other type implements it.
pub trait Order: FastPaths + SlowPaths + Seizes {}

/// The owner takes the newest item: [`lifo`](super::lifo).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lifo {}

/// The owner takes the oldest item: [`fifo`](super::fifo).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fifo {}

/// The parts of a queue.
pub trait Parts: Sized {
    /// The bound of fast pops that a steal request sets: no position lets a pop be fast then.
    const NO_FAST_POPS: usize;

    /// The number that a pop adds to its position: 1 or -1.
    const STEP: usize;

    /// The words in front of a block's entries.
    type Head: Head;

    /// The end at which the owner pops, unless it pops where it pushes.
    type Front: Copy;

    /// The owner's published position.
    type Position;

    /// Words that thieves alone write, or that lead them.
    type Hints;

    /// The state that the owner needs on its slow paths alone.
    type SlowState;

    /// Returns the parts of a queue of these blocks that begins in lap `lap`.
    fn first<T>(blocks: &Blocks<T, Self::Head>, lap: usize) -> (Self::Hints, Self::Position, OwnerState<Self>);

    /// Returns where the owner has let fast pops end.
    fn pops_end(state: &OwnerState<Self>) -> usize;

    /// Returns the number of the block with the oldest item, once no other handle is left.
    fn oldest_block<T>(queue: &Queue<T, Self>) -> usize;

    /// Returns the entries of a block with items, once no other handle is left.
    fn items_left<T>(queue: &Queue<T, Self>, block: usize) -> [Range<usize>; 2];
}

/// The owner's operations within a block.
///
/// All of them are inlined: the handle stays in registers.
pub trait FastPaths: Parts {
    /// Publishes that entries up to `b_pos` of the block at the back are written.
    fn publish_push(position: &Self::Position, b_pos: usize);

    /// Returns the block at the front.
    fn front(back: NonNull<Self::Head>, front: Self::Front) -> NonNull<Self::Head>;

    /// Takes the next entry of the block at the front, if that is possible without a slow path.
    fn pop<T>(queue: &Queue<T, Self>, b_pos: &mut usize, front: &mut Self::Front) -> Option<usize>;

    /// Saves the front of an owner that leaves its fast paths, word by word: a copy of all would
    /// read pairs of words that have just been written one by one, which processors do slowly.
    fn save(front: &Self::Front, state: &mut OwnerState<Self>);

    /// Returns the front of an owner that comes back from a slow path.
    fn resume(state: &OwnerState<Self>) -> Self::Front;
}

/// The owner's operations that go from block to block, or answer a steal request.
pub trait SlowPaths: Parts {
    /// Whether there is neither room for an item nor an answer to a request: then a push leaves all
    /// as it is.
    fn is_stuck<T>(queue: &Queue<T, Self>, state: &OwnerState<Self>) -> bool;

    /// Whether a pop finds nothing, and leaves the words of all blocks as they are.
    fn finds_nothing<T>(queue: &Queue<T, Self>, state: &OwnerState<Self>) -> bool;

    /// Begins an operation on the slow path: from here to `end` nothing is seized.
    ///
    /// Returns whether there is a request, and the entry of the item that a pop has in hand, if
    /// thieves have seized those behind it.
    fn begin<T>(queue: &Queue<T, Self>, state: &mut OwnerState<Self>) -> (bool, Option<usize>);

    /// Moves the owner to a free entry at the back. Returns whether there is one.
    fn advance<T>(queue: &Queue<T, Self>, state: &mut OwnerState<Self>) -> bool;

    /// Moves the owner to its next item, if it has one and is not there.
    fn go_to_item<T>(queue: &Queue<T, Self>, state: &mut OwnerState<Self>);

    /// Answers a steal request: gives half of the owner's items, but for `kept` ones, which it is
    /// about to pop.
    fn answer<T>(queue: &Queue<T, Self>, state: &mut OwnerState<Self>, is_requested: bool, kept: usize);

    /// Takes the entry of the owner's next item, if it has one.
    fn take_entry<T>(queue: &Queue<T, Self>, state: &mut OwnerState<Self>) -> Option<usize>;

    /// Ends an operation on the slow path: publishes the owner's position.
    fn end<T>(queue: &Queue<T, Self>, state: &OwnerState<Self>);

    /// Gives all items to the thieves when the owner is dropped.
    fn leave<T>(queue: &Queue<T, Self>, state: &mut OwnerState<Self>);

    /// Whether the owner has items that it would give after a request.
    fn has_to_give<T>(queue: &Queue<T, Self>, state: &OwnerState<Self>) -> bool;

    /// Returns the number of items, those that thieves may take included.
    fn len<T>(queue: &Queue<T, Self>, state: &OwnerState<Self>) -> usize;

    /// Whether nothing is left that the owner could pop.
    fn is_empty<T>(queue: &Queue<T, Self>, state: &OwnerState<Self>) -> bool;

    /// Whether the block at the back is full and the owner cannot enter the next one.
    fn is_full<T>(queue: &Queue<T, Self>, state: &OwnerState<Self>) -> bool;
}

/// The thieves' claims on what the owner has given away.
pub trait Claims: Parts {
    /// Claims up to `most` entries for a thief.
    fn claim<T>(queue: &Queue<T, Self>, most: usize) -> Steal<Claim<'_, T>>;

    /// Claims up to `most` entries if thieves may take some of that block: of that block, if the
    /// order lets them take any item.
    fn claim_sampled<T>(queue: &Queue<T, Self>, block: usize, most: usize) -> Steal<Claim<'_, T>> {
        if Self::granted(queue, block) > 0 { Self::claim(queue, most) } else { Steal::Empty }
    }

    /// Claims up to `most` entries that need not be seized, also of the blocks that the owner works
    /// in.
    fn claim_left<T>(queue: &Queue<T, Self>, most: usize) -> Steal<Claim<'_, T>> {
        Self::claim(queue, most)
    }

    /// Returns how many entries of a block thieves may take.
    fn granted<T>(queue: &Queue<T, Self>, block: usize) -> usize;

    /// Returns how many items thieves may take without seizing any.
    fn all_granted<T>(queue: &Queue<T, Self>) -> usize;

    /// Returns how many items there seem to be, the owner's included.
    fn seen<T>(queue: &Queue<T, Self>) -> usize;
}
