//! The interface of a ring's slot.

use crate::sync::Ordering;

/// An atomic word, or two: a count and an item, or none.
pub trait Slot: Sized {
    /// The value of a slot.
    type Word: Copy;
    /// The result of one read of a slot: the count, and whether there is an item.
    type Seen: Copy;
    /// The number of times that the slot has been emptied, modulo the counter's range.
    type Count: Copy + PartialEq;

    /// An empty slot, in the first lap.
    const EMPTY: Self;

    fn empty(count: Self::Count) -> Self::Word;
    fn is_empty(seen: Self::Seen) -> bool;
    fn count(seen: Self::Seen) -> Self::Count;
    fn plus_one(count: Self::Count) -> Self::Count;
    fn minus_one(count: Self::Count) -> Self::Count;

    fn look(&self, ordering: Ordering) -> Self::Seen;

    /// Returns the value that was seen, with the item if there is one.
    ///
    /// If the slot has changed since, that can be a later item. Then the slot never had that value,
    /// and an exchange that expects it fails.
    fn whole(&self, seen: Self::Seen) -> Self::Word;

    /// Puts `new` in if `expected` is there, and returns whether it was. A failure is Relaxed.
    fn exchange(&self, expected: Self::Word, new: Self::Word, ordering: Ordering) -> bool;
}
