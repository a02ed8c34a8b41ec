//! The memory of the stamped-line queue: a ring of cache lines, each a stamp followed by slots.
//!
//! Two queues of opposite directions may share their lines; each has half of each line.

use core::alloc::Layout;
use core::marker::PhantomData;
use core::ptr::NonNull;

use crate::error::CapacityError;
use crate::heap::{End, allocate, free, most_bytes};
use crate::isolated::{LINE, LINE_PAIR};
use crate::sync::{AtomicUsize, Cell};

/// The division of lines among queues: each queue's lane, and the distance to the next line.
pub trait Lanes<T> {
    /// The bytes of a lane.
    const LANE: usize;
    /// The bytes from one line's start to the next one's.
    const STRIDE: usize;
}

/// The division in which one queue has its lines to itself.
#[derive(Debug)]
pub struct Whole;

impl<T> Lanes<T> for Whole {
    const LANE: usize = whole_line::<T>();
    const STRIDE: usize = <Self as Lanes<T>>::LANE;
}

/// The division in which queues of items `T` and `U` have half of each line.
#[derive(Debug)]
pub struct SharedWith<U>(PhantomData<U>);

impl<T, U> Lanes<T> for SharedWith<U> {
    const LANE: usize = larger(half_line::<T>(), half_line::<U>())
        .next_multiple_of(larger(align_of::<Cell<T>>(), align_of::<Cell<U>>()));
    const STRIDE: usize = 2 * <Self as Lanes<T>>::LANE;
}

const fn larger(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// Returns the first slot's offset in a lane.
const fn first<T>() -> usize {
    larger(size_of::<AtomicUsize>(), align_of::<Cell<T>>())
}

/// Returns the bytes of a line that one queue has to itself.
///
/// The line is one cache line if three quarters of it hold items. Otherwise it is two or four of
/// them, if three quarters of those do; otherwise as few as an item takes.
const fn whole_line<T>() -> usize {
    let (size, align) = (size_of::<Cell<T>>(), larger(align_of::<Cell<T>>(), LINE));
    let mut bytes = align;
    while bytes <= 4 * LINE {
        let payload = match bytes.saturating_sub(first::<T>()).checked_div(size) {
            Some(slots) => slots * size,
            None => bytes,
        };
        if 4 * payload >= 3 * bytes {
            return bytes;
        }
        bytes *= 2;
    }
    (first::<T>() + size).next_multiple_of(align)
}

/// Returns the bytes of half a line.
///
/// The half is half a cache line if an item fits into it, otherwise as many lines as an item takes.
const fn half_line<T>() -> usize {
    let bytes = first::<T>() + size_of::<Cell<T>>();
    if bytes <= LINE / 2 { LINE / 2 } else { bytes.next_multiple_of(larger(align_of::<Cell<T>>(), LINE)) }
}

/// The start of a queue's lane of one line.
struct LaneStart<T, L> {
    at: NonNull<u8>,
    _items: PhantomData<(T, L)>,
}

impl<T, L> Clone for LaneStart<T, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, L> Copy for LaneStart<T, L> {}

/// A line of the ring, and the index at which it ends in the current lap. Each end keeps one.
pub(super) struct LinePosition<T, L> {
    line: LaneStart<T, L>,
    /// One past the index of the line's last item.
    pub(super) line_end: usize,
    begin: NonNull<u8>,
    end: NonNull<u8>,
}

impl<T, L> Clone for LinePosition<T, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, L> Copy for LinePosition<T, L> {}

impl<T, L: Lanes<T>> LinePosition<T, L> {
    /// The number of slots in a line.
    ///
    /// Items without a size take none of its bytes; then any number is right.
    pub(super) const SLOTS: usize = match (L::LANE - first::<T>()).checked_div(size_of::<Cell<T>>()) {
        Some(slots) => slots,
        None => LINE,
    };

    /// Returns the line's stamp.
    #[inline(always)]
    pub(super) fn stamp(&self) -> &AtomicUsize {
        // SAFETY: a lane begins with its stamp, which is initialised with the ring and lives as
        // long as either end.
        unsafe { self.line.at.cast::<AtomicUsize>().as_ref() }
    }

    /// Returns the line's first slot.
    #[inline(always)]
    pub(super) fn slots(&self) -> NonNull<Cell<T>> {
        // SAFETY: the slots lie in the lane.
        unsafe { self.line.at.add(first::<T>()).cast() }
    }

    /// Moves on to the next line. After the last line comes the first one.
    #[inline(always)]
    pub(super) fn next(&mut self) {
        // SAFETY: the address is at most one past the last line.
        let next = unsafe { self.line.at.add(L::STRIDE) };
        self.line.at = if next == self.end { self.begin } else { next };
        self.line_end = self.line_end.wrapping_add(Self::SLOTS);
    }

    /// Returns the number of lines of the ring.
    pub(super) fn lines(&self) -> usize {
        // SAFETY: both pointers belong to one allocation, in this order.
        unsafe { self.end.offset_from_unsigned(self.begin) / L::STRIDE }
    }

    /// Returns the place `lines` lines further on, at most one lap.
    pub(super) fn ahead(&self, lines: usize) -> Self {
        // SAFETY: both pointers belong to one allocation, in this order.
        let here = unsafe { self.line.at.offset_from_unsigned(self.begin) } / L::STRIDE;
        let there = (here + lines) % self.lines();
        // SAFETY: `there` is the number of a line of the ring.
        let at = unsafe { self.begin.add(there * L::STRIDE) };
        let line_end = self.line_end.wrapping_add(lines.wrapping_mul(Self::SLOTS));
        Self { line: LaneStart { at, _items: PhantomData }, line_end, ..*self }
    }
}

/// The bytes of a ring of lines.
pub(super) struct LineMemory {
    begin: NonNull<u8>,
    layout: Layout,
}

impl Drop for LineMemory {
    fn drop(&mut self) {
        // SAFETY: the memory was allocated with this layout; stamps need no drop.
        unsafe { free(self.begin, self.layout) }
    }
}

// SAFETY: the memory has no content of its own; its users answer for the items that cross threads.
unsafe impl Send for LineMemory {}
// SAFETY: the reason for `Send` holds.
unsafe impl Sync for LineMemory {}

/// A queue's hold on its memory, which it frees when it is dropped.
#[expect(dead_code, reason = "held for their drop")]
enum MemoryHold {
    Own(LineMemory),
    Half(End<LineMemory>),
}

/// A queue's lane of a ring of lines. It owns the memory, not the content of the slots.
pub(super) struct Lines<T, L> {
    _hold: MemoryHold,
    first: LinePosition<T, L>,
    /// The number of items by which the producer's index may be ahead of the consumer's last
    /// report.
    pub(super) allowance: usize,
}

impl<T, L: Lanes<T>> Lines<T, L> {
    /// Returns how many items the consumer may have read and not reported.
    ///
    /// That is `report_every` lines, and the next one except for its last item.
    fn unreported(report_every: usize) -> usize {
        (report_every.max(1) + 1) * LinePosition::<T, L>::SLOTS
    }

    /// Returns the greatest capacity of lines in one block of that alignment.
    fn most(report_every: usize, align: usize) -> usize {
        // The second lane's offset takes some bytes.
        let lines = most_bytes(align).saturating_sub(L::STRIDE - L::LANE) / L::STRIDE;
        (lines.saturating_sub(1) * LinePosition::<T, L>::SLOTS).saturating_sub(Self::unreported(report_every))
    }

    /// Returns how many lines that allowance takes.
    ///
    /// That is one line more than it fills, so that the producer never enters the line that the
    /// consumer is in.
    fn lines(allowance: usize) -> usize {
        allowance.div_ceil(LinePosition::<T, L>::SLOTS) + 1
    }

    /// Makes lane number `lane` of the lines at `begin`. All its stamps hold `index`, which
    /// announces no item.
    ///
    /// # Safety
    /// There are `lines` lines at `begin`, `hold` keeps them alive, and no other queue has the
    /// lane.
    unsafe fn lane(
        hold: MemoryHold,
        begin: NonNull<u8>,
        lane: usize,
        lines: usize,
        allowance: usize,
        index: usize,
    ) -> Self {
        // SAFETY: both are within the block, which the second lane's offset extends beyond the last
        // line.
        let (begin, end) = unsafe { (begin.add(lane * L::LANE), begin.add(lane * L::LANE + lines * L::STRIDE)) };
        for line in 0..lines {
            // SAFETY: the stamp is within the block, and aligned: lanes and strides are multiples
            // of the alignment.
            unsafe { begin.add(line * L::STRIDE).cast::<AtomicUsize>().write(AtomicUsize::new(index)) };
        }
        let line_end = index.wrapping_add(LinePosition::<T, L>::SLOTS);
        let first = LinePosition { line: LaneStart { at: begin, _items: PhantomData }, line_end, begin, end };
        Self { _hold: hold, first, allowance }
    }

    /// Returns the first line, which begins at the index that the ring was made with.
    pub(super) fn place(&self) -> LinePosition<T, L> {
        self.first
    }
}

/// Returns the alignment of a block, so that none of its lines shares a pair of lines with anything
/// else.
fn alignment<T>() -> usize {
    align_of::<Cell<T>>().max(LINE_PAIR)
}

/// Returns an error for a capacity other than 1 to `max`.
fn check(capacity: usize, max: usize) -> Result<(), CapacityError> {
    match capacity {
        0 => Err(CapacityError::Zero),
        _ if capacity > max => Err(CapacityError::TooLarge { asked: capacity, max }),
        _ => Ok(()),
    }
}

impl LineMemory {
    /// Makes `lines` lines. `Lines::most` has made sure that their bytes do not overflow.
    fn new<T, L: Lanes<T>>(lines: usize, align: usize) -> Result<Self, CapacityError> {
        let bytes = (lines * L::STRIDE + L::STRIDE - L::LANE).next_multiple_of(align);
        let layout = Layout::from_size_align(bytes, align).map_err(|_| CapacityError::OutOfMemory { bytes })?;
        Ok(Self { begin: allocate(layout)?, layout })
    }
}

impl<T> Lines<T, Whole> {
    /// Makes lines for one queue whose consumer reports every `report_every` lines.
    pub(super) fn new(capacity: usize, report_every: usize, index: usize) -> Result<Self, CapacityError> {
        let align = alignment::<T>();
        check(capacity, Self::most(report_every, align))?;
        let allowance = capacity + Self::unreported(report_every);
        let lines = Self::lines(allowance);
        let block = LineMemory::new::<T, Whole>(lines, align)?;
        let begin = block.begin;
        // SAFETY: the block has that many lines, which no other queue uses.
        Ok(unsafe { Self::lane(MemoryHold::Own(block), begin, 0, lines, allowance, index) })
    }
}

/// Makes lines for two queues of one capacity, each with half of every line.
#[expect(clippy::type_complexity, reason = "two queues' lines, named nowhere else")]
pub(super) fn shared_lines<T, U>(
    capacity: usize,
    report_every: usize,
    index: usize,
) -> Result<(Lines<T, SharedWith<U>>, Lines<U, SharedWith<T>>), CapacityError> {
    type Ours<T, U> = Lines<T, SharedWith<U>>;
    type Theirs<T, U> = Lines<U, SharedWith<T>>;
    let align = alignment::<T>().max(alignment::<U>());
    check(capacity, Ours::<T, U>::most(report_every, align).min(Theirs::<T, U>::most(report_every, align)))?;
    let ours = capacity + Ours::<T, U>::unreported(report_every);
    let theirs = capacity + Theirs::<T, U>::unreported(report_every);
    let lines = Ours::<T, U>::lines(ours).max(Theirs::<T, U>::lines(theirs));
    let block = LineMemory::new::<T, SharedWith<U>>(lines, align)?;
    let begin = block.begin;
    let (one, other) = End::pair(block)?;
    // SAFETY: the block has that many lines, each lane belongs to one queue, and each queue holds
    // an end of the block.
    unsafe {
        Ok((
            Lines::lane(MemoryHold::Half(one), begin, 0, lines, ours, index),
            Lines::lane(MemoryHold::Half(other), begin, 1, lines, theirs, index),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(64))]
    struct Aligned64<const N: usize>([u8; N]);
    #[repr(align(128))]
    struct Aligned128<const N: usize>([u8; N]);

    /// Asserts that stamps and slots lie in the lane, aligned, and that lines are whole cache
    /// lines.
    fn check<T, L: Lanes<T>>(slots: usize, lane: usize, stride: usize) {
        let name = core::any::type_name::<(T, L)>();
        assert_eq!((LinePosition::<T, L>::SLOTS, L::LANE, L::STRIDE), (slots, lane, stride), "{name}");
        assert!(first::<T>() >= size_of::<AtomicUsize>() && first::<T>().is_multiple_of(align_of::<T>()), "{name}");
        assert!(first::<T>() + slots * size_of::<T>() <= lane, "{name}");
        assert!(stride.is_multiple_of(LINE) && stride.is_multiple_of(align_of::<T>()), "{name}");
        assert!(lane.is_multiple_of(align_of::<T>()) && lane.is_multiple_of(align_of::<AtomicUsize>()), "{name}");
    }

    #[test]
    fn whole_lines_hold_their_stamp_and_their_slots() {
        check::<(), Whole>(LINE, LINE, LINE);
        check::<u8, Whole>(64 - size_of::<usize>(), 64, 64);
        check::<[u8; 3], Whole>((64 - size_of::<usize>()) / 3, 64, 64);
        check::<u64, Whole>(7, 64, 64);
        check::<[u64; 3], Whole>(2, 64, 64);
        check::<[u64; 5], Whole>(3, 128, 128);
        check::<[u64; 9], Whole>(3, 256, 256);
        check::<[u8; 300], Whole>(1, 320, 320);
        check::<Aligned64<64>, Whole>(3, 256, 256);
        check::<Aligned64<0>, Whole>(LINE, 64, 64);
    }

    #[test]
    fn half_lines_suit_both_kinds_of_items() {
        check::<u64, SharedWith<u64>>(3, 32, 64);
        check::<u64, SharedWith<[u8; 300]>>(39, 320, 640);
        check::<[u8; 300], SharedWith<u64>>(1, 320, 640);
        // Either lane would fit into 320 bytes, but the second lane's items would be misaligned.
        check::<[u8; 300], SharedWith<Aligned128<128>>>(1, 384, 768);
        check::<Aligned128<128>, SharedWith<[u8; 300]>>(2, 384, 768);
        check::<(), SharedWith<u8>>(LINE, 32, 64);
    }

    #[test]
    fn places_ahead_are_where_stepping_leads() {
        let lines = Lines::<u64, Whole>::new(20, 1, usize::MAX - 10).expect("a small ring");
        let mut place = lines.place();
        for start in 0..place.lines() + 1 {
            let mut stepped = place;
            for ahead in 0..=place.lines() {
                let there = place.ahead(ahead);
                assert_eq!((there.line.at, there.line_end), (stepped.line.at, stepped.line_end), "{start} + {ahead}");
                stepped.next();
            }
            place.next();
        }
    }
}
