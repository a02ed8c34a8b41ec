//! The interface of a policy to its victims.

use super::super::order::Order;
use super::super::owner::Owner;
use super::super::steal::Steal;
use super::super::stealer::Stealer;

/// A queue to steal from: a [`Stealer`], or of another crate.
///
/// # Examples
/// ```
/// use std::cell::Cell;
///
/// use aqueduct::bwos::Steal;
/// use aqueduct::bwos::policy::{Select, Thief, Victim};
///
/// /// A queue of one item.
/// struct Slot(Cell<Option<u64>>);
///
/// impl Victim for Slot {
///     type Item = u64;
///
///     fn steal_granted(&self) -> Steal<u64> {
///         self.0.take().map_or(Steal::Empty, Steal::Success)
///     }
///
///     fn granted(&self, _block: usize) -> usize {
///         usize::from(self.0.get().is_some())
///     }
/// }
///
/// let victims = [Slot(Cell::new(None)), Slot(Cell::new(Some(7)))];
/// let mut thief = Thief::new(Select::Sequential, 1);
/// assert_eq!(thief.steal(&victims), Steal::Success(7));
/// assert_eq!(thief.steal(&victims), Steal::Empty);
/// ```
///
/// A queue of another crate may be one block and have no owner to request items from.
pub trait Victim {
    /// The type of the stolen items.
    type Item;

    /// Steals an item that the owner has given; sends no steal request if there is none.
    fn steal_granted(&self) -> Steal<Self::Item>;

    /// Steals an item if one of that block can be stolen.
    ///
    /// It is an item of that block if thieves may take any item, and the oldest item otherwise.
    fn steal_sampled(&self, block: usize) -> Steal<Self::Item> {
        if self.granted(block) > 0 { self.steal_granted() } else { Steal::Empty }
    }

    /// Returns how many items of that block can be stolen.
    fn granted(&self, block: usize) -> usize;

    /// Returns the number of blocks.
    fn blocks(&self) -> usize {
        1
    }

    /// Returns how many items can be stolen without a steal request, of all blocks together.
    ///
    /// Beside other operations it is an estimate. It reads a word of each block.
    fn estimate(&self) -> usize {
        (0..self.blocks()).map(|block| self.granted(block)).sum()
    }

    /// Requests items from the owner.
    fn request(&self) {}

    /// Steals an item, if need be one that the owner has not given away.
    fn steal(&self) -> Steal<Self::Item> {
        let stolen = self.steal_granted();
        if stolen.is_empty() {
            self.request();
        }
        stolen
    }
}

/// A victim from which a thief can move several items to a queue of its own at once.
pub trait Divides: Victim {
    /// The handle with which the thief owns its queue.
    type Owner;

    /// Moves up to half of the items that can be stolen now into the thief's queue.
    ///
    /// Returns their number.
    fn steal_half_into(&self, own: &mut Self::Owner) -> usize;
}

impl<T, O: Order> Divides for Stealer<T, O> {
    type Owner = Owner<T, O>;

    fn steal_half_into(&self, own: &mut Owner<T, O>) -> usize {
        self.steal_half_into(own)
    }
}

impl<T, O: Order> Victim for Stealer<T, O> {
    type Item = T;

    fn steal_granted(&self) -> Steal<T> {
        self.steal_granted()
    }

    fn steal_sampled(&self, block: usize) -> Steal<T> {
        self.sampled(block)
    }

    fn granted(&self, block: usize) -> usize {
        self.granted(block)
    }

    fn blocks(&self) -> usize {
        self.blocks()
    }

    fn request(&self) {
        self.request();
    }

    fn steal(&self) -> Steal<T> {
        self.steal()
    }
}
