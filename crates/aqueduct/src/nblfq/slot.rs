//! What a ring's slot is.

use crate::sync::Ordering;

/// An atomic word, or two: a count and an item, or none.
pub(super) trait Slot: Sized {
    /// Its value.
    type Word: Copy;
    /// What a look at it shows: the count, and whether there is an item.
    type Seen: Copy;
    /// How often it has been emptied, around the end of the counter.
    type Count: Copy + PartialEq;

    /// Empty, in the first pass.
    const EMPTY: Self;

    fn empty(count: Self::Count) -> Self::Word;
    fn is_empty(seen: Self::Seen) -> bool;
    fn count(seen: Self::Seen) -> Self::Count;
    fn plus_one(count: Self::Count) -> Self::Count;
    fn minus_one(count: Self::Count) -> Self::Count;

    fn look(&self, ordering: Ordering) -> Self::Seen;

    /// What was seen, with the item if there is one. If the slot has changed since, that can be a later item: then it is no value that
    /// the slot ever had, and an exchange that expects it fails.
    fn whole(&self, seen: Self::Seen) -> Self::Word;

    /// Puts `new` in if `expected` is there; whether it was. Relaxed where it was not.
    fn exchange(&self, expected: Self::Word, new: Self::Word, ordering: Ordering) -> bool;
}
