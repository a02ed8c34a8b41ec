//! LCRQ (Morrison and Afek, "Fast Concurrent Queues for x86 Processors", PPoPP 2013): a list of
//! rings. A push that finds no place in the last ring begins a new one. Rings are reclaimed by
//! `crossbeam-epoch` in place of hazard pointers.
//!
//! Its operations are lock-free as far as the allocator is; and a thread that stops in the middle
//! of one keeps all rings from being freed that are given up meanwhile.

use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_epoch::{Atomic, Owned, pin, unprotected};

use super::entries::Entries;
use super::link::exchange;
use super::pair::Pair;
use crate::mpmc::Item;
use crate::nblfq::concurrent::Concurrent;
use crate::nblfq::line::Line;

/// Cells of a ring.
const CELLS: usize = 1024;

/// In a ring's tail: the ring is closed to pushes.
const CLOSED: u64 = 1 << 63;

/// The number of successive cells that a push may find unfit before it closes the ring.
const PATIENCE: u32 = 16;

/// The number of times that a pop looks again at a cell that a push is about to fill, before it
/// makes that push go elsewhere.
const LOOKS: u32 = 64;

/// A cell's first word: the position that it is for, or was filled at, and whether a push may take
/// it without a look at the head. Its second word is the item, or 0.
#[derive(Clone, Copy)]
struct State(u64);

impl State {
    fn new(position: u64, safe: bool) -> Self {
        Self(position << 1 | u64::from(safe))
    }

    fn position(self) -> u64 {
        self.0 >> 1
    }

    fn is_safe(self) -> bool {
        self.0 & 1 == 1
    }
}

struct Ring {
    tail: Line<AtomicU64>,
    head: Line<AtomicU64>,
    next: Line<Atomic<Ring>>,
    cells: Entries,
}

impl Ring {
    fn new() -> Owned<Self> {
        Owned::new(Self {
            tail: Line(AtomicU64::new(0)),
            head: Line(AtomicU64::new(0)),
            next: Line(Atomic::null()),
            cells: Entries::new(CELLS, |number| State::new(number, true).0),
        })
    }

    /// Adds the item, unless the ring is closed.
    #[inline]
    fn push(&self, item: Item) -> bool {
        let mut tries = 0;
        loop {
            let tail = self.tail.0.fetch_add(1, Ordering::SeqCst);
            if tail & CLOSED != 0 {
                return false;
            }
            let cell = self.cells.at(tail);
            let state = State(cell.first());
            let is_free = cell.second() == 0
                && state.position() <= tail
                && (state.is_safe() || self.head.0.load(Ordering::SeqCst) <= tail);
            // SAFETY: a queue is made only where it is available.
            if is_free && unsafe { cell.exchange([state.0, 0], [State::new(tail, true).0, item.get()]) } {
                return true;
            }
            tries += 1;
            let ahead = tail.wrapping_sub(self.head.0.load(Ordering::SeqCst)) as i64;
            if ahead >= CELLS as i64 || tries >= PATIENCE {
                self.tail.0.fetch_or(CLOSED, Ordering::SeqCst);
                return false;
            }
        }
    }

    /// Takes the oldest item of this ring.
    #[inline]
    fn pop(&self) -> Option<Item> {
        // Our addition, because a pop that takes a position of an empty ring disturbs pushes. It
        // reads the tail, whose line belongs to the pushes, only if the cell is empty.
        let head = self.head.0.load(Ordering::SeqCst);
        if self.cells.at(head).second() == 0 && self.tail.0.load(Ordering::SeqCst) & !CLOSED <= head {
            return None;
        }
        loop {
            let head = self.head.0.fetch_add(1, Ordering::SeqCst);
            if let Some(item) = self.take(head) {
                return Some(item);
            }
            if self.tail.0.load(Ordering::SeqCst) & !CLOSED <= head + 1 {
                self.catch_up();
                return None;
            }
        }
    }

    /// Returns the item at `head`, or `None`; then no item comes to that cell any more.
    #[inline(always)]
    fn take(&self, head: u64) -> Option<Item> {
        let cell = self.cells.at(head);
        let next_lap = head + CELLS as u64;
        let mut looks = 0;
        loop {
            let state = State(cell.first());
            let item = cell.second();
            if state.position() > head {
                return None;
            }
            let is_here = item != 0 && state.position() == head;
            if item == 0 && looks < LOOKS && self.tail.0.load(Ordering::Relaxed) & !CLOSED > head {
                looks += 1;
                spin_loop();
                continue;
            }
            let (new, left) = match item {
                0 => (State::new(next_lap, state.is_safe()), 0),
                _ if is_here => (State::new(next_lap, state.is_safe()), 0),
                other => (State::new(state.position(), false), other),
            };
            // SAFETY: as in `push`.
            if unsafe { cell.exchange([state.0, item], [new.0, left]) } {
                return if is_here { Item::new(item) } else { None };
            }
        }
    }

    /// Moves the tail to a head that has passed it.
    #[cold]
    fn catch_up(&self) {
        loop {
            let tail = self.tail.0.load(Ordering::SeqCst);
            let head = self.head.0.load(Ordering::SeqCst);
            if head <= tail || self.tail.0.compare_exchange(tail, head, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                return;
            }
        }
    }
}

struct List {
    head: Line<Atomic<Ring>>,
    /// The last ring, or one before it.
    tail: Line<Atomic<Ring>>,
}

impl Drop for List {
    fn drop(&mut self) {
        // SAFETY: no other thread has the list any more.
        let guard = unsafe { unprotected() };
        let mut ring = self.head.0.load(Ordering::Relaxed, guard);
        while !ring.is_null() {
            // SAFETY: the rings from the head on have not been given up.
            let owned = unsafe { ring.into_owned() };
            ring = owned.next.0.load(Ordering::Relaxed, guard);
        }
    }
}

/// The queue: it is unbounded.
#[derive(Clone)]
pub(crate) struct Lcrq(Arc<List>);

impl Concurrent for Lcrq {
    const NAME: &'static str = "published/lcrq";

    fn open(_capacity: usize) -> Result<Self, String> {
        if !Pair::is_available() {
            return Err("this machine has no exchange of 16 bytes".to_owned());
        }
        let first = Atomic::from(Ring::new());
        Ok(Self(Arc::new(List { head: Line(first.clone()), tail: Line(first) })))
    }

    #[inline]
    fn push(&self, item: Item) -> bool {
        let list = &*self.0;
        let guard = &pin();
        loop {
            // Ordering: Acquire pairs with the Release of the thread that put the ring there: its
            // contents.
            let tail = list.tail.0.load(Ordering::Acquire, guard);
            // SAFETY: the tail is never null, and what could be loaded under the guard is not
            // freed.
            let ring = unsafe { tail.deref() };
            // Ordering: Acquire pairs with the Release of the thread that put the next ring there.
            let after = ring.next.0.load(Ordering::Acquire, guard);
            if !after.is_null() {
                exchange(&list.tail.0, tail, after, guard);
                continue;
            }
            if ring.push(item) {
                return true;
            }
            let new = Ring::new();
            new.push(item);
            let new = new.into_shared(guard);
            if exchange(&ring.next.0, after, new, guard) {
                exchange(&list.tail.0, tail, new, guard);
                return true;
            }
            // SAFETY: no other thread has seen it.
            drop(unsafe { new.into_owned() });
        }
    }

    #[inline]
    fn pop(&self) -> Option<Item> {
        let list = &*self.0;
        let guard = &pin();
        loop {
            // Ordering: Acquire, as in `push`.
            let head = list.head.0.load(Ordering::Acquire, guard);
            // SAFETY: as in `push`.
            let ring = unsafe { head.deref() };
            if let Some(item) = ring.pop() {
                return Some(item);
            }
            // Ordering: Acquire, as in `push`.
            let next = ring.next.0.load(Ordering::Acquire, guard);
            if next.is_null() {
                return None;
            }
            // A push may have come in between, but not once there is a next ring.
            if let Some(item) = ring.pop() {
                return Some(item);
            }
            if list.tail.0.load(Ordering::Relaxed, guard) == head {
                // The tail must not fall behind the head: the ring would be freed.
                exchange(&list.tail.0, head, next, guard);
            }
            if exchange(&list.head.0, head, next, guard) {
                // SAFETY: no thread comes to the old head any more but by a pointer loaded before.
                unsafe { guard.defer_destroy(head) };
            }
        }
    }
}
