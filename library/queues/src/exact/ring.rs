//! The ring: slots with turns, and the words of the two sides. The module's page explains the
//! algorithm.

use core::ptr::NonNull;

use crate::array::Array;
use crate::division::check_capacity;
use crate::error::{CapacityError, PopError, PushError};
use crate::heap::{drop_all, most_bytes};
use crate::isolated::{Isolated, LINE_PAIR};
use crate::sync::{AtomicU64, Cell, Ordering};

/// The word of the producers has the next position below this bit, and the number of permits from
/// there on.
const PERMIT: u64 = 1 << 48;
const POSITION: u64 = PERMIT - 1;

/// A turn with this bit is that of a filled slot.
const FILLED: u64 = PERMIT;

/// The maximum number of permits.
const MOST_PERMITS: u64 = u64::MAX / PERMIT;

/// The maximum number of slots: a position comes again after 2^17 laps or more.
const MOST: usize = 1 << 31;

/// A slot, which belongs to the thread that has taken its position at this turn.
struct Slot<T> {
    /// The position at which the slot is free, or has been [`FILLED`].
    turn: AtomicU64,
    item: Cell<T>,
}

pub(super) struct Ring<T> {
    /// The next position to be pushed to, and the number of permits.
    tail: Isolated<AtomicU64>,
    /// The next position to be popped from.
    head: Isolated<AtomicU64>,
    slots: Array<Slot<T>>,
    /// The distance between the positions of one slot: a power of two that is greater than any
    /// index.
    lap: u64,
}

// SAFETY: no thread has a reference to an item. One is moved in by the thread that has taken the
// position, and out by another one that has, which `T: Send` allows.
unsafe impl<T: Send> Sync for Ring<T> {}

/// The reason why no slot is free.
enum NoRoom {
    Full,
    /// A pop has taken its position, and has not moved the item out yet.
    Busy,
}

/// The numbers of items and of permits.
pub(super) struct Counts {
    pub(super) items: usize,
    pub(super) permits: usize,
}

impl<T> Ring<T> {
    /// Makes an empty ring that starts in this lap.
    pub(super) fn starting_at(capacity: usize, lap: u64) -> Result<Self, CapacityError> {
        let most = most_bytes(LINE_PAIR.max(align_of::<Slot<T>>())) / size_of::<Slot<T>>();
        check_capacity(capacity, most.min(MOST))?;
        let size = (capacity as u64).next_power_of_two();
        let first = lap.wrapping_mul(size) & POSITION;
        let free = |index: usize, slot: NonNull<Slot<T>>| {
            // SAFETY: this is the slot's memory, which no other thread can reach yet.
            unsafe { (&raw mut (*slot.as_ptr()).turn).write(AtomicU64::new(first | index as u64)) };
        };
        Ok(Self {
            tail: Isolated(AtomicU64::new(first)),
            head: Isolated(AtomicU64::new(first)),
            // SAFETY: a slot is a turn, which this initialises, and a cell.
            slots: unsafe { Array::in_place(capacity, free)? },
            lap: size,
        })
    }

    pub(super) fn capacity(&self) -> usize {
        self.slots.len()
    }

    fn index(&self, position: u64) -> usize {
        (position & (self.lap - 1)) as usize
    }

    fn slot(&self, position: u64) -> &Slot<T> {
        &self.slots[self.index(position)]
    }

    /// Returns the position that comes `by` after this one; at most a lap.
    fn after(&self, position: u64, by: usize) -> u64 {
        let index = self.index(position) + by;
        let lap = position & !(self.lap - 1);
        if index < self.capacity() {
            lap | index as u64
        } else {
            (lap + self.lap) & POSITION | (index - self.capacity()) as u64
        }
    }

    /// Returns the position of the slot's next lap.
    fn lap_after(&self, position: u64) -> u64 {
        (position + self.lap) & POSITION
    }

    /// Returns the position of the slot's last lap.
    fn lap_before(&self, position: u64) -> u64 {
        position.wrapping_sub(self.lap) & POSITION
    }

    /// Exchanges the word of the producers for the result of `next`, which gets the number of
    /// permits and the position, if there is room for one more item and `next` returns `Some`.
    /// Returns the position of the old word.
    #[inline(always)]
    fn take_room(&self, next: impl Fn(u64, u64) -> Option<u64>) -> Result<u64, NoRoom> {
        // Ordering: Relaxed for the words of producers and consumers. The turn or the exchange
        // detects an old value; what the slot's last owner did comes with the turn.
        let mut word = self.tail.load(Ordering::Relaxed);
        loop {
            let (permits, position) = (word / PERMIT, word & POSITION);
            let last = if permits == 0 { position } else { self.after(position, permits as usize) };
            // Ordering: Acquire pairs with the Release in `pop`: the item has been moved out.
            if self.slot(last).turn.load(Ordering::Acquire) == last {
                let Some(next) = next(permits, position) else { return Err(NoRoom::Full) };
                // Ordering: SeqCst precedes the look for sleeping consumers (`exact/push-wakes`).
                // Release pairs with Acquire in `look_for_room` and of the producer that takes the
                // slot `last`; Acquire shows here that the slot is free (`exact/passes-permit`).
                match self.tail.compare_exchange(word, next, Ordering::SeqCst, Ordering::Relaxed) {
                    Ok(_) => return Ok(position),
                    Err(now) => word = now,
                }
                continue;
            }
            word = self.look_for_room(word, last)?;
        }
    }

    /// Called when the slot at the position `last` is not free. Returns the word of the producers
    /// if it is not `word` any more.
    #[cold]
    fn look_for_room(&self, word: u64, last: u64) -> Result<u64, NoRoom> {
        // Ordering: Acquire pairs with the Release in `take_room`: after `Full`, the caller sees
        // what the thread that took the slot did before (`exact/full-tells`).
        let now = self.tail.load(Ordering::Acquire);
        if now != word {
            return Ok(now);
        }
        let is_full = self.head.load(Ordering::Relaxed) == self.lap_before(last);
        Err(if is_full { NoRoom::Full } else { NoRoom::Busy })
    }

    /// Adds an item.
    #[inline(always)]
    pub(super) fn push(&self, item: T) -> Result<(), PushError<T>> {
        match self.take_room(|permits, position| Some((permits * PERMIT) | self.after(position, 1))) {
            Ok(position) => {
                // SAFETY: `take_room` has taken the position.
                unsafe { self.fill(position, item) };
                Ok(())
            }
            Err(NoRoom::Full) => Err(PushError::Full(item)),
            Err(NoRoom::Busy) => Err(PushError::Busy(item)),
        }
    }

    /// Moves an item into the slot of a position.
    ///
    /// # Safety
    /// The caller has taken the position, at which the slot is free.
    unsafe fn fill(&self, position: u64, item: T) {
        let slot = self.slot(position);
        // SAFETY: the caller's promise.
        unsafe { slot.item.write(item) };
        // Ordering: Release pairs with the Acquire in `pop`: the item comes with the turn.
        slot.turn.store(position | FILLED, Ordering::Release);
    }

    /// Reserves a slot. [`Self::push_reserved`] or [`Self::release`] has to follow.
    pub(super) fn reserve(&self) -> Result<(), PushError<()>> {
        let more = |permits, position| (permits < MOST_PERMITS).then(|| ((permits + 1) * PERMIT) | position);
        match self.take_room(more) {
            Ok(_) => Ok(()),
            Err(NoRoom::Full) => Err(PushError::Full(())),
            Err(NoRoom::Busy) => Err(PushError::Busy(())),
        }
    }

    /// Adds an item into a reserved slot.
    ///
    /// # Safety
    /// The caller has reserved a slot, and uses it up by this.
    pub(super) unsafe fn push_reserved(&self, item: T) {
        // Ordering: Relaxed, as in `take_room`: nothing but the permit is needed, and the caller
        // has it.
        let mut word = self.tail.load(Ordering::Relaxed);
        loop {
            let used = ((word / PERMIT - 1) * PERMIT) | self.after(word & POSITION, 1);
            // Ordering: SeqCst, as in `take_room`, whose exchange it pairs with: the slot was found
            // free there.
            match self.tail.compare_exchange(word, used, Ordering::SeqCst, Ordering::Relaxed) {
                // SAFETY: the exchange has taken the position, and permits are for free slots.
                Ok(_) => return unsafe { self.fill(word & POSITION, item) },
                Err(now) => word = now,
            }
        }
    }

    /// Gives a reserved slot back.
    ///
    /// # Safety
    /// The caller has reserved a slot, and gives it up by this.
    pub(super) unsafe fn release(&self) {
        // Ordering: Relaxed. The slot that was kept free has its own turn.
        self.tail.fetch_sub(PERMIT, Ordering::Relaxed);
    }

    /// Takes the oldest item.
    #[inline(always)]
    pub(super) fn pop(&self) -> Result<T, PopError> {
        // Ordering: Relaxed, as in `take_room`.
        let mut position = self.head.load(Ordering::Relaxed);
        loop {
            let slot = self.slot(position);
            // Ordering: Acquire pairs with the Release in `fill`: the item has been moved in.
            if slot.turn.load(Ordering::Acquire) == position | FILLED {
                let next = self.after(position, 1);
                // Ordering: SeqCst comes before the caller's look for sleeping producers
                // (`exact/pop-wakes`). Its Release pairs with the Acquire in `look_for_item`.
                match self.head.compare_exchange(position, next, Ordering::SeqCst, Ordering::Relaxed) {
                    Ok(_) => {
                        // SAFETY: the slot is filled at this position, which this call has taken.
                        let item = unsafe { slot.item.take() };
                        // Ordering: Release pairs with the Acquire in `take_room`: the item has
                        // been moved out.
                        slot.turn.store(self.lap_after(position), Ordering::Release);
                        return Ok(item);
                    }
                    Err(now) => position = now,
                }
                continue;
            }
            position = self.look_for_item(position)?;
        }
    }

    /// Called when the slot at `position` is not filled. Returns the next position to be popped
    /// from if it is another one.
    #[cold]
    fn look_for_item(&self, position: u64) -> Result<u64, PopError> {
        // Ordering: Acquire pairs with the Release in `pop`: after `Empty`, the caller sees what
        // the thread that took the item did before (`exact/empty-tells`).
        let now = self.head.load(Ordering::Acquire);
        if now != position {
            return Ok(now);
        }
        let is_empty = self.tail.load(Ordering::Relaxed) & POSITION == position;
        Err(if is_empty { PopError::Empty } else { PopError::Busy })
    }

    /// Returns the numbers of items and of permits, as of a recent moment.
    pub(super) fn counts(&self) -> Counts {
        loop {
            let word = self.tail.load(Ordering::Relaxed);
            let head = self.head.load(Ordering::Relaxed);
            if self.tail.load(Ordering::Relaxed) != word {
                continue;
            }
            let tail = word & POSITION;
            let (from, to) = (self.index(head), self.index(tail));
            let items = match tail.wrapping_sub(head) & POSITION {
                0 => 0,
                distance if distance == self.lap => self.capacity(),
                _ if from <= to => to - from,
                _ => self.capacity() - from + to,
            };
            return Counts { items, permits: (word / PERMIT) as usize };
        }
    }

    /// Whether at least `slots` slots are free, judged by the last of them.
    pub(super) fn may_have(&self, slots: usize) -> bool {
        // Ordering: Relaxed, a hint.
        let word = self.tail.load(Ordering::Relaxed);
        let taken = (word / PERMIT) as usize;
        let Some(more) = slots.checked_sub(1) else { return true };
        if slots > self.capacity() - taken {
            return false;
        }
        let last = self.after(word & POSITION, taken + more);
        self.slot(last).turn.load(Ordering::Relaxed) == last
    }

    /// Whether the next slot is filled.
    pub(super) fn may_pop(&self) -> bool {
        // Ordering: Relaxed, a hint.
        let position = self.head.load(Ordering::Relaxed);
        self.slot(position).turn.load(Ordering::Relaxed) == position | FILLED
    }
}

impl<T> Drop for Ring<T> {
    fn drop(&mut self) {
        if core::mem::needs_drop::<T>() {
            drop_all(&mut || self.pop().map(drop).is_ok());
        }
    }
}
