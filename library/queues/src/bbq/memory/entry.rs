//! Entries: the memory of one item each, in the lines of a block.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use crate::sync::{AtomicUsize, Cell, Ordering};

/// The memory of an entry. Sealed.
pub trait Entry {
    /// The items of the queue.
    type Item;
    /// Its size in bytes.
    const SIZE: usize;
    /// Its alignment in bytes.
    const ALIGN: usize;

    /// Makes an entry without an item.
    ///
    /// # Safety
    /// Its memory is at `entry`, and no other thread touches it.
    unsafe fn initialise(entry: NonNull<u8>);

    /// Puts an item in.
    ///
    /// # Safety
    /// The entry at `entry` is the caller's.
    unsafe fn put(entry: NonNull<u8>, item: Self::Item);
}

/// A cell, whose item is moved in and out.
impl<T> Entry for Cell<T> {
    type Item = T;
    const SIZE: usize = size_of::<Self>();
    const ALIGN: usize = align_of::<Self>();

    /// Does nothing: an uninitialised cell is an entry.
    unsafe fn initialise(_entry: NonNull<u8>) {}

    #[inline(always)]
    unsafe fn put(entry: NonNull<u8>, item: T) {
        // SAFETY: the caller's promise.
        unsafe { entry.cast::<Self>().as_ref().write(item) }
    }
}

/// Atomic words that hold the bytes of a `T`, which must have no padding.
///
/// They can be read while they are overwritten.
#[derive(Debug)]
pub struct Words<T>(PhantomData<T>);

/// The bytes of a word's value.
const WORD: usize = size_of::<usize>();

impl<T> Words<T> {
    const COUNT: usize = size_of::<T>().div_ceil(WORD);

    /// Returns word number `number`.
    ///
    /// # Safety
    /// The entry at `entry` has that word and lives during `'a`.
    #[inline(always)]
    unsafe fn word<'a>(entry: NonNull<u8>, number: usize) -> &'a AtomicUsize {
        // SAFETY: the caller's promise.
        unsafe { entry.cast::<AtomicUsize>().add(number).as_ref() }
    }

    /// Returns the value of a word that is the caller's; other threads only read it speculatively.
    ///
    /// # Safety
    /// The word at `entry` is there.
    #[inline(always)]
    pub(crate) unsafe fn own(entry: NonNull<u8>) -> usize {
        // Ordering: Relaxed, nobody else writes it.
        // SAFETY: the caller's promise.
        unsafe { Self::word(entry, 0) }.load(Ordering::Relaxed)
    }

    /// Returns how many bytes of the item word number `number` has.
    const fn bytes(number: usize) -> usize {
        let left = size_of::<T>() - number * WORD;
        if left < WORD { left } else { WORD }
    }

    /// Copies the bytes that are there.
    ///
    /// They are those of one item only if no producer overwrites it meanwhile.
    ///
    /// # Safety
    /// The entry at `entry` is there.
    #[inline(always)]
    pub(crate) unsafe fn copy(entry: NonNull<u8>) -> MaybeUninit<T> {
        let mut item = MaybeUninit::<T>::uninit();
        for number in 0..Self::COUNT {
            // Ordering: Acquire pairs with the Release in `put`: a reader of a word of a later lap
            // finds the block in that lap afterwards.
            // SAFETY: the caller's promise.
            let word = unsafe { Self::word(entry, number) }.load(Ordering::Acquire);
            // SAFETY: both have that many bytes.
            unsafe {
                let to = item.as_mut_ptr().cast::<u8>().add(number * WORD);
                to.copy_from_nonoverlapping((&raw const word).cast(), Self::bytes(number));
            }
        }
        item
    }
}

impl<T> Entry for Words<T> {
    type Item = T;
    const SIZE: usize = Self::COUNT * size_of::<AtomicUsize>();
    const ALIGN: usize = align_of::<AtomicUsize>();

    unsafe fn initialise(entry: NonNull<u8>) {
        for number in 0..Self::COUNT {
            // SAFETY: the caller's promise.
            unsafe { entry.cast::<AtomicUsize>().add(number).write(AtomicUsize::new(0)) };
        }
    }

    #[inline(always)]
    unsafe fn put(entry: NonNull<u8>, item: T) {
        for number in 0..Self::COUNT {
            let mut word = 0_usize;
            // SAFETY: both have that many bytes, all of them initialised: the item has no padding.
            unsafe {
                let from = (&raw const item).cast::<u8>().add(number * WORD);
                (&raw mut word).cast::<u8>().copy_from_nonoverlapping(from, Self::bytes(number));
            }
            // Ordering: Release pairs with the Acquire in `copy`; without it, a reader could copy
            // this word and then find the block still in the lap before.
            // SAFETY: the caller's promise.
            unsafe { Self::word(entry, number) }.store(word, Ordering::Release);
        }
    }
}
