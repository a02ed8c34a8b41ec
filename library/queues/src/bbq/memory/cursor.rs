//! Words of a lap number and an offset, and how long lap numbers last.
//!
//! They are the `Cursor` and the `Head` of the BBQ paper (Wang et al., USENIX ATC 2022, section
//! 4.1). Its word for the lap number is *version*.
//!
//! The upper three quarters of a word are the lap number: how often the block has been used. The
//! lower quarter is an offset in the block, or the index of a block. On a 64-bit machine a block
//! has up to 65,535 entries, a queue up to 65,535 blocks, and lap numbers wrap after 2^48 laps: a
//! queue of the least size (2 blocks of 1 entry) that moves a hundred million items a second does
//! that in 65 days, one of 4096 items in 400 years. On 32 bits: 255 entries, 255 blocks, 2^24 laps.
//!
//! Nothing breaks at the wrap. Lap numbers are compared for equality, or for their distance from
//! one that is known to be older, and never for order: no number is later than another. So a thread
//! that is suspended in the middle of an operation mistakes the old state for the current one after
//! *exactly* a multiple of 2^48 laps (2^24), and notices the change after any other number. Code
//! that counts laps needs more bits ([`tube::Blocks`](crate::tube::Blocks)) or documents when its
//! counts become too low ([`drop_old`](super::super::drop_old)).
//!
//! A word of a block must not rest until its lap number comes back either. Words that not every lap
//! writes are [renewed](super::super::ring::Content::renew) four times until then: a record's head
//! at an offset where no record has begun since, and the report that a block is committed.

pub(crate) use crate::division::{BITS as OFFSET_BITS, MOST};

/// The number of laps from one renewal of a block's words to the next: a quarter of all lap
/// numbers.
pub(crate) const RENEWAL: usize = 1 << (usize::BITS - OFFSET_BITS - 2);

/// A lap number and an offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cursor(pub(crate) usize);

impl Cursor {
    #[inline(always)]
    pub(crate) const fn new(lap: usize, offset: usize) -> Self {
        Self(lap << OFFSET_BITS | offset)
    }

    #[inline(always)]
    pub(crate) const fn lap(self) -> usize {
        self.0 >> OFFSET_BITS
    }

    #[inline(always)]
    pub(crate) const fn offset(self) -> usize {
        self.0 & MOST
    }

    /// Returns the cursor `count` entries further on, in this lap. The offset must not overflow its
    /// bits.
    #[inline(always)]
    pub(crate) const fn plus(self, count: usize) -> Self {
        Self(self.0 + count)
    }

    /// Returns how many entries this is after `at`, or 0.
    ///
    /// It is 0 if this is before `at`, or of another lap. Both cursors are of one line.
    #[inline(always)]
    pub(crate) const fn shortly_after(self, at: Self) -> usize {
        // The difference is at most a line if both are of one lap, and nearly a lap at least
        // otherwise.
        let count = self.0.wrapping_sub(at.0);
        if count > MOST / 2 { 0 } else { count }
    }

    /// Returns how many entries `later` is after this, in this lap; `None` if it is of another lap.
    ///
    /// It is 0 if `later` is before this: a word of additions is brought back from beyond the
    /// block's end.
    #[inline(always)]
    pub(crate) const fn entries_until(self, later: Self) -> Option<usize> {
        if self.begin().0 == later.begin().0 { Some(later.offset().saturating_sub(self.offset())) } else { None }
    }

    /// Returns the start of the block in this lap.
    #[inline(always)]
    pub(crate) const fn begin(self) -> Self {
        Self(self.0 & !MOST)
    }

    /// Returns the cursor at `offset` in the lap before, around the end of the lap numbers if need
    /// be.
    #[inline(always)]
    pub(crate) const fn lap_before(self, offset: usize) -> Self {
        Self(self.begin().0.wrapping_sub(1 << OFFSET_BITS) | offset)
    }

    /// Returns the head of the block after this head's, in a queue of `blocks` blocks.
    #[inline(always)]
    pub(crate) const fn next_block(self, blocks: usize) -> Self {
        let next = self.plus(1);
        if next.offset() == blocks { self.first_of_next_lap() } else { next }
    }

    /// A function of its own, so that the caller has a branch.
    ///
    /// The branch is taken once a lap; a choice without a branch would cost all other calls
    /// instructions.
    #[cold]
    const fn first_of_next_lap(self) -> Self {
        self.next_lap()
    }

    /// Returns the start of the next lap.
    #[inline(always)]
    pub(crate) const fn next_lap(self) -> Self {
        Self(self.begin().0.wrapping_add(1 << OFFSET_BITS))
    }

    /// Returns the head of the block before this head's, in a queue of `blocks` blocks.
    #[inline(always)]
    pub(crate) const fn block_before(self, blocks: usize) -> Self {
        if self.offset() == 0 { self.lap_before(blocks - 1) } else { Self(self.0 - 1) }
    }

    /// Whether a block that is opened in this lap has its words renewed.
    #[inline(always)]
    pub(crate) const fn renews(self) -> bool {
        self.lap() % RENEWAL == RENEWAL / 2
    }

    /// Returns how many laps this cursor is after `other`.
    ///
    /// `other` is of this lap or an older one, but not of one that is 2^48 laps older (2^24 on 32
    /// bits).
    #[inline(always)]
    pub(crate) const fn laps_since(self, other: Self) -> usize {
        self.begin().0.wrapping_sub(other.begin().0) >> OFFSET_BITS
    }

    /// Returns how many laps this cursor is after `other`, negative if it is before.
    ///
    /// Correct for fewer than half of the lap numbers.
    #[inline(always)]
    pub(crate) const fn laps_from(self, other: Self) -> isize {
        self.begin().0.wrapping_sub(other.begin().0).cast_signed() >> OFFSET_BITS
    }

    /// Whether this head's block is `other`'s, or comes after it by at most a lap.
    #[inline(always)]
    pub(crate) const fn is_within_a_lap_after(self, other: Self) -> bool {
        self.0.wrapping_sub(other.0) <= 1 << OFFSET_BITS
    }

    /// Returns the lap number's lowest bit, which distinguishes a mark of this lap from one of the
    /// lap before.
    #[inline(always)]
    pub(crate) const fn parity(self) -> u8 {
        (self.lap() & 1) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laps_and_offsets_do_not_mix() {
        let last = usize::MAX >> OFFSET_BITS;
        for lap in [0, 1, 2, last - 1, last] {
            for offset in [0, 1, MOST - 1, MOST] {
                let cursor = Cursor::new(lap, offset);
                assert_eq!((cursor.lap(), cursor.offset()), (lap, offset));
                assert_eq!(cursor.parity(), (lap % 2) as u8);
                assert_eq!(cursor.begin(), Cursor::new(lap, 0));
            }
        }
    }

    #[test]
    fn cursors_of_a_line_are_close_only_in_one_lap() {
        let last = usize::MAX >> OFFSET_BITS;
        let line = 64.min(MOST / 2);
        for lap in [0, 1, last] {
            for first in [0, 7, MOST - line] {
                for (from, to) in [(0, 0), (0, 1), (1, line), (0, line), (line, line)] {
                    let (at, stamp) = (Cursor::new(lap, first + from), Cursor::new(lap, first + to));
                    assert_eq!(stamp.shortly_after(at), to - from);
                    assert!(from == to || at.shortly_after(stamp) == 0);
                    // Of a lap before, and of a later one.
                    assert_eq!(stamp.lap_before(stamp.offset()).shortly_after(at), 0);
                    assert_eq!(stamp.shortly_after(at.lap_before(at.offset())), 0);
                    assert_eq!(at.lap_before(at.offset()).shortly_after(stamp), 0);
                    assert_eq!(at.shortly_after(stamp.lap_before(stamp.offset())), 0);
                }
            }
        }
    }

    #[test]
    fn heads_are_within_a_lap_of_the_blocks_up_to_the_one_of_that_index() {
        for blocks in [2, 3, MOST] {
            for index in [0, 1, blocks - 1] {
                let from = Cursor::new(usize::MAX, index);
                let heads = core::iter::successors(Some(from), |head| Some(head.next_block(blocks)));
                for (distance, head) in heads.take(3 * blocks).enumerate() {
                    assert_eq!(head.is_within_a_lap_after(from), distance <= blocks, "{from:?} {head:?} of {blocks}");
                }
                for laps in [1, 2, usize::MAX >> (OFFSET_BITS + 1), usize::MAX >> OFFSET_BITS] {
                    let older = Cursor::new(usize::MAX - laps, index);
                    assert_eq!(older.is_within_a_lap_after(from), laps == usize::MAX >> OFFSET_BITS, "{laps}");
                }
            }
        }
    }

    #[test]
    fn words_are_renewed_four_times_until_lap_numbers_come_back() {
        let all = 1 << (usize::BITS - OFFSET_BITS);
        let quarters = [1, 3, 5, 7].map(|eighths| all / 8 * eighths);
        for lap in quarters {
            assert!(Cursor::new(lap, 3).renews());
            for other in [lap - 1, lap + 1, lap / 2, 0, 1, all - 1] {
                assert_eq!(Cursor::new(other, 3).renews(), quarters.contains(&other), "{other}");
            }
        }
    }

    #[test]
    fn laps_go_around() {
        let last = usize::MAX >> OFFSET_BITS;
        assert_eq!(Cursor::new(last, 2).next_block(3), Cursor::new(0, 0));
        assert_eq!(Cursor::new(last, 1).next_block(3), Cursor::new(last, 2));
        for index in 0..3 {
            let head = Cursor::new(last, index);
            assert_eq!(head.next_block(3).block_before(3), head);
        }
        assert_eq!(Cursor::new(0, 1).lap_before(7), Cursor::new(last, 7));
        let (before, after) = (Cursor::new(last, 9), Cursor::new(1, 5));
        assert_eq!((after.laps_from(before), before.laps_from(after)), (2, -2));
        assert_eq!((after.laps_since(before), before.laps_since(after)), (2, last - 1));
        assert_eq!(Cursor::new(7, 9).laps_since(Cursor::new(7, 5)), 0);
        // The parity alternates there, too.
        assert_ne!(Cursor::new(last, 0).parity(), Cursor::new(0, 0).parity());
    }

    /// Consumers that use fetch-and-add go beyond the end of a block, and the last of them brings
    /// the word back.
    #[test]
    fn a_word_that_was_brought_back_is_no_entry_further_on() {
        let (beyond, end) = (Cursor::new(1, 12), Cursor::new(1, 8));
        assert_eq!((beyond.entries_until(end), end.entries_until(beyond)), (Some(0), Some(4)));
        assert_eq!(end.entries_until(Cursor::new(2, 9)), None);
    }
}
