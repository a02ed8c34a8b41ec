//! The partitions of the improved FastForward queues: H slots each, handed out and given back
//! whole.
//!
//! (Maffione, Lettieri and Rizzo, 2018, section 4.2.)

use super::raw;
use super::slots::SlotCursor;
use super::words::{EMPTY, Word, WordSlots};
use crate::error::{CapacityError, PopError};
use crate::heap::End;
use crate::sync::Ordering;
use crate::word::{NonZeroWord, decode};

/// H = 4 K, as in the experiments of that paper: four cache lines of eight words.
pub(super) const PARTITION: usize = 32;

/// The producer's position, and the slots that it may write.
pub(super) struct Writable {
    /// Items ever written.
    pub(super) write: usize,
    /// The next slot to write.
    cursor: SlotCursor<Word>,
    /// The number of slots from `cursor` on that are known to be empty: `limit - write`.
    pub(super) left: usize,
    /// The slot at `limit + H`: if it is empty, the partition before it is free.
    ahead: SlotCursor<Word>,
    partition: usize,
}

/// The producer's end and position, and the whole consumer, for both improved queues.
pub(super) type PartitionEnds<T> = (End<WordSlots<T>>, Writable, RawConsumer<T>);

/// Makes a queue that always has room for `capacity` items, with `partition` (H) slots to a
/// partition.
///
/// Maffione, Lettieri and Rizzo leave 2H slots unused. The consumer clears whole partitions, so up
/// to H - 1 more slots may be read and not cleared when the producer looks. The queue has these
/// slots in addition, so that they are not taken from the user's capacity.
pub(super) fn ends<T: NonZeroWord>(
    capacity: usize,
    partition: usize,
    index: usize,
) -> Result<PartitionEnds<T>, CapacityError> {
    if !(1..=1 << 16).contains(&partition) {
        return Err(CapacityError::Partition { asked: partition });
    }
    // `clear` starts at 0, `write` and `read` at H, `limit` at 2H. The slots before `read` look
    // taken.
    let (producer, consumer, cursor) = WordSlots::ends(capacity, 3 * partition - 1, partition, partition, index)?;
    let mut ahead = cursor;
    ahead.advance(2 * partition);
    let mut clear = cursor;
    clear.go_back(partition);
    let writable = Writable { write: index, cursor, left: partition, ahead, partition };
    let consumer = RawConsumer { read: index, cursor, clear, uncleared: 0, partition, capacity, queue: consumer };
    Ok((producer, writable, consumer))
}

impl Writable {
    /// Checks whether the next partition is free, too, and counts it as writable if it is.
    #[inline(always)]
    pub(super) fn extend(&mut self) -> bool {
        if !self.can_extend() {
            return false;
        }
        self.ahead.advance(self.partition);
        self.left += self.partition;
        true
    }

    #[inline(always)]
    pub(super) fn can_extend(&self) -> bool {
        // Ordering: Acquire pairs with the Release clear in `RawConsumer::release`: the clears of
        // the partition before this slot's have happened. Without it, one of them may come after
        // the next item's store and erase it.
        self.ahead.slot().load(Ordering::Acquire) == EMPTY
    }

    /// Writes the next slot.
    #[inline(always)]
    pub(super) fn put(&mut self, word: *mut ()) {
        // Ordering: Release pairs with the Acquire load in `RawConsumer::look`; without it, the
        // consumer may not see what the item points to.
        self.cursor.slot().store(word, Ordering::Release);
        self.cursor.step();
        self.write = self.write.wrapping_add(1);
        self.left -= 1;
    }
}

/// The consuming end of both improved FastForward queues (figure 11; group E).
pub struct RawConsumer<T: NonZeroWord> {
    /// Items ever read.
    read: usize,
    /// The next slot to read.
    cursor: SlotCursor<Word>,
    /// The next slot to clear, always the first of a partition.
    clear: SlotCursor<Word>,
    /// The number of slots read since the start of the partition after `clear`'s.
    uncleared: usize,
    partition: usize,
    capacity: usize,
    queue: End<WordSlots<T>>,
}

impl<T: NonZeroWord> RawConsumer<T> {
    /// Returns the word in the slot at `cursor`.
    #[inline(always)]
    fn look(cursor: &SlotCursor<Word>) -> *mut () {
        // Ordering: Acquire pairs with the Release store in `Writable::put`: what the item points
        // to comes with it.
        cursor.slot().load(Ordering::Acquire)
    }

    /// Clears the slots that a forgotten batch took, in an empty queue.
    ///
    /// The next release would clear them, but it may never come, because the producer may be
    /// waiting for these slots. All items that count as read have been taken by then.
    #[inline]
    fn settle(&mut self) {
        if self.uncleared >= self.partition {
            raw::RawBatchConsumer::release(self);
        }
    }
}

impl<T: NonZeroWord> raw::RawConsumer for RawConsumer<T> {
    type Item = T;

    #[inline(always)]
    fn pop(&mut self) -> Result<T, PopError> {
        let word = Self::look(&self.cursor);
        if word == EMPTY {
            self.settle();
            return Err(PopError::Empty);
        }
        self.cursor.step();
        self.read = self.read.wrapping_add(1);
        self.uncleared += 1;
        raw::RawBatchConsumer::release(self);
        // SAFETY: the producer encoded the word, and no end decodes it again, because `cursor` has
        // moved on.
        Ok(unsafe { decode(word) })
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

    fn len(&self) -> usize {
        self.queue.len_after(self.read).max(usize::from(!self.is_empty()))
    }

    fn is_empty(&self) -> bool {
        Self::look(&self.cursor) == EMPTY
    }

    fn is_closed(&self) -> bool {
        self.queue.is_alone()
    }
}

impl<T: NonZeroWord> raw::RawBatchConsumer for RawConsumer<T> {
    type Slot = Word;

    /// Returns the number of readable items. No index holds it, so slots are read: at most `wanted`
    /// of them.
    #[inline]
    fn available(&mut self, wanted: usize) -> usize {
        // At most the slots that are cleared or filled count, so that the search stays within one
        // lap.
        let most = wanted.min(self.cursor.ring_len() - self.partition - self.uncleared);
        let (mut ahead, mut count) = (self.cursor, 0);
        while count < most && Self::look(&ahead) != EMPTY {
            ahead.step();
            count += 1;
        }
        if count == 0 && wanted != 0 {
            self.settle();
        }
        count
    }

    #[inline(always)]
    fn filled_run(&mut self, most: usize) -> raw::Run<Word> {
        raw::Run { slot: self.cursor.as_ptr(), len: self.available(most.min(self.cursor.run())) }
    }

    #[inline(always)]
    unsafe fn take(slot: &Word) -> T {
        // Ordering: Relaxed, because `filled_run` has read this value with Acquire.
        let word = slot.load(Ordering::Relaxed);
        // SAFETY: the producer encoded the word, and the caller takes it once.
        unsafe { decode(word) }
    }

    #[inline(always)]
    unsafe fn read(&mut self, count: usize) {
        self.cursor.advance(count);
        self.read = self.read.wrapping_add(count);
        self.uncleared += count;
    }

    #[inline(always)]
    unsafe fn unread(&mut self, count: usize) {
        self.cursor.go_back(count);
        self.read = self.read.wrapping_sub(count);
        self.uncleared -= count;
    }

    /// Clears every partition that lies before the one before `cursor`'s (`iffq_deq_publish`).
    ///
    /// So the producer, which reads the first slot of the last cleared partition, never touches the
    /// line that the consumer reads.
    #[inline(always)]
    fn release(&mut self) {
        self.queue.read.store(self.read, Ordering::Relaxed);
        while self.uncleared >= self.partition {
            self.uncleared -= self.partition;
            // Ordering: Release pairs with the Acquire load in `Writable::can_extend`. The producer
            // reads only the first slot of a partition, which vouches for the partition cleared
            // before.
            self.clear.slot().store(EMPTY, Ordering::Release);
            self.clear.step();
            for _ in 1..self.partition {
                // Ordering: Relaxed, because the first slot of the next partition vouches for it.
                self.clear.slot().store(EMPTY, Ordering::Relaxed);
                self.clear.step();
            }
        }
    }
}

impl<T: NonZeroWord> Drop for RawConsumer<T> {
    #[inline(always)]
    fn drop(&mut self) {
        // The slots of a forgotten batch are cleared here, so that no end drops their items a
        // second time.
        raw::RawBatchConsumer::release(self);
        // SAFETY: only the consumer touches this cell while it lives.
        unsafe { self.queue.stopped_at.write(self.cursor) }
    }
}
