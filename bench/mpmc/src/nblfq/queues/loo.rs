//! LOO, the looping queue (Giersch and Nolte, "Fast and Portable Concurrent FIFO Queues With
//! Deterministic Memory Reclamation", IEEE TPDS 33, 2022): a list of arrays. A word has the array's
//! address and the next slot's number, so that one fetch-and-add gives a thread both.
//!
//! An array is freed by the last thread that uses it, without hazard pointers: when all slots have
//! been visited by both sides, and each thread that came to the array too late for a slot has gone
//! on. The first thread that finds no slot to read goes through the slots; where a slot's threads
//! are not done, it marks the slot, and the last of them goes on from there.
//!
//! Two things are left as published. A pop that sleeps between its two looks at an empty queue may
//! report an empty queue that was not empty, if meanwhile the array was freed and its memory came
//! back as the last array. And a number of a slot has 16 bits: as many threads as that minus the
//! slots may come too late for an array.
//!
//! # Orderings
//! As the tests of `aqueduct-bench-published` find them necessary under our model checker, which
//! manages the arrays' memory, and so detects an access after a free.

use std::ptr;

use aqueduct_measure::run::Apart;

use super::sync::{AtomicPtr, AtomicU64, Ordering, free, make};

/// Bits of a slot's number, below an address.
const NUMBER_BITS: u32 = 16;

/// In a slot: the thread that goes through the slots waits for this one's threads.
const RESUME: u64 = 1;
/// In a slot: a pop has visited it.
const READER: u64 = 2;
/// An item is above these bits.
const FLAG_BITS: u32 = 2;

/// All slots have been visited by both sides.
const SLOTS_DONE: u64 = 1;
/// All pushes that were too late for a slot have gone on.
const PUSHES_DONE: u64 = 2;
/// All pops that were too late for a slot have gone on.
const POPS_DONE: u64 = 4;
const ALL_DONE: u64 = SLOTS_DONE | PUSHES_DONE | POPS_DONE;

/// An array of `N` slots.
#[derive(Debug)]
struct Array<const N: usize> {
    next: AtomicPtr<Self>,
    /// Threads that were too late for a slot and have gone on: the number of those that have gone
    /// on, and above 32 bits the number of all, once it is known.
    late_pushes: AtomicU64,
    late_pops: AtomicU64,
    done: AtomicU64,
    slots: [AtomicU64; N],
}

impl<const N: usize> Array<N> {
    /// Makes an array with an item in its first slot, or with none.
    fn new(first: u64) -> *mut Self {
        make(Self {
            next: AtomicPtr::new(ptr::null_mut()),
            late_pushes: AtomicU64::new(0),
            late_pops: AtomicU64::new(0),
            done: AtomicU64::new(0),
            slots: std::array::from_fn(|number| AtomicU64::new(if number == 0 { first } else { 0 })),
        })
    }
}

fn word<const N: usize>(array: *mut Array<N>, number: u64) -> u64 {
    (array.expose_provenance() as u64) << NUMBER_BITS | number
}

fn array_of<const N: usize>(word: u64) -> *mut Array<N> {
    ptr::with_exposed_provenance_mut((word >> NUMBER_BITS) as usize)
}

fn number_of(word: u64) -> u64 {
    word & ((1 << NUMBER_BITS) - 1)
}

/// Goes through the slots from `first` on; where threads are not done with one, the last of them
/// will.
///
/// # Safety
/// No other thread goes through them, and the array has not been freed.
unsafe fn look_through<const N: usize>(array: *mut Array<N>, first: u64) {
    let is_done = |slot: u64| slot >> FLAG_BITS != 0 && slot & READER != 0;
    // SAFETY: the caller's promise; only the last flag frees it.
    let slots = unsafe { &(*array).slots };
    for slot in &slots[first as usize..] {
        // Ordering: Acquire pairs with the Release of the slot's threads, which do nothing with the
        // array any more.
        if !is_done(slot.load(Ordering::Acquire)) && !is_done(slot.fetch_add(RESUME, Ordering::AcqRel)) {
            return;
        }
    }
    // SAFETY: the flag is set once.
    unsafe { set_done(array, SLOTS_DONE) };
}

/// Sets one of the three flags, and frees the array if it was the last one.
///
/// # Safety
/// The flag has not been set before; the caller does not touch the array any more.
unsafe fn set_done<const N: usize>(array: *mut Array<N>, flag: u64) {
    // Ordering: AcqRel. The thread that frees it does so after everything that the others have done
    // with it.
    // SAFETY: as long as a flag is missing, it has not been freed.
    let before = unsafe { &(*array).done }.fetch_add(flag, Ordering::AcqRel);
    if before | flag == ALL_DONE {
        // SAFETY: made by `Array::new`; no thread comes to it any more.
        unsafe { free(array) };
    }
}

/// Counts a thread that was too late for a slot and has gone on. The one that moved its side to the
/// next array passes their number as `all`.
///
/// # Safety
/// Each such thread calls it once, and does not touch the array any more.
unsafe fn go_on<const N: usize>(array: *mut Array<N>, flag: u64, all: Option<u64>) {
    // SAFETY: it has not been freed, since this thread has not gone on.
    let late = unsafe { if flag == PUSHES_DONE { &(*array).late_pushes } else { &(*array).late_pops } };
    // Ordering: AcqRel, so that the last one comes after all others.
    let before = late.fetch_add(all.unwrap_or(0) << 32 | 1, Ordering::AcqRel);
    let (done, all) = ((before & u64::from(u32::MAX)) + 1, all.unwrap_or(before >> 32));
    if done == all {
        // SAFETY: the last of them; the numbers are equal once.
        unsafe { set_done(array, flag) };
    }
}

/// The queue: it is unbounded.
#[derive(Debug)]
pub(crate) struct Loo<const N: usize> {
    head: Apart<AtomicU64>,
    tail: Apart<AtomicU64>,
    /// The tail's array, or an earlier one, in a line that not every push writes.
    last: Apart<AtomicPtr<Array<N>>>,
}

impl<const N: usize> Loo<N> {
    /// Makes an empty queue.
    pub(super) fn new() -> Self {
        let array = Array::new(0);
        let start = || Apart(AtomicU64::new(word(array, 0)));
        Self { head: start(), tail: start(), last: Apart(AtomicPtr::new(array)) }
    }

    /// Adds an item, which is not 0 and has no more than 62 bits.
    #[inline]
    pub(super) fn push(&self, item: u64) {
        let item = item << FLAG_BITS;
        loop {
            // Ordering: Acquire pairs with the Release of the thread that put the array there: its
            // contents.
            let tail = self.tail.0.fetch_add(1, Ordering::Acquire);
            let (array, number) = (array_of::<N>(tail), number_of(tail));
            if number >= N as u64 {
                // SAFETY: this thread has been counted, and so the array stays until it goes on.
                if unsafe { self.advance_tail(array, item) } {
                    return;
                }
                continue;
            }
            // SAFETY: the array stays until this slot has been visited by both sides.
            let slot = unsafe { &(&(*array).slots)[number as usize] };
            // Ordering: Release pairs with the Acquire in `pop`: what the item stands for; and with
            // that in `look_through`.
            match slot.fetch_add(item, Ordering::AcqRel) {
                0 | RESUME => return,
                // A pop was here before. The thread that goes through the slots waits for this one.
                // SAFETY: it has stopped here, so this is the only one.
                seen if seen & RESUME != 0 => unsafe { look_through(array, number + 1) },
                _ => {}
            }
        }
    }

    /// Takes the oldest item.
    #[inline]
    pub(super) fn pop(&self) -> Option<u64> {
        while !self.is_empty() {
            // Ordering: Acquire, as in `push`.
            let head = self.head.0.fetch_add(1, Ordering::Acquire);
            let (array, number) = (array_of::<N>(head), number_of(head));
            if number >= N as u64 {
                // SAFETY: as in `push`.
                if !unsafe { self.advance_head(array, head) } {
                    return None;
                }
                continue;
            }
            // SAFETY: as in `push`.
            let slot = unsafe { &(&(*array).slots)[number as usize] };
            // Ordering: Acquire pairs with the Release in `push`, Release with the Acquire in
            // `look_through`.
            let seen = slot.fetch_add(READER, Ordering::AcqRel);
            let item = seen >> FLAG_BITS;
            if item == 0 {
                // The push that comes here will go elsewhere.
                continue;
            }
            if seen & RESUME != 0 {
                // SAFETY: as in `push`.
                unsafe { look_through(array, number + 1) };
            }
            return Some(item);
        }
        None
    }

    fn is_empty(&self) -> bool {
        let head = self.head.0.load(Ordering::Relaxed);
        // Ordering: Acquire pairs with the Release of the thread that moved it: the tail is read no
        // older.
        let last = self.last.0.load(Ordering::Acquire);
        let is_used_up = number_of(head) >= N as u64;
        // Our addition: where no slot is left, the tail itself is read. Otherwise pops would go on
        // counting the head up for as long as the thread that moved the tail is away, and past its
        // 16 bits.
        if array_of(head) != last && !is_used_up {
            return false;
        }
        let tail = self.tail.0.load(Ordering::Relaxed);
        if array_of(tail) != last {
            self.follow(last, array_of(tail));
        }
        array_of::<N>(head) == array_of(tail) && (is_used_up || number_of(tail) <= number_of(head))
    }

    /// Moves the third word behind the tail.
    fn follow(&self, from: *mut Array<N>, to: *mut Array<N>) {
        // Another thread that moves it moves it to where the tail was.
        let _ = self.last.0.compare_exchange(from, to, Ordering::Release, Ordering::Relaxed);
    }

    /// Moves `end`, whose array it was in `seen`, to a place in another one. Returns how many
    /// threads were too late for that array, if it was this thread that moved it.
    fn advance(end: &AtomicU64, mut seen: u64, from: *mut Array<N>, to: u64) -> Option<u64> {
        while array_of(seen) == from {
            // Ordering: Release pairs with the Acquire of the threads that come to the array: its
            // contents.
            match end.compare_exchange(seen, to, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return Some(number_of(seen) - N as u64),
                Err(now) => seen = now,
            }
        }
        None
    }

    /// Moves the tail to the next array, which it makes if there is none. Returns whether the item
    /// is in there.
    ///
    /// # Safety
    /// The calling thread was too late for a slot of this array, and calls this once.
    #[cold]
    unsafe fn advance_tail(&self, array: *mut Array<N>, item: u64) -> bool {
        let seen = self.tail.0.load(Ordering::Relaxed);
        if array_of(seen) != array {
            // SAFETY: the caller's promise.
            unsafe { go_on(array, PUSHES_DONE, None) };
            return false;
        }
        // SAFETY: the array stays until this thread goes on.
        let link = unsafe { &(*array).next };
        // Ordering: Acquire pairs with the Release of the thread that made it: this one hands it on
        // by the tail. (The authors' code is relaxed here, and the array's contents need not be
        // there for a thread that comes by the tail.)
        let mut next = link.load(Ordering::Acquire);
        let mut is_in = false;
        if next.is_null() {
            let new = Array::new(item);
            // Ordering: Release pairs with the Acquire in `advance_head`: its contents. Where it
            // fails, Acquire as for the load.
            match link.compare_exchange(ptr::null_mut(), new, Ordering::Release, Ordering::Acquire) {
                Ok(_) => (next, is_in) = (new, true),
                Err(other) => {
                    // SAFETY: no other thread has seen it.
                    unsafe { free(new) };
                    next = other;
                }
            }
        }
        let all = Self::advance(&self.tail.0, seen, array, word(next, 1));
        self.follow(array, next);
        // SAFETY: the caller's promise.
        unsafe { go_on(array, PUSHES_DONE, all) };
        is_in
    }

    /// Moves the head to the next array. Returns whether there is one.
    ///
    /// # Safety
    /// The calling thread was too late for a slot of this array, saw `head`, and calls this once.
    #[cold]
    unsafe fn advance_head(&self, array: *mut Array<N>, head: u64) -> bool {
        if number_of(head) == N as u64 {
            // SAFETY: the first thread that is too late begins; the array stays until it goes on.
            unsafe { look_through(array, 0) };
        }
        // Ordering: Acquire pairs with the Release in `advance`: the next array is there.
        if array_of(self.tail.0.load(Ordering::Acquire)) == array {
            // SAFETY: the caller's promise.
            unsafe { go_on(array, POPS_DONE, None) };
            return false;
        }
        // SAFETY: the array stays until this thread goes on.
        let next = unsafe { &(*array).next }.load(Ordering::Acquire);
        debug_assert!(!next.is_null(), "it is there before the tail moves");
        let all = Self::advance(&self.head.0, head + 1, array, word(next, 0));
        // SAFETY: the caller's promise.
        unsafe { go_on(array, POPS_DONE, all) };
        true
    }
}

impl<const N: usize> Drop for Loo<N> {
    fn drop(&mut self) {
        let mut array = array_of::<N>(self.head.0.load(Ordering::Relaxed));
        while !array.is_null() {
            // SAFETY: arrays from the head on have not been freed, and no other thread has the
            // queue.
            let next = unsafe { &(*array).next }.load(Ordering::Relaxed);
            // SAFETY: it has not been freed.
            unsafe { free(array) };
            array = next;
        }
    }
}
