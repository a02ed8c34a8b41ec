//! The stamped-line queue, which [`ring`](super::ring) exports. The algorithm is our own.
//!
//! The ring is made of cache lines, each with a *stamp* in front of its slots: the index up to
//! which the line has been filled. One transfer of a line brings both the items and the stamp that
//! announces them, as in FastForward's queues, so an item costs the miss of its line only. The
//! consumer never writes the slots, as in Lamport's queues, so any type fits. The consumer reads a
//! stamp once for all items that it announces, and reports its position to the producer only every
//! few lines.
//!
//! | | producer | consumer |
//! | --- | --- | --- |
//! | misses per item, K slots a line, the other side at some distance | 1/K | 1/K |
//! | at its worst (the consumer waits for each item) | 1 write, 1/N read | 1 read |
//! | instructions of a push or pop | store the item, store the stamp | load the item |
//!
//! **Memory.** A line holds a word of stamp and as many items as fit (seven of 8 bytes). Large
//! items get units of two or four lines if one would stay half empty. There are up to five lines
//! more than `capacity` needs, so that the consumer may report late: `capacity` items always fit,
//! and up to five lines' worth more may.
//!
//! **Guarantees.** `push` and `pop` are wait-free. `Empty` is exact: there was no item at one
//! moment during the call. `Full` means that at least `capacity` items were there. The items of a
//! batch become visible line by line, and all of them when the batch is published.
//!
//! Invariants:
//! 1. Only the producer writes stamps and slots; only the consumer writes `read`.
//! 2. The stamp of a line that begins at index `b` is `b + n` when its first `n` slots are filled
//!    in this lap, and at most `b` when none is.
//! 3. The producer enters a line only when the consumer has reported that it has left it: `limit`
//!    stays a whole line short of the ring.

use core::ptr::NonNull;

use super::lines::{Lanes, LinePosition, Lines, Whole};
use super::raw;
use super::stamped_shared::Stamped;
use crate::error::{CapacityError, PopError, PushError};
use crate::heap::End;
use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, Cell, Ordering};

/// The producer's handle of [`new`].
pub type Producer<T> = super::Producer<RawProducer<T>>;
/// The consumer's handle of [`new`].
pub type Consumer<T> = super::Consumer<RawConsumer<T>>;

/// The number of lines after which the consumer reports its position.
///
/// The reports are frequent enough for the producer not to wait, and rare enough for the report's
/// line to stay with the consumer.
pub(super) const REPORT_EVERY: usize = 4;

/// Makes a queue for at least `capacity` items.
///
/// # Errors
/// [`CapacityError`] if `capacity` is 0, or its bytes overflow, or there is no memory.
///
/// # Examples
/// ```
/// let (mut producer, mut consumer) = aqueduct::spsc::ring::new(1000)?;
/// producer.push("any type")?;
/// assert_eq!(consumer.pop()?, "any type");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn new<T: Send>(capacity: usize) -> Result<(Producer<T>, Consumer<T>), CapacityError> {
    starting_at(capacity, REPORT_EVERY, 0)
}

/// Makes a queue whose indices start at `index`, for tests near their end.
///
/// The consumer reports every `report_every` lines (at least 1).
#[doc(hidden)]
pub fn starting_at<T: Send>(
    capacity: usize,
    report_every: usize,
    index: usize,
) -> Result<(Producer<T>, Consumer<T>), CapacityError> {
    on_lines(Lines::new(capacity, report_every, index)?, capacity, report_every, index)
}

/// Makes the two ends of a queue on `lines`.
#[expect(clippy::type_complexity, reason = "the two handles, for any division of lines")]
pub(super) fn on_lines<T: Send, L: Lanes<T>>(
    lines: Lines<T, L>,
    capacity: usize,
    report_every: usize,
    index: usize,
) -> Result<(super::Producer<RawProducer<T, L>>, super::Consumer<RawConsumer<T, L>>), CapacityError> {
    let (allowance, place) = (lines.allowance, lines.place());
    let (producer, consumer) = End::pair(Stamped {
        read: Isolated(AtomicUsize::new(index)),
        write_left: Isolated(Cell::new(index)),
        read_left: Isolated(Cell::new((place, index))),
        _lines: lines,
    })?;
    let producer = RawProducer {
        place,
        slot: place.slots(),
        write: index,
        stop: place.line_end,
        limit: index.wrapping_add(allowance),
        allowance,
        capacity,
        queue: producer,
    };
    let consumer = RawConsumer {
        place,
        slot: place.slots(),
        read: index,
        stop: index,
        reported: index,
        report_after: report_every * LinePosition::<T, L>::SLOTS,
        capacity,
        queue: consumer,
    };
    Ok((super::Producer::new(producer), super::Consumer::new(consumer)))
}

/// The producer's private state (group D).
pub struct RawProducer<T, L: Lanes<T> = Whole> {
    /// The line that the producer is writing.
    place: LinePosition<T, L>,
    /// The slot for item number `write`, unless the line is full.
    slot: NonNull<Cell<T>>,
    /// Items ever written.
    write: usize,
    /// The index up to which the producer may write without reading the report: the lesser of the
    /// line's end and `limit`.
    stop: usize,
    /// The index up to which the producer may write by the consumer's report, as of the last read.
    limit: usize,
    /// The number of items by which `write` may be ahead of the consumer's report.
    allowance: usize,
    capacity: usize,
    queue: End<Stamped<T, L>>,
}

// SAFETY: an end owns the slots that the protocol gives it; items pass from thread to thread, which
// `T: Send` allows.
unsafe impl<T: Send, L: Lanes<T>> Send for RawProducer<T, L> {}
// SAFETY: `&RawProducer` gives no access to items.
unsafe impl<T: Send, L: Lanes<T>> Sync for RawProducer<T, L> {}

impl<T, L: Lanes<T>> RawProducer<T, L> {
    /// Goes on to the next line if `write == stop`. Returns `false` if the queue is full.
    #[inline(always)]
    fn advance(&mut self) -> bool {
        if self.write == self.limit && !self.look() {
            return false;
        }
        if self.write == self.place.line_end {
            self.place.next();
            self.slot = self.place.slots();
        }
        let left = self.limit.wrapping_sub(self.write).min(self.place.line_end.wrapping_sub(self.write));
        self.stop = self.write.wrapping_add(left);
        true
    }

    /// Reads the consumer's report. Returns whether there is room.
    #[inline(always)]
    fn look(&mut self) -> bool {
        // Ordering: Acquire pairs with the Release store in `RawConsumer::report`; without it,
        // writes to the slots race with the consumer's reads of the items before.
        self.limit = self.queue.read.load(Ordering::Acquire).wrapping_add(self.allowance);
        self.write != self.limit
    }

    /// Announces all items of the line.
    #[inline(always)]
    fn stamp(&mut self) {
        // Ordering: Release pairs with the Acquire load in `RawConsumer::look`; without it, the
        // consumer reads slots that are not written yet.
        self.place.stamp().store(self.write, Ordering::Release);
    }
}

impl<T, L: Lanes<T>> raw::RawProducer for RawProducer<T, L> {
    type Item = T;

    #[inline(always)]
    fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        if self.write == self.stop && !self.advance() {
            return Err(PushError::Full(item));
        }
        // SAFETY: `write != stop`, so there is a slot, and it is the producer's.
        unsafe {
            self.slot.as_ref().write(item);
            self.slot = self.slot.add(1);
        }
        self.write = self.write.wrapping_add(1);
        self.stamp();
        Ok(())
    }

    fn push_slice(&mut self, items: &[T]) -> usize
    where
        T: Copy,
    {
        raw::copy_in(self, items)
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn len(&self) -> usize {
        // Ordering: Relaxed, because a length permits no access.
        self.write.wrapping_sub(self.queue.read.load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.write == self.limit && self.len() == self.allowance
    }

    fn is_closed(&self) -> bool {
        self.queue.is_alone()
    }
}

impl<T, L: Lanes<T>> raw::RawBatchProducer for RawProducer<T, L> {
    #[inline(always)]
    fn space(&mut self, wanted: usize) -> usize {
        if self.limit.wrapping_sub(self.write) < wanted {
            self.look();
        }
        self.limit.wrapping_sub(self.write)
    }

    #[inline(always)]
    unsafe fn free_run(&mut self, most: usize) -> raw::Run<Cell<T>> {
        if self.write == self.stop {
            self.advance();
        }
        // The slots up to `stop` are adjacent in this line.
        raw::Run { slot: self.slot.as_ptr(), len: self.stop.wrapping_sub(self.write).min(most) }
    }

    #[inline(always)]
    unsafe fn written(&mut self, count: usize) {
        // SAFETY: `count` slots of this line have been written, so the pointer is at most one past
        // its last slot.
        self.slot = unsafe { self.slot.add(count) };
        self.write = self.write.wrapping_add(count);
        if self.write == self.place.line_end {
            // A full line is stamped now, and not when the producer enters the next one: the
            // consumer may have taken the line by then, and the stamp would have to fetch it back.
            self.stamp();
        }
    }

    #[inline(always)]
    fn publish(&mut self) {
        self.stamp();
    }
}

impl<T, L: Lanes<T>> Drop for RawProducer<T, L> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: only the producer touches this cell while it lives.
        unsafe { self.queue.write_left.write(self.write) }
    }
}

/// The consumer's private state (group E).
pub struct RawConsumer<T, L: Lanes<T> = Whole> {
    /// The line that the consumer is reading.
    place: LinePosition<T, L>,
    /// The slot of item number `read`, unless the line is used up.
    slot: NonNull<Cell<T>>,
    /// Items ever read.
    read: usize,
    /// The index up to which the line's stamp has announced items.
    stop: usize,
    /// The last report to the producer.
    reported: usize,
    /// The number of unreported items after which the consumer reports at the end of a line.
    report_after: usize,
    capacity: usize,
    queue: End<Stamped<T, L>>,
}

// SAFETY: an end owns the slots that the protocol gives it; items pass from thread to thread, which
// `T: Send` allows.
unsafe impl<T: Send, L: Lanes<T>> Send for RawConsumer<T, L> {}
// SAFETY: `&RawConsumer` gives no access to items.
unsafe impl<T: Send, L: Lanes<T>> Sync for RawConsumer<T, L> {}

impl<T, L: Lanes<T>> RawConsumer<T, L> {
    /// Goes on to the next line if `read == stop`. Returns `false` if the queue is empty.
    #[inline(always)]
    fn advance(&mut self) -> bool {
        if self.read == self.place.line_end {
            if self.read.wrapping_sub(self.reported) >= self.report_after {
                self.report();
            }
            self.place.next();
            self.slot = self.place.slots();
        }
        let stamp = Self::look(&self.place);
        // A stamp of an earlier lap is at most the index at which the line begins, so at most
        // `read`.
        if stamp.wrapping_sub(self.read).cast_signed() <= 0 {
            if self.reported != self.read {
                self.report();
            }
            return false;
        }
        self.stop = stamp;
        true
    }

    /// Reads the stamp of `place`'s line.
    #[inline(always)]
    fn look(place: &LinePosition<T, L>) -> usize {
        // Ordering: Acquire pairs with the Release store in `RawProducer::stamp`: the items come
        // with it.
        place.stamp().load(Ordering::Acquire)
    }

    /// Reports the consumer's position to the producer.
    #[inline(always)]
    fn report(&mut self) {
        self.reported = self.read;
        // Ordering: Release pairs with the Acquire load in `RawProducer::look`: the slots have been
        // read.
        self.queue.read.store(self.read, Ordering::Release);
    }

    /// Returns how many items `place`'s line and the full lines before it announce.
    #[inline(always)]
    fn announced(&self, place: &LinePosition<T, L>) -> usize {
        let announced = Self::look(place).wrapping_sub(self.read);
        // A line without items of this lap adds none to the full lines before it.
        if announced.cast_signed() > 0 {
            return announced;
        }
        let before = place.line_end.wrapping_sub(LinePosition::<T, L>::SLOTS).wrapping_sub(self.read);
        if before.cast_signed() > 0 { before } else { 0 }
    }
}

impl<T, L: Lanes<T>> raw::RawConsumer for RawConsumer<T, L> {
    type Item = T;

    #[inline(always)]
    fn pop(&mut self) -> Result<T, PopError> {
        if self.read == self.stop && !self.advance() {
            return Err(PopError::Empty);
        }
        // SAFETY: `read != stop`, so the slot has an item, and the producer leaves it alone until
        // it is reported.
        let item = unsafe { self.slot.as_ref().take() };
        // SAFETY: the pointer is at most one past the line's last slot.
        self.slot = unsafe { self.slot.add(1) };
        self.read = self.read.wrapping_add(1);
        Ok(item)
    }

    fn pop_slice(&mut self, items: &mut [T]) -> usize
    where
        T: Copy,
    {
        raw::copy_out(self, items)
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    /// Finds the first line that is not full by bisection, because full lines come before all
    /// others.
    fn len(&self) -> usize {
        let (mut low, mut high) = (0, self.place.lines());
        while low < high {
            let middle = low.midpoint(high);
            let place = self.place.ahead(middle);
            if Self::look(&place) == place.line_end { low = middle + 1 } else { high = middle }
        }
        self.announced(&self.place.ahead(low))
    }

    fn is_empty(&self) -> bool {
        let next_line = usize::from(self.read == self.place.line_end);
        self.read == self.stop && self.announced(&self.place.ahead(next_line)) == 0
    }

    fn is_closed(&self) -> bool {
        self.queue.is_alone()
    }
}

impl<T, L: Lanes<T>> raw::RawBatchConsumer for RawConsumer<T, L> {
    type Slot = Cell<T>;

    /// Reads the stamps of as many lines as `wanted` items take.
    #[inline(always)]
    fn available(&mut self, wanted: usize) -> usize {
        if self.read == self.stop && !self.advance() {
            return 0;
        }
        if self.stop.wrapping_sub(self.read) < wanted {
            // The line may hold more items than when its stamp was last read.
            self.stop = Self::look(&self.place);
        }
        let mut available = self.stop.wrapping_sub(self.read);
        let mut place = self.place;
        while available < wanted && self.read.wrapping_add(available) == place.line_end {
            place.next();
            available = self.announced(&place);
        }
        available
    }

    /// Returns the items of one line. It reads no later line, where the producer may be at work.
    #[inline(always)]
    fn filled_run(&mut self, most: usize) -> raw::Run<Cell<T>> {
        if self.read == self.stop && !self.advance() {
            return raw::Run::EMPTY;
        }
        // The items up to `stop` are adjacent in this line.
        raw::Run { slot: self.slot.as_ptr(), len: self.stop.wrapping_sub(self.read).min(most) }
    }

    #[inline(always)]
    unsafe fn take(slot: &Cell<T>) -> T {
        // SAFETY: the caller's promise.
        unsafe { slot.take() }
    }

    #[inline(always)]
    unsafe fn read(&mut self, count: usize) {
        // SAFETY: `count` items of this line have been read, so the pointer is at most one past its
        // last slot.
        self.slot = unsafe { self.slot.add(count) };
        self.read = self.read.wrapping_add(count);
    }

    #[inline(always)]
    unsafe fn unread(&mut self, count: usize) {
        // SAFETY: `count` items of this line had been counted as read.
        self.slot = unsafe { self.slot.sub(count) };
        self.read = self.read.wrapping_sub(count);
    }

    /// Does nothing: reports give slots back, every few lines and when the queue is found empty.
    #[inline(always)]
    fn release(&mut self) {}
}

impl<T, L: Lanes<T>> Drop for RawConsumer<T, L> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: only the consumer touches this cell while it lives.
        unsafe { self.queue.read_left.write((self.place, self.read)) }
    }
}
