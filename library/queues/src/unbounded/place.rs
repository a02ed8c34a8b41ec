//! A block's address and an index in one word, so that one addition gets a thread both.

use core::marker::PhantomData;
use core::ptr::NonNull;

use super::block::Block;

/// The alignment of blocks. The low bits of an address, which are 0, hold an index.
pub(super) const ALIGN: usize = 1 << ALIGN_BITS;

const ALIGN_BITS: u32 = 12;

/// The bits of an address that the word leaves out, because they are 0.
///
/// On 64 bits these are bits 48 to 55. A system gives a program larger addresses only if the
/// program asks for them. The byte above them may be in use: Arm's memory tags are there.
const UNUSED_BITS: u32 = if usize::BITS == 64 { 8 } else { 0 };

/// The bits of an index, which also counts threads that found the block full: 20, or 12 on 32 bits.
const INDEX_BITS: u32 = ALIGN_BITS + UNUSED_BITS;

/// The address bits that are moved up to make room for the index.
const MOVED: usize = (usize::MAX >> (2 * UNUSED_BITS)) & !(ALIGN - 1);

/// The address bits that stay in their place.
const KEPT: usize = !(usize::MAX >> UNUSED_BITS);

/// The greatest number of slots of a block. The rest of an index counts threads that found no slot.
pub(super) const MOST_SLOTS: usize = 1024;

const _: () = assert!(MOST_SLOTS <= 1 << (INDEX_BITS - 2), "most of an index is left to the threads");

/// The position of an end of the queue: a block, and an index in it.
///
/// An index beyond the block's slots belongs to no slot: it counts the threads that came to the end
/// after the block's slots had been claimed.
pub(super) struct Place<T> {
    word: usize,
    _block: PhantomData<*mut Block<T>>,
}

impl<T> Clone for Place<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Place<T> {}

impl<T> Place<T> {
    /// The place of a queue without blocks.
    pub(super) const START: Self = Self::of_word(MOST_SLOTS);

    #[inline(always)]
    pub(super) const fn of_word(word: usize) -> Self {
        Self { word, _block: PhantomData }
    }

    #[inline(always)]
    pub(super) const fn word(self) -> usize {
        self.word
    }

    /// Whether a place can name the block at this address.
    pub(super) fn can_hold(address: usize) -> bool {
        address & !(MOVED | KEPT) == 0
    }

    #[inline(always)]
    pub(super) fn new(block: NonNull<Block<T>>, index: usize) -> Self {
        // The word is an integer, so that threads can add to it. A pointer is made of it again.
        let address = block.as_ptr().expose_provenance();
        Self::of_word(address & KEPT | (address & MOVED) << UNUSED_BITS | index)
    }

    #[inline(always)]
    pub(super) fn index(self) -> usize {
        self.word & ((1 << INDEX_BITS) - 1)
    }

    #[inline(always)]
    pub(super) fn block(self) -> Option<NonNull<Block<T>>> {
        let address = self.word & KEPT | self.word >> UNUSED_BITS & MOVED;
        NonNull::new(core::ptr::with_exposed_provenance_mut(address))
    }

    /// Whether the place is in that block, or in none if that is null.
    #[inline]
    pub(super) fn is_in(self, block: *mut Block<T>) -> bool {
        self.block().map_or(core::ptr::null_mut(), NonNull::as_ptr) == block
    }

    #[inline(always)]
    pub(super) fn is_in_block_of(self, other: Self) -> bool {
        (self.word ^ other.word) >> INDEX_BITS == 0
    }

    /// Returns the place `count` indices later. The block has as many left.
    #[inline(always)]
    pub(super) fn plus(self, count: usize) -> Self {
        Self::of_word(self.word + count)
    }

    /// Returns the place one index earlier. It is not the first one.
    pub(super) fn minus_one(self) -> Self {
        Self::of_word(self.word - 1)
    }

    /// Returns the place of this index in the block.
    #[inline(always)]
    pub(super) fn at(self, index: usize) -> Self {
        Self::of_word(self.word >> INDEX_BITS << INDEX_BITS | index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_tells_the_address_and_the_index() {
        let top = if usize::BITS == 64 { 0xa5 << (usize::BITS - 8) } else { 0 };
        for address in [ALIGN, 7 * ALIGN, MOVED, top | ALIGN, top | MOVED] {
            assert!(Place::<u8>::can_hold(address), "{address:x}");
            let block = NonNull::new(core::ptr::without_provenance_mut::<Block<u8>>(address)).expect("not null");
            for index in [0, 1, MOST_SLOTS, (1 << INDEX_BITS) - 2] {
                let place = Place::new(block, index);
                assert_eq!((place.block().map(NonNull::addr), place.index()), (Some(block.addr()), index));
                assert!(place.is_in_block_of(place.plus(1)) && place.plus(1).minus_one().word() == place.word());
                assert_eq!(place.at(5).word(), Place::new(block, 5).word());
                assert!(!place.is_in_block_of(Place::START));
            }
        }
        assert!(Place::<u8>::START.block().is_none());
        assert!(usize::BITS == 32 || !Place::<u8>::can_hold(1 << 48) && !Place::<u8>::can_hold(1 << 55));
    }
}
