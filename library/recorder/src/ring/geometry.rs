//! The layout of a ring: the words of its head and of its blocks.

use core::fmt;

use super::Word;
use crate::sync::Ordering;

/// The head's word of the thread that writes, or 0.
pub(crate) const OWNER: usize = 0;
/// The position behind the last committed record.
pub(crate) const END: usize = 1;
/// The number of committed records, as the last owner left it.
pub(crate) const RECORDS: usize = 2;
/// The number of bytes of these records.
pub(crate) const BYTES: usize = 3;
/// The number of records that were refused because they were too long.
pub(crate) const REFUSED: usize = 4;
/// In a dump of a window: the number of records that it left out before its first record.
pub(crate) const LEFT_OUT_RECORDS: usize = 5;
/// The number of bytes of these records.
pub(crate) const LEFT_OUT_BYTES: usize = 6;
/// 1 if the ring is from a dump of a window. Then `RECORDS` and `BYTES` also count the records
/// behind the window.
pub(crate) const IS_CUT: usize = 7;
/// The number of words of the head: a cache line.
pub(crate) const HEAD: usize = 8;

/// The block's number, or 0 if the slot has never held a block.
pub(crate) const STAMP: usize = 0;
/// The number of records that were committed before the block.
pub(crate) const RECORDS_BEFORE: usize = 1;
/// The number of bytes of these records.
pub(crate) const BYTES_BEFORE: usize = 2;
/// The time from which the first record's time counts.
pub(crate) const TIME: usize = 3;
/// The thread that wrote the block's records.
pub(crate) const WRITER: usize = 4;
/// The first word of the writer's label.
pub(crate) const LABEL: usize = 5;
/// The greatest number of words of a label.
pub(crate) const LONGEST_LABEL: usize = 8;

/// The number of bits of a record's head that distinguish the layouts. A zero byte is not a head:
/// it ends the block's records.
pub(crate) const FORM_BITS: u32 = 2;

/// The layout of a record's head: the form, the bytes of its values, its tag, and the ticks since
/// the record before.
pub(crate) struct Head {
    pub(crate) form: u64,
    pub(crate) len_bits: u32,
    pub(crate) tag_bits: u32,
    pub(crate) time_bits: u32,
}

impl Head {
    pub(crate) const fn bytes(&self) -> usize {
        (FORM_BITS + self.len_bits + self.tag_bits + self.time_bits) as usize / 8
    }

    /// Returns the head's bits.
    #[inline]
    pub(crate) fn put(&self, len: usize, tag: u32, passed: u64) -> u128 {
        let start = self.form | (len as u64) << FORM_BITS | u64::from(tag) << (FORM_BITS + self.len_bits);
        u128::from(start) | u128::from(passed) << (FORM_BITS + self.len_bits + self.tag_bits)
    }

    /// Returns the number of bytes of the values, the tag and the ticks.
    pub(crate) fn take(&self, head: u128) -> (usize, u32, u64) {
        let part = |from: u32, bits: u32| (head >> from) as u64 & ((1 << bits) - 1);
        let (tag, time) = (FORM_BITS + self.len_bits, FORM_BITS + self.len_bits + self.tag_bits);
        (part(FORM_BITS, self.len_bits) as usize, part(tag, self.tag_bits) as u32, part(time, self.time_bits))
    }
}

/// Six bytes, for most records.
pub(crate) const SHORT: Head = Head { form: 1, len_bits: 6, tag_bits: 12, time_bits: 28 };
/// Ten bytes, for all other records.
pub(crate) const LONG: Head = Head { form: 2, len_bits: 13, tag_bits: TAG_BITS, time_bits: 45 };
pub(crate) const TAG_BITS: u32 = 20;

/// The number of bytes at the end of a block that records do not use. So a commit can always store
/// the word of the byte behind the record, without a branch.
pub(crate) const SPARE: usize = 8;

/// The error of words that cannot be a ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LayoutError;

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a ring needs a head and at least two blocks, with room for a record in each")
    }
}

impl core::error::Error for LayoutError {}

/// A view of a ring's memory.
///
/// # Examples
/// ```
/// use aqueduct_recorder::ring::{Ring, Word};
///
/// let words: Vec<Word> = (0..Ring::words(2, 64)).map(|_| Word::new(0)).collect();
/// let ring = Ring::new(&words, 64, 0)?;
/// ring.clear();
/// let mut writer = ring.claim(1).expect("the ring has no writer");
/// for number in 0..1000 {
///     let mut draft = writer.record(number, 7, 4).expect("there is room for it");
///     draft.put(number * number, 4);
///     draft.commit();
/// }
/// let snapshot = ring.snapshot();
/// let last = snapshot.records().last().expect("the ring is not empty");
/// assert_eq!((last.number, last.tag, last.values), (999, 7, &(999_u32 * 999).to_le_bytes()[..]));
/// assert_eq!(snapshot.overwritten().records + snapshot.records().count() as u64, 1000);
/// # Ok::<(), aqueduct_recorder::ring::LayoutError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Ring<'m> {
    pub(super) words: &'m [Word],
    pub(super) block_words: usize,
    pub(super) blocks: usize,
    /// The number of words of a block before its first record.
    pub(super) header: usize,
}

impl<'m> Ring<'m> {
    /// Returns the number of words of a ring with `blocks` blocks of `block_words` words.
    #[must_use]
    pub const fn words(blocks: usize, block_words: usize) -> usize {
        HEAD + blocks * block_words
    }

    /// Makes a view of a ring whose blocks have `block_words` words each. `label_words` of them
    /// hold the writer's label, and 6 others hold no records either.
    ///
    /// Words behind the last block are not used.
    ///
    /// # Errors
    /// [`LayoutError`] if the words are too few for two blocks, or a block is too short for a
    /// record, or a label has more than 8 words.
    pub fn new(words: &'m [Word], block_words: usize, label_words: usize) -> Result<Self, LayoutError> {
        let blocks = words.len().checked_sub(HEAD).ok_or(LayoutError)?.checked_div(block_words).ok_or(LayoutError)?;
        if blocks < 2 || label_words > LONGEST_LABEL || block_words < LABEL + label_words + 2 {
            return Err(LayoutError);
        }
        Ok(Self { words, block_words, blocks, header: LABEL + label_words })
    }

    /// Makes an empty ring, in memory that is not in use as a ring.
    ///
    /// Other threads and processes must find the ring by an acquire load of a later release store.
    pub fn clear(&self) {
        for slot in 0..self.blocks {
            self.block(slot)[STAMP].store(0, Ordering::Relaxed);
        }
        for word in [OWNER, RECORDS, BYTES, REFUSED, LEFT_OUT_RECORDS, LEFT_OUT_BYTES, IS_CUT] {
            self.words[word].store(0, Ordering::Relaxed);
        }
        self.words[END].store(self.start(), Ordering::Relaxed);
    }

    /// Returns the position of an empty ring's end: before the first block.
    pub(super) fn start(&self) -> u64 {
        self.blocks as u64 * self.block_bytes()
    }

    /// Returns the number of bytes of a block, which is the number of its positions.
    pub(super) fn block_bytes(&self) -> u64 {
        8 * self.block_words as u64
    }

    /// Returns the words of the block in a slot.
    #[inline]
    pub(super) fn block(&self, slot: usize) -> &'m [Word] {
        let start = HEAD + slot * self.block_words;
        &self.words[start..start + self.block_words]
    }

    /// Counts a record that is too long.
    #[cold]
    pub(super) fn refuse(&self) {
        self.words[REFUSED].fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of records that were refused because they were too long for a block.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.words[REFUSED].load(Ordering::Relaxed)
    }

    /// Returns the number of the thread that writes, or 0.
    #[must_use]
    pub fn owner(&self) -> u64 {
        self.words[OWNER].load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Ring<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ring").field("blocks", &self.blocks).field("block_words", &self.block_words).finish()
    }
}
