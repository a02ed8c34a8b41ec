//! The one thread that puts records into a ring.

use core::fmt;

use super::geometry::{
    BYTES, BYTES_BEFORE, END, HEAD, LABEL, LEN_BITS, LONG, LONGEST, LONGEST_LABEL, OWNER, RECORDS, RECORDS_BEFORE,
    Ring, STAMP, TAG_BITS, TIME, WRITER,
};
use crate::sync::{Ordering, fence};

/// The right to write into a ring: one thread at a time has it.
///
/// Dropping it leaves the records in place, until the ring's next writer overwrites them.
pub struct Writer<'m> {
    ring: Ring<'m>,
    owner: u64,
    /// The index of the next free word.
    at: usize,
    /// The index behind the last word of the block.
    stop: usize,
    /// The number of the block.
    block: u64,
    /// What has to be added to an index in the block to get its position.
    offset: u64,
    /// The last record's time.
    time: u64,
    records: u64,
    /// Words of those records.
    words: u64,
    /// Words that each of its blocks carries.
    label: [u64; LONGEST_LABEL],
}

impl<'m> Ring<'m> {
    /// Claims the ring for a thread with this number, which is not 0. Returns `None` if another thread writes.
    ///
    /// The thread's records begin with a block of their own.
    #[must_use]
    pub fn claim(&self, owner: u64) -> Option<Writer<'m>> {
        assert!(owner != 0, "a ring without an owner has the number 0");
        // Ordering: Acquire pairs with the release of the drop of the last writer. Without it, this writer begins
        // with old counts or an old `end`, and its blocks race with those of the last writer.
        self.words[OWNER].compare_exchange(0, owner, Ordering::Acquire, Ordering::Relaxed).ok()?;
        let end = self.words[END].load(Ordering::Relaxed);
        let block = (end - 1) / self.block_words as u64;
        // Where the last writer's records end.
        let at = HEAD + (block % self.blocks as u64) as usize * self.block_words;
        let used = (end - block * self.block_words as u64) as usize;
        let mut writer = Writer {
            ring: *self,
            owner,
            at: at + used,
            stop: at + self.block_words,
            block,
            offset: 0,
            time: 0,
            records: self.words[RECORDS].load(Ordering::Relaxed),
            words: self.words[BYTES].load(Ordering::Relaxed) / 8,
            label: [0; LONGEST_LABEL],
        };
        writer.leave();
        Some(writer)
    }
}

impl<'m> Writer<'m> {
    /// Begins a record of `len` words with a tag of 20 bits. Times do not decrease: an earlier one is taken for the
    /// last.
    ///
    /// Returns `None` if a record cannot be that long. Wait-free. If the record needs a new block, the oldest block is
    /// overwritten, even if the draft is not committed.
    #[inline]
    pub fn record(&mut self, time: u64, tag: u32, len: usize) -> Option<Draft<'_, 'm>> {
        let mut passed = time.saturating_sub(self.time);
        let mut is_long = passed >= LONG;
        if len + 1 + usize::from(is_long) > self.stop - self.at {
            if len + 1 > (self.ring.block_words - self.ring.header).min(LONGEST - 1) {
                self.ring.refuse();
                return None;
            }
            self.enter(time.max(self.time));
            (passed, is_long) = (0, false);
        } else if len > LONGEST - 2 {
            self.ring.refuse();
            return None;
        }
        let time = time.max(self.time);
        let words = len + 1 + usize::from(is_long);
        let tag = u64::from(tag) & ((1 << TAG_BITS) - 1);
        let head = words as u64 | tag << LEN_BITS | passed.min(LONG) << (LEN_BITS + TAG_BITS);
        let mut draft = Draft { at: self.at, stop: self.at + words, time, writer: self };
        draft.put(head);
        if is_long {
            draft.put(time);
        }
        Some(draft)
    }

    /// Marks the rest of the block as empty, so that the next record begins a block.
    fn leave(&mut self) {
        if self.at < self.stop {
            self.ring.words[self.at].store(0, Ordering::Relaxed);
            self.at = self.stop;
        }
    }

    /// Overwrites the oldest block.
    #[cold]
    #[inline(never)]
    fn enter(&mut self, time: u64) {
        self.leave();
        let number = self.block + 1;
        let slot = (number % self.ring.blocks as u64) as usize;
        let block = self.ring.block(slot);
        // Ordering: Release pairs with the acquire of a reader that has been passed by: it then finds a later `end`,
        // and does not take the overwritten block for a damaged one.
        block[STAMP].store(number, Ordering::Release);
        // Ordering: pairs with the reader's acquire fence. Without it, a reader finds a word of this block under the
        // stamp of the one that it overwrites.
        fence(Ordering::Release);
        block[RECORDS_BEFORE].store(self.records, Ordering::Relaxed);
        block[BYTES_BEFORE].store(self.words * 8, Ordering::Relaxed);
        block[TIME].store(time, Ordering::Relaxed);
        block[WRITER].store(self.owner, Ordering::Relaxed);
        for (word, label) in block[LABEL..self.ring.header].iter().zip(self.label) {
            word.store(label, Ordering::Relaxed);
        }
        let start = HEAD + slot * self.ring.block_words;
        self.block = number;
        self.at = start + self.ring.header;
        self.stop = start + self.ring.block_words;
        self.offset = (number * self.ring.block_words as u64).wrapping_sub(start as u64);
        self.time = time;
    }

    /// Sets the words that each later block of this writer carries: as many as the ring has room for in a label.
    pub fn set_label(&mut self, label: &[u64]) {
        self.label.iter_mut().zip(label).for_each(|(word, label)| *word = *label);
    }

    /// Returns the ring.
    #[must_use]
    pub fn ring(&self) -> Ring<'m> {
        self.ring
    }

    /// Returns how many records were committed to the ring, those of earlier writers included.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Returns the bytes of those records.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.words * 8
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        self.ring.words[RECORDS].store(self.records, Ordering::Relaxed);
        self.ring.words[BYTES].store(self.words * 8, Ordering::Relaxed);
        // Ordering: Release pairs with the acquire of the next claim, which then finds all of this writer's stores.
        self.ring.words[OWNER].store(0, Ordering::Release);
    }
}

impl fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("owner", &self.owner).field("records", &self.records).finish_non_exhaustive()
    }
}

/// A record that is being written. A draft that is dropped is no record.
#[must_use = "a draft that is not committed is no record"]
pub struct Draft<'w, 'm> {
    writer: &'w mut Writer<'m>,
    /// The index of the next word.
    at: usize,
    stop: usize,
    time: u64,
}

impl Draft<'_, '_> {
    /// Puts the next word of the record.
    ///
    /// # Panics
    /// If the record has all its words.
    #[inline]
    pub fn put(&mut self, word: u64) {
        assert!(self.at < self.stop, "the record has all its words");
        self.writer.ring.words[self.at].store(word, Ordering::Relaxed);
        self.at += 1;
    }

    /// Makes it a record. Readers find it from now on.
    ///
    /// # Panics
    /// If words are missing.
    #[inline]
    pub fn commit(self) {
        assert!(self.at == self.stop, "words of the record are missing");
        let writer = self.writer;
        writer.words += (self.stop - writer.at) as u64;
        writer.records += 1;
        writer.time = self.time;
        writer.at = self.stop;
        let end = writer.offset.wrapping_add(self.stop as u64);
        // Ordering: Release pairs with the reader's acquire of `end`, which then finds the record's words.
        writer.ring.words[END].store(end, Ordering::Release);
    }
}

impl fmt::Debug for Draft<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Draft").field("missing", &(self.stop - self.at)).finish_non_exhaustive()
    }
}
