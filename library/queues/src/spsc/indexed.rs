//! The memory that the two ends of a Lamport queue share.
//!
//! (Groups A, B and F of Maffione, Lettieri and Rizzo, 2018, section 2.2.)

use super::slots::{SlotArray, SlotCursor};
use crate::error::CapacityError;
use crate::heap::End;
use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, Cell, Ordering};

/// The slots and the two indices that show which of them are filled.
///
/// The indices count items and wrap. Each end itself maps an index to a slot, so the number of
/// slots need not be a power of two.
pub(super) struct Indexed<T> {
    /// Group A: items ever published. Written by the producer.
    pub(super) write: Isolated<AtomicUsize>,
    /// Group B: items whose slots were given back. Written by the consumer.
    pub(super) read: Isolated<AtomicUsize>,
    /// The consumer's last cursor. Its drop leaves it here for the end that frees the queue.
    pub(super) stopped_at: Isolated<Cell<SlotCursor<Cell<T>>>>,
    /// Group F. The ends reach it through their cursors.
    slots: SlotArray<Cell<T>>,
}

// SAFETY: the ends hand items from one thread to another, which `T: Send` allows; they never share
// one.
unsafe impl<T: Send> Send for Indexed<T> {}
// SAFETY: the reason for `Send` holds.
unsafe impl<T: Send> Sync for Indexed<T> {}

/// Two ends of one queue, and the cursor at which both start.
pub(super) type IndexedEnds<T> = (End<Indexed<T>>, End<Indexed<T>>, SlotCursor<Cell<T>>);

impl<T> Indexed<T> {
    /// Makes both ends of a queue on `slots`, with its indices starting at `index`.
    pub(super) fn ends(slots: SlotArray<Cell<T>>, index: usize) -> Result<IndexedEnds<T>, CapacityError> {
        let cursor = slots.cursor(0);
        let stopped_at = Cell::new(cursor);
        let (producer, consumer) = End::pair(Self {
            write: Isolated(AtomicUsize::new(index)),
            read: Isolated(AtomicUsize::new(index)),
            stopped_at: Isolated(stopped_at),
            slots,
        })?;
        Ok((producer, consumer, cursor))
    }

    /// Returns the number of items, for the producer that has written `write` items so far.
    ///
    /// It loads the other end's index only, so a wait for room depends on nothing else.
    #[inline]
    pub(super) fn len_for_producer(&self, write: usize) -> usize {
        // Ordering: Relaxed, because a length permits no access.
        write.wrapping_sub(self.read.load(Ordering::Relaxed))
    }

    /// Returns the number of items, for the consumer that has read `read` items so far.
    #[inline]
    pub(super) fn len_for_consumer(&self, read: usize) -> usize {
        // Ordering: Relaxed, because a length permits no access.
        self.write.load(Ordering::Relaxed).wrapping_sub(read)
    }
}

impl<T> Drop for Indexed<T> {
    fn drop(&mut self) {
        if !self.slots.are_here() {
            return;
        }
        // Ordering: Relaxed, because both ends are gone.
        let count = self.len_for_consumer(self.read.load(Ordering::Relaxed));
        // SAFETY: the last end is gone. The consumer's drop wrote `stopped_at` (it is initialised
        // from the start), and the `count` slots from there on hold values.
        unsafe { SlotArray::drop_values(self.stopped_at.take(), count) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isolated::{LINE_PAIR, assert_line_pairs};
    use core::mem::offset_of;

    #[test]
    fn each_group_has_its_own_lines() {
        type Queue = Indexed<u64>;
        let groups = [offset_of!(Queue, write), offset_of!(Queue, read), offset_of!(Queue, stopped_at)];
        assert_line_pairs(align_of::<Queue>(), &groups);
        let memory = offset_of!(Queue, slots) / LINE_PAIR;
        assert!(groups.iter().all(|group| group / LINE_PAIR != memory), "what holds the memory shares a group's lines");
    }
}
