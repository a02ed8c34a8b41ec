//! The items of queues under test: numbers, and items of more than a word, made from numbers and
//! checked when they are popped.
//!
//! The measurements move numbers. A queue of wide items has handles that make the item from the
//! number before the push, and check all of the item after the pop; so wide items need no
//! measurement of their own.

use std::mem::MaybeUninit;
use std::num::NonZeroU64;

/// A number that is never zero, so that every queue can carry it.
pub type Item = NonZeroU64;

/// The possible sizes of an item, in bytes.
pub const ITEM_BYTES: [usize; 5] = [8, 16, 64, 256, 4096];

/// An item of `WORDS` words, each of which is its number.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Wide<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Wide<WORDS> {
    /// Makes the item with that number.
    #[inline(always)]
    pub fn of(number: NonZeroU64) -> Self {
        Self([number.get(); WORDS])
    }

    /// Makes the item with that number in its place.
    #[inline(always)]
    pub fn write(number: NonZeroU64, place: &mut MaybeUninit<Self>) {
        let words = place.as_mut_ptr().cast::<MaybeUninit<u64>>();
        for word in 0..WORDS {
            // SAFETY: an item is its words.
            unsafe { (*words.add(word)).write(number.get()) };
        }
    }

    /// Returns the number of an undamaged item; for a damaged item a number that no item has.
    #[inline(always)]
    pub fn number(&self) -> NonZeroU64 {
        let first = self.0[0];
        let difference = self.0.iter().fold(0, |difference, word| difference | (word ^ first));
        NonZeroU64::new(first).filter(|_| difference == 0).unwrap_or(NonZeroU64::MAX)
    }
}

/// A handle of a queue of wide items, which takes and gives their numbers.
#[derive(Clone, Debug)]
pub struct Widened<H>(pub H);

/// Checks that items can have `item_bytes` bytes, and that the memory suffices for `capacity`
/// items.
///
/// # Errors
/// A sentence that names the possible values.
pub fn check(item_bytes: usize, capacity: usize) -> Result<(), String> {
    /// The number of slots may be rounded up to the next power of two.
    const ROUNDED: usize = 2;
    if !ITEM_BYTES.contains(&item_bytes) {
        return Err(format!("--item-bytes: {item_bytes} bytes are not built in; {} are", possible()));
    }
    crate::rounds::check_memory_of("capacity", capacity, crate::rounds::BYTES_PER_ITEM + ROUNDED * item_bytes)
}

/// Returns the possible sizes of an item in bytes, as text.
#[must_use]
pub fn possible() -> String {
    ITEM_BYTES.map(|bytes| bytes.to_string()).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_has_its_bytes_and_a_damaged_one_has_no_number() {
        let seven = NonZeroU64::new(7).expect("not zero");
        assert_eq!((size_of::<Wide<2>>(), size_of::<Wide<8>>(), size_of::<Wide<32>>()), (16, 64, 256));
        let mut item = Wide::<8>::of(seven);
        assert_eq!(item.number(), seven);
        item.0[5] = 8;
        assert_eq!(item.number(), NonZeroU64::MAX);
        assert_eq!(Wide::<2>([0; 2]).number(), NonZeroU64::MAX);
    }

    #[test]
    fn sizes_that_are_not_built_in_are_refused_with_those_that_are() {
        assert_eq!(check(64, 4096), Ok(()));
        let refused = check(24, 4096).unwrap_err();
        assert_eq!(refused, "--item-bytes: 24 bytes are not built in; 8, 16, 64, 256, 4096 are");
        assert!(check(256, usize::MAX).is_err_and(|why| why.starts_with("--capacity: ")));
    }
}
