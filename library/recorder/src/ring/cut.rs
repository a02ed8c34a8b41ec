//! A part of a snapshot, as the words of a ring.

use core::ops::Range;

use super::geometry::{
    BYTES, BYTES_BEFORE, END, HEAD, IS_CUT, LEFT_OUT_BYTES, LEFT_OUT_RECORDS, RECORDS, RECORDS_BEFORE, REFUSED, Ring,
    TIME,
};
use super::reader::{Amount, Blocks, Found, Snapshot, words_of};
use crate::sync::Ordering;

/// The records of a [`Snapshot`] in a window of time, in blocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    block_words: usize,
    /// The numbers and words of the blocks.
    blocks: Vec<(u64, Vec<u64>)>,
    /// The position behind the last record.
    end: u64,
    total: Amount,
    /// Number of records, and bytes, of the snapshot before the window.
    left_out: Amount,
    refused: u64,
}

impl Snapshot {
    /// Returns the words of a ring that has only these records, with the geometry of the copied
    /// ring.
    #[must_use]
    pub fn image(&self, ring: &Ring<'_>) -> Vec<u64> {
        let mut image = vec![0; Ring::words(ring.blocks, ring.block_words)];
        image[END] = ring.start();
        let Some(Blocks { first, valid, end }) = self.blocks else { return image };
        image[END] = end;
        [image[RECORDS], image[BYTES]] = [self.total.records, self.total.bytes];
        image[REFUSED] = ring.refused();
        for (number, bounds) in (first..).zip(self.starts.windows(2).skip(valid)) {
            let block = &self.bytes[bounds[0]..bounds[1]];
            let used = (end - number * ring.block_bytes()).min(block.len() as u64) as usize;
            let start = HEAD + (number % ring.blocks as u64) as usize * ring.block_words;
            image[start..].iter_mut().zip(words_of(&block[..used])).for_each(|(to, word)| *to = word);
        }
        image
    }

    /// Returns the records of a window of times: from the first record in it up to the next one
    /// behind it.
    ///
    /// `ring` is the copied ring.
    #[must_use]
    pub fn cut(&self, ring: &Ring<'_>, times: Range<u64>) -> Cut {
        let mut cut = Cut {
            block_words: ring.block_words,
            blocks: Vec::new(),
            end: 0,
            total: self.total,
            left_out: Amount::default(),
            refused: ring.refused(),
        };
        let position = |from: usize, time: u64| {
            let found = self.records[from..].iter().position(|record| record.time >= time);
            found.map_or(self.records.len(), |at| from + at)
        };
        let from = position(0, times.start);
        let to = position(from, times.end.max(times.start));
        cut.left_out = Amount {
            records: from as u64,
            bytes: self.records[..from].iter().fold(0, |sum, record| sum.wrapping_add(record.bytes)),
        };
        let before = self.overwritten.plus(cut.left_out);
        if from == to {
            // A block without records holds the number of overwritten records.
            let last = self.starts.len().saturating_sub(2);
            self.cut_block(&mut cut, ring, last, before, from..from);
            return cut;
        }
        let (mut before, mut at) = (before, from);
        for records in self.records[from..to].chunk_by(|one, next| self.block_of(one) == self.block_of(next)) {
            let index = self.block_of(&records[0]);
            self.cut_block(&mut cut, ring, index, before, at..at + records.len());
            at += records.len();
            let bytes = records.iter().fold(0_u64, |sum, record| sum.wrapping_add(record.bytes));
            before = before.plus(Amount { records: records.len() as u64, bytes });
        }
        cut
    }

    /// Returns the index in the copy of the block that holds a record.
    fn block_of(&self, record: &Found) -> usize {
        // No record ends where another block starts: records do not use the last word of a block,
        // and a shorter copy ends with zeros.
        self.starts.partition_point(|start| *start <= record.values.start) - 1
    }

    /// Adds a block of the copy, with only these consecutive records.
    fn cut_block(&self, cut: &mut Cut, ring: &Ring<'_>, index: usize, before: Amount, records: Range<usize>) {
        let Some(&start) = self.starts.get(index) else { return };
        let Some(header) = self.bytes.get(start..start + 8 * ring.header) else { return };
        let Some(Blocks { first, valid, .. }) = self.blocks.filter(|blocks| blocks.valid <= index) else { return };
        let number = first + (index - valid) as u64;
        let mut block: Vec<u64> = words_of(header).collect();
        [block[RECORDS_BEFORE], block[BYTES_BEFORE]] = [before.records, before.bytes];
        // The first record's time counts from the time of the record before.
        if let Some(earlier) = records.start.checked_sub(1).map(|at| &self.records[at])
            && self.block_of(earlier) == index
        {
            block[TIME] = earlier.time;
        }
        let kept = &self.records[records];
        let bytes = match (kept.first(), kept.last()) {
            (Some(first), Some(last)) => first.values.end - first.bytes as usize..last.values.end,
            _ => 0..0,
        };
        cut.end = number * ring.block_bytes() + (8 * ring.header + bytes.len()) as u64;
        block.extend(words_of(&self.bytes[bytes]));
        cut.blocks.push((number, block));
    }
}

impl Cut {
    /// Returns the number of blocks.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Whether no thread has written into the ring, or tried to.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.blocks.is_empty() && self.refused == 0
    }

    /// Returns the words of a ring with `blocks` blocks, which must be at least
    /// [`blocks`](Self::blocks).
    #[must_use]
    pub fn image(&self, blocks: usize) -> Vec<u64> {
        let mut image = vec![0; Ring::words(blocks, self.block_words)];
        image[END] = if self.blocks.is_empty() { 8 * (blocks * self.block_words) as u64 } else { self.end };
        [image[RECORDS], image[BYTES], image[REFUSED]] = [self.total.records, self.total.bytes, self.refused];
        [image[LEFT_OUT_RECORDS], image[LEFT_OUT_BYTES]] = [self.left_out.records, self.left_out.bytes];
        image[IS_CUT] = 1;
        for (number, block) in &self.blocks {
            let start = HEAD + (number % blocks as u64) as usize * self.block_words;
            image[start..start + block.len()].copy_from_slice(block);
        }
        image
    }
}

impl Ring<'_> {
    /// Returns the numbers of records that a [`Cut`] left out, if this ring is the image of one and
    /// `snapshot` its snapshot: the records before the window, and the records behind it. Both are
    /// 0 for any other ring.
    #[must_use]
    pub fn left_out(&self, snapshot: &Snapshot) -> [Amount; 2] {
        let of = |records: usize, bytes: usize| {
            let [records, bytes] = [records, bytes].map(|word| self.words[word].load(Ordering::Relaxed));
            Amount { records, bytes }
        };
        if self.words[IS_CUT].load(Ordering::Relaxed) != 1 {
            return [Amount::default(); 2];
        }
        [of(LEFT_OUT_RECORDS, LEFT_OUT_BYTES), of(RECORDS, BYTES).minus(snapshot.total)]
    }
}
