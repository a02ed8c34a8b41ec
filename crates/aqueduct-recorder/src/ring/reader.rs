//! Copies of a ring's records.

use core::ops::Range;

use super::Word;
use super::geometry::{
    BYTES, BYTES_BEFORE, END, HEAD, LABEL, LEN_BITS, LONG, LONGEST, RECORDS, RECORDS_BEFORE, REFUSED, Ring, STAMP,
    TAG_BITS, TIME, WRITER,
};
use crate::sync::{Ordering, fence};

/// A number of records, and their bytes: 8 for each word, those of the heads included.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Amount {
    /// The number of records.
    pub records: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Amount {
    /// Adds two amounts. A damaged file may have any.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { records: self.records.saturating_add(other.records), bytes: self.bytes.saturating_add(other.bytes) }
    }
}

/// A record of a [`Snapshot`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record<'s> {
    /// How many records were committed to the ring before it.
    pub number: u64,
    /// The thread that wrote it.
    pub owner: u64,
    /// Its time, in the writer's ticks.
    pub time: u64,
    /// Its tag.
    pub tag: u32,
    /// Its bytes, those of its head included.
    pub bytes: u64,
    /// Its words.
    pub words: &'s [u64],
    /// The words with which the writer labelled its blocks.
    pub label: &'s [u64],
}

/// The last records of a ring at one moment.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Snapshot {
    words: Vec<u64>,
    records: Vec<Found>,
    overwritten: Amount,
    total: Amount,
    damaged: usize,
    /// Where the copied blocks lie in the ring.
    blocks: Option<Blocks>,
}

/// Blocks of a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Blocks {
    /// The number of the first one that was not overwritten.
    first: u64,
    /// Its index in the copy.
    valid: usize,
    end: u64,
}

/// A record, with the place of its words in the copy.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Found {
    number: u64,
    owner: u64,
    time: u64,
    tag: u32,
    bytes: u64,
    words: Range<usize>,
    label: Range<usize>,
}

impl Ring<'_> {
    /// Copies the records that are in the ring.
    ///
    /// Lock-free: repeated if the writer has passed the whole ring during the copy.
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
        // Ordering: Acquire pairs with the release of the commit. Without it, the copy may lack words of records
        // before `end`, or have a block's old header.
        let end = self.words[END].load(Ordering::Acquire);
        // A file may hold any number.
        if end <= self.start() {
            return Some(Snapshot { damaged: usize::from(end < self.start()), ..Snapshot::default() });
        }
        let block_words = self.block_words as u64;
        let last = (end - 1) / block_words;
        let first = (last + 1 - self.blocks as u64).max(self.blocks as u64);
        let mut copied = Vec::with_capacity((last + 1 - first) as usize * self.block_words);
        for number in first..=last {
            copied.extend(self.slot(number).iter().map(|word| word.load(Ordering::Relaxed)));
        }
        // Ordering: Acquire pairs with the writer's release fence: if a word was copied of a later block, the loads of
        // the stamps find that block's number.
        fence(Ordering::Acquire);
        // Ordering: Acquire pairs with the release of the stamp. Without it, `end` below may be an old one.
        let is_old = |number: &u64| self.slot(*number)[STAMP].load(Ordering::Acquire) != *number;
        // Blocks are overwritten in their order: with one, all before it are gone.
        let valid = (first..=last).rev().find(is_old).map_or(first, |old| old + 1);
        if valid > last {
            // A writer is a lap ahead, or the file is damaged: then nothing changes.
            let is_still = self.words[END].load(Ordering::Relaxed) == end;
            return is_still.then(|| Snapshot { damaged: 1, ..Snapshot::default() });
        }
        let used = (end - last * block_words) as usize;
        let blocks = Blocks { first: valid, valid: (valid - first) as usize, end };
        Some(Snapshot::of(copied, self, blocks, used))
    }

    /// The words of a block.
    fn slot(&self, number: u64) -> &[Word] {
        self.block((number % self.blocks as u64) as usize)
    }
}

impl Snapshot {
    /// Finds the records in the blocks of a copy. The last block has `used` words.
    fn of(copied: Vec<u64>, ring: &Ring<'_>, found: Blocks, used: usize) -> Self {
        let block_words = ring.block_words;
        let blocks = copied.len() / block_words;
        let mut snapshot = Self { blocks: Some(found), ..Self::default() };
        for index in found.valid..blocks {
            let start = index * block_words;
            let block = &copied[start..start + if index + 1 == blocks { used } else { block_words }];
            let Some((header, _)) = block.split_at_checked(ring.header) else {
                snapshot.damaged += 1;
                continue;
            };
            let before = Amount { records: header[RECORDS_BEFORE], bytes: header[BYTES_BEFORE] };
            if index == found.valid {
                (snapshot.overwritten, snapshot.total) = (before, before);
            }
            snapshot.damaged += usize::from(snapshot.total != before);
            snapshot.total = before;
            snapshot.read_block(block, start, ring.header);
        }
        snapshot.words = copied;
        snapshot
    }

    /// Adds the records of a block, which lies at `start` in the copy.
    fn read_block(&mut self, block: &[u64], start: usize, header: usize) {
        let (mut time, mut at) = (block[TIME], header);
        while let Some(&head) = block.get(at)
            && head != 0
        {
            let len = head as usize & LONGEST;
            let passed = head >> (LEN_BITS + TAG_BITS);
            let first = at + 1 + usize::from(passed == LONG);
            if len == 0 || first > at + len || at + len > block.len() {
                self.damaged += 1;
                return;
            }
            time = if passed == LONG { block[at + 1] } else { time.wrapping_add(passed) };
            self.records.push(Found {
                number: self.total.records,
                owner: block[WRITER],
                time,
                tag: (head >> LEN_BITS) as u32 & ((1 << TAG_BITS) - 1),
                bytes: 8 * len as u64,
                words: start + first..start + at + len,
                label: start + LABEL..start + header,
            });
            self.total.records = self.total.records.wrapping_add(1);
            self.total.bytes = self.total.bytes.wrapping_add(8 * len as u64);
            at += len;
        }
    }

    /// Returns the records, in the order of writing and without a gap.
    pub fn records(&self) -> impl DoubleEndedIterator<Item = Record<'_>> + ExactSizeIterator {
        self.records.iter().map(|&Found { number, owner, time, tag, bytes, ref words, ref label }| Record {
            number,
            owner,
            time,
            tag,
            bytes,
            words: &self.words[words.clone()],
            label: &self.words[label.clone()],
        })
    }

    /// Returns how many records were committed before the first one of the snapshot, and their bytes: exactly.
    #[must_use]
    pub fn overwritten(&self) -> Amount {
        self.overwritten
    }

    /// Returns how many records were committed up to the last one of the snapshot.
    #[must_use]
    pub fn total(&self) -> Amount {
        self.total
    }

    /// Returns the words of a ring, of the same geometry as the one that was copied, that has these records only.
    #[must_use]
    pub fn image(&self, ring: &Ring<'_>) -> Vec<u64> {
        let mut image = vec![0; Ring::words(ring.blocks, ring.block_words)];
        image[END] = ring.start();
        let Some(Blocks { first, valid, end }) = self.blocks else { return image };
        image[END] = end;
        [image[RECORDS], image[BYTES]] = [self.total.records, self.total.bytes];
        image[REFUSED] = ring.refused();
        for (number, block) in (first..).zip(self.words.chunks(ring.block_words).skip(valid)) {
            let used = (end - number * ring.block_words as u64).min(ring.block_words as u64) as usize;
            let start = HEAD + (number % ring.blocks as u64) as usize * ring.block_words;
            image[start..start + used].copy_from_slice(&block[..used]);
        }
        image
    }

    /// Returns how many blocks no writer can have left like that: 0, unless the memory was changed by something else.
    #[must_use]
    pub fn damaged(&self) -> usize {
        self.damaged
    }
}
