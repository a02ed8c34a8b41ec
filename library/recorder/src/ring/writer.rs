//! The thread that adds records to a ring.

use core::fmt;

use super::geometry::{
    BYTES, BYTES_BEFORE, END, HEAD, LABEL, LONG, LONGEST_LABEL, OWNER, RECORDS, RECORDS_BEFORE, Ring, SHORT, SPARE,
    STAMP, TAG_BITS, TIME, WRITER,
};
use crate::sync::{Ordering, fence};

/// The index of a writer without a block.
const NOWHERE: usize = 8 * HEAD;

/// The exclusive right of one thread to write into a ring.
///
/// Dropping it leaves the records in place, until the ring's next writer overwrites them.
pub struct Writer<'m> {
    ring: Ring<'m>,
    owner: u64,
    /// Index of the next free byte in the ring's memory.
    at: usize,
    /// Index behind the last byte that a record in the block can use.
    stop: usize,
    /// The bytes before `at` in its word.
    word: u64,
    /// The number of the block.
    block: u64,
    /// The difference between a position and an index in the block.
    offset: u64,
    /// Difference between the number of bytes of all records before an index in the block, and that
    /// index.
    bytes: u64,
    /// The last record's time.
    time: u64,
    records: u64,
    /// The label of this writer's blocks.
    label: [u64; LONGEST_LABEL],
}

impl<'m> Ring<'m> {
    /// Claims the ring for the thread with this number, which is not 0. Returns `None` if the ring
    /// has a writer.
    ///
    /// The thread's records start in a new block.
    #[must_use]
    pub fn claim(&self, owner: u64) -> Option<Writer<'m>> {
        assert!(owner != 0, "a ring without an owner has the number 0");
        // Ordering: Acquire pairs with the Release of the drop of the last writer. Without it, this
        // writer starts with old counts or an old `end`, and its blocks race with those of the last
        // writer.
        self.words[OWNER].compare_exchange(0, owner, Ordering::Acquire, Ordering::Relaxed).ok()?;
        let end = self.words[END].load(Ordering::Relaxed);
        let block = (end - 1) / self.block_bytes();
        Some(Writer {
            ring: *self,
            owner,
            // No record fits: the first record begins a block.
            at: NOWHERE,
            stop: 0,
            word: 0,
            block,
            offset: 0,
            bytes: self.words[BYTES].load(Ordering::Relaxed).wrapping_sub(NOWHERE as u64),
            time: 0,
            records: self.words[RECORDS].load(Ordering::Relaxed),
            label: [0; LONGEST_LABEL],
        })
    }
}

impl<'m> Writer<'m> {
    /// Begins a record of `len` bytes of values with a tag of 20 bits. Times do not decrease: an
    /// earlier time is replaced by the last one.
    ///
    /// Tags below 4096 and lengths below 64 make shorter records. Returns `None` if the record is
    /// too long for a block. Wait-free. If the record needs a new block, the oldest block is
    /// overwritten, even if the draft is not committed.
    #[inline]
    pub fn record(&mut self, time: u64, tag: u32, len: usize) -> Option<Draft<'_, 'm>> {
        if self.has_short(time, tag, len) || self.make_room(time, tag, len) {
            self.record_short(time, tag, len)
        } else {
            self.record_long(time, tag, len)
        }
    }

    /// Begins a record as [`record`](Self::record) does, if the record is short and the block has
    /// room for it. The code of the other cases need not be inlined into callers.
    #[inline]
    pub fn record_short(&mut self, time: u64, tag: u32, len: usize) -> Option<Draft<'_, 'm>> {
        if !self.has_short(time, tag, len) {
            return None;
        }
        let passed = time.saturating_sub(self.time);
        let mut draft = self.draft(self.time + passed, SHORT.bytes() + len);
        draft.put(SHORT.put(len, tag, passed) as u64, SHORT.bytes());
        Some(draft)
    }

    /// Starts a block if a short record has no room in this one. Returns whether the record is
    /// short and fits into a block, so that it has room now.
    ///
    /// This code is small, because it is seldom in a cache.
    #[cold]
    #[inline(never)]
    pub fn make_room(&mut self, time: u64, tag: u32, len: usize) -> bool {
        let is_needed = Self::is_short(time.saturating_sub(self.time), tag, len) && SHORT.bytes() + len <= self.room();
        if is_needed && self.at + SHORT.bytes() + len > self.stop {
            self.enter(time.max(self.time));
        }
        is_needed
    }

    /// Whether a record is short and the block has room for it.
    #[inline]
    fn has_short(&self, time: u64, tag: u32, len: usize) -> bool {
        Self::is_short(time.saturating_sub(self.time), tag, len) && self.at + SHORT.bytes() + len <= self.stop
    }

    /// Whether a record has a short head.
    #[inline]
    fn is_short(passed: u64, tag: u32, len: usize) -> bool {
        len >> SHORT.len_bits == 0 && u64::from(tag) >> SHORT.tag_bits | passed >> SHORT.time_bits == 0
    }

    /// Returns the number of bytes of a block that records can use.
    fn room(&self) -> usize {
        8 * (self.ring.block_words - self.ring.header) - SPARE
    }

    /// Begins a record that has many bytes, or a great difference to the last one's time.
    #[cold]
    #[inline(never)]
    fn record_long(&mut self, time: u64, tag: u32, len: usize) -> Option<Draft<'_, 'm>> {
        let (time, tag) = (time.max(self.time), tag & ((1 << TAG_BITS) - 1));
        let has_short_head = Self::is_short(0, tag, len);
        let least = if has_short_head { SHORT.bytes() } else { LONG.bytes() };
        if len >> LONG.len_bits != 0 || least + len > self.room() {
            self.ring.refuse();
            return None;
        }
        if (time - self.time) >> LONG.time_bits != 0 || self.at + LONG.bytes() + len > self.stop {
            self.enter(time);
            if has_short_head {
                return self.record_short(time, tag, len);
            }
        }
        let head = LONG.put(len, tag, time - self.time);
        let mut draft = self.draft(time, LONG.bytes() + len);
        draft.put(head as u64, 8);
        draft.put((head >> 64) as u64, LONG.bytes() - 8);
        Some(draft)
    }

    #[inline]
    fn draft(&mut self, time: u64, bytes: usize) -> Draft<'_, 'm> {
        Draft { at: self.at, stop: self.at + bytes, word: self.word, time, writer: self }
    }

    /// Marks the rest of the block as empty: a dropped draft may have left bytes there.
    fn leave(&mut self) {
        if self.at <= self.stop && self.ring.words[self.at / 8].load(Ordering::Relaxed) != self.word {
            self.ring.words[self.at / 8].store(self.word, Ordering::Relaxed);
        }
    }

    /// Overwrites the oldest block.
    #[inline]
    fn enter(&mut self, time: u64) {
        self.leave();
        let (bytes, number) = (self.bytes(), self.block + 1);
        let slot = (number % self.ring.blocks as u64) as usize;
        let block = self.ring.block(slot);
        // Ordering: Release pairs with the Acquire of a reader that copied the overwritten block:
        // it then finds a later `end`, and does not take the block for damaged.
        block[STAMP].store(number, Ordering::Release);
        // Ordering: pairs with the reader's acquire fence. Without it, a reader finds a word of
        // this block under the stamp of the overwritten block.
        fence(Ordering::Release);
        block[RECORDS_BEFORE].store(self.records, Ordering::Relaxed);
        block[BYTES_BEFORE].store(bytes, Ordering::Relaxed);
        block[TIME].store(time, Ordering::Relaxed);
        block[WRITER].store(self.owner, Ordering::Relaxed);
        for (word, label) in block[LABEL..self.ring.header].iter().zip(self.label) {
            word.store(label, Ordering::Relaxed);
        }
        let start = 8 * (HEAD + slot * self.ring.block_words);
        self.block = number;
        self.at = start + 8 * self.ring.header;
        self.stop = start + 8 * self.ring.block_words - SPARE;
        self.word = 0;
        self.offset = (number * self.ring.block_bytes()).wrapping_sub(start as u64);
        self.bytes = bytes.wrapping_sub(self.at as u64);
        self.time = time;
    }

    /// Sets the label of each later block of this writer, as far as the ring has words for it.
    pub fn set_label(&mut self, label: &[u64]) {
        self.label.iter_mut().zip(label).for_each(|(word, label)| *word = *label);
    }

    /// Returns the ring.
    #[must_use]
    pub fn ring(&self) -> Ring<'m> {
        self.ring
    }

    /// Returns the number of records that were committed to the ring, those of earlier writers
    /// included.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Returns the number of bytes of these records.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes.wrapping_add(self.at as u64)
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        self.leave();
        self.ring.words[RECORDS].store(self.records, Ordering::Relaxed);
        self.ring.words[BYTES].store(self.bytes(), Ordering::Relaxed);
        // Ordering: Release pairs with the Acquire of the next claim, which then finds all of this
        // writer's stores.
        self.ring.words[OWNER].store(0, Ordering::Release);
    }
}

impl fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("owner", &self.owner).field("records", &self.records).finish_non_exhaustive()
    }
}

/// A record that is being written. A dropped draft leaves no record.
#[must_use = "a draft that is not committed leaves no record"]
pub struct Draft<'w, 'm> {
    writer: &'w mut Writer<'m>,
    /// The index of the next byte.
    at: usize,
    stop: usize,
    /// The bytes before `at` in its word.
    word: u64,
    time: u64,
}

impl Draft<'_, '_> {
    /// Appends the lowest `len` bytes of a value, 1 to 8, to the record.
    ///
    /// # Panics
    /// If the record has no room for them.
    #[inline]
    pub fn put(&mut self, value: u64, len: usize) {
        let end = self.at + len;
        assert!(matches!(len, 1..=8) && end <= self.stop, "the record has all its bytes");
        let value = value & (u64::MAX >> (64 - 8 * len));
        let shift = 8 * (self.at % 8);
        let word = self.word | value << shift;
        self.writer.ring.words[self.at / 8].store(word, Ordering::Relaxed);
        // Both cases without a branch, which would be mispredicted.
        let is_full = end / 8 != self.at / 8;
        self.word = if is_full { value >> 1 >> (63 - shift) } else { word };
        self.at = end;
    }

    /// Appends bytes to the record.
    ///
    /// # Panics
    /// If the record has no room for them.
    #[inline]
    pub fn put_bytes(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        words.iter().for_each(|word| self.put(u64::from_le_bytes(*word), 8));
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.put(u64::from_le_bytes(word), rest.len());
        }
    }

    /// Commits the record: readers find it from now on.
    ///
    /// # Panics
    /// If the record has fewer bytes than it was begun with.
    #[inline]
    pub fn commit(self) {
        assert!(self.at == self.stop, "bytes of the record are missing");
        let writer = self.writer;
        writer.ring.words[self.at / 8].store(self.word, Ordering::Relaxed);
        writer.records += 1;
        writer.time = self.time;
        writer.at = self.at;
        writer.word = self.word;
        let end = writer.offset.wrapping_add(self.at as u64);
        // Ordering: Release pairs with the reader's Acquire of `end`, which then finds the record's
        // words.
        writer.ring.words[END].store(end, Ordering::Release);
    }
}

impl fmt::Debug for Draft<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Draft").field("missing", &(self.stop - self.at)).finish_non_exhaustive()
    }
}
