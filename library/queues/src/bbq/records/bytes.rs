//! Bytes of records as the content of blocks: units of space, and for each unit a word that shows
//! whether a record begins there.
//!
//! Such a *head* is a cursor: the lap, and the record's end. It is written when the record is
//! committed, and once more, with a bit, when one of many consumers has consumed it. The head's lap
//! number distinguishes it from those of older laps. Lap numbers wrap, so a head is renewed before
//! its number can come back. Records' bytes cannot be mistaken for heads, because they do not lie
//! among them.

use core::marker::PhantomData;
use core::ptr::NonNull;

use super::super::memory::{Block, Cursor, Entry, MOST, Marks, Parts, Reason};
use super::super::producer::ProducerSide;
use super::super::ring::{Content, Reuse, Ring};
use super::space::{Space, WORD};
use crate::backoff::HINTS_OF_A_RECORD;
use crate::error::CapacityError;
use crate::isolated::{LINE, LINE_PAIR};
use crate::sync::{AtomicUsize, Cell, Ordering};

/// Records, in units of `words` words.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<P, C> {
    words: usize,
    _sides: PhantomData<fn() -> (P, C)>,
}

/// The length of a dummy: the rest of a block, or a cancelled record.
pub(super) const NOTHING: usize = usize::MAX;

/// The bit of a head that is set if the record has been consumed.
const CONSUMED: usize = MOST / 2 + 1;

/// Returns the bytes of a word in memory: more than a word's for atomics in the model.
const fn stride<C: Reuse>() -> usize {
    <C::Entry<usize> as Entry>::SIZE
}

impl<P, C> Bytes<P, C> {
    /// Returns the bytes of a unit.
    const fn unit(self) -> usize {
        self.words * WORD
    }

    /// Returns how many units a record of that length takes.
    #[inline(always)]
    const fn units(self, len: usize) -> usize {
        (WORD + len).div_ceil(self.unit())
    }
}

impl<P: Marks, C: Reuse> Content for Bytes<P, C> {
    type Marks = P;
    type Reuse = C;
    const HINTS: usize = HINTS_OF_A_RECORD;

    fn least_bytes(self) -> usize {
        self.unit()
    }

    /// The first part is the heads, the second the units.
    ///
    /// The second word of a unit is aligned: the first word of a record is its length.
    fn parts(self, entries: usize) -> Option<Parts> {
        let heads = size_of::<Block>().checked_add(entries.checked_mul(size_of::<AtomicUsize>())?)?;
        let unit = self.words * stride::<C>();
        let second = heads.checked_add(stride::<C>())?.checked_next_multiple_of(unit.max(LINE))? - stride::<C>();
        let end = second.checked_add(entries.checked_mul(unit)?)?;
        let align = unit.max(LINE_PAIR);
        Some(Parts { align, second, end: end.checked_next_multiple_of(align)? })
    }

    unsafe fn initialise(self, block: NonNull<Block>, second: NonNull<u8>, used_up: Cursor) {
        // SAFETY: a block lies there, with room for its heads and units.
        unsafe {
            let heads = block.add(1).cast::<AtomicUsize>();
            for offset in 0..used_up.offset() {
                heads.add(offset).write(AtomicUsize::new(used_up.0 | CONSUMED));
            }
            let words = used_up.offset() * self.words;
            second.write_bytes(0, words * stride::<C>());
            for word in 0..words {
                C::Entry::<usize>::initialise(second.add(word * stride::<C>()));
            }
        }
    }

    /// Returns how many units the record at `at` takes, 0 if it is not committed.
    #[inline(always)]
    fn extent(ring: &Ring<Self>, block: NonNull<Block>, at: Cursor, _most: usize) -> usize {
        // Ordering: Acquire pairs with the Release store in `commit`: the record is there.
        let end = Cursor(ring.head(block, at.offset()).load(Ordering::Acquire));
        // Where another consumer was faster, the record may be consumed already; then the caller
        // will not get it.
        if end.begin() == at.begin() { (end.offset() & !CONSUMED) - at.offset() } else { 0 }
    }

    #[inline(always)]
    fn is_there(ring: &Ring<Self>, block: NonNull<Block>, at: Cursor) -> bool {
        Self::extent(ring, block, at, usize::MAX) > 0
    }

    #[inline(always)]
    fn is_close(ring: &Ring<Self>, block: NonNull<Block>, next: Cursor) -> bool {
        ring.is_last(block, next)
    }

    /// Walks from record to record.
    fn filled(ring: &Ring<Self>, block: NonNull<Block>, begin: Cursor) -> usize {
        let mut end = 0;
        while end < ring.size() {
            match Self::extent(ring, block, begin.plus(end), usize::MAX) {
                0 => break,
                units => end += units,
            }
        }
        end
    }

    /// Marks a record as consumed by one of many consumers.
    #[inline(always)]
    fn mark_consumed(ring: &Ring<Self>, block: NonNull<Block>, at: Cursor, units: usize) {
        // Ordering: Release pairs with the Acquire load in `all_records`: the record has been read.
        ring.head(block, at.offset()).store(at.plus(units).0 | CONSUMED, Ordering::Release);
    }

    /// Reads the consumers' head first: if it has moved on, usually no record need be read.
    ///
    /// Reads the block's own word last, because the records may be of the lap that another producer
    /// has opened since.
    fn is_last_there(ring: &Ring<Self>, head: Cursor) -> bool {
        let before = head.lap_before(head.offset());
        !ring.consumers_are_beyond(before) && !Self::are_consumed(ring, head) && !ring.block_of(head).is_open(before)
    }

    fn are_consumed(ring: &Ring<Self>, head: Cursor) -> bool {
        ring.all_records(head, true)
    }

    fn are_committed(ring: &Ring<Self>, head: Cursor) -> bool {
        ring.all_records(head, false)
    }

    /// Renews heads from before the last lap. No thread relies on them: in their laps, the block
    /// has been used up.
    #[cold]
    fn renew(ring: &Ring<Self>, head: Cursor) {
        let block = ring.at(head);
        let before = head.lap_before(ring.size());
        for offset in 0..ring.size() {
            let word = ring.head(block, offset);
            // Ordering: Relaxed, an old head and its successor both mean that no record is there.
            let old = Cursor(word.load(Ordering::Relaxed));
            if head.laps_since(old) > 1 {
                // An exchange: another producer may have committed a record there since the block
                // was opened.
                // Ordering: Acquire where it fails only keeps later stores behind (load buffering).
                let _ = word.compare_exchange(old.0, before.0 | CONSUMED, Ordering::Relaxed, Ordering::Acquire);
            }
        }
    }

    /// Does nothing: bytes need no drop.
    fn clear(_ring: &mut Ring<Self>) {}
}

impl<P: Marks, C: Reuse> Ring<Bytes<P, C>> {
    /// Makes a ring with this space for its records, in that lap.
    pub(super) fn for_space(space: Space, lap: usize) -> Result<Self, CapacityError> {
        let content = Bytes { words: space.align() / WORD, _sides: PhantomData };
        let geometry = space.geometry();
        Self::new(content, geometry, geometry.capacity(), lap)
    }

    #[inline(always)]
    fn head(&self, block: NonNull<Block>, offset: usize) -> &AtomicUsize {
        debug_assert!(offset < self.size());
        // SAFETY: behind the block's words lies a head for each unit.
        unsafe { block.add(1).cast::<AtomicUsize>().add(offset).as_ref() }
    }

    /// Returns the address of word number `word` of the record at `at`; number 0 is the length.
    ///
    /// # Safety
    /// `block` is one of the queue's, and the record has that word.
    #[inline(always)]
    pub(super) unsafe fn word(&self, block: NonNull<Block>, at: Cursor, word: usize) -> NonNull<u8> {
        let word = at.offset() * self.content.words + word;
        debug_assert!(word < self.size() * self.content.words);
        // SAFETY: within the block, as the caller promises.
        unsafe { self.blocks.second(block).add(word * stride::<C>()) }
    }

    /// Returns the length of the longest possible record, in bytes.
    #[inline(always)]
    pub(super) fn longest(&self) -> usize {
        self.size() * self.content.unit() - WORD
    }

    /// Returns the bytes of `units` units.
    pub(super) fn bytes_of(&self, units: u64) -> u64 {
        units.wrapping_mul(self.content.unit() as u64)
    }

    /// Writes the length of the record at `at`.
    ///
    /// # Safety
    /// The caller has claimed it.
    #[inline(always)]
    unsafe fn put_len(&self, block: NonNull<Block>, at: Cursor, len: usize) {
        // SAFETY: a record has at least its length's word, which is the caller's.
        unsafe { C::Entry::<usize>::put(self.word(block, at, 0), len) }
    }

    /// Commits the record that takes `units` units from `at` on.
    #[inline(always)]
    fn commit(&self, block: NonNull<Block>, at: Cursor, units: usize) {
        // Ordering: Release pairs with the Acquire load in `extent`; without it, a consumer reads
        // units not written yet.
        self.head(block, at.offset()).store(at.plus(units).0, Ordering::Release);
    }

    /// Whether all records of the block of `head` were committed in the lap before, and consumed if
    /// `consumed`.
    fn all_records(&self, head: Cursor, consumed: bool) -> bool {
        let (block, begin) = (self.at(head), head.lap_before(0));
        let mut offset = 0;
        while offset < self.size() {
            // Ordering: Acquire pairs with the Release stores in `mark_consumed` and `commit`: the
            // record has been read, or written.
            let end = Cursor(self.head(block, offset).load(Ordering::Acquire));
            if end.begin() != begin || (consumed && end.0 & CONSUMED == 0) {
                return false;
            }
            offset = end.offset() & !CONSUMED;
        }
        true
    }
}

impl<P: ProducerSide, C: Reuse> Ring<Bytes<P, C>> {
    /// Allocates the units of a record of that length, in one block.
    ///
    /// The rest of a block in which it does not fit becomes a dummy.
    #[inline(always)]
    pub(super) fn allocate_record(&self, state: &mut P::State, len: usize) -> Result<(Cursor, usize), Reason> {
        let units = self.content.units(len);
        loop {
            let (at, count) = P::allocate(self, state, units)?;
            if count == units {
                return Ok((at, units));
            }
            // SAFETY: allocated.
            unsafe { self.commit_record(P::block(state), at, count, NOTHING) };
        }
    }

    /// Commits the record at `at`, for which `units` units were allocated.
    ///
    /// # Safety
    /// The caller has allocated them, and has written the record, if it is one.
    #[inline(always)]
    pub(super) unsafe fn commit_record(&self, block: NonNull<Block>, at: Cursor, units: usize, len: usize) {
        // SAFETY: allocated.
        unsafe { self.put_len(block, at, len) };
        self.commit(block, at, units);
    }

    /// Returns how many of the units allocated from `at` on are used.
    ///
    /// A single producer takes the others back.
    #[inline(always)]
    pub(super) fn shrink(&self, state: &mut P::State, at: Cursor, units: usize, len: usize) -> usize {
        P::shrink(state, at, units, self.content.units(len))
    }
}

impl<P: Marks, C: Reuse> Ring<Bytes<P, C>> {
    /// Whether the record at `at` is a dummy.
    ///
    /// # Safety
    /// The record is committed, and no other thread writes it.
    pub(super) unsafe fn is_dummy(&self, block: NonNull<Block>, at: Cursor) -> bool {
        // SAFETY: a record has at least its length's word; the caller's promise.
        unsafe { self.word(block, at, 0).cast::<Cell<usize>>().as_ref().take() == NOTHING }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::consumer::RecordConsumerSide;
    use super::super::super::memory::RENEWAL;
    use super::super::super::side::{Multi, Overwritten, Single};
    use super::*;

    const UNITS: usize = 4;

    fn blocks<P: ProducerSide, C: Reuse>(first: usize) -> Ring<Bytes<P, C>> {
        Ring::for_space(Space::new(2, UNITS * WORD).expect("a small space"), first).expect("memory")
    }

    /// Adds a record that takes `units` units.
    fn push<P: ProducerSide, C: Reuse>(ring: &Ring<Bytes<P, C>>, state: &mut P::State, units: usize) {
        let len = (units - 1) * WORD;
        let (at, units) = ring.allocate_record(state, len).expect("there is room");
        // SAFETY: just allocated; its bytes may be arbitrary.
        unsafe { ring.commit_record(P::block(state), at, units, len) };
    }

    /// Puts a head of a later lap at an offset at which no record begins until then: it stands for
    /// one that is as old as there are lap numbers. Returns that lap.
    fn leave_a_head<P: ProducerSide, C: Reuse>(ring: &Ring<Bytes<P, C>>, first: usize, offset: usize) -> usize {
        let old = Cursor::new(first + 2, offset + 2);
        // Ordering: Relaxed, there is one thread.
        ring.head(ring.block(0), offset).store(old.0, Ordering::Relaxed);
        old.lap()
    }

    fn an_old_head_is_no_record<P: ProducerSide, C: RecordConsumerSide>() {
        let first = RENEWAL / 2 - 1;
        let ring = blocks::<P, C>(first);
        let (mut producer, mut consumer) = (P::start(&ring, ring.first()), C::start(&ring, ring.first()));
        let pop = |state: &mut C::State| {
            let (at, units) = C::reserve_record(&ring, state)?;
            C::consume(&ring, C::block(state), at, units);
            Ok::<_, Reason>((at.lap(), units))
        };
        let back = leave_a_head(&ring, first, 1);
        for lap in first..back {
            for _record in 0..2 * UNITS / 2 {
                push(&ring, &mut producer, 2);
                assert_eq!(pop(&mut consumer), Ok((lap, 2)));
            }
        }
        push(&ring, &mut producer, 1);
        assert_eq!(pop(&mut consumer), Ok((back, 1)));
        let (at, units) = ring.allocate_record(&mut producer, WORD).expect("there is room");
        assert_eq!((at, units), (Cursor::new(back, 1), 2));
        assert!(pop(&mut consumer).is_err(), "the record at {at:?} is not committed");
        // SAFETY: allocated; its bytes may be arbitrary.
        unsafe { ring.commit_record(P::block(&producer), at, units, WORD) };
        assert_eq!(pop(&mut consumer), Ok((back, 2)));
    }

    #[test]
    fn an_old_head_is_no_record_when_its_lap_number_comes_back() {
        an_old_head_is_no_record::<Single, Single>();
        an_old_head_is_no_record::<Single, Multi>();
        an_old_head_is_no_record::<Multi, Single>();
        an_old_head_is_no_record::<Multi, Multi>();
    }

    fn an_old_head_is_no_record_to_readers<P: ProducerSide>() {
        let first = RENEWAL / 2 - 1;
        let ring = blocks::<P, Overwritten>(first);
        let mut producer = P::start(&ring, ring.first());
        let back = leave_a_head(&ring, first, 1);
        for _record in 2 * first..2 * back {
            (0..UNITS / 2).for_each(|_| push(&ring, &mut producer, 2));
        }
        push(&ring, &mut producer, 1);
        let (at, units) = ring.allocate_record(&mut producer, WORD).expect("nobody is in the way");
        assert_eq!(Bytes::extent(&ring, P::block(&producer), at, 1), 0, "the record at {at:?} is not committed");
        // SAFETY: allocated; its bytes may be arbitrary.
        unsafe { ring.commit_record(P::block(&producer), at, units, WORD) };
        assert_eq!(Bytes::extent(&ring, P::block(&producer), at, 1), units);
    }

    #[test]
    fn an_old_head_is_no_record_of_a_drop_old_queue_either() {
        an_old_head_is_no_record_to_readers::<Single>();
        an_old_head_is_no_record_to_readers::<Multi>();
    }
}
