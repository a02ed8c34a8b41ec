//! SCQ with its data array, SCQD (Nikolaev, "A Scalable, Portable, and Memory-Efficient Lock-Free
//! FIFO Queue", DISC 2019): two rings of indices, one of the free slots and one of the slots with
//! items.
//!
//! Its proof is for sequential consistency. Here head, tail and threshold are sequentially
//! consistent, which costs one store in three laps on x86-64; the entries pair release with
//! acquire.

use std::hint::spin_loop;
use std::sync::atomic::AtomicI64;

use aqueduct_measure::run::Apart;

use super::sync::{AtomicU64, Ordering, Slot};

/// Neighbouring positions lie that many bits apart, in lines of their own: eight words a line.
const SPREAD: u32 = 3;

/// A ring of the indices below `n`, in `2n` entries. Each entry is a cycle, a bit that it is safe,
/// and an index, with all bits set where there is none.
#[derive(Debug)]
struct Indices {
    tail: Apart<AtomicU64>,
    head: Apart<AtomicU64>,
    /// The number of further pops that may fail before the ring is known to be empty.
    threshold: Apart<AtomicI64>,
    entries: Box<[AtomicU64]>,
    /// Bits of an entry's number, and of an index.
    bits: u32,
}

/// The number of times that a pop looks again at an entry that a push is about to fill, before it
/// makes that push go elsewhere. SCQ's authors do that as well, longer.
const LOOKS: u32 = 64;

impl Indices {
    /// Makes a ring of the indices below `n`, a power of two, with all of them in it or none.
    fn new(n: u64, full: bool) -> Self {
        let bits = n.ilog2() + 1;
        let ring = Self {
            tail: Apart(AtomicU64::new(2 * n)),
            head: Apart(AtomicU64::new(2 * n)),
            threshold: Apart(AtomicI64::new(-1)),
            entries: (0..2 * n).map(|_| AtomicU64::new(Self::pack(bits, 0, true, 2 * n - 1))).collect(),
            bits,
        };
        if full {
            (0..n).for_each(|index| ring.push(index));
        }
        ring
    }

    #[inline]
    fn pack(bits: u32, cycle: u64, safe: bool, index: u64) -> u64 {
        cycle << (bits + 1) | u64::from(safe) << bits | index
    }

    #[inline]
    fn cycle(&self, entry: u64) -> u64 {
        entry >> (self.bits + 1)
    }

    #[inline]
    fn is_safe(&self, entry: u64) -> bool {
        entry >> self.bits & 1 == 1
    }

    /// Returns all bits of an index; also what stands for none.
    #[inline]
    fn mask(&self) -> u64 {
        self.entries.len() as u64 - 1
    }

    /// Returns the threshold of a ring that has just got an index.
    #[inline]
    fn most(&self) -> i64 {
        (3 * self.entries.len() / 2) as i64 - 1
    }

    #[inline(always)]
    fn entry(&self, position: u64) -> &AtomicU64 {
        let place = position & self.mask();
        let spread = SPREAD.min(self.bits - 1);
        &self.entries[((place << spread | place >> (self.bits - spread)) & self.mask()) as usize]
    }

    /// Adds an index that is not in the ring.
    #[inline]
    fn push(&self, index: u64) {
        loop {
            let tail = self.tail.0.fetch_add(1, Ordering::SeqCst);
            let cycle = tail >> self.bits;
            let entry = self.entry(tail);
            // Ordering: Acquire pairs with the Release of the thread that changed the entry.
            let mut now = entry.load(Ordering::Acquire);
            while self.cycle(now) < cycle
                && now & self.mask() == self.mask()
                && (self.is_safe(now) || self.head.0.load(Ordering::SeqCst) <= tail)
            {
                let new = Self::pack(self.bits, cycle, true, index);
                // Ordering: Release pairs with the Acquire in `pop`: what the index stands for is
                // written, or read.
                match entry.compare_exchange_weak(now, new, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => {
                        if self.threshold.0.load(Ordering::SeqCst) != self.most() {
                            self.threshold.0.store(self.most(), Ordering::SeqCst);
                        }
                        return;
                    }
                    Err(other) => now = other,
                }
            }
        }
    }

    /// Takes the oldest index.
    #[inline]
    fn pop(&self) -> Option<u64> {
        if self.threshold.0.load(Ordering::SeqCst) < 0 {
            return None;
        }
        loop {
            let head = self.head.0.fetch_add(1, Ordering::SeqCst);
            if let Some(index) = self.take(head) {
                return Some(index);
            }
            let tail = self.tail.0.load(Ordering::SeqCst);
            if tail <= head + 1 {
                self.catch_up(tail, head + 1);
                self.threshold.0.fetch_sub(1, Ordering::SeqCst);
                return None;
            }
            if self.threshold.0.fetch_sub(1, Ordering::SeqCst) <= 0 {
                return None;
            }
        }
    }

    /// Returns the index at `head`; or nothing, and then none will come there in this cycle.
    #[inline(always)]
    fn take(&self, head: u64) -> Option<u64> {
        let cycle = head >> self.bits;
        let entry = self.entry(head);
        let mut looks = 0;
        // Ordering: Acquire pairs with the Release in `push`.
        let mut now = entry.load(Ordering::Acquire);
        loop {
            if self.cycle(now) == cycle {
                // Ordering: AcqRel, so that a push that finds the entry without an index comes
                // after this.
                entry.fetch_or(self.mask(), Ordering::AcqRel);
                return Some(now & self.mask());
            }
            if self.cycle(now) > cycle {
                return None;
            }
            let is_free = now & self.mask() == self.mask();
            if is_free && looks < LOOKS && self.tail.0.load(Ordering::Relaxed) > head {
                looks += 1;
                spin_loop();
                now = entry.load(Ordering::Acquire);
                continue;
            }
            let new = if is_free {
                Self::pack(self.bits, cycle, self.is_safe(now), self.mask())
            } else {
                Self::pack(self.bits, self.cycle(now), false, now & self.mask())
            };
            // Ordering: Acquire pairs with the Release of the thread that changed the entry,
            // Release with the next one's Acquire.
            match entry.compare_exchange_weak(now, new, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return None,
                Err(other) => now = other,
            }
        }
    }

    /// Moves the tail to a head that has passed it.
    #[cold]
    fn catch_up(&self, mut tail: u64, mut head: u64) {
        while tail < head && self.tail.0.compare_exchange_weak(tail, head, Ordering::SeqCst, Ordering::SeqCst).is_err()
        {
            head = self.head.0.load(Ordering::SeqCst);
            tail = self.tail.0.load(Ordering::SeqCst);
        }
    }
}

/// The queue.
#[derive(Debug)]
pub struct Scqd<T> {
    free: Indices,
    used: Indices,
    data: Box<[Slot<T>]>,
}

impl<T: Copy> Scqd<T> {
    /// Makes a queue of at least `capacity` items, the next power of two.
    pub fn new(capacity: usize) -> Self {
        let n = capacity.next_power_of_two().max(2) as u64;
        Self {
            free: Indices::new(n, true),
            used: Indices::new(n, false),
            data: (0..n).map(|_| Slot::empty()).collect(),
        }
    }

    /// Adds `item` at the end of the queue, if there is a free slot.
    #[inline]
    pub fn push(&self, item: T) -> bool {
        let Some(index) = self.free.pop() else {
            return false;
        };
        // SAFETY: an index is in one ring or in one thread's hands; the rings order what they do.
        unsafe { self.data[index as usize].write(item) };
        self.used.push(index);
        true
    }

    /// Takes the oldest item.
    #[inline]
    pub fn pop(&self) -> Option<T> {
        let index = self.used.pop()?;
        // SAFETY: as in `push`; the item was written before its index came into the ring.
        let item = unsafe { self.data[index as usize].read() };
        self.free.push(index);
        Some(item)
    }
}
