//! Copies of a ring's records.

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
    /// The words with which the writer labelled its blocks.
    pub label: &'s [u64],
}

/// The last records of a ring at one moment.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Snapshot {
    pub(super) bytes: Vec<u8>,
    /// The labels of the blocks, one behind the other.
    labels: Vec<u64>,
    pub(super) records: Vec<Found>,
    pub(super) overwritten: Amount,
    pub(super) total: Amount,
    damaged: usize,
    /// The place of the copied blocks in the ring.
    pub(super) blocks: Option<Blocks>,
}

/// Blocks of a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Blocks {
    /// The number of the first block that was not overwritten.
    pub(super) first: u64,
    /// Its index in the copy.
    pub(super) valid: usize,
    pub(super) end: u64,
}

/// A record, with the places of its values in the copy, and of its label.
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
        // Ordering: Acquire pairs with the Release of the commit. Without it, the copy may lack words of
        // records before `end`, or have a block's old header.
        let end = self.words[END].load(Ordering::Acquire);
        // A damaged file may hold any number.
        if end <= self.start() {
            return Some(Snapshot { damaged: usize::from(end < self.start()), ..Snapshot::default() });
        }
        let last = (end - 1) / self.block_bytes();
        let used = (end - last * self.block_bytes()) as usize;
        let first = (last + 1 - self.blocks as u64).max(self.blocks as u64);
        let mut copied = Vec::with_capacity((last + 1 - first) as usize * self.block_words);
        for number in first..=last {
            // Behind `end`, the writer may be writing.
            let words = if number == last { used.div_ceil(8) } else { self.block_words };
            copied.extend(self.slot(number)[..words].iter().map(|word| word.load(Ordering::Relaxed)));
        }
        // Ordering: Acquire pairs with the writer's release fence: if a word of a later block was copied, the
        // loads of the stamps find that block's number.
        fence(Ordering::Acquire);
        // Ordering: Acquire pairs with the Release of the stamp. Without it, `end` below may be an old one.
        let is_old = |number: &u64| self.slot(*number)[STAMP].load(Ordering::Acquire) != *number;
        // Blocks are overwritten in their order: if one is overwritten, so are all blocks before it.
        let valid = (first..=last).rev().find(is_old).map_or(first, |old| old + 1);
        if valid > last {
            // If the file is damaged, not the writer a lap ahead, `end` does not change.
            let is_still = self.words[END].load(Ordering::Relaxed) == end;
            return is_still.then(|| Snapshot { damaged: 1, ..Snapshot::default() });
        }
        let blocks = Blocks { first: valid, valid: (valid - first) as usize, end };
        Some(Snapshot::of(&copied, self, blocks, used))
    }

    /// Returns the words of a block.
    fn slot(&self, number: u64) -> &[Word] {
        self.block((number % self.blocks as u64) as usize)
    }
}

impl Snapshot {
    /// Finds the records in the blocks of a copy. The last block has `used` bytes.
    fn of(copied: &[u64], ring: &Ring<'_>, found: Blocks, used: usize) -> Self {
        let bytes: Vec<u8> = copied.iter().flat_map(|word| word.to_le_bytes()).collect();
        let blocks = copied.len().div_ceil(ring.block_words);
        let mut snapshot = Self { blocks: Some(found), ..Self::default() };
        for index in found.valid..blocks {
            let block = &copied[index * ring.block_words..];
            let len = if index + 1 == blocks { used } else { 8 * ring.block_words - SPARE };
            let is_whole = (8 * ring.header..=8 * ring.block_words - SPARE).contains(&len);
            let (true, Some(header)) = (is_whole, block.get(..ring.header)) else {
                snapshot.damaged += 1;
                continue;
            };
            let before = Amount { records: header[RECORDS_BEFORE], bytes: header[BYTES_BEFORE] };
            if index == found.valid {
                (snapshot.overwritten, snapshot.total) = (before, before);
            }
            snapshot.damaged += usize::from(snapshot.total != before);
            snapshot.total = before;
            let start = 8 * index * ring.block_words;
            let end = snapshot.read_block(header, &bytes[..start + len], start + 8 * ring.header);
            // All bytes before `end` in the last block are records.
            snapshot.damaged += usize::from(index + 1 == blocks && end.is_some_and(|end| end < start + len));
        }
        snapshot.bytes = bytes;
        snapshot
    }

    /// Adds the records of a block with this header, which are in the bytes from `at` on. Returns their end.
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

    /// Returns the exact number of records, and of their bytes, that were committed before the first record of
    /// the snapshot.
    #[must_use]
    pub fn overwritten(&self) -> Amount {
        self.overwritten
    }

    /// Returns the number of records that were committed up to the last record of the snapshot.
    #[must_use]
    pub fn total(&self) -> Amount {
        self.total
    }

    /// Returns the number of blocks that no writer can have left so: 0, unless another program has changed the
    /// memory.
    #[must_use]
    pub fn damaged(&self) -> usize {
        self.damaged
    }
}

/// Reads the head of a record: the number of the record's bytes, its tag, the ticks since the last record, and
/// the start of its values.
fn head(bytes: &[u8]) -> Option<(usize, u32, u64, usize)> {
    let form = [SHORT, LONG].into_iter().find(|head| head.form == u64::from(bytes[0]) & ((1 << FORM_BITS) - 1))?;
    let head = bytes.get(..form.bytes())?.iter().rev().fold(0, |head, byte| head << 8 | u128::from(*byte));
    let (len, tag, passed) = form.take(head);
    Some((form.bytes() + len, tag, passed, form.bytes()))
}
