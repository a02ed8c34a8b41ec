//! Bytes of records as the content of blocks: units of space, and beside each a word that says
//! whether a record begins there.
//!
//! Such a *head* is a cursor: the lap, and the record's end. It is written when the record is
//! committed, and once more, with a bit, when one of many consumers has consumed it. The head's lap
//! number distinguishes it from those of older laps. Lap numbers wrap, so a head is renewed before its
//! number can come back. Records' bytes cannot be mistaken for heads, because they do not lie among
//! them.

use core::ptr::NonNull;

use super::super::backoff::race::HINTS_OF_A_RECORD;
use super::super::block::{Block, Content};
use super::super::claim::Claims;
use super::super::cursor::{Cursor, MOST};
use super::super::entry::{Entry, EntryOf};
use super::super::shared::{Position, Shared};
use super::super::side::{Commits, ConsumesRecords, Reason, Single};
use crate::isolated::{LINE, LINE_PAIR};
use crate::sync::{AtomicUsize, Cell, Ordering};

/// Records, in units of `words` words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bytes {
    words: usize,
}

/// The bytes of a word.
pub(super) const WORD: usize = size_of::<usize>();

/// The length of a dummy: the rest of a block, or a cancelled record.
pub(super) const NOTHING: usize = usize::MAX;

/// The bit of a head that says that the record has been consumed.
const CONSUMED: usize = MOST / 2 + 1;

/// Returns the bytes of a word in memory: more than a word's for atomics in the model.
const fn stride<C: ConsumesRecords>() -> usize {
    <C::Entry<usize> as Entry>::SIZE
}

impl Bytes {
    pub(super) const fn aligned_to(align: usize) -> Self {
        Self { words: align / WORD }
    }

    /// Returns the bytes of a unit.
    pub(super) const fn unit(self) -> usize {
        self.words * WORD
    }

    /// Returns how many units a record of that length takes.
    #[inline(always)]
    const fn units(self, len: usize) -> usize {
        (WORD + len).div_ceil(self.unit())
    }

    fn align<C: ConsumesRecords>(self) -> usize {
        (self.words * stride::<C>()).max(LINE_PAIR)
    }
}

impl<P: Commits, C: ConsumesRecords> Content<P, C> for Bytes {
    const HINTS: usize = HINTS_OF_A_RECORD;

    fn align(self) -> usize {
        self.align::<C>()
    }

    fn least_bytes(self) -> usize {
        self.unit()
    }

    /// The first part is the heads, the second the units.
    ///
    /// The second word of a unit is aligned: the first word of a record is its length.
    fn parts(self, entries: usize) -> Option<(usize, usize)> {
        let heads = size_of::<Block>().checked_add(entries.checked_mul(size_of::<AtomicUsize>())?)?;
        let unit = self.words * stride::<C>();
        let units = heads.checked_add(stride::<C>())?.checked_next_multiple_of(unit.max(LINE))? - stride::<C>();
        let end = units.checked_add(entries.checked_mul(unit)?)?;
        Some((units, end.checked_next_multiple_of(self.align::<C>())?))
    }

    unsafe fn initialise(self, block: NonNull<u8>, second: NonNull<u8>, used_up: Cursor) {
        // SAFETY: a block lies there, with room for its heads and units.
        unsafe {
            let heads = block.add(size_of::<Block>()).cast::<AtomicUsize>();
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

    #[inline(always)]
    fn is_full(shared: &Shared<Self, P, C>, head: Cursor) -> bool {
        C::is_full_of_records(shared, head)
    }

    #[inline(always)]
    fn is_free(shared: &Shared<Self, P, C>, head: Cursor) -> bool {
        C::is_free_of_records(shared, head)
    }

    /// Renews heads from before the last lap. No thread goes by what they say: in their laps, the
    /// block has been used up.
    #[cold]
    fn renew(shared: &Shared<Self, P, C>, head: Cursor) {
        let block = shared.blocks.block(head.offset());
        let before = head.version_before(shared.size());
        for offset in 0..shared.size() {
            let word = shared.head(block, offset);
            // Ordering: Relaxed, an old head and its successor both say that no record is there.
            let old = Cursor(word.load(Ordering::Relaxed));
            if head.laps_since(old) > 1 {
                // An exchange: another producer may have committed a record there since the block was opened.
                let _ = word.compare_exchange(old.0, before.0 | CONSUMED, Ordering::Relaxed, Ordering::Relaxed);
            }
        }
    }

    #[inline(always)]
    fn is_there(shared: &Shared<Self, P, C>, block: NonNull<Block>, at: Cursor) -> bool {
        shared.extent(block, at) > 0
    }

    /// Goes from record to record.
    fn filled(shared: &Shared<Self, P, C>, block: NonNull<Block>, begin: Cursor) -> usize {
        let mut end = 0;
        while end < shared.size() {
            match shared.extent(block, begin.plus(end)) {
                0 => break,
                units => end += units,
            }
        }
        end
    }

    /// Does nothing: bytes need no drop.
    fn clear(_shared: &mut Shared<Self, P, C>) {}
}

impl<P: Commits, C: ConsumesRecords> Shared<Bytes, P, C> {
    #[inline(always)]
    fn head(&self, block: NonNull<Block>, offset: usize) -> &AtomicUsize {
        debug_assert!(offset < self.size());
        // SAFETY: behind the block's cursors lies a head for each unit.
        unsafe { block.cast::<u8>().add(size_of::<Block>()).cast::<AtomicUsize>().add(offset).as_ref() }
    }

    /// Returns the address of word number `word` of the record at `at`; number 0 is the length.
    ///
    /// # Safety
    /// `block` is one of the queue's, and the record has that word.
    #[inline(always)]
    pub(super) unsafe fn word(&self, block: NonNull<Block>, at: Cursor, word: usize) -> NonNull<u8> {
        let word = at.offset() * self.blocks.content.words + word;
        debug_assert!(word < self.size() * self.blocks.content.words);
        // SAFETY: within the block, as the caller promises.
        unsafe { self.blocks.second(block).add(word * stride::<C>()) }
    }

    /// Returns the length of the longest possible record, in bytes.
    #[inline(always)]
    pub(super) fn longest(&self) -> usize {
        self.size() * self.blocks.content.unit() - WORD
    }

    /// Returns the bytes of `units` units.
    pub(super) fn bytes_of(&self, units: u64) -> u64 {
        units.wrapping_mul(self.blocks.content.unit() as u64)
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
        // Ordering: Release pairs with the Acquire load in `extent`; without it, a consumer reads what is not written
        // yet.
        self.head(block, at.offset()).store(at.plus(units).0, Ordering::Release);
    }

    /// Returns how many units the record at `at` takes, 0 if it is not committed.
    #[inline(always)]
    pub(in super::super) fn extent(&self, block: NonNull<Block>, at: Cursor) -> usize {
        // Ordering: Acquire pairs with the Release store in `commit`: the record is there.
        let end = Cursor(self.head(block, at.offset()).load(Ordering::Acquire));
        // Where another consumer was faster, the record may be consumed already; then the caller will not get it.
        if end.begin() == at.begin() { (end.offset() & !CONSUMED) - at.offset() } else { 0 }
    }

    /// Whether the record before `next` was the last one available.
    #[inline(always)]
    pub(in super::super) fn is_close(&self, block: NonNull<Block>, next: Cursor) -> bool {
        next.offset() != self.size() && self.extent(block, next) == 0
    }

    /// Marks a record as consumed by one of many consumers.
    #[inline(always)]
    pub(in super::super) fn mark_consumed(&self, block: NonNull<Block>, at: Cursor, units: usize) {
        // Ordering: Release pairs with the Acquire load in `all_records`: the record has been read.
        self.head(block, at.offset()).store(at.plus(units).0 | CONSUMED, Ordering::Release);
    }

    /// Whether all records of a block have been committed in its lap, and consumed if `consumed`.
    ///
    /// `begin` is the start of the block in that lap.
    pub(in super::super) fn all_records(&self, block: NonNull<Block>, begin: Cursor, consumed: bool) -> bool {
        let mut offset = 0;
        while offset < self.size() {
            // Ordering: Acquire pairs with the Release stores in `mark_consumed` and `commit`: the record has been
            // read, or written.
            let end = Cursor(self.head(block, offset).load(Ordering::Acquire));
            if end.begin() != begin || (consumed && end.0 & CONSUMED == 0) {
                return false;
            }
            offset = end.offset() & !CONSUMED;
        }
        true
    }
}

impl<P: Claims, C: ConsumesRecords> Shared<Bytes, P, C> {
    /// Claims the units of a record of that length, in one block.
    ///
    /// The rest of a block in which it does not fit becomes a dummy.
    #[inline(always)]
    pub(super) fn claim_record(&self, position: &mut Position, len: usize) -> Result<(Cursor, usize), Reason> {
        let units = self.blocks.content.units(len);
        loop {
            let (at, count) = P::claim(self, position, units)?;
            if count == units {
                return Ok((at, units));
            }
            // SAFETY: claimed.
            unsafe { self.commit_record(position, at, count, NOTHING) };
        }
    }

    /// Commits the record at `at`, for which `units` units were claimed.
    ///
    /// # Safety
    /// The caller has claimed them, and has written the record, if it is one.
    #[inline(always)]
    pub(super) unsafe fn commit_record(&self, position: &Position, at: Cursor, units: usize, len: usize) {
        // SAFETY: claimed.
        unsafe { self.put_len(position.block, at, len) };
        self.commit(position.block, at, units);
    }

    /// Returns how many of the units claimed from `at` on are used.
    ///
    /// A single producer takes the others back.
    #[inline(always)]
    pub(super) fn shrink(&self, position: &mut Position, at: Cursor, units: usize, len: usize) -> usize {
        P::give_back(position, at, units, self.blocks.content.units(len))
    }
}

impl<P: Commits> Shared<Bytes, P, Single> {
    /// Whether the record at `at` is a dummy.
    ///
    /// # Safety
    /// The record is committed, and no other thread writes it.
    pub(in super::super) unsafe fn is_dummy(&self, block: NonNull<Block>, at: Cursor) -> bool {
        // SAFETY: a record has at least its length's word; the caller's promise.
        unsafe { self.word(block, at, 0).cast::<Cell<usize>>().as_ref().take() == NOTHING }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::cursor::RENEWAL;
    use super::super::super::reserve::ReservesRecords;
    use super::super::super::side::{Multi, Overwritten, Single};
    use super::super::space::Space;
    use super::*;

    const UNITS: usize = 4;

    fn blocks<P: Claims, C: ConsumesRecords>(first: usize) -> Shared<Bytes, P, C> {
        Space::new(2, UNITS * WORD).expect("a small space").shared(first).expect("memory")
    }

    /// Adds a record that takes so many units.
    fn push<P: Claims, C: ConsumesRecords>(shared: &Shared<Bytes, P, C>, position: &mut Position, units: usize) {
        let len = (units - 1) * WORD;
        let (at, units) = shared.claim_record(position, len).expect("there is room");
        // SAFETY: just claimed; its bytes may be any.
        unsafe { shared.commit_record(position, at, units, len) };
    }

    /// Puts a head of a later lap at an offset at which no record begins until then: it stands for one that is as old
    /// as there are lap numbers. Returns that lap.
    fn leave_a_head<P: Claims, C: ConsumesRecords>(shared: &Shared<Bytes, P, C>, first: usize, offset: usize) -> usize {
        let old = Cursor::new(first + 2, offset + 2);
        // Ordering: Relaxed, there is one thread.
        shared.head(shared.blocks.block(0), offset).store(old.0, Ordering::Relaxed);
        old.version()
    }

    fn an_old_head_is_no_record<P: Claims, C: ReservesRecords>() {
        let first = RENEWAL / 2 - 1;
        let shared = blocks::<P, C>(first);
        let (mut producer, mut consumer) = (shared.first(), shared.first());
        let pop = |position: &mut Position| {
            let (at, units) = C::reserve_record(&shared, position)?;
            C::consumed_record(&shared, position, at, units);
            Ok::<_, Reason>((at.version(), units))
        };
        let back = leave_a_head(&shared, first, 1);
        for lap in first..back {
            for _record in 0..2 * UNITS / 2 {
                push(&shared, &mut producer, 2);
                assert_eq!(pop(&mut consumer), Ok((lap, 2)));
            }
        }
        push(&shared, &mut producer, 1);
        assert_eq!(pop(&mut consumer), Ok((back, 1)));
        let (at, units) = shared.claim_record(&mut producer, WORD).expect("there is room");
        assert_eq!((at, units), (Cursor::new(back, 1), 2));
        assert!(pop(&mut consumer).is_err(), "the record at {at:?} is not committed");
        // SAFETY: claimed; its bytes may be any.
        unsafe { shared.commit_record(&producer, at, units, WORD) };
        assert_eq!(pop(&mut consumer), Ok((back, 2)));
    }

    #[test]
    fn an_old_head_is_no_record_when_its_lap_number_comes_back() {
        an_old_head_is_no_record::<Single, Single>();
        an_old_head_is_no_record::<Single, Multi>();
        an_old_head_is_no_record::<Multi, Single>();
        an_old_head_is_no_record::<Multi, Multi>();
    }

    fn an_old_head_is_no_record_to_readers<P: Claims>() {
        let first = RENEWAL / 2 - 1;
        let shared = blocks::<P, Overwritten>(first);
        let mut producer = shared.first();
        let back = leave_a_head(&shared, first, 1);
        for _record in 2 * first..2 * back {
            (0..UNITS / 2).for_each(|_| push(&shared, &mut producer, 2));
        }
        push(&shared, &mut producer, 1);
        let (at, units) = shared.claim_record(&mut producer, WORD).expect("nobody is in the way");
        assert_eq!(shared.extent(producer.block, at), 0, "the record at {at:?} is not committed");
        // SAFETY: claimed; its bytes may be any.
        unsafe { shared.commit_record(&producer, at, units, WORD) };
        assert_eq!(shared.extent(producer.block, at), units);
    }

    #[test]
    fn an_old_head_is_no_record_of_a_drop_old_queue_either() {
        an_old_head_is_no_record_to_readers::<Single>();
        an_old_head_is_no_record_to_readers::<Multi>();
    }
}
