//! Words and links of the relaxed queues. All accesses are sequentially consistent, as the papers
//! assume.

use std::thread;

use super::dice::Dice;
use super::sync::{AtomicPtr, AtomicU64, Ordering, free};

/// Bits of an item in a word. The others count changes against ABA.
pub const ITEM_BITS: u32 = 44;
/// The greatest item.
pub const ITEMS: u64 = (1 << ITEM_BITS) - 1;

/// Returns the value in a word: an item or 0, or the position of a segment.
#[inline]
pub(super) fn value(word: u64) -> u64 {
    word & ITEMS
}

/// Returns `word` with another value and a count of changes that is one higher.
#[inline]
pub(super) fn changed(word: u64, value: u64) -> u64 {
    (word & !ITEMS).wrapping_add(ITEMS + 1) | value
}

#[inline]
pub(super) fn load(word: &AtomicU64) -> u64 {
    word.load(Ordering::SeqCst)
}

/// Replaces `found` by `new`. Returns whether it did.
#[inline]
pub(super) fn exchange(word: &AtomicU64, found: u64, new: u64) -> bool {
    word.compare_exchange(found, new, Ordering::SeqCst, Ordering::SeqCst).is_ok()
}

/// Returns the object that a link leads to.
#[inline]
pub(super) fn follow<T>(link: &AtomicPtr<T>) -> *mut T {
    link.load(Ordering::SeqCst)
}

/// Lets a link that leads to `found` lead to `new`. Returns whether it did.
#[inline]
pub(super) fn relink<T>(link: &AtomicPtr<T>, found: *mut T, new: *mut T) -> bool {
    link.compare_exchange(found, new, Ordering::SeqCst, Ordering::SeqCst).is_ok()
}

/// An object of a list.
pub trait Linked: Sized {
    /// The link to the next one, which is null in the last one.
    fn next(&self) -> &AtomicPtr<Self>;
}

/// Frees the objects of a list.
///
/// # Safety
/// They came from `make`, have not been given up, and no other thread has them.
pub(super) unsafe fn free_all<T: Linked>(first: &AtomicPtr<T>) {
    // After a panic the links may be broken; a second panic would end the process.
    let mut object = if thread::panicking() { return } else { follow(first) };
    while !object.is_null() {
        // SAFETY: the caller's promise.
        let next = follow(unsafe { (*object).next() });
        // SAFETY: the caller's promise.
        unsafe { free(object) };
        object = next;
    }
}

/// Makes free slots.
pub(super) fn free_slots(count: usize) -> Box<[AtomicU64]> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

/// Returns all slots, from a random one on.
#[inline]
pub(super) fn from_random<'a>(slots: &'a [AtomicU64], dice: &mut Dice) -> impl Iterator<Item = &'a AtomicU64> {
    let (before, from) = slots.split_at(dice.throw(slots.len()));
    from.iter().chain(before)
}

/// Returns the first slot with an item or without one, from a random one on, and its word.
#[inline]
pub(super) fn find<'a>(slots: &'a [AtomicU64], dice: &mut Dice, with_item: bool) -> Option<(&'a AtomicU64, u64)> {
    from_random(slots, dice).map(|slot| (slot, load(slot))).find(|&(_, word)| (value(word) != 0) == with_item)
}
