//! What the handles need of each order of the owner's pops.

use super::steal::{Claim, Steal};

/// The end of a queue at which its owner pops: [`Lifo`] or [`Fifo`].
///
/// Sealed: no other type implements it.
pub trait Order: Sized {
    /// The state that owner and thieves share.
    #[doc(hidden)]
    type Queue<T>: Steals<T> + Seizes<T>;

    /// The handle of a queue's owner.
    type Owner<T>: Room<Task = T>;
}

/// The owner takes the newest item: [`lifo`](super::lifo).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lifo {}

/// The owner takes the oldest item: [`fifo`](super::fifo).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fifo {}

/// A thief's claim, and the block if the claim includes its last entry.
pub(super) type Theft<'q, T, L> = (Claim<'q, T>, Option<L>);

/// Steals of what the owner has given away.
pub trait Steals<T> {
    /// A block whose last entry has been claimed, in its lap.
    type Last: Copy;

    /// Claims up to `most` entries for a thief.
    fn claim(&self, most: usize) -> Steal<Theft<'_, T, Self::Last>>;

    /// OwnerState a theft: the thief of a block's last entry reports whether thieves have read all of the
    /// block.
    ///
    /// Then the owner need not read all marks.
    fn finish(&self, last: Option<Self::Last>);

    /// Claims up to `most` entries if thieves may take some of that block: of that block, if the order
    /// lets them take any item.
    fn claim_sampled(&self, block: usize, most: usize) -> Steal<Theft<'_, T, Self::Last>> {
        if self.granted(block) > 0 { self.claim(most) } else { Steal::Empty }
    }

    /// Returns how many entries of a block thieves may take.
    fn granted(&self, block: usize) -> usize;

    /// Requests items from the owner.
    fn request(&self);

    /// Returns the number of blocks.
    fn blocks(&self) -> usize;

    /// Returns the number of entries in a block.
    fn size(&self) -> usize;

    /// Returns the capacity that was asked for.
    fn capacity(&self) -> usize;
}

/// Steals from the blocks that the owner works in.
pub trait Seizes<T>: Steals<T> {
    /// Steals up to `most` items for a thief that has found nothing else.
    ///
    /// Asks the owner first, and seizes the items of its block if it does not answer.
    fn reach(&self, most: usize) -> Steal<Theft<'_, T, Self::Last>>;

    /// Seizes the items of the owner's block, and claims up to `most` of them.
    fn seize(&self, most: usize) -> Steal<Theft<'_, T, Self::Last>>;

    /// Claims up to `most` entries that need not be seized, also of the blocks that the owner works in.
    fn claim_left(&self, most: usize) -> Steal<Theft<'_, T, Self::Last>> {
        self.claim(most)
    }

    /// Returns how many items there seem to be, the owner's included.
    fn seen(&self) -> usize;

    /// Returns how many items thieves may take without seizing any.
    fn all_granted(&self) -> usize;
}

/// Room for stolen items in an owner's queue.
pub trait Room {
    /// The type of the queue's items.
    type Task;

    /// Returns the room in the owner's block, after going to the next block if need be.
    ///
    /// Answers a steal request.
    fn room(&mut self) -> usize;

    /// Adds an item; the caller knows from `room` that it fits. Does not panic.
    fn put(&mut self, item: Self::Task);
}
