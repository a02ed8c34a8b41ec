//! The common part of FastForward's queues: slots that hold an item in one atomic word, or null if
//! they are empty.

use super::slots::{SlotArray, SlotCursor};
use crate::error::CapacityError;
use crate::heap::{End, drop_all};
use crate::isolated::Isolated;
use crate::sync::{AtomicPtr, AtomicUsize, Cell, Ordering};
use crate::word::{NonZeroWord, decode};

/// A slot: null, or an item.
pub(super) type Word = AtomicPtr<()>;

/// The word of an empty slot.
pub(super) const EMPTY: *mut () = core::ptr::null_mut();

/// The memory that the two ends of a FastForward queue share.
///
/// Maffione, Lettieri and Rizzo (2018) keep the indices in the private groups D and E. Here each
/// index has lines of its own, too, but in shared memory, so that the other end can compute `len`.
pub(super) struct WordSlots<T: NonZeroWord> {
    /// Group D: items ever pushed. Written by the producer.
    pub(super) write: Isolated<AtomicUsize>,
    /// Group E: items ever popped. Written by the consumer.
    pub(super) read: Isolated<AtomicUsize>,
    /// The consumer's last cursor. Its drop leaves it here for the end that frees the queue.
    pub(super) stopped_at: Isolated<Cell<SlotCursor<Word>>>,
    /// Group F: the slots' memory. The ends reach it through their cursors.
    _slots: SlotArray<Word>,
    /// Makes `T` invariant. Otherwise an end could be used as one for items of a shorter lifetime.
    _items: core::marker::PhantomData<Cell<T>>,
}

// SAFETY: the ends hand items from one thread to another, which `T: Send` allows; they never share
// one.
unsafe impl<T: NonZeroWord + Send> Send for WordSlots<T> {}
// SAFETY: the reason for `Send` holds.
unsafe impl<T: NonZeroWord + Send> Sync for WordSlots<T> {}

/// The two ends of a queue, and the cursor at which both start.
pub(super) type WordEnds<T> = (End<WordSlots<T>>, End<WordSlots<T>>, SlotCursor<Word>);

impl<T: NonZeroWord> WordSlots<T> {
    /// Makes both ends of a queue of `capacity + spare` slots, rounded up to a multiple of `unit`.
    ///
    /// Both start at slot `start`. The slots before it look taken (they hold a value that is not an
    /// item), all others are empty. The counters start at `index`.
    pub(super) fn ends(
        capacity: usize,
        spare: usize,
        unit: usize,
        start: usize,
        index: usize,
    ) -> Result<WordEnds<T>, CapacityError> {
        const { assert!(size_of::<T>() <= size_of::<usize>(), "the type does not fit a word") };
        let taken = core::ptr::without_provenance_mut(1);
        let slots = SlotArray::new(capacity, spare, unit, |i| Word::new(if i < start { taken } else { EMPTY }))?;
        let cursor = slots.cursor(start);
        let (producer, consumer) = End::pair(Self {
            write: Isolated(AtomicUsize::new(index)),
            read: Isolated(AtomicUsize::new(index)),
            stopped_at: Isolated(Cell::new(cursor)),
            _slots: slots,
            _items: core::marker::PhantomData,
        })?;
        Ok((producer, consumer, cursor))
    }

    /// Returns the number of items pushed and not popped.
    #[inline]
    pub(super) fn len(&self) -> usize {
        // Ordering: Acquire, for the reason in `len_after`.
        self.len_after(self.read.load(Ordering::Acquire))
    }

    /// Returns the number of items pushed after the first `read`.
    #[inline]
    pub(super) fn len_after(&self, read: usize) -> usize {
        // Ordering: Acquire only keeps later stores behind (load buffering): a length permits no
        // access. The calling end reads its own counter exactly; a stale value of the other one can
        // make `read` pass `write`, which counts as 0.
        let len = self.write.load(Ordering::Acquire).wrapping_sub(read);
        if len.cast_signed() < 0 { 0 } else { len }
    }
}

impl<T: NonZeroWord> Drop for WordSlots<T> {
    fn drop(&mut self) {
        // SAFETY: the consumer's drop wrote it, and it was initialised from the start.
        let mut cursor = unsafe { self.stopped_at.take() };
        let mut left = self.len();
        drop_all(&mut || {
            if left == 0 {
                return false;
            }
            left -= 1;
            // Ordering: Relaxed, because both ends are gone, and `End` ordered all that they did
            // before this.
            let word = cursor.slot().load(Ordering::Relaxed);
            cursor.step();
            // SAFETY: the item was pushed and not popped, and is visited once.
            drop(unsafe { decode::<T>(word) });
            true
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isolated::{LINE_PAIR, assert_line_pairs};
    use core::mem::offset_of;

    #[test]
    fn each_group_has_its_own_lines() {
        type Queue = WordSlots<core::num::NonZeroU64>;
        let groups = [offset_of!(Queue, write), offset_of!(Queue, read), offset_of!(Queue, stopped_at)];
        assert_line_pairs(align_of::<Queue>(), &groups);
        let memory = offset_of!(Queue, _slots) / LINE_PAIR;
        assert!(groups.iter().all(|group| group / LINE_PAIR != memory), "what holds the memory shares a group's lines");
    }
}
