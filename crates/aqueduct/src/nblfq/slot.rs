//! What a ring's slot is.

use crate::sync::Ordering;

/// An atomic word, or two: a count and an item, or none.
pub(super) trait Slot: Sized {
    /// Its value.
    type Word: Copy;
    /// How often it has been emptied, around the end of the counter.
    type Count: Copy + PartialEq;

    /// Empty, in the first pass.
    const EMPTY: Self;

    fn empty(count: Self::Count) -> Self::Word;
    fn is_empty(word: Self::Word) -> bool;
    fn count(word: Self::Word) -> Self::Count;
    fn plus_one(count: Self::Count) -> Self::Count;
    fn minus_one(count: Self::Count) -> Self::Count;

    fn load(&self, ordering: Ordering) -> Self::Word;

    /// Puts `new` in if `expected` is there; whether it was. Relaxed where it was not.
    fn exchange(&self, expected: Self::Word, new: Self::Word, ordering: Ordering) -> bool;
}
