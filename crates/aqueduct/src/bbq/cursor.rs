//! Words of a version and an offset (the seed's `Cursor` and `Head`, 4.1), and how long their versions last.
//!
//! The upper three quarters of a word are the version: how often the block has been used. The lower quarter is an offset in the
//! block, or the index of a block. On a machine of 64 bits a block has up to 65,535 entries, a queue up to 65,535 blocks, and
//! versions come back after 2^48 laps: a queue of the least size (2 blocks of 1 entry) that moves a hundred million items a
//! second does that in 65 days, one of 4096 items in 400 years. Nothing breaks then; a thread that slept in the middle of an
//! operation for *exactly* that many laps would take the old state for the present one. Versions are compared for equality
//! alone, never for order, so no shorter sleep matters. On 32 bits: 255 entries, 255 blocks, 2^24 laps.

/// A version and an offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cursor(pub(super) usize);

/// Bits of the offset.
pub(super) const OFFSET_BITS: u32 = usize::BITS / 4;

/// The most entries that a block can have, and the most blocks of a queue.
pub(super) const MOST: usize = (1 << OFFSET_BITS) - 1;

impl Cursor {
    #[inline(always)]
    pub(super) const fn new(version: usize, offset: usize) -> Self {
        Self(version << OFFSET_BITS | offset)
    }

    #[inline(always)]
    pub(super) const fn version(self) -> usize {
        self.0 >> OFFSET_BITS
    }

    #[inline(always)]
    pub(super) const fn offset(self) -> usize {
        self.0 & MOST
    }

    /// The same version, `count` entries further on. The caller sees to it that the offset stays in its bits.
    #[inline(always)]
    pub(super) const fn plus(self, count: usize) -> Self {
        Self(self.0 + count)
    }

    /// How many entries this is after `at`; 0 if it is before that, or of another version. Both are of one line.
    #[inline(always)]
    pub(super) const fn shortly_after(self, at: Self) -> usize {
        // Where they are of one version, it is no more than a line; else nearly a version at least, before or after.
        let count = self.0.wrapping_sub(at.0);
        if count > MOST / 2 { 0 } else { count }
    }

    /// The begin of the block in the same version.
    #[inline(always)]
    pub(super) const fn begin(self) -> Self {
        Self(self.0 & !MOST)
    }

    /// The version before, at `offset`: around the end of the versions, if need be.
    #[inline(always)]
    pub(super) const fn version_before(self, offset: usize) -> Self {
        Self(self.begin().0.wrapping_sub(1 << OFFSET_BITS) | offset)
    }

    /// The block after the one that this is the head of, in a queue of `blocks` blocks.
    #[inline(always)]
    pub(super) const fn next_block(self, blocks: usize) -> Self {
        let next = self.plus(1);
        if next.offset() == blocks { self.first_of_next_lap() } else { next }
    }

    /// Stands apart, so that it is a branch: that comes once a lap, and to choose without one costs all others four instructions.
    #[cold]
    const fn first_of_next_lap(self) -> Self {
        Self(self.begin().0.wrapping_add(1 << OFFSET_BITS))
    }

    /// The block before the one that this is the head of, in a queue of `blocks` blocks.
    #[inline(always)]
    pub(super) const fn block_before(self, blocks: usize) -> Self {
        if self.offset() == 0 { self.version_before(blocks - 1) } else { Self(self.0 - 1) }
    }

    /// How many laps after `other`'s this version is; negative if it is before. Around the end of the versions, if need be.
    #[inline(always)]
    pub(super) const fn laps_after(self, other: Self) -> isize {
        self.begin().0.wrapping_sub(other.begin().0).cast_signed() >> OFFSET_BITS
    }

    /// The version's lowest bit: what tells an entry's mark in this lap from the one of the lap before.
    #[inline(always)]
    pub(super) const fn parity(self) -> u8 {
        (self.version() & 1) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_offsets_do_not_mix() {
        let last = usize::MAX >> OFFSET_BITS;
        for version in [0, 1, 2, last - 1, last] {
            for offset in [0, 1, MOST - 1, MOST] {
                let cursor = Cursor::new(version, offset);
                assert_eq!((cursor.version(), cursor.offset()), (version, offset));
                assert_eq!(cursor.parity(), (version % 2) as u8);
                assert_eq!(cursor.begin(), Cursor::new(version, 0));
            }
        }
    }

    #[test]
    fn cursors_of_a_line_are_close_only_in_one_version() {
        let last = usize::MAX >> OFFSET_BITS;
        let line = 64.min(MOST / 2);
        for version in [0, 1, last] {
            for first in [0, 7, MOST - line] {
                for (from, to) in [(0, 0), (0, 1), (1, line), (0, line), (line, line)] {
                    let (at, stamp) = (Cursor::new(version, first + from), Cursor::new(version, first + to));
                    assert_eq!(stamp.shortly_after(at), to - from);
                    assert!(from == to || at.shortly_after(stamp) == 0);
                    // Of a lap before, and of a later one.
                    assert_eq!(stamp.version_before(stamp.offset()).shortly_after(at), 0);
                    assert_eq!(stamp.shortly_after(at.version_before(at.offset())), 0);
                    assert_eq!(at.version_before(at.offset()).shortly_after(stamp), 0);
                    assert_eq!(at.shortly_after(stamp.version_before(stamp.offset())), 0);
                }
            }
        }
    }

    #[test]
    fn versions_go_around() {
        let last = usize::MAX >> OFFSET_BITS;
        assert_eq!(Cursor::new(last, 2).next_block(3), Cursor::new(0, 0));
        assert_eq!(Cursor::new(last, 1).next_block(3), Cursor::new(last, 2));
        for index in 0..3 {
            let head = Cursor::new(last, index);
            assert_eq!(head.next_block(3).block_before(3), head);
        }
        assert_eq!(Cursor::new(0, 1).version_before(7), Cursor::new(last, 7));
        assert_eq!(Cursor::new(1, 5).laps_after(Cursor::new(last, 9)), 2);
        assert_eq!(Cursor::new(last, 9).laps_after(Cursor::new(1, 5)), -2);
        assert_eq!(Cursor::new(7, 9).laps_after(Cursor::new(7, 5)), 0);
        // The parity alternates there, too.
        assert_ne!(Cursor::new(last, 0).parity(), Cursor::new(0, 0).parity());
    }
}
