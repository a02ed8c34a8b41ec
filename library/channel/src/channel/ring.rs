//! A bounded queue of an exact number of entries, for any number of threads, in which room can be reserved.
//!
//! It has one turn word for each entry, as the queue of D. Vyukov (2010) has. Positions are made of a lap and an index,
//! so that any number of entries is possible without a division. What is new is that producers' word holds the next
//! position *and* the number of permits, room that is reserved: a producer that has no permit may take the next
//! position only if the entry that lies as many positions further on is free. All entries between the two have been
//! found free before, when each of them was the last one. So permits cost a producer without one no read-modify-write
//! operation, nobody waits for a permit that is not used, and messages keep the order of their sends.

use std::ops::Deref;

use aqueduct::error::{CapacityError, PopError, PushError};

use crate::sync::{AtomicU64, Ordering, Slot};

/// Producers' word has the next position below this bit, and the number of permits from there on.
const PERMIT: u64 = 1 << 48;
const POSITION: u64 = PERMIT - 1;

/// A turn with this bit is that of a filled entry.
const FILLED: u64 = PERMIT;

/// How many permits there are at most.
const MOST_PERMITS: u64 = u64::MAX / PERMIT;

/// Much room is the `MUCH`th part of the entries.
const MUCH: usize = 4;

/// The largest number of entries: 2^16 laps have to pass before a position comes again.
const MOST: usize = 1 << 31;

/// Keeps its content in a pair of cache lines of its own.
#[derive(Debug)]
#[repr(align(128))]
struct Apart<T>(T);

impl<T> Deref for Apart<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// An entry, which belongs to the thread that has taken its position at this turn.
struct Entry<T> {
    /// The position at which the entry is free, or has been [`FILLED`].
    turn: AtomicU64,
    message: Slot<T>,
}

pub(crate) struct Ring<T> {
    /// The next position to be pushed to, and the number of permits.
    tail: Apart<AtomicU64>,
    /// The next position to be popped from.
    head: Apart<AtomicU64>,
    entries: Box<[Entry<T>]>,
    /// The distance between an entry's positions: a power of two that is greater than any index.
    lap: u64,
}

// SAFETY: a message is moved in by the thread that has taken the position, and out by another one that has.
unsafe impl<T: Send> Send for Ring<T> {}
// SAFETY: no thread has a reference to a message.
unsafe impl<T: Send> Sync for Ring<T> {}

/// Why there is no room.
enum NoRoom {
    Full,
    /// A pop has taken its position, and has not moved the message out yet.
    Busy,
}

impl<T> Ring<T> {
    pub(crate) fn new(capacity: usize) -> Result<Self, CapacityError> {
        let max = (isize::MAX as usize / size_of::<Entry<T>>()).min(MOST);
        let too_large = CapacityError::TooLarge { asked: capacity, max };
        if capacity == 0 {
            return Err(CapacityError::Zero);
        }
        if capacity > max {
            return Err(too_large);
        }
        let mut entries = Vec::new();
        entries.try_reserve_exact(capacity).map_err(|_| too_large)?;
        entries.extend((0..capacity as u64).map(|at| Entry { turn: AtomicU64::new(at), message: Slot::new() }));
        Ok(Self {
            tail: Apart(AtomicU64::new(0)),
            head: Apart(AtomicU64::new(0)),
            entries: entries.into_boxed_slice(),
            lap: (capacity as u64).next_power_of_two(),
        })
    }

    pub(crate) fn capacity(&self) -> usize {
        self.entries.len()
    }

    fn index(&self, position: u64) -> usize {
        (position & (self.lap - 1)) as usize
    }

    fn entry(&self, position: u64) -> &Entry<T> {
        &self.entries[self.index(position)]
    }

    /// The position that comes `by` after this one; at most a lap.
    fn after(&self, position: u64, by: usize) -> u64 {
        let index = self.index(position) + by;
        let lap = position & !(self.lap - 1);
        if index < self.capacity() {
            lap | index as u64
        } else {
            (lap + self.lap) & POSITION | (index - self.capacity()) as u64
        }
    }

    /// The position of the entry's next lap.
    fn lap_after(&self, position: u64) -> u64 {
        (position + self.lap) & POSITION
    }

    /// The position of the entry's last lap.
    fn lap_before(&self, position: u64) -> u64 {
        position.wrapping_sub(self.lap) & POSITION
    }

    /// Changes producers' word to what `next` makes of the number of permits and of the position, if there is room for
    /// a message more and `next` makes something. Returns the position as it was.
    #[inline(always)]
    fn take_room(&self, next: impl Fn(u64, u64) -> Option<u64>) -> Result<u64, NoRoom> {
        // Ordering: Relaxed for the words of producers and consumers. An old value is found out by the turn or by the
        // exchange; what the entry's last owner did comes with the turn.
        let mut word = self.tail.load(Ordering::Relaxed);
        loop {
            let (permits, position) = (word / PERMIT, word & POSITION);
            let last = if permits == 0 { position } else { self.after(position, permits as usize) };
            // Ordering: Acquire pairs with the Release in `pop`: the message has been moved out.
            if self.entry(last).turn.load(Ordering::Acquire) == last {
                let Some(next) = next(permits, position) else { return Err(NoRoom::Full) };
                // Ordering: SeqCst comes before the look for waiting receivers (`Event::notify_exchanged`). It releases
                // this thread's earlier writes, for `look_for_room` and for the producer that takes the entry `last`,
                // which acquires here that the entry is free.
                match self.tail.compare_exchange(word, next, Ordering::SeqCst, Ordering::Relaxed) {
                    Ok(_) => return Ok(position),
                    Err(now) => word = now,
                }
                continue;
            }
            word = self.look_for_room(word, last)?;
        }
    }

    /// The entry at the position `last` is not free. Returns producers' word if it is not `word` any more.
    #[cold]
    fn look_for_room(&self, word: u64, last: u64) -> Result<u64, NoRoom> {
        // Ordering: Acquire pairs with the Release in `take_room`: after `Full`, the caller sees what the thread that
        // took the room did before. A select that looks again finds the room that this thread has made elsewhere.
        let now = self.tail.load(Ordering::Acquire);
        if now != word {
            return Ok(now);
        }
        let is_full = self.head.load(Ordering::Relaxed) == self.lap_before(last);
        Err(if is_full { NoRoom::Full } else { NoRoom::Busy })
    }

    /// Adds a message.
    #[inline(always)]
    pub(crate) fn push(&self, message: T) -> Result<(), PushError<T>> {
        match self.take_room(|permits, position| Some((permits * PERMIT) | self.after(position, 1))) {
            Ok(position) => {
                self.fill(position, message);
                Ok(())
            }
            Err(NoRoom::Full) => Err(PushError::Full(message)),
            Err(NoRoom::Busy) => Err(PushError::Busy(message)),
        }
    }

    fn fill(&self, position: u64, message: T) {
        let entry = self.entry(position);
        // SAFETY: the entry is free at this position, which the caller has taken.
        unsafe { entry.message.put(message) };
        // Ordering: Release pairs with the Acquire in `pop`: the message comes with the turn.
        entry.turn.store(position | FILLED, Ordering::Release);
    }

    /// Reserves room for a message. [`Self::push_reserved`] or [`Self::release`] has to follow.
    pub(crate) fn reserve(&self) -> Result<(), PushError<()>> {
        let more = |permits, position| (permits < MOST_PERMITS).then(|| ((permits + 1) * PERMIT) | position);
        match self.take_room(more) {
            Ok(_) => Ok(()),
            Err(NoRoom::Full) => Err(PushError::Full(())),
            Err(NoRoom::Busy) => Err(PushError::Busy(())),
        }
    }

    /// Adds a message into reserved room.
    pub(crate) fn push_reserved(&self, message: T) {
        // Ordering: Relaxed, as in `take_room`: nothing but the permit is needed, and the caller has it.
        let mut word = self.tail.load(Ordering::Relaxed);
        loop {
            let used = ((word / PERMIT - 1) * PERMIT) | self.after(word & POSITION, 1);
            // Ordering: SeqCst, as in `take_room`, where the entry has been found free.
            match self.tail.compare_exchange(word, used, Ordering::SeqCst, Ordering::Relaxed) {
                Ok(_) => return self.fill(word & POSITION, message),
                Err(now) => word = now,
            }
        }
    }

    /// Gives reserved room back.
    pub(crate) fn release(&self) {
        // Ordering: Relaxed. The entry that was kept free has its own turn.
        self.tail.fetch_sub(PERMIT, Ordering::Relaxed);
    }

    /// Takes the oldest message.
    #[inline(always)]
    pub(crate) fn pop(&self) -> Result<T, PopError> {
        // Ordering: Relaxed, as in `take_room`.
        let mut position = self.head.load(Ordering::Relaxed);
        loop {
            let entry = self.entry(position);
            // Ordering: Acquire pairs with the Release in `fill`: the message has been moved in.
            if entry.turn.load(Ordering::Acquire) == position | FILLED {
                let next = self.after(position, 1);
                // Ordering: SeqCst comes before the look for senders that wait (`Event::notify_exchanged`). It releases
                // what this thread did before, in other channels, too, for `look_for_message`.
                match self.head.compare_exchange(position, next, Ordering::SeqCst, Ordering::Relaxed) {
                    Ok(_) => {
                        // SAFETY: the entry is filled at this position, which this call has taken.
                        let message = unsafe { entry.message.take() };
                        // Ordering: Release pairs with the Acquire in `take_room`: the message has been moved out.
                        entry.turn.store(self.lap_after(position), Ordering::Release);
                        return Ok(message);
                    }
                    Err(now) => position = now,
                }
                continue;
            }
            position = self.look_for_message(position)?;
        }
    }

    /// The entry at `position` is not filled. Returns the next position to be popped from if it is another one.
    #[cold]
    fn look_for_message(&self, position: u64) -> Result<u64, PopError> {
        // Ordering: Acquire pairs with the Release in `pop`: after `Empty`, the caller sees what the thread that took
        // the message did before. A select that looks again finds the message that this thread sent elsewhere.
        let now = self.head.load(Ordering::Acquire);
        if now != position {
            return Ok(now);
        }
        let is_empty = self.tail.load(Ordering::Relaxed) & POSITION == position;
        Err(if is_empty { PopError::Empty } else { PopError::Busy })
    }

    /// The number of messages, and that of permits, at one moment.
    fn counts(&self) -> (usize, usize) {
        loop {
            let word = self.tail.load(Ordering::Relaxed);
            let head = self.head.load(Ordering::Relaxed);
            if self.tail.load(Ordering::Relaxed) != word {
                continue;
            }
            let tail = word & POSITION;
            let (from, to) = (self.index(head), self.index(tail));
            let messages = match tail.wrapping_sub(head) & POSITION {
                0 => 0,
                distance if distance == self.lap => self.capacity(),
                _ if from <= to => to - from,
                _ => self.capacity() - from + to,
            };
            return (messages, (word / PERMIT) as usize);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.counts().0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether about a quarter of the entries is free, as far as one entry tells.
    ///
    /// A sender and a receiver that meet in each entry of a ring that is nearly full move its lines to and fro.
    pub(crate) fn has_much_room(&self) -> bool {
        // Ordering: Relaxed, a hint.
        let word = self.tail.load(Ordering::Relaxed);
        let by = (word / PERMIT) as usize + self.capacity() / MUCH;
        let last = self.after(word & POSITION, by.min(self.capacity() - 1));
        self.entry(last).turn.load(Ordering::Relaxed) == last
    }

    /// Whether the next entry is filled.
    pub(crate) fn may_pop(&self) -> bool {
        // Ordering: Relaxed, a hint.
        let position = self.head.load(Ordering::Relaxed);
        self.entry(position).turn.load(Ordering::Relaxed) == position | FILLED
    }

    pub(crate) fn is_full(&self) -> bool {
        let (messages, permits) = self.counts();
        messages + permits >= self.capacity()
    }
}

impl<T> Drop for Ring<T> {
    fn drop(&mut self) {
        if std::mem::needs_drop::<T>() {
            while self.pop().is_ok() {}
        }
    }
}
