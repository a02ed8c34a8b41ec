//! Copies of a ring's records.

use core::mem;
use core::ops::Range;

use super::Word;
use super::geometry::{
    BYTES_BEFORE, END, FORM_BITS, LABEL, LONG, RECORDS_BEFORE, Ring, SHORT, SPARE, STAMP, TIME, WRITER,
};
use crate::sync::{Ordering, fence};

/// A number of records, and of their bytes, the heads included.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Amount {
    /// The number of records.
    pub records: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Amount {
    /// Adds two amounts. A damaged file may hold any amount.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { records: self.records.saturating_add(other.records), bytes: self.bytes.saturating_add(other.bytes) }
    }

    /// Subtracts an amount, down to zero.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self { records: self.records.saturating_sub(other.records), bytes: self.bytes.saturating_sub(other.bytes) }
    }
}

/// A record of a [`Snapshot`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record<'s> {
    /// The number of records that were committed to the ring before.
    pub number: u64,
    /// The thread that wrote it.
    pub owner: u64,
    /// Its time, in the writer's ticks.
    pub time: u64,
    /// Its tag.
    pub tag: u32,
    /// The number of its bytes, its head included.
    pub bytes: u64,
    /// The bytes of its values.
    pub values: &'s [u8],
    /// The label that the writer stored in its blocks.
    pub label: &'s [u64],
}

/// The last records of a ring at one moment.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Snapshot {
    pub(super) bytes: Vec<u8>,
    /// The start of each block in the bytes, and their end.
    pub(super) starts: Vec<usize>,
    /// The labels of the blocks, one behind the other.
    labels: Vec<u64>,
    pub(super) records: Vec<Found>,
    pub(super) overwritten: Amount,
    pub(super) total: Amount,
    damaged: usize,
    /// Numbers and indices of the copied blocks.
    pub(super) blocks: Option<Blocks>,
}

/// Blocks of a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Blocks {
    /// The number of the first block that was not overwritten.
    pub(super) first: u64,
    /// Index of that block in the copy.
    pub(super) valid: usize,
    pub(super) end: u64,
}

/// A record, with the ranges of its values in the copy, and of its label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Found {
    pub(super) number: u64,
    owner: u64,
    pub(super) time: u64,
    tag: u32,
    pub(super) bytes: u64,
    pub(super) values: Range<usize>,
    label: Range<usize>,
}

impl Ring<'_> {
    /// Copies the records that are in the ring.
    ///
    /// Lock-free: repeated if the writer has overwritten the whole ring during the copy.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        loop {
            if let Some(snapshot) = self.copy() {
                return snapshot;
            }
        }
    }

    /// Copies the records, unless the last block is overwritten meanwhile.
    fn copy(&self) -> Option<Snapshot> {
        // Ordering: Acquire pairs with the Release of the commit. Without it, the copy may lack
        // words of records before `end`, or have a block's old header.
        let end = self.words[END].load(Ordering::Acquire);
        // A damaged file may hold any number.
        if end <= self.start() {
            return Some(Snapshot { damaged: usize::from(end < self.start()), ..Snapshot::default() });
        }
        let last = (end - 1) / self.block_bytes();
        let used = (end - last * self.block_bytes()) as usize;
        let first = self.first_stamped((last + 1 - self.blocks as u64).max(self.blocks as u64), last);
        let (mut bytes, mut starts) = (Vec::new(), vec![0]);
        for number in first..=last {
            // Behind `end`, the writer may be writing.
            let words = if number == last { used.div_ceil(8) } else { self.block_words };
            copy_words(&self.slot(number)[..words], &mut bytes);
            starts.push(bytes.len());
        }
        // Ordering: Acquire pairs with the writer's release fence: if a word of a later block was
        // copied, the loads of the stamps find that block's number.
        fence(Ordering::Acquire);
        // Ordering: Acquire pairs with the Release of the stamp. Without it, `end` below may be
        // old.
        let is_old = |number: &u64| self.slot(*number)[STAMP].load(Ordering::Acquire) != *number;
        // Blocks are overwritten in their order: if one is overwritten, so are all blocks before
        // it.
        let valid = (first..=last).rev().find(is_old).map_or(first, |old| old + 1);
        if valid > last {
            // If `end` has not changed, the writer is not a lap ahead: the file is damaged.
            let is_still = self.words[END].load(Ordering::Relaxed) == end;
            return is_still.then(|| Snapshot { damaged: 1, ..Snapshot::default() });
        }
        let blocks = Blocks { first: valid, valid: (valid - first) as usize, end };
        Some(Snapshot { bytes, starts, blocks: Some(blocks), ..Snapshot::default() }.parsed(self, used))
    }

    /// Returns the first block from which on no stamp is missing, up to `last`, if there are very
    /// many blocks.
    ///
    /// A small file with holes may claim any number of blocks, which must not be copied one by one.
    fn first_stamped(&self, first: u64, last: u64) -> u64 {
        const MANY: u64 = 1 << 12;
        // Ordering: Relaxed. The stamps of the remaining blocks are checked again after the copy.
        let is_missing = |number: &u64| self.slot(*number)[STAMP].load(Ordering::Relaxed) != *number;
        if last - first < MANY { first } else { (first..=last).rev().find(is_missing).map_or(first, |one| one + 1) }
    }

    /// Returns the words of a block.
    fn slot(&self, number: u64) -> &[Word] {
        self.block((number % self.blocks as u64) as usize)
    }
}

/// The number of words that are copied at a time. A record is shorter: if all of them are 0, the
/// records have ended before.
const CHUNK: usize = 2048;

/// Copies words, up to the end of a chunk of zeros: a file with holes may claim blocks of any size.
fn copy_words(words: &[Word], to: &mut Vec<u8>) {
    for chunk in words.chunks(CHUNK) {
        let mut all = 0;
        to.reserve(8 * chunk.len());
        for word in chunk {
            let word = word.load(Ordering::Relaxed);
            all |= word;
            to.extend_from_slice(&word.to_le_bytes());
        }
        if all == 0 {
            break;
        }
    }
}

impl Snapshot {
    /// Finds the records in the copied blocks. The last block has `used` bytes in the ring.
    fn parsed(mut self, ring: &Ring<'_>, used: usize) -> Self {
        let (bytes, starts) = (mem::take(&mut self.bytes), mem::take(&mut self.starts));
        let blocks = starts.len() - 1;
        for index in self.blocks.map_or(0, |found| found.valid)..blocks {
            let (start, copied) = (starts[index], starts[index + 1]);
            let len = if index + 1 == blocks { used } else { 8 * ring.block_words - SPARE };
            let is_whole = (8 * ring.header..=8 * ring.block_words - SPARE).contains(&len);
            let (true, Some(header)) = (is_whole, bytes[start..copied].get(..8 * ring.header)) else {
                self.damaged += 1;
                continue;
            };
            let header: Vec<u64> = words_of(header).collect();
            let before = Amount { records: header[RECORDS_BEFORE], bytes: header[BYTES_BEFORE] };
            if self.blocks.is_some_and(|found| found.valid == index) {
                (self.overwritten, self.total) = (before, before);
            }
            self.damaged += usize::from(self.total != before);
            self.total = before;
            let end = self.read_block(&header, &bytes[..(start + len).min(copied)], start + 8 * ring.header);
            // All bytes before `end` in the last block are records.
            self.damaged += usize::from(index + 1 == blocks && end.is_some_and(|end| end < start + len));
        }
        Self { bytes, starts, ..self }
    }

    /// Adds the records of a block with this header, from byte `at` on. Returns their end.
    fn read_block(&mut self, header: &[u64], bytes: &[u8], mut at: usize) -> Option<usize> {
        let mut time = header[TIME];
        let label = self.labels.len()..self.labels.len() + header.len() - LABEL;
        self.labels.extend(&header[LABEL..]);
        while let Some(&first) = bytes.get(at)
            && first != 0
        {
            let Some((len, tag, passed, values)) = head(&bytes[at..]).filter(|(len, ..)| *len <= bytes.len() - at)
            else {
                self.damaged += 1;
                return None;
            };
            time = time.wrapping_add(passed);
            self.records.push(Found {
                number: self.total.records,
                owner: header[WRITER],
                time,
                tag,
                bytes: len as u64,
                values: at + values..at + len,
                label: label.clone(),
            });
            self.total.records = self.total.records.wrapping_add(1);
            self.total.bytes = self.total.bytes.wrapping_add(len as u64);
            at += len;
        }
        Some(at)
    }

    /// Returns the records, in the order of writing and without a gap.
    pub fn records(&self) -> impl DoubleEndedIterator<Item = Record<'_>> + ExactSizeIterator {
        self.records.iter().map(|&Found { number, owner, time, tag, bytes, ref values, ref label }| Record {
            number,
            owner,
            time,
            tag,
            bytes,
            values: &self.bytes[values.clone()],
            label: &self.labels[label.clone()],
        })
    }

    /// Returns the exact number of records, and of their bytes, that were committed before the
    /// first record of the snapshot.
    #[must_use]
    pub fn overwritten(&self) -> Amount {
        self.overwritten
    }

    /// Returns the number of records that were committed up to the last record of the snapshot.
    #[must_use]
    pub fn total(&self) -> Amount {
        self.total
    }

    /// Returns the number of invalid blocks: 0, unless another program has changed the memory.
    #[must_use]
    pub fn damaged(&self) -> usize {
        self.damaged
    }
}

/// Returns words that hold bytes. The last word may not be full.
pub(super) fn words_of(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks(8).map(|bytes| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)))
}

/// Reads the head of a record: the number of the record's bytes, its tag, the ticks since the last
/// record, and the start of its values.
fn head(bytes: &[u8]) -> Option<(usize, u32, u64, usize)> {
    let form = [SHORT, LONG].into_iter().find(|head| head.form == u64::from(bytes[0]) & ((1 << FORM_BITS) - 1))?;
    let head = bytes.get(..form.bytes())?.iter().rev().fold(0, |head, byte| head << 8 | u128::from(*byte));
    let (len, tag, passed) = form.take(head);
    Some((form.bytes() + len, tag, passed, form.bytes()))
}
