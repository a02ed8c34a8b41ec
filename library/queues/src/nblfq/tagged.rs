//! Slots of one word: an item in the lower bits, a count in the upper ones.

use super::slot::Slot;
use crate::sync::{AtomicPtr, Ordering};

/// A slot whose count has `BITS` bits.
pub(super) struct Tagged<const BITS: u32>(AtomicPtr<()>);

impl<const BITS: u32> Tagged<BITS> {
    /// The position of the count in the word.
    const SHIFT: u32 = {
        assert!(BITS >= 1 && BITS <= usize::BITS / 2, "the counter has from 1 bit to half a word");
        usize::BITS - BITS
    };

    const ITEM: usize = (1 << Self::SHIFT) - 1;

    /// The counter's greatest value.
    const LAST: usize = usize::MAX >> Self::SHIFT;

    /// Whether an item leaves the count its bits.
    #[inline(always)]
    pub(super) fn fits(item: *mut ()) -> bool {
        item.addr() & !Self::ITEM == 0
    }

    /// Returns an item with its count.
    #[inline(always)]
    pub(super) fn filled(item: *mut (), count: usize) -> *mut () {
        item.map_addr(|address| address | count << Self::SHIFT)
    }

    /// Returns the item of a filled slot.
    #[inline(always)]
    pub(super) fn item(word: *mut ()) -> *mut () {
        word.map_addr(|address| address & Self::ITEM)
    }
}

impl<const BITS: u32> Slot for Tagged<BITS> {
    type Word = *mut ();
    type Seen = *mut ();
    type Count = usize;

    const EMPTY: Self = Self(AtomicPtr::new(core::ptr::null_mut()));

    #[inline(always)]
    fn empty(count: usize) -> *mut () {
        core::ptr::without_provenance_mut(count << Self::SHIFT)
    }

    #[inline(always)]
    fn is_empty(word: *mut ()) -> bool {
        Self::item(word).is_null()
    }

    #[inline(always)]
    fn count(word: *mut ()) -> usize {
        word.addr() >> Self::SHIFT
    }

    #[inline(always)]
    fn plus_one(count: usize) -> usize {
        (count + 1) & Self::LAST
    }

    #[inline(always)]
    fn minus_one(count: usize) -> usize {
        count.wrapping_sub(1) & Self::LAST
    }

    #[inline(always)]
    #[track_caller]
    fn look(&self, ordering: Ordering) -> *mut () {
        self.0.load(ordering)
    }

    /// Returns `seen`: one read shows the whole word.
    #[inline(always)]
    fn whole(&self, seen: *mut ()) -> *mut () {
        seen
    }

    #[inline(always)]
    #[track_caller]
    fn exchange(&self, expected: *mut (), new: *mut (), ordering: Ordering) -> bool {
        self.0.compare_exchange(expected, new, ordering, Ordering::Relaxed).is_ok()
    }
}
