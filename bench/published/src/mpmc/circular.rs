//! A locked circular buffer as the Linux kernel's documentation describes it ("Circular Buffers"):
//! one spinlock for producers, one for consumers, and between the two sides a head and a tail with
//! release and acquire. One slot stays empty.
//!
//! The kernel does not take a core away from a thread that holds a spinlock. Here that can happen,
//! so a thread that waits for one yields its core after a while; and the lock is not a fair one,
//! which would hand itself to threads that have no core.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::sync::Slot;

/// Failures after which a waiting thread yields its core.
const YIELD: u32 = 64;

/// One side's words: its lock, and its position.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Side {
    locked: AtomicBool,
    at: AtomicUsize,
}

impl Side {
    /// Runs `work` with the lock held.
    #[inline(always)]
    fn lock<R>(&self, work: impl FnOnce(usize) -> R) -> R {
        // Ordering: Acquire pairs with the Release below: the work under the lock before.
        while self.locked.swap(true, Ordering::Acquire) {
            self.wait();
        }
        let result = work(self.at.load(Ordering::Relaxed));
        // Ordering: Release pairs with the Acquire of the swap: this work under the lock.
        self.locked.store(false, Ordering::Release);
        result
    }

    #[cold]
    fn wait(&self) {
        let mut tries = 0_u32;
        // Ordering: Relaxed, only a hint.
        while self.locked.load(Ordering::Relaxed) {
            tries += 1;
            if tries.is_multiple_of(YIELD) {
                std::thread::yield_now();
            } else {
                spin_loop();
            }
        }
    }
}

/// The buffer.
#[derive(Debug)]
pub struct CircularBuffer<T> {
    /// Its position is the head, the place of the next item.
    producers: Side,
    /// Its position is the tail, the place of the oldest item.
    consumers: Side,
    slots: Box<[Slot<T>]>,
}

impl<T: Copy> CircularBuffer<T> {
    /// Makes a buffer of at least `capacity` items: the next power of two, less one.
    pub fn new(capacity: usize) -> Self {
        let slots = (capacity + 1).next_power_of_two();
        Self {
            producers: Side::default(),
            consumers: Side::default(),
            slots: (0..slots).map(|_| Slot::empty()).collect(),
        }
    }

    #[inline(always)]
    fn mask(&self) -> usize {
        self.slots.len() - 1
    }

    /// Adds the first of `items`, until the queue is full, and returns their number.
    #[inline]
    pub fn push_slice(&self, items: &[T]) -> usize {
        self.producers.lock(|head| {
            // Ordering: Acquire pairs with the Release in `pop_slice`: the items of the slots have
            // been read.
            let tail = self.consumers.at.load(Ordering::Acquire);
            let space = tail.wrapping_sub(head + 1) & self.mask();
            let count = items.len().min(space);
            for (place, &item) in (head..).zip(&items[..count]) {
                // SAFETY: between head and tail are slots that no other thread uses while the lock
                // is held.
                unsafe { self.slots[place & self.mask()].write(item) };
            }
            if count > 0 {
                // Ordering: Release pairs with the Acquire in `pop_slice`: the items are written.
                self.producers.at.store((head + count) & self.mask(), Ordering::Release);
            }
            count
        })
    }

    /// Takes up to `items.len()` items to the front of `items`, and returns their number.
    #[inline]
    pub fn pop_slice(&self, items: &mut [T]) -> usize {
        self.consumers.lock(|tail| {
            // Ordering: Acquire pairs with the Release in `push_slice`: the items are written.
            let head = self.producers.at.load(Ordering::Acquire);
            let count = items.len().min(head.wrapping_sub(tail) & self.mask());
            for (place, item) in (tail..).zip(&mut items[..count]) {
                // SAFETY: between tail and head are items that no thread writes while the lock is
                // held.
                *item = unsafe { self.slots[place & self.mask()].read() };
            }
            if count > 0 {
                // Ordering: Release pairs with the Acquire in `push_slice`: the items have been
                // read.
                self.consumers.at.store((tail + count) & self.mask(), Ordering::Release);
            }
            count
        })
    }
}
