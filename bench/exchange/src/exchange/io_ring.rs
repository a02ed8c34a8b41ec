//! A ring of `io_uring`'s kind, as its manual and its headers describe it: a head and a tail, each
//! in a line of its own, written with release by one side and read with acquire by the other; each
//! side has a copy of its own index. The ring of submissions has an array of indices beside its
//! entries; the ring of completions has none.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::flow::{Rx, Tx};

#[derive(Debug)]
#[repr(align(64))]
struct Line<T>(T);

/// The shared state of the two sides.
#[derive(Debug)]
struct Ring<T> {
    head: Line<AtomicU32>,
    tail: Line<AtomicU32>,
    mask: u32,
    entries: Box<[UnsafeCell<MaybeUninit<T>>]>,
    /// The index of the entry at each place; empty if entry and place are equal.
    array: Box<[UnsafeCell<u32>]>,
}

// SAFETY: head and tail decide which side may use an entry, and its index.
unsafe impl<T: Send> Sync for Ring<T> {}

/// The side that writes the tail.
#[derive(Debug)]
pub(super) struct Submitter<T> {
    ring: Arc<Ring<T>>,
    tail: u32,
}

/// The side that writes the head.
#[derive(Debug)]
pub(super) struct Taker<T> {
    ring: Arc<Ring<T>>,
    head: u32,
}

/// Returns a ring of `size` entries, a power of two, with or without an array of indices.
pub(super) fn ring<T: Copy>(size: usize, indexed: bool) -> (Submitter<T>, Taker<T>) {
    assert!(size.is_power_of_two() && u32::try_from(size).is_ok(), "a ring of {size}");
    let ring = Arc::new(Ring {
        head: Line(AtomicU32::new(0)),
        tail: Line(AtomicU32::new(0)),
        mask: size as u32 - 1,
        entries: (0..size).map(|_| UnsafeCell::new(MaybeUninit::uninit())).collect(),
        array: (0..if indexed { size } else { 0 }).map(|_| UnsafeCell::new(0)).collect(),
    });
    (Submitter { ring: Arc::clone(&ring), tail: 0 }, Taker { ring, head: 0 })
}

impl<T: Copy + Send> Tx<T> for Submitter<T> {
    #[inline(always)]
    fn push(&mut self, item: T) -> bool {
        self.push_slice(&[item]) == 1
    }

    #[inline(always)]
    fn push_slice(&mut self, items: &[T]) -> usize {
        let ring = &*self.ring;
        // Ordering: Acquire pairs with the Release in `pop_slice`: the entries have been read.
        let head = ring.head.0.load(Ordering::Acquire);
        let space = ring.entries.len() - self.tail.wrapping_sub(head) as usize;
        let count = items.len().min(space);
        for &item in &items[..count] {
            let place = self.tail & ring.mask;
            // SAFETY: the place is not between head and tail, so it belongs to this side.
            unsafe {
                (*ring.entries[place as usize].get()).write(item);
                if let Some(index) = ring.array.get(place as usize) {
                    *index.get() = place;
                }
            }
            self.tail = self.tail.wrapping_add(1);
        }
        if count > 0 {
            // Ordering: Release pairs with the Acquire in `pop_slice`: the entries are written.
            ring.tail.0.store(self.tail, Ordering::Release);
        }
        count
    }
}

impl<T: Copy + Send> Rx<T> for Taker<T> {
    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        let mut item = [MaybeUninit::uninit()];
        // SAFETY: `take` has written the number of items that it returns.
        (self.take(&mut item) == 1).then(|| unsafe { item[0].assume_init() })
    }

    #[inline(always)]
    fn pop_slice(&mut self, items: &mut [T]) -> usize {
        // SAFETY: items may be overwritten as uninitialized memory, and only items are written.
        let items = unsafe { &mut *(std::ptr::from_mut(items) as *mut [MaybeUninit<T>]) };
        self.take(items)
    }
}

impl<T: Copy> Taker<T> {
    /// Writes up to `items.len()` items to the front of `items`, and returns their number.
    #[inline(always)]
    fn take(&mut self, items: &mut [MaybeUninit<T>]) -> usize {
        let ring = &*self.ring;
        // Ordering: Acquire pairs with the Release in `push_slice`: the entries are written.
        let tail = ring.tail.0.load(Ordering::Acquire);
        let count = items.len().min(tail.wrapping_sub(self.head) as usize);
        for item in &mut items[..count] {
            let place = self.head & ring.mask;
            // SAFETY: the place is between head and tail, so it is written, and belongs to this
            // side.
            *item = unsafe {
                let index = ring.array.get(place as usize).map_or(place, |index| *index.get());
                *ring.entries[(index & ring.mask) as usize].get()
            };
            self.head = self.head.wrapping_add(1);
        }
        if count > 0 {
            // Ordering: Release pairs with the Acquire in `push_slice`: the entries have been read.
            ring.head.0.store(self.head, Ordering::Release);
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_its_size_and_gives_back_in_order() {
        for indexed in [true, false] {
            let (mut to, mut from) = ring::<u64>(4, indexed);
            for lap in 0..9 {
                assert_eq!(to.push_slice(&[lap, 1, 2, 3, 4]), 4);
                assert!(!to.push(5));
                assert_eq!(from.pop(), Some(lap));
                assert!(to.push(4));
                let mut items = [0; 5];
                assert_eq!((from.pop_slice(&mut items), items), (4, [1, 2, 3, 4, 0]));
                assert_eq!(from.pop(), None);
            }
        }
    }
}
