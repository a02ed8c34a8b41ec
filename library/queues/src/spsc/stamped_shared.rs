//! The state that both ends of a queue of stamped lines share.

use super::lines::{Lanes, LinePosition, Lines};
use crate::heap::drop_all;
use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, Cell};

/// The two indices, the places that the ends leave behind, and the lines.
pub(super) struct Stamped<T, L: Lanes<T>> {
    /// Group B: the consumer's position at its last report.
    pub(super) read: Isolated<AtomicUsize>,
    /// The number of items ever written. The producer's drop leaves it here for the end that frees
    /// the queue.
    pub(super) write_left: Isolated<Cell<usize>>,
    /// The consumer's place and the number of items ever read. Its drop leaves them here.
    pub(super) read_left: Isolated<Cell<(LinePosition<T, L>, usize)>>,
    /// The lines' memory. The ends reach it through their places.
    pub(super) _lines: Lines<T, L>,
}

// SAFETY: the ends hand items from one thread to another, which `T: Send` allows; they never share
// one.
unsafe impl<T: Send, L: Lanes<T>> Send for Stamped<T, L> {}
// SAFETY: the reason for `Send` holds.
unsafe impl<T: Send, L: Lanes<T>> Sync for Stamped<T, L> {}

impl<T, L: Lanes<T>> Drop for Stamped<T, L> {
    fn drop(&mut self) {
        // SAFETY: both ends wrote these when they were dropped, and both were initialised from the
        // start.
        let (write, (mut place, mut read)) = unsafe { (self.write_left.take(), self.read_left.take()) };
        if !core::mem::needs_drop::<T>() {
            return;
        }
        drop_all(&mut || {
            if read == place.line_end {
                place.next();
            }
            let count = place.line_end.wrapping_sub(read).min(write.wrapping_sub(read));
            let passed = LinePosition::<T, L>::SLOTS - place.line_end.wrapping_sub(read);
            // SAFETY: the pointer is at most one past the line's last slot.
            let first = unsafe { place.slots().add(passed) };
            read = read.wrapping_add(count);
            // SAFETY: these slots were written and not read; each is visited once.
            unsafe { Cell::drop_values(first.as_ptr(), count) };
            read != write
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::Whole;
    use super::*;
    use crate::isolated::{LINE_PAIR, assert_line_pairs};
    use core::mem::offset_of;

    #[test]
    fn each_group_has_its_own_lines() {
        type Queue = Stamped<u64, Whole>;
        let groups = [offset_of!(Queue, read), offset_of!(Queue, write_left), offset_of!(Queue, read_left)];
        assert_line_pairs(align_of::<Queue>(), &groups);
        let memory = offset_of!(Queue, _lines) / LINE_PAIR;
        assert!(groups.iter().all(|group| group / LINE_PAIR != memory), "what holds the memory shares a group's lines");
    }
}
